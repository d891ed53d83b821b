// Message to another block by a flag of its own. Fault: the waiting loads are relaxed, where acquire was to be had.
#include "../engine/host.h"
const int T = 64;
__device__ int flag, message[T];

__device__ int look(const int *p)
{
    int v;
#ifdef FIX
    asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
#else
    asm volatile("ld.relaxed.gpu.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
#endif
    return v;
}

__global__ void hand(int *out)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        message[t] = 3 * t;
        __syncthreads();
        if (t == 0)
            asm volatile("red.release.gpu.add.s32 [%0], 1;" ::"l"(&flag) : "memory");
        return;
    }
    if (t == 0)
        while (look(&flag) == 0)
            ;
    __syncthreads();
    out[t] = message[T - 1 - t];
}

int main()
{
    int want[T];
    for (int i = 0; i < T; i++) want[i] = 3 * (T - 1 - i);
    Dev<int> out(T);
    hand<<<2, T>>>(out.p);
    same("hand", out.get(), want, T);
    return done();
}
// twin: -DFIX
// expect: fence-missing-acquire=error @21 @31
