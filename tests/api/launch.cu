// SPDX-License-Identifier: Apache-2.0
// Launches that are refused, with the codes of an H200 and runtime 13.0; attributes of functions.
// expect: launch-config
// stdout: PASS
#include "api.h"

__global__ void noop(void)
{
}
__global__ void params(char a, double b, int c, int *out)
{
    *out = a + (int)b + c;
}
__global__ void __launch_bounds__(128) bounded(int *p)
{
    *p = 1;
}
__global__ void shared_sum(int *p)
{
    extern __shared__ int s[];
    s[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (unsigned i = 0; i < blockDim.x; i++)
            sum += s[i];
        *p = sum;
    }
}

static int *out;

#define SHAPE(code, ...)                                                                           \
    do {                                                                                           \
        __VA_ARGS__;                                                                               \
        EQ(cudaPeekAtLastError(), code);                                                           \
        EQ(cudaGetLastError(), code);                                                              \
        OK(cudaDeviceSynchronize());                                                               \
    } while (0)

static void shapes(void)
{
    SHAPE(cudaErrorInvalidValue, (noop<<<0, 1>>>()));
    SHAPE(cudaErrorInvalidValue, (noop<<<1, 0>>>()));
    SHAPE(cudaErrorInvalidValue, (noop<<<1, 1025>>>()));
    SHAPE(cudaErrorInvalidValue, (noop<<<1, dim3(1, 1, 65)>>>()));
    SHAPE(cudaErrorInvalidValue, (noop<<<dim3(1, 65536), 1>>>()));
    SHAPE(cudaErrorInvalidValue, (noop<<<1, 1, 49153>>>()));
    SHAPE(cudaErrorInvalidValue, (bounded<<<1, 256>>>(out)));
    SHAPE(cudaSuccess, (noop<<<1, 1, 49152>>>()));
    SHAPE(cudaSuccess, (noop<<<dim3(3, 2, 2), dim3(8, 4, 2)>>>()));
    SHAPE(cudaErrorInvalidValue, (shared_sum<<<1, 64, 60000>>>(out)));
    OK(cudaFuncSetAttribute((const void *)shared_sum, cudaFuncAttributeMaxDynamicSharedMemorySize,
                            60000));
    SHAPE(cudaSuccess, (shared_sum<<<1, 64, 60000>>>(out)));
    SHAPE(cudaErrorInvalidValue, (shared_sum<<<1, 64, 60001>>>(out)));
    int v = 0;
    OK(cudaMemcpy(&v, out, 4, cudaMemcpyDeviceToHost));
    EQ(v, 2016);
}

static void by_name(void)
{
    char a = 1;
    double b = 20;
    int c = 300, v = 0;
    void *args[] = {&a, &b, &c, &out};
    OK(cudaLaunchKernel((const void *)params, dim3(1), dim3(1), args, 0, 0));
    OK(cudaMemcpy(&v, out, 4, cudaMemcpyDeviceToHost));
    EQ(v, 321);
    IS(cudaLaunchKernel((const void *)0, dim3(1), dim3(1), args, 0, 0),
       cudaErrorInvalidDeviceFunction);
    IS(cudaLaunchKernel((const void *)&v, dim3(1), dim3(1), args, 0, 0),
       cudaErrorInvalidResourceHandle);
    IS(cudaLaunchKernel((const void *)params, dim3(1), dim3(1), args, 0, (cudaStream_t)0x777777),
       cudaErrorInvalidResourceHandle);
    void *none[] = {0};
    IS(cudaLaunchCooperativeKernel((const void *)noop, dim3(132 * 64), dim3(1024), none, 0, 0),
       cudaErrorCooperativeLaunchTooLarge);
    OK(cudaLaunchCooperativeKernel((const void *)noop, dim3(132 * 2), dim3(1024), none, 0, 0));
    OK(cudaDeviceSynchronize());
}

static void attributes(void)
{
    cudaFuncAttributes a;
    int n = -1;
    OK(cudaFuncGetAttributes(&a, (const void *)bounded));
    EQ(a.maxThreadsPerBlock, 128);
    EQ(a.maxDynamicSharedSizeBytes, 49152);
    EQ(a.binaryVersion, 90);
    CHECK(a.ptxVersion >= 75 && a.ptxVersion <= 90);
    CHECK(a.numRegs > 0 && a.numRegs <= 255);
    IS(cudaFuncGetAttributes(&a, (const void *)0), cudaErrorInvalidDeviceFunction);
    IS(cudaFuncGetAttributes((cudaFuncAttributes *)0, (const void *)noop), cudaErrorInvalidValue);
    IS(cudaFuncSetAttribute((const void *)noop, cudaFuncAttributeMaxDynamicSharedMemorySize,
                            232449),
       cudaErrorInvalidValue);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void *)noop, 256, 0));
    EQ(n, 8);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void *)noop, 1024, 0));
    EQ(n, 2);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void *)noop, 256, 60000));
    EQ(n, 0);
    IS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void *)noop, 0, 0),
       cudaErrorInvalidValue);
}

int main(void)
{
    OK(cudaMalloc(&out, 4));
    shapes();
    by_name();
    attributes();
    OK(cudaFree(out));
    return finish();
}
