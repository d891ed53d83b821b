// Host and kernels that talk while the kernels run: flags of system scope in mapped memory, both ways, and
// two kernels of different streams at the same time.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void tell(volatile int *flag, int *data)
{
    data[threadIdx.x] = 7;
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0)
        *flag = 1;
}

__global__ void listen(volatile int *flag, volatile int *answer)
{
    while (*flag != 2)
        ;
    *answer = 3;
}

int main()
{
    volatile int *flag;
    int *data, *dflag, *ddata;
    cudaHostAlloc((void **)&flag, 64, cudaHostAllocMapped);
    cudaHostAlloc((void **)&data, 4096, cudaHostAllocMapped);
    cudaHostGetDevicePointer((void **)&dflag, (void *)flag, 0);
    cudaHostGetDevicePointer((void **)&ddata, data, 0);
    flag[0] = flag[1] = 0;
    tell<<<1, 32>>>(dflag, ddata);
    while (flag[0] != 1)
        ;
    int sum = data[0] + data[31];
    listen<<<1, 1>>>(dflag, dflag + 1); // waits for the host
    flag[0] = 2;
    while (flag[1] != 3)
        ;
    cudaDeviceSynchronize();
    printf("%d\n", sum);
    return 0;
}

// stdout: 14
// expect: clean
