// Each thread's default stream is ordered with the legacy one, not with other threads'.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }
__global__ void use(const int *p, int *q) { q[threadIdx.x] = p[threadIdx.x] + 1; }

int main()
{
    int *d, *e;
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMalloc((void **)&d, 128);
    cudaMalloc((void **)&e, 128);
    fill<<<1, 32, 0, cudaStreamPerThread>>>(d, 1);
    use<<<1, 32, 0, cudaStreamLegacy>>>(d, e); // in order
    fill<<<1, 32, 0, cudaStreamPerThread>>>(e, 2); // in order
    use<<<1, 32, 0, s>>>(e, d); // not
    cudaDeviceSynchronize();
    printf("DONE\n");
    return 0;
}

// stdout: DONE
// expect: host-stream-race @17 @18 @5 @6
// expect: host-stream-race @16 @18 @6
