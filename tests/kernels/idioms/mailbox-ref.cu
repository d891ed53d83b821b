// A chain of blocks passes a running total on through cuda::atomic_ref. Fault: the store of the flag is relaxed.
#include "../engine/host.h"
#include <cuda/atomic>
const int B = 12;
struct Slot { int total; int ready; };
#ifdef FIX
const cuda::std::memory_order RAISE = cuda::std::memory_order_release;
#else
const cuda::std::memory_order RAISE = cuda::std::memory_order_relaxed;
#endif

__global__ void chain(const int *in, Slot *slot)
{
    if (threadIdx.x)
        return;
    int b = blockIdx.x, before = 0;
    if (b > 0) {
        cuda::atomic_ref<int, cuda::thread_scope_device> f(slot[b - 1].ready);
        while (f.load(cuda::std::memory_order_acquire) == 0)
            ;
        before = slot[b - 1].total;
    }
    slot[b].total = before + in[b];
    cuda::atomic_ref<int, cuda::thread_scope_device>(slot[b].ready).store(1, RAISE);
}

int main()
{
    int in[B];
    Slot want[B];
    for (int i = 0, s = 0; i < B; i++) { s += in[i] = 3 * i + 1; want[i] = {s, 1}; }
    Dev<int> di(B);
    Dev<Slot> ds(B);
    di.put(in);
    chain<<<B, 32>>>(di.p, ds.p);
    same("chain", ds.get(), want, B);
    return done();
}
// twin: -DFIX
// expect: fence-missing-release @23 @21 @24 @19
// allow: start-order
