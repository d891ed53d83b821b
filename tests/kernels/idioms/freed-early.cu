// A lookup through an array of pointers. Fault: one of the rows has been freed.
#include "../engine/host.h"
const int N = 32, ROWS = 3;

__global__ void column(int *const *rows, int *out)
{
    out[threadIdx.x] = rows[threadIdx.x % ROWS][threadIdx.x];
}

int main()
{
    int h[N], want[N], *rows[ROWS];
    for (int i = 0; i < N; i++) want[i] = h[i] = 6 * i;
    for (int r = 0; r < ROWS; r++) {
        CK(cudaMalloc(&rows[r], sizeof h));
        CK(cudaMemcpy(rows[r], h, sizeof h, cudaMemcpyHostToDevice));
    }
    Dev<int *> drows(ROWS);
    Dev<int> dout(N);
    drows.put(rows);
#ifndef FIX
    CK(cudaFree(rows[1]));
#endif
    column<<<1, N>>>(drows.p, dout.p);
    same("column", dout.get(), want, N);
    return done();
}
// twin: -DFIX
// expect: mem-freed @7
