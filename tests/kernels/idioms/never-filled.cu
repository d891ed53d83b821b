// Running sums into a work array. Fault: nobody has cleared it.
#include "../engine/host.h"

__global__ void accumulate(const int *in, int *sums)
{
    sums[threadIdx.x] += in[threadIdx.x];
}

int main()
{
    const int N = 96;
    int in[N];
    for (int i = 0; i < N; i++) in[i] = i;
    Dev<int> di(N);
    int *sums, *got = (int *)malloc(N * sizeof(int));
    di.put(in);
    CK(cudaMalloc(&sums, N * sizeof(int)));
#ifdef FIX
    CK(cudaMemset(sums, 0, N * sizeof(int)));
#endif
    accumulate<<<1, N>>>(di.p, sums);
    CK(cudaMemcpy(got, sums, N * sizeof(int), cudaMemcpyDeviceToHost));
    same("accumulate", got, in, N);
    return done();
}
// twin: -DFIX
// expect: mem-uninit @6
