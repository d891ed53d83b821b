// Blocks meet at a cuda::barrier in global memory. Fault: its scope is the block.
#include "../engine/host.h"
#include <cuda/barrier>
#include <new>
const int B = 3, T = 32, N = B * T;
#ifdef FIX
using Barrier = cuda::barrier<cuda::thread_scope_device>;
#else
using Barrier = cuda::barrier<cuda::thread_scope_block>;
#endif

__global__ void make(Barrier *bar)
{
    new (bar) Barrier(N);
}

// Each block reads what the next one has written, thus has to wait.
__global__ void turn(Barrier *bar, int *a, int *b)
{
    int i = blockIdx.x * T + threadIdx.x;
    a[i] = 3 * i;
    bar->arrive_and_wait();
    b[i] = a[(i + T) % N];
}

int main()
{
    int want[N];
    for (int i = 0; i < N; i++) want[i] = 3 * ((i + T) % N);
    Dev<Barrier> bar(1);
    Dev<int> a(N), b(N);
    make<<<1, 1>>>(bar.p);
    turn<<<B, T>>>(bar.p, a.p, b.p);
    same("turn", b.get(), want, N);
    return done();
}
// twin: -DFIX
// expect: race-scope @22
// expect: race-global @21 @23
