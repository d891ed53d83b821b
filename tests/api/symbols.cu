// SPDX-License-Identifier: Apache-2.0
// Device variables and constants by name; reset gives them their initial values again.
// expect: clean
// stdout: PASS
#include "api.h"

__device__ int number = 5;
__constant__ int table[10];
__device__ float grid_of[4][8];

__global__ void use(int *out)
{
    out[0] = number;
    out[1] = table[3];
    number = 9;
    grid_of[3][7] = 2.5f;
}

int main(void)
{
    int t[12] = {0, 1, 2, 33}, *out, h[2], n = 0;
    size_t bytes = 0;
    void *addr;
    float f = 0;
    OK(cudaMalloc(&out, 8));
    OK(cudaGetSymbolSize(&bytes, table));
    EQ(bytes, 40);
    OK(cudaGetSymbolAddress(&addr, number));
    CHECK(addr != 0 && addr != (void *)&number);
    IS(cudaGetSymbolSize(&bytes, t[0]), cudaErrorInvalidSymbol);
    OK(cudaMemcpyToSymbol(table, t, 40));
    IS(cudaMemcpyToSymbol(table, t, 44), cudaErrorInvalidValue);
    IS(cudaMemcpyToSymbol(table, t, 40, 4), cudaErrorInvalidValue);
    IS(cudaMemcpyToSymbol(table, t, 4, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
    use<<<1, 1>>>(out);
    OK(cudaMemcpy(h, out, 8, cudaMemcpyDeviceToHost));
    EQ(h[0], 5);
    EQ(h[1], 33);
    OK(cudaMemcpyFromSymbol(&n, number, 4));
    EQ(n, 9);
    OK(cudaMemcpyFromSymbol(&f, grid_of, 4, 4 * 31));
    CHECK(f == 2.5f);
    OK(cudaMemcpy(&n, addr, 4, cudaMemcpyDeviceToHost));
    EQ(n, 9);
    OK(cudaDeviceReset());
    OK(cudaMemcpyFromSymbol(&n, number, 4));
    EQ(n, 5);
    IS(cudaFree(out), cudaErrorInvalidValue);
    return finish();
}
