// y = A x with one block: each row is multiplied by all threads and summed by thread 0.
// Fault: the next row's products may overwrite part[] while thread 0 is still adding.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

const int COLS = 128, ROWS = 24;

__global__ void gemv(const int *a, const int *x, int *y)
{
    __shared__ int part[COLS];
    int t = threadIdx.x;
    for (int r = 0; r < ROWS; r++) {
        part[t] = a[r * COLS + t] * x[t];
        __syncthreads();
        if (t == 0) {
            int sum = 0;
            for (int k = 0; k < COLS; k++)
                sum += part[k];
            y[r] = sum;
        }
    }
}

int main()
{
    static int a[ROWS * COLS], x[COLS], y[ROWS];
    for (int i = 0; i < ROWS * COLS; i++) a[i] = i % 13 - 5;
    for (int i = 0; i < COLS; i++) x[i] = i % 7;
    int *da, *dx, *dy;
    CK(cudaMalloc(&da, sizeof a)); CK(cudaMalloc(&dx, sizeof x)); CK(cudaMalloc(&dy, sizeof y));
    CK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    gemv<<<1, COLS>>>(da, dx, dy);
    CK(cudaGetLastError());
    CK(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int r = 0; r < ROWS; r++) {
        int want = 0;
        for (int k = 0; k < COLS; k++) want += a[r * COLS + k] * x[k];
        bad += y[r] != want;
    }
    std::printf(bad ? "FAIL: %d rows wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// race (write after read, shared): the store at line 14 of row r+1 against the loads at line 19 of
// row r by thread 0; no barrier between them on the loop's back edge
// expect: race-shared @14 @19
