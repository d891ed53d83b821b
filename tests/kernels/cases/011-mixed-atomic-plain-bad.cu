// Counters that carry over at 100; the carries are counted too.
// Fault: the carry resets the counter by a plain store beside atomic increments.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

const int K = 16, CAP = 100;

__global__ void count(const int *in, int n, int *low, int *high)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int k = in[i];
    if (atomicAdd(&low[k], 1) == CAP - 1) {
        atomicAdd(&high[k], 1);
        low[k] = 0;
    }
}

int main()
{
    const int N = 20000;
    static int in[N];
    int want[K] = {0}, low[K], high[K], bad = 0;
    for (int i = 0; i < N; i++) {
        in[i] = (i * 7 + i / 100) % K;
        want[in[i]]++;
    }
    int *di, *dl, *dh;
    CK(cudaMalloc(&di, sizeof in)); CK(cudaMalloc(&dl, sizeof low)); CK(cudaMalloc(&dh, sizeof high));
    CK(cudaMemcpy(di, in, sizeof in, cudaMemcpyHostToDevice));
    CK(cudaMemset(dl, 0, sizeof low)); CK(cudaMemset(dh, 0, sizeof high));
    count<<<(N + 255) / 256, 256>>>(di, N, dl, dh);
    CK(cudaGetLastError());
    CK(cudaMemcpy(low, dl, sizeof low, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(high, dh, sizeof high, cudaMemcpyDeviceToHost));
    for (int k = 0; k < K; k++) bad += high[k] * CAP + low[k] != want[k];
    std::printf(bad ? "FAIL: %d counters wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// race (global): the plain store at line 16 against the atomicAdd of other threads at line 14;
// increments that arrive in between are lost
// expect: race-global @14 @16
