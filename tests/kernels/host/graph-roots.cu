// A graph of several roots in an ordinary stream: each of them comes behind what the default stream did before, and
// the default stream's next work behind all of them.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void next(int *p) { p[threadIdx.x]++; }

int main()
{
    int *a, *b, h[64];
    cudaStream_t s, t;
    cudaEvent_t fork, join;
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaMalloc((void **)&a, 128);
    cudaMalloc((void **)&b, 128);

    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, s);
    cudaStreamWaitEvent(t, fork, 0);
    next<<<1, 32, 0, s>>>(a);
    next<<<1, 32, 0, t>>>(b);
    cudaEventRecord(join, t);
    cudaStreamWaitEvent(s, join, 0);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&x, g, 0);

    for (int k = 0; k < 2; k++) {
        cudaMemset(a, 0, 128);
        cudaMemset(b, 0, 128);
        next<<<1, 32>>>(b);
        cudaGraphLaunch(x, s);
    }
    cudaMemcpy(h, a, 128, cudaMemcpyDeviceToHost);
    cudaMemcpy(h + 32, b, 128, cudaMemcpyDeviceToHost);
    printf(h[31] == 1 && h[63] == 2 ? "PASS\n" : "FAIL\n");
    cudaGraphLaunch(x, 0); // in the default stream it waits for all ordinary ones
    next<<<1, 32, 0, t>>>(a);
    next<<<1, 32, 0, s>>>(b);
    cudaDeviceSynchronize();
    return 0;
}

// stdout: PASS
// expect: clean
