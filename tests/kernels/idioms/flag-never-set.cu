// A warp waits for a flag. Fault: the other warp sets it on one path only.
#include "../engine/host.h"

__global__ void pass(const int *in, int *out)
{
    __shared__ int flag, word;
    int t = threadIdx.x;
    if (t == 0)
        flag = 0;
    __syncthreads();
    if (t == 32) {
        word = in[0];
#ifdef FIX
        __threadfence_block();
        atomicExch(&flag, 1);
#else
        if (in[0] > 100) {
            __threadfence_block();
            atomicExch(&flag, 1);
        }
#endif
    }
    if (t == 0) {
        while (atomicAdd(&flag, 0) == 0)
            ;
        __threadfence_block();
        *out = word;
    }
}

int main()
{
    int in = 42;
    Dev<int> di(1), dout(1);
    di.put(&in);
    pass<<<1, 64>>>(di.p, dout.p);
    same("pass", dout.get(), &in, 1);
    return done();
}
// twin: -DFIX
// expect: deadlock-spin @24
