// SPDX-License-Identifier: Apache-2.0
// threadIdx and its family, for CUDA sources; nothing for plain C and C++.
#ifndef WF_CUDA_DEVICE_LAUNCH_PARAMETERS_H
#define WF_CUDA_DEVICE_LAUNCH_PARAMETERS_H

#include "vector_types.h"

#if defined(__CUDA__) && defined(__clang__)
#include "warpfence_cuda/builtin_vars.h"
#endif

#endif
