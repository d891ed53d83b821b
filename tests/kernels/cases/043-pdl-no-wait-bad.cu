// Two dependent kernels; the second is launched early (programmatic dependent launch).
// Fault: the second kernel never waits for the first.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

const int N = 1 << 12;

__global__ void first(int *x)
{
    cudaTriggerProgrammaticLaunchCompletion();
    for (int k = 0; k < 100; k++)
        __nanosleep(1000);
    x[blockIdx.x * blockDim.x + threadIdx.x] = 9;
}

__global__ void second(const int *x, int *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] + i;
}

int main()
{
    static int out[N];
    int *x, *y, bad = 0;
    cudaStream_t s;
    CK(cudaStreamCreate(&s));
    CK(cudaMalloc(&x, sizeof out)); CK(cudaMalloc(&y, sizeof out));
    CK(cudaMemset(x, 0, sizeof out));
    CK(cudaDeviceSynchronize());
    first<<<N / 128, 128, 0, s>>>(x);
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t how = {};
    how.gridDim = dim3(N / 128);
    how.blockDim = dim3(128);
    how.stream = s;
    how.attrs = &early;
    how.numAttrs = 1;
    CK(cudaLaunchKernelEx(&how, second, (const int *)x, y));
    CK(cudaStreamSynchronize(s));
    CK(cudaMemcpy(out, y, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) bad += out[i] != 9 + i;
    std::printf(bad ? "FAIL: %d values wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// race (global, between launches): the second kernel may start after the trigger at line 11 and
// reads x at line 20 before the first one has written it at line 14
// expect: host-stream-race @20 @14 @42 @32
