// Block 0 fills a mailbox and raises a flag; block 1 waits for it. Fault: no fence between the letter and the flag.
#include "../engine/host.h"
const int N = 64;
__device__ int letter[N];
__device__ int flag;

__global__ void mail(int *out)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        letter[t] = t * t;
        __syncthreads();
        if (t == 0) {
#ifdef FIX
            __threadfence();
#endif
            atomicExch(&flag, 1);
        }
    } else {
        if (t == 0) {
            while (atomicOr(&flag, 0) == 0)
                ;
            __threadfence();
        }
        __syncthreads();
        out[t] = letter[t];
    }
}

int main()
{
    int want[N];
    for (int i = 0; i < N; i++) want[i] = i * i;
    Dev<int> dout(N);
    mail<<<2, N>>>(dout.p);
    same("mail", dout.get(), want, N);
    return done();
}
// twin: -DFIX
// expect: fence-missing-release @11 @26 @17 @21
