// SPDX-License-Identifier: Apache-2.0
// The device and its properties; limits and flags as an H200 keeps them.
// expect: clean
// stdout: PASS
#include "api.h"

static int attr(cudaDeviceAttr a)
{
    int v = -12345;
    OK(cudaDeviceGetAttribute(&v, a, 0));
    return v;
}

static void properties(void)
{
    cudaDeviceProp p;
    OK(cudaGetDeviceProperties(&p, 0));
    CHECK(strcmp(p.name, "NVIDIA H200") == 0);
    EQ(p.major, 9);
    EQ(p.minor, 0);
    EQ(p.multiProcessorCount, 132);
    EQ(p.warpSize, 32);
    EQ(p.maxThreadsPerBlock, 1024);
    EQ(p.maxThreadsDim[2], 64);
    EQ(p.maxGridSize[0], 2147483647);
    EQ(p.sharedMemPerBlock, 49152);
    EQ(p.sharedMemPerBlockOptin, 232448);
    EQ(p.sharedMemPerMultiprocessor, 233472);
    EQ(p.reservedSharedMemPerBlock, 1024);
    EQ(p.regsPerMultiprocessor, 65536);
    EQ(p.maxBlocksPerMultiProcessor, 32);
    EQ(p.maxThreadsPerMultiProcessor, 2048);
    EQ(p.cooperativeLaunch, 1);
    EQ(p.clusterLaunch, 1);
    EQ(p.managedMemory, 1);
    EQ(p.concurrentManagedAccess, 1);
    EQ(p.unifiedAddressing, 1);
    EQ(p.l2CacheSize, 62914560);
    EQ(attr(cudaDevAttrMultiProcessorCount), p.multiProcessorCount);
    EQ(attr(cudaDevAttrMaxSharedMemoryPerBlockOptin), p.sharedMemPerBlockOptin);
    EQ(attr(cudaDevAttrComputeCapabilityMajor), 9);
    EQ(attr(cudaDevAttrClusterLaunch), 1);
    EQ(attr(cudaDevAttrWarpSize), 32);
    IS(cudaGetDeviceProperties(&p, 2), cudaErrorInvalidDevice);
    IS(cudaGetDeviceProperties((cudaDeviceProp *)0, 0), cudaErrorInvalidValue);
}

static void choice(void)
{
    int n = 0;
    OK(cudaGetDeviceCount(&n));
    EQ(n, 1);
    OK(cudaGetDevice(&n));
    EQ(n, 0);
    OK(cudaSetDevice(0));
    IS(cudaSetDevice(1), cudaErrorInvalidDevice);
    IS(cudaSetDevice(-1), cudaErrorInvalidDevice);
    IS(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 3), cudaErrorInvalidDevice);
    IS(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)5000, 0), cudaErrorInvalidValue);
    IS(cudaDeviceGetAttribute((int *)0, cudaDevAttrWarpSize, 0), cudaErrorInvalidValue);
    OK(cudaDeviceCanAccessPeer(&n, 0, 0));
    EQ(n, 0);
    IS(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
    OK(cudaDriverGetVersion(&n));
    CHECK(n >= 13000);
    OK(cudaRuntimeGetVersion(&n));
    CHECK(n == 13000 || n == 12090);
}

static void limits(void)
{
    size_t v;
    int least, greatest;
    OK(cudaDeviceGetLimit(&v, cudaLimitStackSize));
    EQ(v, 1024);
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    OK(cudaDeviceGetLimit(&v, cudaLimitStackSize));
    EQ(v, 4096);
    OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
    OK(cudaDeviceGetLimit(&v, cudaLimitMallocHeapSize));
    EQ(v, 4194304);
    IS(cudaDeviceSetLimit((cudaLimit)99, 1), cudaErrorUnsupportedLimit);
    IS(cudaDeviceGetLimit((size_t *)0, cudaLimitStackSize), cudaErrorInvalidValue);
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    EQ(least, 0);
    EQ(greatest, -5);
    size_t left = 0, total = 0;
    OK(cudaMemGetInfo(&left, &total));
    CHECK(left > 0 && left <= total && total > (size_t)100 << 30);
    OK(cudaSetDeviceFlags(cudaDeviceScheduleSpin));
    IS(cudaSetDeviceFlags(0x1000), cudaErrorInvalidValue);
}

int main(void)
{
    properties();
    choice();
    limits();
    OK(cudaDeviceSynchronize());
    return finish();
}
