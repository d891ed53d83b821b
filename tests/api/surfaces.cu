// SPDX-License-Identifier: Apache-2.0
// Surface objects: reads and writes in one to three dimensions and layers, and what happens outside.
// only: nvcc
// expect: clean
// stdout: PASS
#include "api.h"

__global__ void write_all(cudaSurfaceObject_t s1, cudaSurfaceObject_t s2, cudaSurfaceObject_t s3, cudaSurfaceObject_t sl)
{
    int x = threadIdx.x % 4, y = threadIdx.x / 4;
    if (y == 0)
        surf1Dwrite((short)(7 + x), s1, x * 2);
    surf2Dwrite(make_float2(x, y), s2, x * 8, y);
    surf3Dwrite((unsigned char)(16 * y + x), s3, x, y, 1);
    surf2DLayeredwrite(100 * y + x, sl, x * 4, y, 2);
}

__global__ void read_all(cudaSurfaceObject_t s1, cudaSurfaceObject_t s2, cudaSurfaceObject_t s3, cudaSurfaceObject_t sl, int *o)
{
    o[0] = surf1Dread<short>(s1, 3 * 2);
    float2 f = surf2Dread<float2>(s2, 2 * 8, 3);
    o[1] = (int)f.x, o[2] = (int)f.y;
    o[3] = surf3Dread<unsigned char>(s3, 3, 2, 1);
    o[4] = surf3Dread<unsigned char>(s3, 3, 2, 0);
    o[5] = surf2DLayeredread<int>(sl, 1 * 4, 3, 2);
    o[6] = surf1Dread<short>(s1, 100, cudaBoundaryModeZero);
    o[7] = surf1Dread<short>(s1, 100, cudaBoundaryModeClamp);
    o[8] = surf1Dread<short>(s1, -2, cudaBoundaryModeClamp);
    surf2Dwrite(make_float2(50, 50), s2, 4 * 8, 0, cudaBoundaryModeZero); // written nowhere
    f = surf2Dread<float2>(s2, 0, 1);
    o[9] = (int)f.x;
}

static cudaSurfaceObject_t surface(cudaArray_t a)
{
    cudaResourceDesc r;
    cudaSurfaceObject_t s = 0;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    OK(cudaCreateSurfaceObject(&s, &r));
    return s;
}

int main()
{
    cudaArray_t a1, a2, a3, al, plain;
    cudaChannelFormatDesc s = cudaCreateChannelDesc<short>(), f = cudaCreateChannelDesc<float2>();
    cudaChannelFormatDesc b = cudaCreateChannelDesc<unsigned char>(), i = cudaCreateChannelDesc<int>();
    OK(cudaMallocArray(&a1, &s, 4, 0, cudaArraySurfaceLoadStore));
    OK(cudaMallocArray(&a2, &f, 4, 4, cudaArraySurfaceLoadStore));
    OK(cudaMalloc3DArray(&a3, &b, make_cudaExtent(4, 4, 2), cudaArraySurfaceLoadStore));
    OK(cudaMalloc3DArray(&al, &i, make_cudaExtent(4, 4, 3), cudaArraySurfaceLoadStore | cudaArrayLayered));
    OK(cudaMallocArray(&plain, &i, 4, 4));
    unsigned char zero[64] = {0};
    OK(cudaMemcpy2DToArray(a3, 0, 0, zero, 4, 4, 4, cudaMemcpyHostToDevice)); // the first slice
    cudaSurfaceObject_t s1 = surface(a1), s2 = surface(a2), s3 = surface(a3), sl = surface(al), none;
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = plain;
    IS(cudaCreateSurfaceObject(&none, &r), cudaErrorInvalidValue); // not made for surfaces
    int *d, h[10];
    OK(cudaMalloc(&d, sizeof h));
    write_all<<<1, 16>>>(s1, s2, s3, sl);
    read_all<<<1, 1>>>(s1, s2, s3, sl, d);
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    EQ(h[0], 10);
    EQ(h[1], 2);
    EQ(h[2], 3);
    EQ(h[3], 35);
    EQ(h[4], 0);
    EQ(h[5], 301);
    EQ(h[6], 0);
    EQ(h[7], 10);
    EQ(h[8], 7);
    EQ(h[9], 0);
    float2 back[16];
    OK(cudaMemcpy2DFromArray(back, 32, a2, 0, 0, 32, 4, cudaMemcpyDeviceToHost));
    EQ(back[4 * 3 + 1].y, 3);
    OK(cudaMemcpy2DArrayToArray(a2, 0, 0, a2, 0, 2, 32, 2)); // rows 2 and 3 to 0 and 1
    OK(cudaMemcpy2DFromArray(back, 32, a2, 0, 0, 32, 4, cudaMemcpyDeviceToHost));
    EQ(back[0].y, 2);
    IS(cudaMemcpy2DFromArray(back, 32, a2, 8, 0, 32, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    OK(cudaDestroySurfaceObject(s1));
    OK(cudaFreeArray(a1));
    IS(cudaFreeArray(a1), cudaErrorInvalidResourceHandle);
    return finish();
}
