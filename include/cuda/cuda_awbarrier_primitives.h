// SPDX-License-Identifier: Apache-2.0
// The __mbarrier_ primitives under their own name.
#include "cuda_pipeline.h"
