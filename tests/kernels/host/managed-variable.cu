// A __managed__ variable read too early, and in time.
// only: nvcc
#include <cuda_runtime.h>
#include <stdio.h>

__managed__ int total[32];
__global__ void fill(int v) { total[threadIdx.x] = v; }

int main()
{
    int sum = 0;
    fill<<<1, 32>>>(4);
    sum += total[1];
    cudaDeviceSynchronize();
    fill<<<1, 32>>>(5);
    cudaDeviceSynchronize();
    sum += total[1];
    printf("DONE\n");
    return sum > 10;
}

// stdout: DONE
// expect: host-race @13 @12 @7
