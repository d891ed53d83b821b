// Asynchronous copies and fills that nobody waits for.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }
__global__ void use(const int *p, int *q) { q[threadIdx.x] = p[threadIdx.x] + 1; }

int main()
{
    int *pinned, *more, *d, *e, *wide, sum = 0;
    cudaStream_t s, t;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaMallocHost((void **)&pinned, 4096);
    cudaMallocHost((void **)&more, 4096);
    cudaMalloc((void **)&d, 4096);
    cudaMalloc((void **)&e, 4096);
    cudaMalloc((void **)&wide, 64 * 256);
    cudaMemset(d, 0, 4096);
    cudaMemset(e, 0, 4096);
    cudaDeviceSynchronize();

    cudaMemcpyAsync(pinned, d, 128, cudaMemcpyDeviceToHost, s);
    sum += pinned[3]; // not there yet
    cudaStreamSynchronize(t); // the wrong stream
    sum += pinned[4];
    cudaDeviceSynchronize();

    more[0] = 1;
    cudaMemcpyAsync(d, more, 128, cudaMemcpyHostToDevice, s);
    more[0] = 2; // may be read after this
    cudaDeviceSynchronize();

    cudaMemcpyAsync(pinned, d, 128, cudaMemcpyDeviceToHost, s);
    cudaStreamDestroy(s); // does not wait
    sum += pinned[5];
    cudaDeviceSynchronize();

    cudaMemset(d, 0, 128);
    use<<<1, 32, 0, t>>>(d, e); // a fill returns at once
    cudaDeviceSynchronize();

    fill<<<1, 32, 0, t>>>(d, 3);
    cudaMemcpyAsync(e, d, 128, cudaMemcpyDeviceToDevice); // the default stream does not wait for t
    cudaDeviceSynchronize();

    cudaMemset2DAsync(wide, 256, 1, 128, 64, t);
    cudaMemset2DAsync(wide + 31, 256, 2, 128, 64, 0); // four bytes of each row are both's
    cudaDeviceSynchronize();

    cudaMemcpyAsync(d, e, 128, cudaMemcpyDeviceToDevice, t);
    cudaMemcpyAsync(pinned, d, 64, cudaMemcpyDeviceToHost, 0);
    cudaDeviceSynchronize();
    printf("%s\n", sum > 1000000 ? "?" : "DONE");
    return 0;
}

// stdout: DONE
// expect: host-unsynced @24 @23
// expect: host-unsynced @26 @23
// expect: host-unsynced @31 @30
// expect: host-unsynced @36 @34
// expect: host-stream-race @40 @39 @6
// expect: host-stream-race @43 @44 @5
// expect: host-stream-race @47 @48
// expect: host-stream-race @51 @52
