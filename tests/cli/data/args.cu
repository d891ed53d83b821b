// Prints its arguments, a macro and a value of another source, then ends with the code of its first argument.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#ifndef WORD
#define WORD 0
#endif
#ifdef OTHER
int other();
#else
static int other()
{
    return 0;
}
#endif

__global__ void add(int *p, int x)
{
    atomicAdd(p, x);
}

int main(int argc, char **argv)
{
    int *p, got = -1;
    if (cudaMalloc(&p, sizeof *p) != cudaSuccess || cudaMemset(p, 0, sizeof *p) != cudaSuccess)
        return 99;
    add<<<2, 32>>>(p, argc);
    if (cudaMemcpy(&got, p, sizeof got, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 98;
    std::printf("sum %d, word %d, other %d:", got, WORD, other());
    for (int i = 1; i < argc; i++)
        std::printf(" [%s]", argv[i]);
    std::printf("\n");
    return argc > 1 ? std::atoi(argv[1]) : 0;
}
