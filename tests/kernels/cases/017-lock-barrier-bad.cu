// A total kept under a lock, added to by all blocks.
// Fault: every thread takes the lock, and a block barrier stands inside the locked part.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__device__ int lock = 0;

__global__ void addUp(const int *in, int n, long long *total)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = i < n ? in[i] : 0;
    while (atomicCAS(&lock, 0, 1) != 0)
        ;
    __threadfence();
    *total += v;
    __threadfence();
    __syncthreads();
    atomicExch(&lock, 0);
}

int main()
{
    const int N = 2000;
    static int in[N];
    long long want = 0, got = 0, *dt;
    for (int i = 0; i < N; i++) { in[i] = i; want += i; }
    int *di;
    CK(cudaMalloc(&di, sizeof in)); CK(cudaMalloc(&dt, sizeof got));
    CK(cudaMemcpy(di, in, sizeof in, cudaMemcpyHostToDevice));
    CK(cudaMemset(dt, 0, sizeof got));
    addUp<<<(N + 127) / 128, 128>>>(di, N, dt);
    CK(cudaGetLastError());
    CK(cudaMemcpy(&got, dt, sizeof got, cudaMemcpyDeviceToHost));
    std::printf(got == want ? "PASS\n" : "FAIL: %lld\n", got);
    return got != want;
}

// deadlock: the holder of the lock waits at the barrier of line 18 while the other threads of its
// block spin at line 13; hangs on a GPU
// expect: deadlock-spin @18 @13
