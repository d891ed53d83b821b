// Two blocks of a cluster read each other's shared memory.
// Fault: a block ends without knowing that its peer has read everything.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)
namespace cg = cooperative_groups;

const int T = 128;

__global__ void __cluster_dims__(2, 1, 1) swapSum(const int *in, int *out)
{
    __shared__ int s[T];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, me = cluster.block_rank();
    s[t] = in[me * T + t];
    cluster.sync();
    int sum = 0;
    if (me == 1 || t == 0) {
        const int *peer = cluster.map_shared_rank(s, 1 - me);
        for (int k = 0; k < T; k++)
            sum += peer[k];
    }
    out[me * T + t] = sum;
}

int main()
{
    int in[2 * T], out[2 * T], sums[2] = {0, 0}, bad = 0;
    for (int i = 0; i < 2 * T; i++) { in[i] = i % 37; sums[i / T] += in[i]; }
    int *di, *dout;
    CK(cudaMalloc(&di, sizeof in)); CK(cudaMalloc(&dout, sizeof out));
    CK(cudaMemcpy(di, in, sizeof in, cudaMemcpyHostToDevice));
    swapSum<<<2, T>>>(di, dout);
    CK(cudaGetLastError());
    CK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 2 * T; i++)
        bad += out[i] != (i >= T ? sums[0] : i == 0 ? sums[1] : 0);
    std::printf(bad ? "FAIL: %d values wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// cluster: a block may end (line 25) while its peer still reads its shared memory at line 22;
// reading the shared memory of a block that has left is undefined
// expect: mem-freed @22 @25
