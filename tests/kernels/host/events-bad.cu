// Streams ordered by events that are forgotten, waited for too early, or recorded too early.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }
__global__ void use(const int *p, int *q) { q[threadIdx.x] = p[threadIdx.x] + 1; }

int main()
{
    int *d, *e;
    cudaStream_t s, t, high;
    cudaEvent_t v;
    cudaEventCreateWithFlags(&v, cudaEventDisableTiming);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, -5);
    cudaMalloc((void **)&d, 4096);
    cudaMalloc((void **)&e, 4096);
    cudaMemset(d, 0, 4096);
    cudaMemset(e, 0, 4096);
    cudaDeviceSynchronize();

    fill<<<1, 32, 0, s>>>(d, 1);
    cudaEventRecord(v, s);
    use<<<1, 32, 0, t>>>(d, e); // nobody waits for the event
    cudaDeviceSynchronize();

    fill<<<1, 32, 0, s>>>(d, 2);
    cudaStreamWaitEvent(t, v, 0); // the record from before
    cudaEventRecord(v, s);
    use<<<1, 32, 0, t>>>(d, e);
    cudaDeviceSynchronize();

    cudaEventRecord(v, s); // in front of the kernel
    fill<<<1, 32, 0, s>>>(d, 3);
    cudaStreamWaitEvent(t, v, 0);
    use<<<1, 32, 0, t>>>(d, e);
    cudaDeviceSynchronize();

    fill<<<1, 32, 0, high>>>(d, 4);
    use<<<1, 32, 0, s>>>(d, e); // a higher priority orders nothing
    cudaDeviceSynchronize();

    use<<<1, 32, 0, s>>>(d, e);
    fill<<<1, 32, 0, t>>>(d, 5); // written while it may be read
    cudaDeviceSynchronize();
    printf("DONE\n");
    return 0;
}

// stdout: DONE
// expect: host-stream-race @6 @5 @23 @25
// expect: host-stream-race @6 @5 @28 @31
// expect: host-stream-race @6 @5 @35 @37
// expect: host-stream-race @6 @5 @40 @41
// expect: host-stream-race @5 @6 @44 @45
