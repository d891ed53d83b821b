// A ring of one buffer between a producing and a consuming warp. Fault: the producer does not wait until it is empty.
#include "../engine/host.h"
const int W = 32, ROUNDS = 5;

__device__ void arrive(int id) { asm volatile("bar.arrive %0, 64;" ::"r"(id) : "memory"); }
__device__ void meet(int id) { asm volatile("bar.sync %0, 64;" ::"r"(id) : "memory"); }

__global__ void ring(const int *in, int *out)
{
    __shared__ int buf[W];
    int lane = threadIdx.x % W;
    if (threadIdx.x < W) {
        for (int k = 0; k < ROUNDS; k++) {
#ifdef FIX
            if (k > 0)
                meet(2);
#endif
            buf[lane] = in[k * W + lane];
            arrive(1);
        }
    } else {
        int sum = 0;
        for (int k = 0; k < ROUNDS; k++) {
            meet(1);
            sum += buf[W - 1 - lane];
#ifdef FIX
            if (k + 1 < ROUNDS)
                arrive(2);
#endif
        }
        out[lane] = sum;
    }
}

int main()
{
    int in[W * ROUNDS], want[W] = {};
    for (int i = 0; i < W * ROUNDS; i++) { in[i] = i * i % 19; want[W - 1 - i % W] += in[i]; }
    Dev<int> di(W * ROUNDS), dout(W);
    di.put(in);
    ring<<<1, 2 * W>>>(di.p, dout.p);
    same("ring", dout.get(), want, W);
    return done();
}
// twin: -DFIX
// expect: barrier-misuse
// expect: race-shared @18 @25
