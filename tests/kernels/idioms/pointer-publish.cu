// A block swaps in a new table and another reads through the pointer. Fault: the table may be seen half filled.
#include "../engine/host.h"
const int N = 32;
__device__ int room[2][N];
__device__ unsigned long long current;

__global__ void swapTable(int *out)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        room[1][t] = t + 50;
        __syncwarp();
        if (t == 0) {
#ifdef FIX
            __threadfence();
#endif
            atomicExch(&current, (unsigned long long)room[1]);
        }
    } else {
        int *p;
        while (!(p = (int *)atomicAdd(&current, 0ull)))
            ;
        __threadfence();
        out[t] = p[N - 1 - t];
    }
}

int main()
{
    int want[N];
    for (int i = 0; i < N; i++) want[i] = N - 1 - i + 50;
    Dev<int> dout(N);
    swapTable<<<2, N>>>(dout.p);
    same("swapTable", dout.get(), want, N);
    return done();
}
// twin: -DFIX
// expect: fence-missing-release @11 @24 @17 @21
