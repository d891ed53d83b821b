// Every thread takes a lock to add to a total, and waits for the whole block while it holds the lock.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void add_all(int *lock, int *total)
{
    while (atomicCAS(lock, 0, 1) != 0) { // the others spin here, so they never reach the barrier
    }
    __threadfence();
    *total += threadIdx.x;
    __syncthreads(); // the holder waits here, so it never opens the lock
    __threadfence();
    atomicExch(lock, 0);
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

// expect: deadlock-* @7 @11
