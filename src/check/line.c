// SPDX-License-Identifier: Apache-2.0
// See line.h.
#include "check/line.h"

uint32_t wf__line_handle(const struct wf__pool *p, uint32_t h, uint32_t i)
{
    return h >> 5 < p->gone ? 0 : h + (i >> wf__line_shift(p->rec[h >> 5].bytes));
}

void wf__line_open(struct wf__pool *p, uint64_t *first)
{
    uint64_t c = *first;
    p->closed--;
    uint32_t wr = (uint32_t)c, rd = wf__line_reader(c);
    uint64_t step_w = 1, step_r = UINT64_C(1) << 32;
    uint32_t ws = 0, rs = 0;
    if (wr >> 5 < p->gone)
        step_w = wr = 0;
    else
        ws = wf__line_shift(p->rec[wr >> 5].bytes);
    if (rd >> 5 < p->gone)
        step_r = rd = 0;
    else
        rs = wf__line_shift(p->rec[rd >> 5].bytes);
    c = (uint64_t)rd << 32 | wr;
    for (uint32_t i = 0; i < WF__LINE_WORDS; i++)
        first[i] = c + (i >> ws) * step_w + (i >> rs) * step_r;
}
