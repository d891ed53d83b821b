// Managed and mapped memory in turns: the host waits, or the other part is touched.
#include <cuda_runtime.h>
#include <pthread.h>
#include <stdio.h>

__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }
__global__ void use(const int *p, int *q) { q[threadIdx.x] = p[threadIdx.x] + 1; }

static int *shared;
static cudaStream_t s, t;
static void *reader(void *sum)
{
    *(int *)sum += shared[7];
    fill<<<1, 32, 0, t>>>(shared, 1); // what the other thread waited for is known here
    cudaStreamSynchronize(t);
    return 0;
}
static void doubled(void *p) { ((int *)p)[3] *= 2; }

int main()
{
    int *m, *mapped, *dev, *out, sum = 0;
    cudaEvent_t v;
    pthread_t thread;
    cudaEventCreate(&v);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaMallocManaged((void **)&m, 8192);
    cudaHostAlloc((void **)&mapped, 4096, cudaHostAllocMapped);
    cudaHostGetDevicePointer((void **)&dev, mapped, 0);
    cudaMalloc((void **)&out, 4096);
    for (int i = 0; i < 2048; i++) m[i] = i;

    use<<<1, 32, 0, s>>>(m, out);
    sum += m[5];   // both read
    m[1500] = 1;   // another page
    m[64] = 1;     // the same page, other bytes
    cudaStreamSynchronize(s);
    m[5] = 1;

    fill<<<1, 32, 0, s>>>(dev, 3);
    while (cudaStreamQuery(s) == cudaErrorNotReady)
        ;
    sum += mapped[9];

    fill<<<1, 32, 0, s>>>(m, 5);
    cudaEventRecord(v, s);
    while (cudaEventQuery(v) != cudaSuccess)
        ;
    sum += m[2];

    fill<<<1, 32, 0, s>>>(m, 6);
    cudaStreamSynchronize(s);
    shared = m;
    pthread_create(&thread, 0, reader, &sum);
    pthread_join(thread, 0);
    sum += m[0];

    fill<<<1, 32, 0, s>>>(m, 7);
    cudaLaunchHostFunc(s, doubled, m); // behind it in the stream
    use<<<1, 32, 0, s>>>(m, out);
    cudaFree(out); // waits for the device
    sum += m[3];
    printf("%d\n", sum);
    return 0;
}

// stdout: 34
// expect: clean
