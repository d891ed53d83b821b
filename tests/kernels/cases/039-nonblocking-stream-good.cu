// One kernel fills an array on the default stream, another one uses it on a stream of its own.
// The second stream waits for an event of the default stream.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

const int N = 1 << 14;

__global__ void fill(int *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 200; k++)
        __nanosleep(1000);
    x[i] = 5 * i;
}

__global__ void use(const int *x, int *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] + 1;
}

int main()
{
    static int out[N];
    int *x, *y, bad = 0;
    cudaStream_t s;
    CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CK(cudaMalloc(&x, sizeof out)); CK(cudaMalloc(&y, sizeof out));
    CK(cudaMemset(x, 0, sizeof out));
    CK(cudaDeviceSynchronize());
    fill<<<N / 128, 128>>>(x);
    cudaEvent_t filled;
    CK(cudaEventCreate(&filled));
    CK(cudaEventRecord(filled, 0));
    CK(cudaStreamWaitEvent(s, filled, 0));
    use<<<N / 128, 128, 0, s>>>(x, y);
    CK(cudaGetLastError());
    CK(cudaMemcpyAsync(out, y, sizeof out, cudaMemcpyDeviceToHost, s));
    CK(cudaStreamSynchronize(s));
    for (int i = 0; i < N; i++) bad += out[i] != 5 * i + 1;
    CK(cudaDeviceSynchronize());
    std::printf(bad ? "FAIL: %d values wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// clean: an event orders the streams (line 36)
// expect: clean
// stdout: PASS
