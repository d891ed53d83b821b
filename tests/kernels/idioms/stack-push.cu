// A lock-free stack: blocks push nodes, the last block pops all. Fault: a node may be seen before its contents.
#include "../engine/host.h"
#include <cuda/atomic>
struct Node { int value; int next; };
const int B = 16;
__device__ int head = -1;
__device__ int pushed;

__global__ void pushPop(Node *node, int *out)
{
    if (threadIdx.x)
        return;
    int me = blockIdx.x;
    cuda::atomic_ref<int, cuda::thread_scope_device> top(head);
    cuda::atomic_ref<int, cuda::thread_scope_device> n(pushed);
    if (me < B - 1) {
        int was = top.load(cuda::std::memory_order_relaxed);
        node[me].value = 10 * me;
        do {
            node[me].next = was;
#ifdef FIX
        } while (!top.compare_exchange_weak(was, me, cuda::std::memory_order_release, cuda::std::memory_order_relaxed));
#else
        } while (!top.compare_exchange_weak(was, me, cuda::std::memory_order_relaxed));
#endif
        n.fetch_add(1, cuda::std::memory_order_relaxed);
        return;
    }
    while (n.load(cuda::std::memory_order_relaxed) < B - 1)
        ;
    int sum = 0;
    for (int at = top.exchange(-1, cuda::std::memory_order_acquire); at >= 0; at = node[at].next)
        sum += node[at].value;
    *out = sum;
}

int main()
{
    int want = 0;
    for (int i = 0; i < B - 1; i++) want += 10 * i;
    Dev<Node> dn(B);
    Dev<int> dout(1);
    pushPop<<<B, 32>>>(dn.p, dout.p);
    same("pushPop", dout.get(), &want, 1);
    return done();
}
// twin: -DFIX
// expect: fence-missing-release @18 @33
// expect: fence-missing-release @20 @32
