// SPDX-License-Identifier: Apache-2.0
// Shared memory is read that nothing has written. Where what was read counts in any case it is an error, where it is
// dropped a warning; so are some bytes of a word, as classes are copied with their padding.
// expect: mem-uninit=error @18
// expect: mem-uninit=error @32
// expect: mem-uninit=warning @43
// expect: mem-uninit=warning @53
// expect: mem-uninit=warning @65
#include "host.h"

__global__ void goes_out(const float *x, float *y, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    if (i < n)
        s[t] = x[i];
    __syncthreads();
    float r = s[255 - t];
    y[i] = r;
}

__global__ void summed(const float *x, float *y, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    if (i < n)
        s[t] = x[i];
    __syncthreads();
    if (t == 0) {
        float a = 0;
        for (int k = 0; k < 256; k++)
            a += s[k];
        y[blockIdx.x] = a;
    }
}

__global__ void dropped(float *y, int n)
{
    __shared__ float s[257];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = (float)i; __syncthreads();
    volatile float *v = s;
    float r = v[t + 1];
    if (t < 255)
        y[i] = r;
}

__global__ void chosen(float *y, int n)
{
    __shared__ float s[257];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = (float)i; __syncthreads();
    float r = s[t + 1], q = t < 255 ? r : 0;
    y[i] = q;
}

struct padded { bool is_it; long long number; };
__global__ void copied(float *y)
{
    __shared__ padded s[64];
    int t = threadIdx.x;
    s[t].is_it = t & 1; s[t].number = t;
    __syncthreads();
    const unsigned long long *words = (const unsigned long long *)s;
    unsigned long long w = words[2 * (63 - t)];
    if (w & 1)
        y[t] = 1;
}

int main()
{
    const int n = 600;
    float zero[n] = {};
    Dev<float> x(n), y(3 * 256);
    x.put(zero);
    goes_out<<<3, 256>>>(x.p, y.p, n);
    summed<<<3, 256>>>(x.p, y.p, n);
    dropped<<<3, 256>>>(y.p, n);
    chosen<<<3, 256>>>(y.p, n);
    copied<<<1, 64>>>(y.p);
    CK(cudaDeviceSynchronize());
    return done();
}
