// Stream-ordered memory, used on one stream and given back on another.
// Fault: the stream that frees the buffer has not waited for the one that uses it.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

const int N = 1 << 14;

__global__ void slowCopy(const int *x, int *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 300; k++)
        __nanosleep(1000);
    y[i] = x[i];
}

__global__ void set(int *x, int v) { x[blockIdx.x * blockDim.x + threadIdx.x] = v; }

int main()
{
    static int out[N];
    int *x, *y, *z, bad = 0;
    cudaStream_t a, b;
    CK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CK(cudaMalloc(&y, sizeof out));
    CK(cudaMallocAsync((void **)&x, sizeof out, a));
    set<<<N / 128, 128, 0, a>>>(x, 6);
    slowCopy<<<N / 128, 128, 0, a>>>(x, y);
    CK(cudaFreeAsync(x, b));
    CK(cudaMallocAsync((void **)&z, sizeof out, b));
    set<<<N / 128, 128, 0, b>>>(z, -1);
    CK(cudaGetLastError());
    CK(cudaMemcpyAsync(out, y, sizeof out, cudaMemcpyDeviceToHost, a));
    CK(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++) bad += out[i] != 6;
    std::printf(bad ? "FAIL: %d values wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// use after free across streams: line 30 frees the buffer on stream b while the kernel of line 29
// on stream a still uses it; the allocation of line 31 may get the same memory, which line 32
// overwrites
// expect: host-stream-race @30 @14 @29
