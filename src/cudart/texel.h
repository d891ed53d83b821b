// SPDX-License-Identifier: Apache-2.0
// Channel descriptions to texel formats and back.
#ifndef WF_CUDART_TEXEL_H
#define WF_CUDART_TEXEL_H

#include "cudart/priv.h"
#include "rt/array.h" // struct wf_texel_format

enum wf_cu wf__texel_format(const struct abi_channel *c, struct wf_texel_format *out);
struct abi_channel wf__texel_channel(const struct wf_texel_format *f);

#endif
