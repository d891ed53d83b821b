// SPDX-License-Identifier: Apache-2.0
// Stream-ordered allocation.
// expect: clean
// stdout: PASS
#include "api.h"

__global__ void put(int *at, int value)
{
    *at = value;
}

int main(void)
{
    cudaStream_t s;
    cudaMemPool_t pool, own;
    int *a, v = 0, reuse = -1;
    unsigned long long used = 99, reserved = 0;
    OK(cudaStreamCreate(&s));
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseFollowEventDependencies, &reuse));
    EQ(reuse, 1);
    OK(cudaMallocAsync(&a, 1000, s));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    EQ(used, 1000);
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
    EQ(reserved, 33554432);
    put<<<1, 1, 0, s>>>(a, 4);
    OK(cudaMemcpyAsync(&v, a, 4, cudaMemcpyDeviceToHost, s));
    OK(cudaFreeAsync(a, s));
    OK(cudaStreamSynchronize(s));
    EQ(v, 4);
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    EQ(used, 0);
    IS(cudaFreeAsync(a, s), cudaErrorInvalidValue);
    cudaMemPoolProps props;
    memset(&props, 0, sizeof props);
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    OK(cudaMemPoolCreate(&own, &props));
    OK(cudaMallocFromPoolAsync(&a, 64, own, s));
    OK(cudaFree(a));
    OK(cudaMemPoolTrimTo(own, 0));
    OK(cudaMemPoolDestroy(own));
    IS(cudaMemPoolDestroy(pool), cudaErrorInvalidValue);
    props.location.id = 5;
    IS(cudaMemPoolCreate(&own, &props), cudaErrorInvalidValue);
    OK(cudaStreamDestroy(s));
    return finish();
}
