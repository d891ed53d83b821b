// SPDX-License-Identifier: Apache-2.0
// Entry points by name.
#ifndef WF_CUDA_PROC_H
#define WF_CUDA_PROC_H

#include <stdint.h> // uint64_t

#include "rt/err.h" // enum wf_cu

// flags: 0 or 1 for the plain form, 2 for the one whose stream 0 is the thread's. status (or NULL): 0 found,
// 1 no such name, 2 a later version has it.
enum wf_cu wf__proc_find(const char *name, void **fn, int version, uint64_t flags, int *status);

#endif
