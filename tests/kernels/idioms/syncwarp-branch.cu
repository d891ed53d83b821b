// Half a warp swaps cells. Fault: its __syncwarp() waits for the other half, which never comes.
#include "../engine/host.h"

__global__ void swap(int *a)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncwarp();
    if (t < 16) {
        int v = s[15 - t];
#ifdef FIX
        __syncwarp(0xffffu);
#else
        __syncwarp();
#endif
        s[t] = v;
    }
    a[t] = s[t];
}

int main()
{
    int a[32], want[32];
    for (int i = 0; i < 32; i++) a[i] = i + 1;
    for (int i = 0; i < 32; i++) want[i] = a[i < 16 ? 15 - i : i];
    Dev<int> da(32);
    da.put(a);
    swap<<<1, 32>>>(da.p);
    same("swap", da.get(), want, 32);
    return done();
}
// twin: -DFIX
// expect: warp-mask @15
// allow: race-warp
