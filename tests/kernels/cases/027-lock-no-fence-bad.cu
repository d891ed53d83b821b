// Sum and count kept under a lock taken by the first thread of every block.
// Fault: taking and leaving the lock orders no other memory access.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

struct Stat { int lock, count; long long sum; };

__global__ void record(const int *in, Stat *st)
{
    if (threadIdx.x != 0)
        return;
    int v = in[blockIdx.x];
    while (atomicCAS(&st->lock, 0, 1) != 0)
        ;
    st->sum += v;
    st->count += 1;
    atomicExch(&st->lock, 0);
}

int main()
{
    const int B = 200;
    static int in[B];
    long long want = 0;
    for (int b = 0; b < B; b++) { in[b] = b * b; want += in[b]; }
    int *di;
    Stat *ds, st;
    CK(cudaMalloc(&di, sizeof in)); CK(cudaMalloc(&ds, sizeof st));
    CK(cudaMemcpy(di, in, sizeof in, cudaMemcpyHostToDevice));
    CK(cudaMemset(ds, 0, sizeof st));
    record<<<B, 32>>>(di, ds);
    CK(cudaGetLastError());
    CK(cudaMemcpy(&st, ds, sizeof st, cudaMemcpyDeviceToHost));
    bool ok = st.count == B && st.sum == want;
    std::printf(ok ? "PASS\n" : "FAIL: %d values, sum %lld\n", st.count, st.sum);
    return !ok;
}

// missing fences: the lock at lines 14 and 18 uses relaxed atomics, so the plain updates of line
// 16,17 by two holders are unordered (data race, lost updates possible)
// expect: fence-missing-release @16
// expect: fence-missing-release @17
