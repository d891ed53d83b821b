// Blur of an image whose size is no multiple of the tile. Fault: threads beyond the edge return before the barrier.
#include "../engine/host.h"
const int W = 50, H = 20, T = 16;

__global__ void blur(const int *in, int *out)
{
    __shared__ int s[T][T];
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
#ifdef FIX
    bool inside = x < W && y < H;
    s[threadIdx.y][threadIdx.x] = inside ? in[y * W + x] : 0;
#else
    if (x >= W || y >= H)
        return;
    s[threadIdx.y][threadIdx.x] = in[y * W + x];
#endif
    __syncthreads();
#ifdef FIX
    if (!inside)
        return;
#endif
    int left = threadIdx.x ? s[threadIdx.y][threadIdx.x - 1] : 0;
    out[y * W + x] = left + s[threadIdx.y][threadIdx.x];
}

int main()
{
    int in[W * H], want[W * H];
    for (int i = 0; i < W * H; i++) in[i] = i % 13;
    for (int i = 0; i < W * H; i++) want[i] = in[i] + (i % W % T ? in[i - 1] : 0);
    Dev<int> di(W * H), dout(W * H);
    di.put(in);
    blur<<<dim3((W + T - 1) / T, (H + T - 1) / T), dim3(T, T)>>>(di.p, dout.p);
    same("blur", dout.get(), want, W * H);
    return done();
}
// twin: -DFIX
// expect: barrier-divergence @14 @17
