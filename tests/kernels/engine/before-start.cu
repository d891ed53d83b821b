// SPDX-License-Identifier: Apache-2.0
// Shared memory is read by a guarded load; the lanes that are left out have addresses before its start.
// expect: clean
// stdout: PASS
#include "host.h"

const int W = 2, H = 128;

__global__ void second_difference(const float *f, float *d)
{
    extern __shared__ float s[];
    int i = threadIdx.x, j = threadIdx.y, at = blockIdx.x * W * H + j * W + i, si = j * W + i;
    s[si] = f[at];
    __syncthreads();
    if (j == 0)
        d[at] = s[i + W] - s[i];
    else if (j == H - 1)
        d[at] = s[si - W] - s[si];
    else
        d[at] = s[si + W] - 2.f * s[si] + s[si - W];
}

int main()
{
    const int n = W * H * 4;
    float in[n], want[n];
    for (int k = 0; k < n; k++)
        in[k] = (float)(k * 37 % 101);
    for (int k = 0; k < n; k++) {
        int j = k / W % H;
        want[k] = (j ? in[k - W] : in[k]) - 2.f * in[k] + (j < H - 1 ? in[k + W] : in[k]);
    }
    Dev<float> f(n), d(n);
    f.put(in);
    second_difference<<<4, dim3(W, H), W * H * sizeof(float)>>>(f.p, d.p);
    same("difference", d.get(), want, n);
    return done();
}
