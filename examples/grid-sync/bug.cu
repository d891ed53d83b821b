// A barrier of all blocks, made by hand: each counts itself and waits for the others. A block that waits keeps its
// place; when more blocks are launched than fit at once, the last ones never start. (Checked as on a GPU that has
// room for four blocks: with --resident-blocks=4.)
#include <cstdio>
#include <cuda/atomic>
#include <cuda_runtime.h>

__device__ void wait_for_all(unsigned *word)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> arrived(*word);
        arrived.fetch_add(1, cuda::memory_order_acq_rel);
        while (arrived.load(cuda::memory_order_acquire) < gridDim.x)
            ;
    }
    __syncthreads();
}

__global__ void two_phases(int *a, int *b, unsigned *word)
{
    int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
    wait_for_all(word);
    b[i] = a[n - 1 - i];
}

int main()
{
    const int T = 32, BLOCKS = 8;
    int *a, *b, last = -1;
    unsigned *word;
    cudaMalloc(&a, T * BLOCKS * sizeof(int));
    cudaMalloc(&b, T * BLOCKS * sizeof(int));
    cudaMalloc(&word, sizeof(unsigned));
    cudaMemset(word, 0, sizeof(unsigned));
    two_phases<<<BLOCKS, T>>>(a, b, word);
    cudaError_t e = cudaMemcpy(&last, b, sizeof last, cudaMemcpyDeviceToHost);
    std::printf("%s, %d wrong\n", cudaGetErrorString(e), last != T * BLOCKS - 1);
    return last != T * BLOCKS - 1;
}

// options: --resident-blocks=4
// expect: deadlock-residency @14
