// SPDX-License-Identifier: Apache-2.0
// Allocation of every kind, what pointers are, and the ways to get it wrong.
// expect: clean
// stdout: PASS
#include "api.h"

static void device(void)
{
    int *d, *e;
    char h[64];
    IS(cudaMalloc(&d, (size_t)1 << 45), cudaErrorMemoryAllocation);
    OK(cudaMalloc(&d, 100));
    OK(cudaMalloc(&e, 100));
    CHECK((size_t)d % 256 == 0 && d != e);
    OK(cudaFree(d));
    IS(cudaFree(d), cudaErrorInvalidValue);
    IS(cudaFree(e + 1), cudaErrorInvalidValue);
    IS(cudaFree(h), cudaErrorInvalidValue);
    OK(cudaFree((void *)0));
    IS(cudaFreeHost(e), cudaErrorInvalidValue);
    OK(cudaFree(e));
    size_t pitch;
    OK(cudaMallocPitch(&d, &pitch, 1000, 10));
    EQ(pitch, 1024);
    OK(cudaFree(d));
    cudaPitchedPtr p;
    OK(cudaMalloc3D(&p, make_cudaExtent(100, 10, 4)));
    EQ(p.pitch, 512);
    EQ(p.xsize, 100);
    EQ(p.ysize, 10);
    OK(cudaFree(p.ptr));
}

static void host_visible(void)
{
    int *p, *m;
    void *dp;
    unsigned flags = 9;
    OK(cudaHostAlloc(&p, 100, cudaHostAllocMapped | cudaHostAllocPortable));
    p[3] = 5;
    OK(cudaHostGetDevicePointer(&dp, p, 0));
    CHECK(dp == p);
    OK(cudaHostGetFlags(&flags, p));
    EQ(flags, 3);
    IS(cudaFree(p), cudaErrorInvalidValue);
    OK(cudaFreeHost(p));
    IS(cudaFreeHost(p), cudaErrorInvalidValue);
    IS(cudaHostAlloc(&p, 10, 0x100), cudaErrorInvalidValue);
    OK(cudaMallocManaged(&m, 4000));
    m[999] = 7;
    EQ(m[999], 7);
    IS(cudaMallocManaged(&p, 4, 7), cudaErrorInvalidValue);
    OK(cudaFree(m));
}

static void attributes(void)
{
    cudaPointerAttributes a;
    char h[8];
    int *d, *p, *m;
    OK(cudaMalloc(&d, 100));
    OK(cudaMallocHost(&p, 100));
    OK(cudaMallocManaged(&m, 100));
    OK(cudaPointerGetAttributes(&a, d + 1));
    EQ(a.type, cudaMemoryTypeDevice);
    CHECK(a.device == 0 && a.devicePointer == d + 1 && a.hostPointer == 0);
    OK(cudaPointerGetAttributes(&a, h));
    EQ(a.type, cudaMemoryTypeUnregistered);
    CHECK(a.device == -2 && a.devicePointer == 0 && a.hostPointer == h);
    OK(cudaPointerGetAttributes(&a, p));
    EQ(a.type, cudaMemoryTypeHost);
    CHECK(a.devicePointer == p && a.hostPointer == p);
    OK(cudaPointerGetAttributes(&a, m));
    EQ(a.type, cudaMemoryTypeManaged);
    IS(cudaPointerGetAttributes((cudaPointerAttributes *)0, m), cudaErrorInvalidValue);
    OK(cudaFree(d));
    OK(cudaFree(m));
    OK(cudaFreeHost(p));
}

static void registered(void)
{
    char *own = (char *)malloc(10000);
    void *dp;
    memset(own, 'x', 10000);
    OK(cudaHostRegister(own, 10000, cudaHostRegisterMapped));
    IS(cudaHostRegister(own, 10000, cudaHostRegisterMapped), cudaErrorHostMemoryAlreadyRegistered);
    OK(cudaHostGetDevicePointer(&dp, own, 0));
    OK(cudaMemset(dp, 'y', 5000));
    OK(cudaDeviceSynchronize());
    CHECK(own[4999] == 'y' && own[5000] == 'x');
    OK(cudaHostUnregister(own));
    CHECK(own[4999] == 'y' && own[5000] == 'x');
    IS(cudaHostUnregister(own), cudaErrorHostMemoryNotRegistered);
    IS(cudaHostRegister((void *)0, 100, 0), cudaErrorInvalidValue);
    free(own);
}

static void many(void)
{
    static void *at[20000];
    for (int i = 0; i < 20000; i++)
        if (cudaMalloc(&at[i], (size_t)(i % 300) + 1) != cudaSuccess)
            failures++;
    for (int i = 0; i < 20000; i++)
        if (cudaFree(at[(i * 7919) % 20000]) != cudaSuccess)
            failures++;
}

int main(void)
{
    device();
    host_visible();
    attributes();
    registered();
    many();
    return finish();
}
