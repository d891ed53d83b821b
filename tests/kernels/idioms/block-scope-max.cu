// The largest value of all blocks. Fault: the atomic's scope is the block, but all blocks use it.
#include "../engine/host.h"
#include <cuda/atomic>
#ifdef FIX
const cuda::thread_scope SCOPE = cuda::thread_scope_device;
#else
const cuda::thread_scope SCOPE = cuda::thread_scope_block;
#endif

__global__ void largest(const int *in, int n, int *out)
{
    int best = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        best = in[i] > best ? in[i] : best;
    cuda::atomic_ref<int, SCOPE> all(*out);
    all.fetch_max(best, cuda::std::memory_order_relaxed);
}

int main()
{
    const int N = 1000;
    int in[N], want = 0;
    for (int i = 0; i < N; i++) { in[i] = i * 7919 % 1009; want = in[i] > want ? in[i] : want; }
    Dev<int> di(N), dout(1);
    di.put(in);
    largest<<<4, 64>>>(di.p, N, dout.p);
    same("largest", dout.get(), &want, 1);
    return done();
}
// twin: -DFIX
// expect: race-scope @16
// allow: contention
