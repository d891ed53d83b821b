// SPDX-License-Identifier: Apache-2.0
// Streams, events, callbacks: asynchrony that the host can see.
// expect: clean
// stdout: PASS
#include "api.h"

__global__ void wait_for(volatile int *flag)
{
    while (*flag == 0)
        ;
}
__global__ void put(int *at, int value)
{
    *at = value;
}

static volatile int *flag;

static void beside_the_host(void)
{
    cudaStream_t s;
    int *v;
    OK(cudaStreamCreate(&s));
    OK(cudaMallocHost(&v, 64));
    v[0] = v[1] = 0;
    *flag = 0;
    wait_for<<<1, 1, 0, s>>>(flag);
    put<<<1, 1, 0, s>>>(v, 7);
    IS(cudaStreamQuery(s), cudaErrorNotReady);
    EQ(v[0], 0);
    *flag = 1;
    OK(cudaStreamSynchronize(s));
    EQ(v[0], 7);
    OK(cudaStreamQuery(s));
    OK(cudaStreamDestroy(s));
    OK(cudaFreeHost(v));
}

static void default_stream(void)
{
    cudaStream_t s, t;
    int *v;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    OK(cudaMallocHost(&v, 64));
    v[0] = v[1] = 0;
    *flag = 0;
    wait_for<<<1, 1, 0, s>>>(flag);
    put<<<1, 1>>>(v, 1);           // waits for s
    put<<<1, 1, 0, t>>>(v + 1, 2); // does not
    OK(cudaStreamSynchronize(t));
    EQ(v[1], 2);
    EQ(v[0], 0);
    IS(cudaStreamQuery(0), cudaErrorNotReady);
    *flag = 1;
    OK(cudaDeviceSynchronize());
    EQ(v[0], 1);
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
    OK(cudaFreeHost(v));
}

static void events(void)
{
    cudaStream_t s, t;
    cudaEvent_t a, b, u;
    float ms = -1;
    int *v;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    OK(cudaMallocHost(&v, 64));
    v[0] = v[1] = 0;
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    OK(cudaEventCreateWithFlags(&u, cudaEventDisableTiming));
    IS(cudaEventElapsedTime(&ms, a, b), cudaErrorInvalidResourceHandle);
    OK(cudaEventQuery(a));
    OK(cudaEventRecord(a, s));
    *flag = 0;
    wait_for<<<1, 1, 0, s>>>(flag);
    put<<<1, 1, 0, s>>>(v, 3);
    OK(cudaEventRecord(b, s));
    OK(cudaEventRecord(u, s));
    IS(cudaEventQuery(b), cudaErrorNotReady);
    OK(cudaStreamWaitEvent(t, b, 0));
    OK(cudaMemcpyAsync(v + 1, v, 4, cudaMemcpyDefault, t));
    IS(cudaStreamQuery(t), cudaErrorNotReady);
    *flag = 1;
    OK(cudaEventSynchronize(b));
    OK(cudaStreamSynchronize(t));
    EQ(v[1], 3);
    OK(cudaEventElapsedTime(&ms, a, b));
    CHECK(ms > 0 && ms < 60000);
    OK(cudaEventSynchronize(u));
    IS(cudaEventElapsedTime(&ms, u, u), cudaErrorInvalidResourceHandle);
    IS(cudaEventCreateWithFlags(&u, 99), cudaErrorInvalidValue);
    IS(cudaStreamWaitEvent(s, (cudaEvent_t)0, 0), cudaErrorInvalidResourceHandle);
    OK(cudaEventDestroy(a));
    IS(cudaEventRecord(a, s), cudaErrorInvalidResourceHandle); // stale, not a crash
    OK(cudaEventDestroy(b));
    OK(cudaStreamDestroy(s));
    IS(cudaStreamSynchronize(s), cudaErrorInvalidResourceHandle);
    OK(cudaStreamDestroy(t));
    OK(cudaFreeHost(v));
}

static int calls, inner = -1;
static void CUDART_CB on_callback(cudaStream_t stream, cudaError_t status, void *user)
{
    calls = calls * 10 + (status == cudaSuccess && stream != 0 && user == &calls ? 1 : 9);
}
static void CUDART_CB on_host_func(void *user)
{
    void *p;
    inner = (int)cudaMalloc(&p, 4);
    calls = calls * 10 + (user == &calls ? 2 : 9);
}

static void callbacks(void)
{
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamAddCallback(s, on_callback, &calls, 0));
    OK(cudaLaunchHostFunc(s, on_host_func, &calls));
    OK(cudaStreamSynchronize(s));
    EQ(calls, 12);
    EQ(inner, cudaErrorNotPermitted);
    IS(cudaStreamAddCallback(s, on_callback, &calls, 1), cudaErrorInvalidValue);
    IS(cudaLaunchHostFunc(s, (cudaHostFn_t)0, 0), cudaErrorInvalidValue);
    OK(cudaStreamDestroy(s));
}

static void flags(void)
{
    cudaStream_t s;
    unsigned f = 9;
    int p = 9;
    OK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -99));
    OK(cudaStreamGetPriority(s, &p));
    EQ(p, -5);
    OK(cudaStreamGetFlags(s, &f));
    EQ(f, 1);
    OK(cudaStreamDestroy(s));
    IS(cudaStreamCreateWithFlags(&s, 9), cudaErrorInvalidValue);
    IS(cudaStreamDestroy((cudaStream_t)0), cudaErrorInvalidResourceHandle);
}

int main(void)
{
    OK(cudaMallocHost((void **)&flag, 4));
    beside_the_host();
    default_stream();
    events();
    callbacks();
    flags();
    return finish();
}
