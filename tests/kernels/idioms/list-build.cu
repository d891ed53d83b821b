// Each thread makes a node of a list, thread 0 walks it. Fault: nothing lies between making and walking.
#include "../engine/host.h"
struct Node { int value; Node *next; };
const int T = 64;

__global__ void build(Node *node, int *out)
{
    int t = threadIdx.x;
    node[t].value = t * t;
    node[t].next = t + 1 < T ? &node[t + 1] : nullptr;
#ifdef FIX
    __syncthreads();
#endif
    if (t == 0) {
        int sum = 0;
        for (Node *p = node; p; p = p->next)
            sum += p->value;
        *out = sum;
    }
}

int main()
{
    int want = 0;
    for (int i = 0; i < T; i++) want += i * i;
    Dev<Node> dn(T);
    Dev<int> dout(1);
    build<<<1, T>>>(dn.p, dout.p);
    same("build", dout.get(), &want, 1);
    return done();
}
// twin: -DFIX
// expect: race-global|race-warp @10 @16
// allow: race-global race-warp
