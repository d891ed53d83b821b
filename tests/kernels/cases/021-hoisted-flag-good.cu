// Block 1 computes a value, block 0 waits for it and passes it on.
// The flag is an atomic object with release and acquire.
#include <cstdio>
#include <cuda_runtime.h>
#include <cuda/atomic>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__global__ void hand(int *flag, int *value, int *out, int *tries)
{
    int spins = 0;
    cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
    if (blockIdx.x == 1) {
        int v = 1;
        for (int k = 0; k < 1000; k++)
            v = v * 5 + 3;
        *value = v;
        f.store(1, cuda::memory_order_release);
    } else {
        while (f.load(cuda::memory_order_acquire) == 0)
            spins++;
        *out = *value;
        *tries = spins;
    }
}

int main()
{
    int *d, got[4];
    CK(cudaMalloc(&d, sizeof got));
    CK(cudaMemset(d, 0, sizeof got));
    hand<<<2, 1>>>(d, d + 1, d + 2, d + 3);
    CK(cudaGetLastError());
    CK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    unsigned want = 1;
    for (int k = 0; k < 1000; k++) want = want * 5 + 3;
    bool ok = (unsigned)got[2] == want;
    std::printf(ok ? "PASS\n" : "FAIL: %d\n", got[2]);
    return !ok;
}

// clean: acquire load at line 19, release store at line 17
// expect: clean
// stdout: PASS
