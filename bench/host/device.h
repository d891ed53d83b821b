// SPDX-License-Identifier: Apache-2.0
// What the CUDA programs of the benchmark share: the check of each call and buffers of device memory.
#ifndef DEVICE_H
#define DEVICE_H

#include <cuda_runtime.h>
#include "serve.h"

#define CK(call)                                                                                    \
    do {                                                                                            \
        cudaError_t status_ = (call);                                                               \
        if (status_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                           \
                    cudaGetErrorString(status_));                                                   \
            exit(2);                                                                                \
        }                                                                                           \
    } while (0)

// Replaces a buffer by one of another size.
template <class T> static void device_room(T **buffer, size_t count)
{
    CK(cudaFree(*buffer));
    CK(cudaMalloc((void **)buffer, count * sizeof(T)));
}

template <class T> static void upload(T *to, const T *from, size_t count)
{
    CK(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyHostToDevice));
}

// The caller frees what it gets.
template <class T> static T *downloaded(const T *from, size_t count)
{
    T *to = (T *)must_have(malloc(count * sizeof(T)));
    CK(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
}

static inline void finish(void)
{
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
}

#endif
