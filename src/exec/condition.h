// SPDX-License-Identifier: Apache-2.0
// Values that kernels set to steer a graph's conditional nodes (cudaGraphSetConditional).
#ifndef WF_EXEC_CONDITION_H
#define WF_EXEC_CONDITION_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

// Handles live as long as the process; 0 when there are too many.
uint64_t wf_condition_create(uint32_t value, bool is_default); // is_default: restored at each launch
bool wf_condition_is(uint64_t handle);
uint32_t wf_condition_get(uint64_t handle);
void wf_condition_restore(uint64_t handle);
bool wf_condition_set(uint64_t handle, uint32_t value); // false: no such handle

#endif
