// SPDX-License-Identifier: Apache-2.0
// Two nodes of a graph with no edge between them write the same memory.
// only: nvcc
// expect: host-stream-race @10 @15
#include "api.h"

__global__ void first(int *p)
{
    for (int i = 0; i < 64; i++)
        p[i] = i;
}

__global__ void second(int *p)
{
    p[threadIdx.x] = 7;
}

static cudaGraphNode_t kernel(cudaGraph_t g, void (*fn)(int *), int threads, int *p)
{
    cudaGraphNode_t v = 0;
    cudaKernelNodeParams k;
    void *args[] = {&p};
    memset(&k, 0, sizeof k);
    k.func = (void *)fn;
    k.gridDim = dim3(1);
    k.blockDim = dim3(threads);
    k.kernelParams = args;
    OK(cudaGraphAddKernelNode(&v, g, NULL, 0, &k));
    return v;
}

int main()
{
    int *p;
    cudaGraph_t g;
    cudaGraphExec_t x;
    OK(cudaMalloc(&p, 64 * sizeof *p));
    OK(cudaGraphCreate(&g, 0));
    kernel(g, first, 1, p);
    kernel(g, second, 32, p);
    OK(cudaGraphInstantiate(&x, g, 0));
    OK(cudaGraphLaunch(x, 0));
    OK(cudaDeviceSynchronize());
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));
    return finish();
}
