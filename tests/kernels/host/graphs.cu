// Graphs: an edge that is missing, made by hand and by capture; the same graphs with it; launches of one
// instance in two streams; the host that does not wait.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }
__global__ void use(const int *p, int *q) { q[threadIdx.x] = p[threadIdx.x] + 1; }

static cudaGraphExec_t by_hand(int *d, int *e, bool has_edge)
{
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphNode_t a, b;
    int v = 3;
    void *of_fill[] = {&d, &v}, *of_use[] = {&d, &e};
    cudaKernelNodeParams k = {};
    k.gridDim = dim3(1);
    k.blockDim = dim3(32);
    cudaGraphCreate(&g, 0);
    k.func = (void *)fill;
    k.kernelParams = of_fill;
    cudaGraphAddKernelNode(&a, g, 0, 0, &k);
    k.func = (void *)use;
    k.kernelParams = of_use;
    cudaGraphAddKernelNode(&b, g, has_edge ? &a : 0, has_edge, &k);
    cudaGraphInstantiate(&x, g, 0);
    return x;
}

int main()
{
    int *d, *e, *m, sum = 0;
    cudaStream_t s, t;
    cudaEvent_t v;
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaEventCreate(&v);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaMalloc((void **)&d, 128);
    cudaMalloc((void **)&e, 128);
    cudaMallocManaged((void **)&m, 4096);
    cudaMemset(d, 0, 128);
    cudaDeviceSynchronize();

    x = by_hand(d, e, true);
    cudaGraphLaunch(x, s);
    cudaGraphLaunch(x, t); // behind the first
    cudaDeviceSynchronize();

    x = by_hand(d, e, false);
    cudaGraphLaunch(x, s); // two kernels side by side
    cudaDeviceSynchronize();

    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaEventRecord(v, s);
    cudaStreamWaitEvent(t, v, 0);
    fill<<<1, 32, 0, s>>>(m, 1);
    use<<<1, 32, 0, t>>>(d, e); // other memory
    cudaEventRecord(v, t);
    cudaStreamWaitEvent(s, v, 0);
    use<<<1, 32, 0, s>>>(e, d);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphLaunch(x, s);
    sum += m[5]; // not waited for
    cudaStreamSynchronize(s);
    sum += m[6];
    printf("DONE\n");
    return sum > 2;
}

// stdout: DONE
// expect: host-stream-race @7 @6 @52
// expect: host-race @66 @65 @6
