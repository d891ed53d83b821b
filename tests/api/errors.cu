// SPDX-License-Identifier: Apache-2.0
// Names and words of errors; the last error of a thread.
// expect: clean
// stdout: PASS
#include "api.h"

int main(void)
{
    int n;
    void *p;
    CHECK(strcmp(cudaGetErrorName(cudaSuccess), "cudaSuccess") == 0);
    CHECK(strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0);
    CHECK(strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress") == 0);
    CHECK(strcmp(cudaGetErrorString(cudaErrorIllegalAddress),
                 "an illegal memory access was encountered") == 0);
    CHECK(strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument") == 0);
    CHECK(strcmp(cudaGetErrorName((cudaError_t)12345), "unrecognized error code") == 0);

    EQ(cudaMalloc((void **)0, 1), cudaErrorInvalidValue);
    EQ(cudaGetDeviceCount(&n), cudaSuccess);
    EQ(cudaPeekAtLastError(), cudaErrorInvalidValue); // success leaves it
    EQ(cudaSetDevice(5), cudaErrorInvalidDevice);
    EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice); // the later one counts
    EQ(cudaGetLastError(), cudaErrorInvalidDevice);
    EQ(cudaGetLastError(), cudaSuccess);
    OK(cudaMalloc(&p, 0));
    CHECK(p == 0);
    IS(cudaFree((void *)5), cudaErrorInvalidValue);
    return finish();
}
