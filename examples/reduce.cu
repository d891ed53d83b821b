// Three ways to add up an array, each compared with the host's sum.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static void require(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) {
        std::printf("%s: %s\n", what, cudaGetErrorString(e));
        std::exit(1);
    }
}

// A tree in shared memory.
__global__ void by_tree(const unsigned *in, unsigned n, unsigned *out)
{
    __shared__ unsigned part[256];
    unsigned t = threadIdx.x, sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    part[t] = sum;
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d)
            part[t] += part[t + d];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, part[0]);
}

// Shuffles within each warp, shared memory between warps.
__global__ void by_shuffle(const unsigned *in, unsigned n, unsigned *out)
{
    __shared__ unsigned part[32];
    unsigned t = threadIdx.x, sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (t % 32 == 0)
        part[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = t < blockDim.x / 32 ? part[t] : 0;
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_down_sync(0xffffffffu, sum, d);
        if (t == 0)
            atomicAdd(out, sum);
    }
}

// One atomic a thread.
__global__ void by_atomics(const unsigned *in, unsigned n, unsigned *out)
{
    unsigned sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    atomicAdd(out, sum);
}

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)std::atoi(argv[1]) : 1u << 20, want = 0;
    unsigned *host = (unsigned *)std::malloc(n * sizeof *host), *in, *out;
    for (unsigned i = 0; i < n; i++)
        want += host[i] = i * 2654435761u >> 20;
    require(cudaMalloc(&in, n * sizeof *in), "cudaMalloc");
    require(cudaMalloc(&out, sizeof *out), "cudaMalloc");
    require(cudaMemcpy(in, host, n * sizeof *in, cudaMemcpyHostToDevice), "cudaMemcpy");

    void (*const kernels[])(const unsigned *, unsigned, unsigned *) = {by_tree, by_shuffle, by_atomics};
    const char *const names[] = {"tree", "shuffle", "atomics"};
    int bad = 0;
    for (int k = 0; k < 3; k++) {
        unsigned got;
        require(cudaMemset(out, 0, sizeof *out), "cudaMemset");
        kernels[k]<<<64, 256>>>(in, n, out);
        require(cudaGetLastError(), "launch");
        require(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost), "cudaMemcpy");
        std::printf("%-8s %u %s\n", names[k], got, got == want ? "right" : "WRONG");
        bad += got != want;
    }
    return bad != 0;
}

// expect: clean
// stdout: tree     * right
// stdout: shuffle  * right
// stdout: atomics  * right
