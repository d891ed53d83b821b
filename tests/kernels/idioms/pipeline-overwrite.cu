// Copies through cuda::pipeline, two stages. Fault: a stage is released before it was read.
#include "../engine/host.h"
#include <cuda/pipeline>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
const int T = 64, TILES = 6;

__global__ void add(const int *in, int *out)
{
    __shared__ int s[2][T];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int t = threadIdx.x, sum = 0;
    for (int k = 0, fetch = 0; k < TILES; k++) {
        for (; fetch < TILES && fetch < k + 2; fetch++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[fetch % 2], in + fetch * T, sizeof(int) * T, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
#ifdef FIX
        sum += s[k % 2][T - 1 - t];
        pipe.consumer_release();
#else
        pipe.consumer_release();
        sum += s[k % 2][T - 1 - t];
#endif
    }
    out[t] = sum;
}

int main()
{
    int in[T * TILES], want[T] = {};
    for (int i = 0; i < T * TILES; i++) { in[i] = i % 31; want[T - 1 - i % T] += in[i]; }
    Dev<int> di(T * TILES), dout(T);
    di.put(in);
    add<<<1, T>>>(di.p, dout.p);
    same("add", dout.get(), want, T);
    return done();
}
// twin: -DFIX
// expect: race-shared @18 @27
