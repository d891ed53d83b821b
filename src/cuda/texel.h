// SPDX-License-Identifier: Apache-2.0
// The driver API's texel formats.
#ifndef WF_CUDA_TEXEL_H
#define WF_CUDA_TEXEL_H

#include "cuda/priv.h"
#include "rt/array.h" // struct wf_texel_format

enum wf_cu wf__cuda_texel(int format, unsigned channels, struct wf_texel_format *out);

#endif
