// A pipeline of each thread alone, two copies ahead. Fault: a copy is read before it was waited for.
#include "../engine/host.h"
#include <cuda/pipeline>
const int T = 64, TILES = 5;

__global__ void add(const int *in, int *out)
{
    __shared__ int s[2][T];
    auto pipe = cuda::make_pipeline();
    int t = threadIdx.x, sum = 0;
    for (int k = 0, fetch = 0; k < TILES; k++) {
        for (; fetch < TILES && fetch < k + 2; fetch++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[fetch % 2][t], in + fetch * T + t, sizeof(int), pipe);
            pipe.producer_commit();
        }
#ifdef FIX
        pipe.consumer_wait();
#endif
        sum += s[k % 2][t];
        pipe.consumer_release();
    }
    out[t] = sum;
}

int main()
{
    int in[T * TILES], want[T] = {};
    for (int i = 0; i < T * TILES; i++) { in[i] = i % 29; want[i % T] += in[i]; }
    Dev<int> di(T * TILES), dout(T);
    di.put(in);
    add<<<1, T>>>(di.p, dout.p);
    same("add", dout.get(), want, T);
    return done();
}
// says: *asynchronous copy*
// twin: -DFIX
// expect: race-shared @14 @20
