// Warp 0 fills a table and signals an mbarrier, warp 1 waits for it and reads the table.
// Fault: one lane signals for its warp without the warp having met.
#include <cstdint>
#include <cuda/ptx>
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__global__ void pass(const int *in, int *out)
{
    __shared__ int table[32];
    __shared__ uint64_t full;
    int lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        cuda::ptx::mbarrier_init(&full, 1);
    __syncthreads();
    if (threadIdx.x < 32) {
        table[lane] = in[lane] * 3;
        if (lane == 0)
            cuda::ptx::mbarrier_arrive(&full);
    } else {
        while (!cuda::ptx::mbarrier_test_wait_parity(&full, 0))
            ;
        out[lane] = table[31 - lane];
    }
}

int main()
{
    int in[32], out[32], bad = 0;
    for (int i = 0; i < 32; i++) in[i] = 100 - i;
    int *di, *dout;
    CK(cudaMalloc(&di, sizeof in)); CK(cudaMalloc(&dout, sizeof out));
    CK(cudaMemcpy(di, in, sizeof in, cudaMemcpyHostToDevice));
    pass<<<1, 64>>>(di, dout);
    CK(cudaGetLastError());
    CK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) bad += out[i] != in[31 - i] * 3;
    std::printf(bad ? "FAIL: %d values wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// race (shared): all 32 lanes store at line 18, but lane 0 alone arrives at line 20 and releases
// its own store only; line 24 reads the other lanes' stores unordered
// expect: race-shared @18 @24
