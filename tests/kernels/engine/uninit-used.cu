// SPDX-License-Identifier: Apache-2.0
// Shared memory is read that nothing has written. Where what was read counts in any case it is an error, where it is
// dropped a warning.
// expect: mem-uninit=error @17
// expect: mem-uninit=error @31
// expect: mem-uninit=warning @42
// expect: mem-uninit=warning @52
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
    CK(cudaDeviceSynchronize());
    return done();
}
