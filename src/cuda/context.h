// SPDX-License-Identifier: Apache-2.0
// Contexts: the primary one and those that the program makes. There is one device and one address space;
// a context here is what is current in a thread, and a list of what was made while it was, which goes
// when it is destroyed.
#ifndef WF_CUDA_CONTEXT_H
#define WF_CUDA_CONTEXT_H

#include "cuda/priv.h" // CUcontext

enum wf__kind { // in the order in which they are given back
    WF__KIND_STREAM = 1,
    WF__KIND_EVENT,
    WF__KIND_MODULE,
    WF__KIND_DEVICE_MEMORY,
    WF__KIND_HOST_MEMORY
};

// NULL when none is current. The primary one is, without a call, in a thread that used the runtime API.
CUcontext wf__context_current(void);
// Notes what the current context has made, and that it is gone. Nothing is noted for the primary context
// but by owner: a handle of 0 is ignored.
void wf__context_own(enum wf__kind kind, uint64_t handle);
void wf__context_disown(uint64_t handle);
CUcontext wf__context_of(uint64_t handle); // its owner; the current one when unknown

#endif
