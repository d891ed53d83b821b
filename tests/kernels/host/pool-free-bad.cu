// cudaFree of memory that came from cudaMallocAsync waits for nothing.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void use(const int *p, int *q) { q[threadIdx.x] = p[threadIdx.x] + 1; }

int main()
{
    int *x, *y, *z;
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMalloc((void **)&z, 128);

    cudaMallocAsync((void **)&x, 128, s);
    cudaMemsetAsync(x, 0, 128, s);
    use<<<1, 32, 0, s>>>(x, z);
#ifdef FIX
    cudaStreamSynchronize(s);
#endif
    cudaFree(x);
    cudaDeviceSynchronize();

    cudaMallocAsync((void **)&y, 128, s); // given back unused
    cudaFree(y);
    cudaMalloc((void **)&y, 128);
    cudaMemset(y, 0, 128);
    use<<<1, 32>>>(y, z);
    cudaFree(y); // ordinary memory: this one does wait
    cudaDeviceSynchronize();
    printf("PASS\n");
    return 0;
}

// stdout: PASS
// twin: -DFIX
// expect: host-stream-race @20 @16 @5
