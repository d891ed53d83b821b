// SPDX-License-Identifier: Apache-2.0
// Volatile data handed over by a fence and a flag, and the reader has no fence: advice, as for plain data. A lock that
// is taken without one is a warning.
// expect: fence-missing-acquire=advice @14 @23
// expect: race-volatile=warning @33
// errors: 0
#include <cstdio>

__device__ int flag, lock, out;

__global__ void publish(volatile int *data)
{
    if (blockIdx.x == 0) {
        *data = 7;
        __threadfence();
        atomicExch(&flag, 1);
        return;
    }
    if (blockIdx.x != 1)
        return;
    while (atomicAdd(&flag, 0) == 0)
        ;
    out = *data;
}

__global__ void count(volatile int *data)
{
    for (bool done = false; !done;)
        if (atomicCAS(&lock, 0, 1) == 0) {
#ifdef FIX
            __threadfence();
#endif
            *data = *data + 1;
            __threadfence();
            atomicExch(&lock, 0);
            done = true;
        }
}

int main()
{
    int *data, got;
    cudaMalloc(&data, sizeof(int));
    cudaMemset(data, 0, sizeof(int));
    publish<<<2, 1>>>(data);
    count<<<4, 1>>>(data);
    cudaMemcpy(&got, data, sizeof got, cudaMemcpyDeviceToHost);
    printf("%s\n", got == 11 ? "PASS" : "FAIL");
    return 0;
}
