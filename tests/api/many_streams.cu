// SPDX-License-Identifier: Apache-2.0
// Host threads with streams of their own: grids of many streams begin and end beside each other, under check too.
// bench/host/scale.cu is the same at size.
// expect: clean
// stdout: PASS
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <thread>
#include <vector>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s\n", cudaGetErrorString(e_)); std::exit(2); } } while (0)

__global__ void step(int *a, int n, int by)
{
    __shared__ int s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = by;
    __syncthreads();
    if (i < n)
        a[i] += s[255 - threadIdx.x];
}

static void work(int *bad)
{
    const int n = 1500, launches = 25;
    cudaStream_t stream[4];
    int *a[4];
    for (int k = 0; k < 4; k++) {
        CK(cudaStreamCreateWithFlags(&stream[k], cudaStreamNonBlocking));
        CK(cudaMalloc(&a[k], n * sizeof(int)));
        CK(cudaMemsetAsync(a[k], 0, n * sizeof(int), stream[k]));
    }
    for (int i = 0; i < launches; i++)
        for (int k = 0; k < 4; k++)
            step<<<(n + 255) / 256, 256, 0, stream[k]>>>(a[k], n, i + k);
    for (int k = 0; k < 4; k++) {
        int got[n];
        CK(cudaMemcpyAsync(got, a[k], sizeof got, cudaMemcpyDeviceToHost, stream[k]));
        CK(cudaStreamSynchronize(stream[k]));
        for (int i = 0; i < n; i++)
            *bad += got[i] != launches * (launches - 1) / 2 + launches * k;
        CK(cudaFree(a[k]));
        CK(cudaStreamDestroy(stream[k]));
    }
}

int main()
{
    int bad[8] = {}, all = 0;
    std::vector<std::thread> threads;
    for (int &b : bad)
        threads.emplace_back(work, &b);
    for (std::thread &t : threads)
        t.join();
    for (int b : bad)
        all += b;
    std::puts(all ? "FAIL" : "PASS");
    return all != 0;
}
