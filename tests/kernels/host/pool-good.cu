// Memory of streams, handed on by events; one stream's memory given to another by the pool.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }

int main()
{
    int *x, *y, h = 0;
    cudaStream_t s, t;
    cudaEvent_t v;
    cudaEventCreate(&v);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    for (int i = 0; i < 3; i++) {
        cudaMallocAsync((void **)&x, 128, s);
        fill<<<1, 32, 0, s>>>(x, i);
        cudaEventRecord(v, s);
        cudaStreamWaitEvent(t, v, 0);
        fill<<<1, 32, 0, t>>>(x, i + 1);
        cudaFreeAsync(x, t);
        cudaMallocAsync((void **)&y, 128, s); // may get x's place: the pool sees to the order
        fill<<<1, 32, 0, s>>>(y, 9);
        cudaMemcpyAsync(&h, y, 4, cudaMemcpyDeviceToHost, s);
        cudaFreeAsync(y, s);
    }
    cudaDeviceSynchronize();
    printf("%d\n", h);
    return 0;
}

// stdout: 9
// expect: clean
