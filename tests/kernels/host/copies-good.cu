// Asynchronous copies and fills, waited for in each way there is; disjoint parts without waiting.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }
__global__ void use(const int *p, int *q) { q[threadIdx.x] = p[threadIdx.x] + 1; }

int main()
{
    static int pageable[1024];
    int *pinned, *more, *d, *e, *wide, sum = 0;
    cudaStream_t s, t, blocking;
    cudaEvent_t v;
    cudaEventCreate(&v);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaStreamCreate(&blocking);
    cudaMallocHost((void **)&pinned, 16384);
    cudaMallocHost((void **)&more, 4096);
    cudaMalloc((void **)&d, 4096);
    cudaMalloc((void **)&e, 4096);
    cudaMalloc((void **)&wide, 64 * 256);
    cudaMemset(d, 0, 4096);
    cudaMemset(e, 0, 4096);
    cudaDeviceSynchronize();

    cudaMemcpyAsync(pinned, d, 128, cudaMemcpyDeviceToHost, s);
    more[7] = 1;      // another page
    sum += pinned[64]; // the same page, other bytes
    cudaStreamSynchronize(s);
    sum += pinned[3];

    cudaMemcpyAsync(d, more, 128, cudaMemcpyHostToDevice, s);
    sum += more[0]; // both read
    cudaEventRecord(v, s);
    cudaEventSynchronize(v);
    more[0] = 2;

    pageable[0] = 5; // copied aside, or waited for, before the call returns
    cudaMemcpyAsync(d, pageable, 128, cudaMemcpyHostToDevice, s);
    pageable[0] = 6;
    cudaMemcpyAsync(pageable, d, 128, cudaMemcpyDeviceToHost, s);
    sum += pageable[0];

    cudaMemset(d, 0, 128);
    use<<<1, 32, 0, blocking>>>(d, e); // waits for the default stream
    cudaMemcpy(pinned, e, 128, cudaMemcpyDeviceToHost); // which waits for it
    sum += pinned[31];

    fill<<<1, 32, 0, t>>>(d, 3);
    cudaEventRecord(v, t);
    cudaStreamWaitEvent(s, v, 0);
    cudaMemcpyAsync(e, d, 128, cudaMemcpyDeviceToDevice, s);
    cudaStreamSynchronize(s); // and so for t's kernel, too
    cudaMemcpyAsync(pinned, d, 128, cudaMemcpyDeviceToHost, blocking);
    cudaStreamSynchronize(blocking);
    sum += pinned[0];

    cudaMemset2DAsync(wide, 256, 1, 128, 64, t);
    cudaMemset2DAsync(wide + 32, 256, 2, 128, 64, s); // the other halves of the rows
    fill<<<1, 32, 0, s>>>(d, 4);
    fill<<<1, 32, 0, t>>>(d + 32, 5); // the next 32 cells
    cudaMemcpyAsync(pinned, d, 128, cudaMemcpyDeviceToHost, s);
    cudaMemcpyAsync(pinned + 32, d + 32, 128, cudaMemcpyDeviceToHost, t);
    cudaDeviceSynchronize();
    sum += pinned[0] + pinned[63];

    for (int i = 0; i < 4; i++) { // a ring of buffers: the host fills one while others are on their way
        if (i >= 2)
            cudaStreamSynchronize(i & 1 ? s : t);
        for (int k = 0; k < 32; k++)
            pinned[(i & 1) * 2048 + k] = i;
        cudaMemcpyAsync(d + (i & 1) * 32, pinned + (i & 1) * 2048, 128, cudaMemcpyHostToDevice, i & 1 ? s : t);
    }
    cudaDeviceSynchronize();
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
    printf("%d\n", sum);
    return 0;
}

// stdout: 18
// expect: clean
