// Programmatic dependent launches: chains in which each kernel waits before it touches what others use, and
// one that does not.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void first(int *x)
{
    x[threadIdx.x] = 1;
    cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void middle(int *x, const int *table)
{
    int mine = table[threadIdx.x]; // nobody writes it
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
    x[threadIdx.x] += mine;
}

__global__ void one_waits(int *x)
{
    if (threadIdx.x == 0)
        cudaGridDependencySynchronize();
    __syncthreads();
    x[threadIdx.x] *= 3;
}

__global__ void hasty(int *x)
{
    x[threadIdx.x] += 5;
    cudaGridDependencySynchronize();
}

template <class... P, class... A> static void early(void (*k)(P...), cudaStream_t s, A... a)
{
    cudaLaunchAttribute attr = {};
    attr.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attr.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t how = {};
    how.gridDim = dim3(1);
    how.blockDim = dim3(64);
    how.stream = s;
    how.attrs = &attr;
    how.numAttrs = 1;
    cudaLaunchKernelEx(&how, k, P(a)...);
}

int main()
{
    int *x, *table, h = 0;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMalloc((void **)&x, 256);
    cudaMalloc((void **)&table, 256);
    cudaMemset(table, 0, 256);
    first<<<1, 64, 0, s>>>(x);
    early(middle, s, x, table);
    early(middle, s, x, table);
    early(one_waits, s, x);
    early(hasty, s, x); // the kernel in front has no trigger: it is over
    cudaMemcpyAsync(&h, x, 4, cudaMemcpyDeviceToHost, s);
    first<<<1, 64, 0, s>>>(x);
    early(hasty, s, x); // this one triggered
    cudaDeviceSynchronize();
    printf("%d\n", h);
    return 0;
}

// stdout: 8
// expect: host-stream-race @30 @8 @63
