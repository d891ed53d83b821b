// A kernel with a barrier fault; then the program ends as its first argument says.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void part(int *p)
{
    if (threadIdx.x < 40)
        __syncthreads();
    p[threadIdx.x] = 1;
}

static int end(const char *how)
{
    if (!std::strcmp(how, "abort"))
        std::abort();
    if (!std::strcmp(how, "segv"))
        std::raise(SIGSEGV);
    if (!std::strcmp(how, "int"))
        std::raise(SIGINT);
    if (!std::strcmp(how, "fork")) {
        pid_t child = fork();
        if (child == 0)
            std::exit(0); // a child has no report
        waitpid(child, nullptr, 0);
    }
    return std::atoi(how);
}

int main(int argc, char **argv)
{
    int *p;
    if (cudaMalloc(&p, 64 * sizeof *p) != cudaSuccess)
        return 99;
    part<<<1, 64>>>(p);
    cudaDeviceSynchronize();
    std::printf("done\n");
    std::fflush(stdout);
    return end(argc > 1 ? argv[1] : "0");
}
