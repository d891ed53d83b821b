// The program's own memory, registered: read before the copy has come, and after; a kernel that uses it
// where it lies.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }

int main()
{
    const int n = 1 << 16;
    int *h = (int *)malloc(n * sizeof(int)), *d, *dh, sum = 0;
    cudaStream_t s;
    for (int i = 0; i < n; i++) h[i] = i;
    cudaHostRegister(h, n * sizeof(int), cudaHostRegisterMapped);
    cudaHostGetDevicePointer((void **)&dh, h, 0);
    cudaStreamCreate(&s);
    cudaMalloc((void **)&d, n * sizeof(int));
    cudaMemcpyAsync(d, h, n * sizeof(int), cudaMemcpyHostToDevice, s);
    sum += h[3000]; // both read
    cudaMemcpyAsync(h, d, n * sizeof(int), cudaMemcpyDeviceToHost, s);
    sum += h[4000]; // too early
    cudaStreamSynchronize(s);
    sum += h[5000];
    fill<<<1, 32, 0, s>>>(dh + 30000, 1);
    h[30001] = 2; // too early
    cudaStreamSynchronize(s);
    h[30001] = 3;
    cudaHostUnregister(h);
    h[4000] = 1;
    free(h);
    printf("%d\n", sum);
    return 0;
}

// stdout: 12000
// expect: host-unsynced @22 @21
// expect: host-race @26 @25 @7
