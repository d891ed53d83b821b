// SPDX-License-Identifier: Apache-2.0
// How far the newest launch has come, for whoever shows it. Thread-safe; told by execution under check only.
#ifndef WF_CORE_PROGRESS_H
#define WF_CORE_PROGRESS_H

#include <stdint.h> // uint64_t

struct wf_progress {
    char kernel[96]; // mangled, cut when longer; "" before the first launch
    uint64_t blocks, of; // started, of the grid
};

void wf_progress_launch(const char *kernel, uint64_t blocks);
void wf_progress_blocks(uint64_t n); // so many more have started
void wf_progress_get(struct wf_progress *out);

#endif
