// Inclusive scan of one block, in place.
// Fault: reading the partner and updating the own cell are not separated.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

const int N = 512;

__global__ void scan(const int *in, int *out)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int d = 1; d < N; d *= 2) {
        if (t >= d)
            s[t] += s[t - d];
        __syncthreads();
    }
    out[t] = s[t];
}

int main()
{
    int in[N], out[N];
    for (int i = 0; i < N; i++) in[i] = i % 9 + 1;
    int *di, *dout;
    CK(cudaMalloc(&di, sizeof in)); CK(cudaMalloc(&dout, sizeof out));
    CK(cudaMemcpy(di, in, sizeof in, cudaMemcpyHostToDevice));
    scan<<<1, N>>>(di, dout);
    CK(cudaGetLastError());
    CK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    int bad = 0, sum = 0;
    for (int i = 0; i < N; i++) {
        sum += in[i];
        bad += out[i] != sum;
    }
    std::printf(bad ? "FAIL: %d sums wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// race (shared): in one step, line 17 reads s[t-d] while thread t-d updates that cell at the same
// line
// expect: race-shared @17
