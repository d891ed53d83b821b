// Streams ordered by events, by the default stream, by the host; and work that needs no order.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }
__global__ void use(const int *p, int *q) { q[threadIdx.x] = p[threadIdx.x] + 1; }
__global__ void count(int *p) { atomicAdd(p, 1); }

int main()
{
    int *d, *e, *f, h[64];
    cudaStream_t s, t, u;
    cudaEvent_t v, w;
    cudaEventCreateWithFlags(&v, cudaEventDisableTiming);
    cudaEventCreate(&w);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaStreamCreateWithPriority(&u, cudaStreamNonBlocking, -5);
    cudaMalloc((void **)&d, 4096);
    cudaMalloc((void **)&e, 4096);
    cudaMalloc((void **)&f, 4096);
    cudaMemset(d, 0, 4096);
    cudaMemset(f, 0, 4096);
    cudaDeviceSynchronize();

    for (int i = 0; i < 3; i++) { // forked and joined
        fill<<<1, 32, 0, s>>>(d, i);
        cudaEventRecord(v, s);
        cudaStreamWaitEvent(t, v, 0);
        cudaStreamWaitEvent(u, v, 0);
        use<<<1, 32, 0, t>>>(d, e);
        use<<<1, 32, 0, u>>>(d, e + 32); // both read d
        cudaEventRecord(v, t);
        cudaEventRecord(w, u);
        cudaStreamWaitEvent(s, v, 0);
        cudaStreamWaitEvent(s, w, 0);
    }
    cudaStreamDestroy(t); // its work goes on and is still waited for
    fill<<<1, 32>>>(e, 7); // the default stream waits for all but u, which s has waited for
    use<<<1, 32, 0, s>>>(e, d);
    count<<<2, 32, 0, s>>>(f); // atomics of two streams
    count<<<2, 32, 0, u>>>(f);
    cudaStreamSynchronize(s);
    cudaStreamSynchronize(u);
    cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost);
    cudaMemcpy(h + 32, f, 4, cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[31], h[32]);
    return 0;
}

// stdout: 8 128
// expect: clean
