// Asynchronous copies, two stages in flight. Fault: the last stage is not waited for.
#include "../engine/host.h"
#include <cuda_pipeline.h>
const int T = 64, TILES = 5;

__global__ void add(const int *in, int *out)
{
    __shared__ int s[2][T];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&s[0][t], &in[t], sizeof(int));
    __pipeline_commit();
    for (int k = 0; k < TILES; k++) {
        if (k + 1 < TILES) {
            __pipeline_memcpy_async(&s[(k + 1) % 2][t], &in[(k + 1) * T + t], sizeof(int));
            __pipeline_commit();
        }
#ifdef FIX
        __pipeline_wait_prior(k + 1 < TILES ? 1 : 0);
#else
        __pipeline_wait_prior(1);
#endif
        __syncthreads();
        sum += s[k % 2][T - 1 - t];
        __syncthreads();
    }
    out[t] = sum;
}

int main()
{
    int in[T * TILES], want[T] = {};
    for (int i = 0; i < T * TILES; i++) { in[i] = i % 29; want[T - 1 - i % T] += in[i]; }
    Dev<int> di(T * TILES), dout(T);
    di.put(in);
    add<<<1, T>>>(di.p, dout.p);
    same("add", dout.get(), want, T);
    return done();
}
// twin: -DFIX
// expect: race-shared @14 @23
