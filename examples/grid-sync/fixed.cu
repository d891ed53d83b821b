// The grid's own barrier needs a cooperative launch, which refuses a grid that does not fit at once. So the grid is as
// large as fits, and each thread takes several elements.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void two_phases(int *a, int *b, int n)
{
    int all = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n; i += all)
        a[i] = i;
    cooperative_groups::this_grid().sync();
    for (int i = first; i < n; i += all)
        b[i] = a[n - 1 - i];
}

int main()
{
    const int T = 32, WANTED = 8;
    int n = WANTED * T, sms = 0, fit = 0, *a, *b, last = -1;
    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&b, n * sizeof(int));
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, two_phases, T, 0);
    int blocks = sms * fit < WANTED ? sms * fit : WANTED;
    void *args[] = {&a, &b, &n};
    cudaLaunchCooperativeKernel((const void *)two_phases, dim3(blocks), dim3(T), args, 0, 0);
    cudaError_t e = cudaMemcpy(&last, b, sizeof last, cudaMemcpyDeviceToHost);
    std::printf("%s, %d wrong\n", cudaGetErrorString(e), last != n - 1);
    return last != n - 1;
}

// expect: clean
// stdout: no error, 0 wrong
