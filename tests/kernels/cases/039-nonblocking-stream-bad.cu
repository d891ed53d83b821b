// One kernel fills an array on the default stream, another one uses it on a stream of its own.
// Fault: a non-blocking stream does not wait for the default stream.
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
    use<<<N / 128, 128, 0, s>>>(x, y);
    CK(cudaGetLastError());
    CK(cudaMemcpyAsync(out, y, sizeof out, cudaMemcpyDeviceToHost, s));
    CK(cudaStreamSynchronize(s));
    for (int i = 0; i < N; i++) bad += out[i] != 5 * i + 1;
    CK(cudaDeviceSynchronize());
    std::printf(bad ? "FAIL: %d values wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// stream race (global): the kernel of line 32 on the default stream writes x, the kernel of line 33
// on a non-blocking stream reads it; nothing orders the two
// expect: host-stream-race @20 @14 @33 @32
