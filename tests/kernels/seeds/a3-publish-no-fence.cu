// Block 0 publishes a value, block 1 consumes it with an acquire load; the fence of the listing is left out.
#include <cstdio>
#include <cuda_runtime.h>
#include <cuda/atomic>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__device__ int g_ready = 0;

__global__ void publishAndConsume(float *data, float *out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *data = 1.0f;
        atomicExch(&g_ready, 1);
    }
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        cuda::atomic_ref<int, cuda::thread_scope_device> flag(g_ready);
        while (flag.load(cuda::memory_order_acquire) == 0) {
        }
        float v = *data;
        *out = v;
    }
}

int main()
{
    float *d, got[2] = {0, 0};
    CK(cudaMalloc(&d, sizeof got));
    CK(cudaMemset(d, 0, sizeof got));
    publishAndConsume<<<2, 32>>>(d, d + 1);
    CK(cudaGetLastError());
    CK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    std::printf(got[1] == 1.0f ? "PASS\n" : "FAIL: %f\n", got[1]);
    return got[1] != 1.0f;
}

// missing fence: line 12 is not released before line 13; line 19 may read the old value (data race)
// expect: fence-missing-release|race-global @12
