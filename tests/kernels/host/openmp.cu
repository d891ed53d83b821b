// OpenMP's threads use what others of them made; how they tell each other is not seen, and nothing is said.
#include <cstdio>
#include <cuda_runtime.h>
#include <omp.h>

__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }
__global__ void add(const int *p, int *q) { atomicAdd(q, p[threadIdx.x]); }

int main()
{
    int *a[8], *sum, r;
    cudaMalloc((void **)&sum, 4);
    cudaMemset(sum, 0, 4);
    for (auto &x : a)
        cudaMalloc((void **)&x, 128);
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 8; i++) {
        fill<<<1, 32, 0, cudaStreamPerThread>>>(a[i], i);
        cudaStreamSynchronize(cudaStreamPerThread);
    }
#pragma omp parallel num_threads(4)
    {
        cudaStream_t s;
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        for (int i = omp_get_thread_num(); i < 8; i += 4) {
            fill<<<1, 32, 0, s>>>(a[i], i);
            cudaStreamSynchronize(s);
#pragma omp barrier
            add<<<1, 32, 0, s>>>(a[7 - i], sum);
            cudaStreamSynchronize(s);
#pragma omp barrier
        }
#pragma omp critical
        {
            fill<<<1, 32, 0, s>>>(a[0], 1);
            cudaStreamSynchronize(s);
        }
#pragma omp single
        cudaFree(a[1]);
    }
    cudaMemcpy(&r, sum, 4, cudaMemcpyDeviceToHost);
    printf("%s\n", r == 32 * 28 ? "PASS" : "?");
    return 0;
}

// only: nvcc
// compiler: -Xcompiler -fopenmp
// stdout: PASS
// expect: clean
