// SPDX-License-Identifier: Apache-2.0
// Another name of NVIDIA's for what cuda_runtime.h has.
#include "cuda_runtime.h"
