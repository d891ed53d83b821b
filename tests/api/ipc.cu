// SPDX-License-Identifier: Apache-2.0
// Memory and events of another process: handles, what both see, in which order, what is refused.
// expect: clean
// stdout: PASS
#include "api.h"
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 3000

struct handles {
    cudaIpcMemHandle_t first, second;
    cudaIpcEventHandle_t go, back;
    cudaMemPoolPtrExportData pooled;
    int pool; // the pool's descriptor, which the child inherits
};

__global__ void fill(int *a, int n, int value)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        a[i] = value + i;
}

__global__ void add(int *a, const int *b, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        a[i] += b[i];
}

// Waits for the parent's work by an event, adds the second array to the first, and tells so by another event.
static int child(int in)
{
    struct handles h;
    int *a, *again, *b;
    cudaStream_t s;
    cudaEvent_t go, back;
    CHECK(read(in, &h, sizeof h) == (ssize_t)sizeof h);
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaIpcOpenMemHandle((void **)&a, h.first, cudaIpcMemLazyEnablePeerAccess));
    OK(cudaIpcOpenMemHandle((void **)&again, h.first, cudaIpcMemLazyEnablePeerAccess));
    OK(cudaIpcOpenMemHandle((void **)&b, h.second, cudaIpcMemLazyEnablePeerAccess));
    CHECK(a == again);
    IS(cudaFree(a), cudaErrorInvalidValue);
    OK(cudaIpcOpenEventHandle(&go, h.go));
    OK(cudaIpcOpenEventHandle(&back, h.back));
    OK(cudaStreamWaitEvent(s, go, 0));
    add<<<4, 64, 0, s>>>(a, b, N);
    OK(cudaEventRecord(back, s));
    OK(cudaStreamSynchronize(s));
    cudaMemPool_t pool;
    int *pooled;
    OK(cudaMemPoolImportFromShareableHandle(&pool, (void *)(uintptr_t)h.pool, cudaMemHandleTypePosixFileDescriptor, 0));
    IS(cudaMallocFromPoolAsync((void **)&pooled, 64, pool, s), cudaErrorInvalidValue);
    OK(cudaMemPoolImportPointer((void **)&pooled, pool, &h.pooled));
    add<<<4, 64, 0, s>>>(pooled, pooled, N);
    OK(cudaFreeAsync(pooled, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaMemPoolDestroy(pool));
    OK(cudaIpcCloseMemHandle(a));
    OK(cudaIpcCloseMemHandle(a));
    IS(cudaIpcCloseMemHandle(a), cudaErrorInvalidValue);
    OK(cudaIpcCloseMemHandle(b));
    OK(cudaEventDestroy(go));
    OK(cudaEventDestroy(back));
    OK(cudaIpcOpenMemHandle((void **)&a, h.first, cudaIpcMemLazyEnablePeerAccess));
    OK(cudaDeviceReset());
    IS(cudaIpcCloseMemHandle(a), cudaErrorInvalidValue);
    return finish();
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return child(atoi(argv[1]));
    struct handles h;
    static int got[N], beside[16];
    int *before, *a, *b, *after, pipes[2], status = -1;
    char number[16];
    cudaEvent_t go, back, plain;
    CHECK(pipe(pipes) == 0);
    OK(cudaMalloc(&before, 64)); // neighbours in the same pages keep what is in them
    OK(cudaMalloc(&a, N * sizeof *a));
    OK(cudaMalloc(&b, N * sizeof *b));
    OK(cudaMalloc(&after, 64));
    fill<<<1, 16>>>(before, 16, 500);
    fill<<<1, 16>>>(after, 16, 900);
    fill<<<4, 64>>>(b, N, 7);
    OK(cudaIpcGetMemHandle(&h.first, a));
    OK(cudaIpcGetMemHandle(&h.second, b));
    IS(cudaIpcGetMemHandle(&h.second, b + 1), cudaErrorInvalidValue);
    OK(cudaEventCreateWithFlags(&go, cudaEventDisableTiming | cudaEventInterprocess));
    OK(cudaEventCreateWithFlags(&back, cudaEventDisableTiming | cudaEventInterprocess));
    OK(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
    OK(cudaIpcGetEventHandle(&h.go, go));
    OK(cudaIpcGetEventHandle(&h.back, back));
    IS(cudaIpcGetEventHandle(&h.back, plain), cudaErrorInvalidResourceHandle);
    void *own;
    IS(cudaIpcOpenMemHandle(&own, h.first, cudaIpcMemLazyEnablePeerAccess), cudaErrorDeviceUninitialized);
    int *pooled, descriptor;
    cudaMemPool_t pool, closed;
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    OK(cudaMemPoolCreate(&closed, &props));
    props.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    OK(cudaMemPoolCreate(&pool, &props));
    OK(cudaMallocFromPoolAsync((void **)&pooled, N * sizeof *pooled, pool, 0));
    OK(cudaMemPoolExportToShareableHandle(&descriptor, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    IS(cudaMemPoolExportToShareableHandle(&h.pool, closed, cudaMemHandleTypePosixFileDescriptor, 0), cudaErrorInvalidValue);
    OK(cudaMemPoolExportPointer(&h.pooled, pooled));
    IS(cudaMemPoolExportPointer(&h.pooled, a), cudaErrorInvalidValue);
    h.pool = dup(descriptor);
    fill<<<4, 64>>>(pooled, N, 1);
    fill<<<4, 64>>>(a, N, 100);
    OK(cudaEventRecord(go, 0));
    OK(cudaEventQuery(back)); // no record yet
    snprintf(number, sizeof number, "%d", pipes[0]);
    pid_t process = fork();
    if (process == 0) {
        setenv("WARPFENCE_MODE", "run", 1); // one report is enough
        execl("/proc/self/exe", argv[0], number, (char *)NULL);
        _exit(127);
    }
    CHECK(write(pipes[1], &h, sizeof h) == (ssize_t)sizeof h);
    CHECK(waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    OK(cudaStreamWaitEvent(0, back, 0));
    OK(cudaMemcpy(got, a, sizeof got, cudaMemcpyDeviceToHost));
    OK(cudaEventSynchronize(back));
    OK(cudaEventQuery(back));
    int bad = 0;
    for (int i = 0; i < N; i++)
        bad += got[i] != 107 + 2 * i;
    EQ(bad, 0);
    OK(cudaMemcpy(got, pooled, sizeof got, cudaMemcpyDeviceToHost));
    EQ(got[N - 1], 2 * N);
    OK(cudaFreeAsync(pooled, 0));
    OK(cudaMemPoolDestroy(pool));
    OK(cudaMemPoolDestroy(closed));
    OK(cudaFree(a));
    OK(cudaFree(b));
    OK(cudaMemcpy(beside, before, 64, cudaMemcpyDeviceToHost));
    EQ(beside[15], 515);
    OK(cudaMemcpy(beside, after, 64, cudaMemcpyDeviceToHost));
    EQ(beside[15], 915);
    OK(cudaFree(before));
    OK(cudaFree(after));
    return finish();
}
