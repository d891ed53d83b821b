// Work of several host threads on the same memory. An atomic without any order makes each pair come the same way in
// every run; it orders nothing.
#include <atomic>
#include <cstdio>
#include <cuda_runtime.h>
#include <thread>

__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }
__global__ void use(const int *p, int *q) { q[threadIdx.x] = p[threadIdx.x] + 1; }

static std::atomic<int> turn;
static void say(int n) { turn.store(n, std::memory_order_relaxed); }
static void hear(int n)
{
    while (turn.load(std::memory_order_relaxed) < n)
        ;
}

int main()
{
    int *a, *b, *c, *d, *f, *h;
    cudaStream_t s, t;
    cudaEvent_t v;
    cudaMalloc((void **)&a, 4096);
    cudaMalloc((void **)&b, 4096);
    cudaMalloc((void **)&c, 4096);
    cudaMalloc((void **)&d, 4096);
    cudaMalloc((void **)&f, 4096);
    cudaMallocHost((void **)&h, 4096);
    cudaEventCreateWithFlags(&v, cudaEventDisableTiming);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaMemset(b, 0, 4096);
    cudaDeviceSynchronize();

    std::thread maker([=] {
        fill<<<1, 32, 0, s>>>(a, 3);
        cudaStreamSynchronize(s); // and nobody is told
        say(1);
        hear(2);
        fill<<<1, 32, 0, s>>>(b, 4);
        cudaEventRecord(v, s);
        say(3);
        hear(4);
        fill<<<1, 32>>>(c, 5);
        say(5);
        hear(6);
        cudaMemsetAsync(d, 0, 128, s);
        fill<<<1, 32, 0, s>>>(f, 6);
        say(7);
        hear(8);
    });
    hear(1);
    cudaMemcpyAsync(h, a, 128, cudaMemcpyDeviceToHost, t); // waited for, by the other one
    say(2);
    hear(3);
    cudaStreamWaitEvent(t, v, 0); // is it recorded?
    use<<<1, 32, 0, t>>>(b, a + 512);
    say(4);
    hear(5);
    use<<<1, 32>>>(c, a + 512 + 32); // one stream, but who comes first?
    say(6);
    hear(7);
    cudaFree(d); // waits for the device
    cudaDeviceSynchronize();
    cudaMemcpy(h, f, 128, cudaMemcpyDeviceToHost);
    say(8);
    maker.join();
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaFree(f);
    printf("DONE\n");
    return 0;
}

// compiler: -std=c++17
// stdout: DONE
// expect: host-threads=warning @54 @8 @37
// expect: host-threads=warning @9 @8 @58 @41
// expect: host-threads=warning @9 @8 @61 @45
// expect: host-threads=warning @64 @48
// expect: host-threads=warning @66 @8 @49
// errors: 0
