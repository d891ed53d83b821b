// SPDX-License-Identifier: Apache-2.0
// Another name of NVIDIA's for what cuda_runtime_api.h has.
#include "cuda_runtime_api.h"
