// SPDX-License-Identifier: Apache-2.0
// The options of just-in-time compilation: an array of option numbers beside one of values, some of which
// are outputs. What counts here are the logs.
#ifndef WF_CUDA_JIT_H
#define WF_CUDA_JIT_H

#include "base/err.h" // struct wf_err
#include "rt/pool_abi.h" // struct abi_location
#include "cuda/abi.h" // bool

// INVALID_VALUE for an option that does not exist.
enum wf_cu wf__jit_check(unsigned n, const int *options, void *const *values);
// Writes the sentence, or nothing when err is NULL, into the error log, and the lengths of both logs back.
void wf__jit_log(unsigned n, const int *options, void **values, const struct wf_err *err);
bool wf__jit_has_log(unsigned n, const int *options, void *const *values);

#endif
