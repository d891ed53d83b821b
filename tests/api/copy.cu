// SPDX-License-Identifier: Apache-2.0
// Copies and fills in one to three dimensions, and their checks.
// expect: clean
// stdout: PASS
#include "api.h"

static void linear(void)
{
    char h[64] = "host", k[64] = "";
    char *d, *e;
    OK(cudaMalloc(&d, 100));
    OK(cudaMalloc(&e, 100));
    OK(cudaMemcpy(d, h, 64, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(e, d, 64, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy(k, e, 64, cudaMemcpyDeviceToHost));
    CHECK(strcmp(k, "host") == 0);
    IS(cudaMemcpy(d, h, 64, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    IS(cudaMemcpy(h, d, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    IS(cudaMemcpy(h, d, 64, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
    OK(cudaMemcpy(h, d, 64, cudaMemcpyDefault));
    IS(cudaMemcpy(h, d, 64, (cudaMemcpyKind)7), cudaErrorInvalidMemcpyDirection);
    IS(cudaMemcpy(h, d + 90, 64, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    IS(cudaMemcpy((void *)0, d, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    OK(cudaMemcpy((void *)0, d, 0, cudaMemcpyDeviceToHost));
    OK(cudaMemset(d, 0x41, 100));
    OK(cudaMemcpy(k, d, 64, cudaMemcpyDeviceToHost));
    EQ(k[63], 0x41);
    IS(cudaMemset(d, 1, 101), cudaErrorInvalidValue);
    IS(cudaMemset(h, 1, 10), cudaErrorInvalidValue);
    OK(cudaMemset((void *)0, 1, 0));
    OK(cudaMemcpyPeer(e, 0, d, 0, 50));
    IS(cudaMemcpyPeer(e, 1, d, 0, 50), cudaErrorInvalidDevice);
    OK(cudaFree(d));
    OK(cudaFree(e));
}

static void planes(void)
{
    unsigned char h[8][10], k[8][10];
    char *d;
    size_t pitch;
    for (int i = 0; i < 80; i++)
        h[i / 10][i % 10] = (unsigned char)i;
    memset(k, 0, sizeof k);
    OK(cudaMallocPitch(&d, &pitch, 10, 8));
    OK(cudaMemcpy2D(d, pitch, h, 10, 10, 8, cudaMemcpyHostToDevice));
    OK(cudaMemset2D(d + 2 * pitch, pitch, 0xee, 3, 2));
    OK(cudaMemcpy2D(k, 10, d, pitch, 10, 8, cudaMemcpyDeviceToHost));
    EQ(k[1][9], 19);
    EQ(k[2][2], 0xee);
    EQ(k[2][3], 23);
    EQ(k[3][0], 0xee);
    EQ(k[7][9], 79);
    IS(cudaMemcpy2D(k, 8, d, pitch, 10, 2, cudaMemcpyDeviceToHost), cudaErrorInvalidPitchValue);
    IS(cudaMemset2D(d, 16, 0, 17, 2), cudaErrorInvalidValue);
    OK(cudaFree(d));
}

static void boxes(void)
{
    unsigned char h[3][4][6], k[3][4][6];
    cudaPitchedPtr p;
    for (int i = 0; i < 72; i++)
        ((unsigned char *)h)[i] = (unsigned char)i;
    memset(k, 0, sizeof k);
    OK(cudaMalloc3D(&p, make_cudaExtent(6, 4, 3)));
    OK(cudaMemset3D(p, 0x77, make_cudaExtent(6, 4, 3)));
    cudaMemcpy3DParms c;
    memset(&c, 0, sizeof c);
    c.srcPtr = make_cudaPitchedPtr(h, 6, 6, 4);
    c.dstPtr = p;
    c.extent = make_cudaExtent(5, 3, 2);
    c.dstPos = make_cudaPos(1, 1, 1);
    c.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&c));
    memset(&c, 0, sizeof c);
    c.srcPtr = p;
    c.dstPtr = make_cudaPitchedPtr(k, 6, 6, 4);
    c.extent = make_cudaExtent(6, 4, 3);
    c.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&c));
    EQ(k[0][0][0], 0x77);
    EQ(k[1][1][1], 0);
    EQ(k[2][3][5], h[1][2][4]);
    EQ(k[2][0][5], 0x77);
    c.extent.width = 600;
    IS(cudaMemcpy3D(&c), cudaErrorInvalidPitchValue);
    IS(cudaMemcpy3D((cudaMemcpy3DParms *)0), cudaErrorInvalidValue);
    IS(cudaMemset3D(p, 1, make_cudaExtent(600, 4, 3)), cudaErrorInvalidValue);
    OK(cudaFree(p.ptr));
}

static void async(void)
{
    cudaStream_t s;
    int *d, *pinned, v = 5;
    OK(cudaStreamCreate(&s));
    OK(cudaMalloc(&d, 4));
    OK(cudaMallocHost(&pinned, 4));
    OK(cudaMemcpyAsync(d, &v, 4, cudaMemcpyHostToDevice, s));
    v = 6; // it has been read
    OK(cudaMemcpyAsync(pinned, d, 4, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    EQ(*pinned, 5);
    OK(cudaMemsetAsync(d, 0, 4, s));
    OK(cudaMemcpyAsync(&v, d, 4, cudaMemcpyDeviceToHost, s)); // pageable: complete on return
    EQ(v, 0);
    IS(cudaMemcpyAsync(d, &v, 400, cudaMemcpyHostToDevice, s), cudaErrorInvalidValue);
    IS(cudaMemcpyAsync(&v, &v, 4, (cudaMemcpyKind)9, s), cudaErrorInvalidMemcpyDirection);
    OK(cudaStreamDestroy(s));
    OK(cudaFree(d));
    OK(cudaFreeHost(pinned));
}

int main(void)
{
    linear();
    planes();
    boxes();
    async();
    return finish();
}
