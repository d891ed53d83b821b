// SPDX-License-Identifier: Apache-2.0
// What the drivers of the mutation test share: the two-phase call, an array with values. They run every
// path of a pattern once, as small as it goes; whether results are right is for patterns/tests.
#ifndef DRIVER_H
#define DRIVER_H

#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline void must(cudaError_t e)
{
    if (e == cudaSuccess)
        return;
    printf("%s\n", cudaGetErrorString(e));
    exit(2);
}

#define TWO_PHASE(call)                                                                             \
    do {                                                                                            \
        void *temp = 0;                                                                             \
        size_t bytes = 0;                                                                           \
        must(call);                                                                                 \
        must(cudaMalloc(&temp, bytes));                                                             \
        must(call);                                                                                 \
        must(cudaDeviceSynchronize());                                                              \
        must(cudaFree(temp));                                                                       \
    } while (0)

template <class T> static T *device_array(size_t n)
{
    T *host = (T *)malloc(n * sizeof(T)), *device;
    for (size_t i = 0; i < n; i++)
        host[i] = (T)(i * 2654435761u >> 7 & 1023);
    must(cudaMalloc(&device, n * sizeof(T)));
    must(cudaMemcpy(device, host, n * sizeof(T), cudaMemcpyHostToDevice));
    free(host);
    return device;
}

#endif
