// Block 0 makes a table that all blocks use. Fault: __syncthreads() holds up one block, not the grid.
#include "../engine/host.h"
const int T = 64, B = 4;

__global__ void scale(const int *in, int *table, int *out)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0)
        table[t] = t * 2 + 1;
    __syncthreads();
    out[blockIdx.x * T + t] = in[blockIdx.x * T + t] * table[T - 1 - t];
}

__global__ void make(int *table) { table[threadIdx.x] = threadIdx.x * 2 + 1; }
__global__ void use(const int *in, const int *table, int *out)
{
    out[blockIdx.x * T + threadIdx.x] = in[blockIdx.x * T + threadIdx.x] * table[T - 1 - threadIdx.x];
}

int main()
{
    int in[B * T], want[B * T];
    for (int i = 0; i < B * T; i++) { in[i] = i % 6; want[i] = in[i] * ((T - 1 - i % T) * 2 + 1); }
    Dev<int> di(B * T), dt(T), dout(B * T);
    di.put(in);
#ifdef FIX
    make<<<1, T>>>(dt.p);
    use<<<B, T>>>(di.p, dt.p, dout.p);
#else
    scale<<<B, T>>>(di.p, dt.p, dout.p);
#endif
    same("scale", dout.get(), want, B * T);
    return done();
}
// twin: -DFIX
// expect: race-global @9 @11
