// Block 0 writes a message of eight words and sets a flag, block 1 reads it.
// The flag is stored with release and loaded with acquire order.
#include <cstdio>
#include <cuda_runtime.h>
#include <cuda/atomic>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__global__ void post(int *msg, int *flag, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
    if (blockIdx.x == 0) {
        for (int k = 0; k < 8; k++)
            msg[k * 64] = 40 + k;
        f.store(1, cuda::memory_order_release);
    } else {
        while (f.load(cuda::memory_order_acquire) == 0)
            ;
        for (int k = 0; k < 8; k++)
            out[k] = msg[k * 64];
    }
}

int main()
{
    int *msg, *flag, *dout, out[8], bad = 0;
    CK(cudaMalloc(&msg, 512 * sizeof(int))); CK(cudaMalloc(&flag, sizeof(int))); CK(cudaMalloc(&dout, sizeof out));
    for (int round = 0; round < 20; round++) {
        CK(cudaMemset(msg, 0, 512 * sizeof(int)));
        CK(cudaMemset(flag, 0, sizeof(int)));
        post<<<2, 1>>>(msg, flag, dout);
        CK(cudaGetLastError());
        CK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
        for (int k = 0; k < 8; k++) bad += out[k] != 40 + k;
    }
    std::printf(bad ? "FAIL: %d words wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// clean: release at line 14, acquire at line 16
// expect: clean
// stdout: PASS
