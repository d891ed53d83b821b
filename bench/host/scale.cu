// SPDX-License-Identifier: Apache-2.0
// Size of a run, for `warpfence check --stats`: 16 host threads with 4 streams each, 4 GiB of device memory in 64 pieces,
// 10,048 launches with copies, events and a host wait now and then. Prints PASS.
//
//     warpfence check --stats bench/host/scale.cu [launches a stream] [MiB a stream]
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <thread>
#include <vector>

static const int n_threads = 16, n_streams = 4, part = 4096; // ints that a launch touches

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s\n", cudaGetErrorString(e_)); std::exit(2); } } while (0)

__global__ void step(int *a, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] += by;
}

struct lane_of_work {
    cudaStream_t stream;
    cudaEvent_t event;
    int *a;
    size_t n;
};

// Each launch works on the next part of the stream's piece, so that all of it is touched in the end.
static void work(int launches, size_t mib)
{
    lane_of_work w[n_streams];
    for (lane_of_work &x : w) {
        CK(cudaStreamCreateWithFlags(&x.stream, cudaStreamNonBlocking));
        CK(cudaEventCreateWithFlags(&x.event, cudaEventDisableTiming));
        x.n = mib * 1048576 / sizeof(int);
        CK(cudaMalloc(&x.a, x.n * sizeof(int)));
        CK(cudaMemsetAsync(x.a, 0, x.n * sizeof(int), x.stream));
    }
    for (int i = 0; i < launches; i++) {
        for (lane_of_work &x : w)
            step<<<part / 256, 256, 0, x.stream>>>(x.a + (size_t)i * part % x.n, part, i + 1);
        CK(cudaEventRecord(w[i % n_streams].event, w[i % n_streams].stream));
        CK(cudaStreamWaitEvent(w[(i + 1) % n_streams].stream, w[i % n_streams].event, 0));
        if (i % 50 == 49)
            CK(cudaStreamSynchronize(w[i % n_streams].stream));
    }
    for (lane_of_work &x : w) {
        int got = 0;
        CK(cudaMemcpyAsync(&got, x.a + (size_t)(launches - 1) * part % x.n + part - 1, sizeof got, cudaMemcpyDeviceToHost, x.stream));
        CK(cudaStreamSynchronize(x.stream));
        int want = 0;
        for (int i = launches - 1; i >= 0; i -= (int)(x.n / part))
            want += i + 1;
        if (got != want) {
            std::printf("FAIL: %d, not %d\n", got, want);
            std::exit(1);
        }
        CK(cudaFree(x.a));
        CK(cudaStreamDestroy(x.stream));
        CK(cudaEventDestroy(x.event));
    }
}

int main(int argc, char **argv)
{
    int launches = argc > 1 ? std::atoi(argv[1]) : 157;
    size_t mib = argc > 2 ? (size_t)std::atoi(argv[2]) : 64;
    std::vector<std::thread> threads;
    for (int t = 0; t < n_threads; t++)
        threads.emplace_back(work, launches, mib);
    for (std::thread &t : threads)
        t.join();
    std::puts("PASS");
}
