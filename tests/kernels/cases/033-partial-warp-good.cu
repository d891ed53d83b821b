// Sum of a block of 48 threads by warp shuffles.
// The warp sum knows how many lanes its warp has.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

const int T = 48;

__global__ void sum(const int *in, int *out)
{
    __shared__ int part[2];
    int t = threadIdx.x, v = in[t];
    int lane = t % 32, lanes = min(32, T - t / 32 * 32);
    unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    for (int o = 16; o > 0; o /= 2) {
        int w = __shfl_down_sync(mask, v, o);
        if (lane + o < lanes)
            v += w;
    }
    if (t % 32 == 0)
        part[t / 32] = v;
    __syncthreads();
    if (t == 0)
        *out = part[0] + part[1];
}

int main()
{
    int in[T], want = 0, got = 0;
    for (int i = 0; i < T; i++) { in[i] = 3 * i + 2; want += in[i]; }
    int *di, *dout;
    CK(cudaMalloc(&di, sizeof in)); CK(cudaMalloc(&dout, sizeof(int)));
    CK(cudaMemcpy(di, in, sizeof in, cudaMemcpyHostToDevice));
    sum<<<1, T>>>(di, dout);
    CK(cudaGetLastError());
    CK(cudaMemcpy(&got, dout, sizeof got, cudaMemcpyDeviceToHost));
    std::printf(got == want ? "PASS\n" : "FAIL: %d, not %d\n", got, want);
    return got != want;
}

// clean: the mask names the existing lanes and values from beyond are not used
// expect: clean
// stdout: PASS
