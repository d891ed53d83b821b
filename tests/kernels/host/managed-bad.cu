// Managed and mapped memory that the host touches while a kernel may use it.
#include <cuda_runtime.h>
#include <pthread.h>
#include <stdio.h>

__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }
__global__ void use(const int *p, int *q) { q[threadIdx.x] = p[threadIdx.x] + 1; }

static int *shared;
static void *reader(void *sum)
{
    *(int *)sum += shared[7]; // no thread has waited
    return 0;
}
static void doubled(void *p) { ((int *)p)[40] *= 2; }

int main()
{
    int *m, *mapped, *dev, *out, sum = 0;
    cudaStream_t s, t;
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
    m[5] = 1; // the kernel may read either
    cudaDeviceSynchronize();

    fill<<<1, 32, 0, s>>>(dev, 3);
    sum += mapped[9];
    cudaDeviceSynchronize();

    fill<<<1, 32, 0, s>>>(m, 5);
    cudaEventRecord(v, s);
    cudaEventQuery(v); // asked once, the answer not looked at
    sum += m[2];
    cudaDeviceSynchronize();

    fill<<<1, 32, 0, s>>>(m, 6);
    shared = m;
    pthread_create(&thread, 0, reader, &sum);
    pthread_join(thread, 0);
    cudaDeviceSynchronize();

    fill<<<1, 32, 0, s>>>(m + 32, 7);
    cudaLaunchHostFunc(t, doubled, m); // of another stream
    cudaDeviceSynchronize();
    printf("%s\n", sum > 1000000 ? "?" : "DONE");
    return 0;
}

// stdout: DONE
// expect: host-race @33 @32 @7
// expect: host-race @37 @36 @6
// expect: host-race @43 @40 @6
// expect: host-race @12 @46 @6
// expect: host-race @15 @52 @6
