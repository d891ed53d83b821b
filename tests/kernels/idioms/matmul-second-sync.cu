// Tiled product of matrices. Fault: nothing keeps the next tiles from being stored over those still being read.
#include "../engine/host.h"
const int N = 64, T = 16;

__global__ void product(const float *a, const float *b, float *c)
{
    __shared__ float ta[T][T], tb[T][T];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, col = blockIdx.x * T + x;
    float sum = 0;
    for (int t = 0; t < N / T; t++) {
        ta[y][x] = a[row * N + t * T + x];
        tb[y][x] = b[(t * T + y) * N + col];
        __syncthreads();
        for (int k = 0; k < T; k++)
            sum += ta[y][k] * tb[k][x];
#ifdef FIX
        __syncthreads();
#endif
    }
    c[row * N + col] = sum;
}

int main()
{
    static float a[N * N], b[N * N], c[N * N];
    for (int i = 0; i < N * N; i++) { a[i] = i % 5; b[i] = i % 3; }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                c[i * N + j] += a[i * N + k] * b[k * N + j];
    Dev<float> da(N * N), db(N * N), dc(N * N);
    da.put(a); db.put(b);
    product<<<dim3(N / T, N / T), dim3(T, T)>>>(da.p, db.p, dc.p);
    same("product", dc.get(), c, N * N);
    return done();
}
// twin: -DFIX
// expect: race-shared @11 @15
// expect: race-shared @12 @15
