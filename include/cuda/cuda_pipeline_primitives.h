// SPDX-License-Identifier: Apache-2.0
// The other name under which the primitives are included.
#include "cuda_pipeline.h"
