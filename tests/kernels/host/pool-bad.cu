// Memory of a stream used by another one that has not waited for its beginning, or after its end.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }

int main()
{
    int *x, *y;
    cudaStream_t s, t;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);

    cudaMallocAsync((void **)&x, 128, s);
    fill<<<1, 32, 0, t>>>(x, 1); // may run before the memory is there
    cudaDeviceSynchronize();

    cudaFreeAsync(x, s);
    cudaMallocAsync((void **)&y, 4096, s);
    fill<<<1, 32, 0, s>>>(y, 2);
    cudaMemsetAsync(y + 64, 0, 128, t); // before its beginning
    cudaFreeAsync(y, t); // while s may use it
    cudaDeviceSynchronize();
    printf("DONE\n");
    return 0;
}

// stdout: DONE
// expect: host-stream-race @15 @14 @5
// expect: host-stream-race @21 @19
// expect: host-stream-race @22 @20 @5
