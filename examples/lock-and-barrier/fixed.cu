// Every thread takes a lock to add to a total, and opens it before it waits for the block.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void add_all(int *lock, int *total)
{
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *total += threadIdx.x;
    __threadfence();
    atomicExch(lock, 0);
    __syncthreads();
}

int main()
{
    int host[2] = {0, 0}, *device;
    cudaMalloc(&device, sizeof host);
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    add_all<<<1, 64>>>(device, device + 1);
    cudaError_t e = cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%s, total %d\n", cudaGetErrorString(e), host[1]);
    return host[1] != 63 * 64 / 2;
}

// expect: clean
// stdout: no error, total 2016
