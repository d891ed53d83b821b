// A row of tiles through two buffers, one barrier a tile. Fault: the next tile goes to the buffer being read.
#include "../engine/host.h"
const int T = 96, TILES = 6;

__global__ void smooth(const int *in, int *out)
{
    __shared__ int buf[2][T];
    int t = threadIdx.x, sum = 0;
    buf[0][t] = in[t];
    __syncthreads();
    for (int k = 0; k < TILES; k++) {
#ifdef FIX
        int next = 1 - k % 2;
#else
        int next = k % 2;
#endif
        int v = buf[k % 2][(t + 33) % T] - buf[k % 2][t];
        if (k + 1 < TILES)
            buf[next][t] = in[(k + 1) * T + t];
        sum += v;
        __syncthreads();
    }
    out[t] = sum;
}

int main()
{
    int in[T * TILES], want[T] = {};
    for (int i = 0; i < T * TILES; i++) in[i] = i * 7 % 31;
    for (int t = 0; t < T; t++)
        for (int k = 0; k < TILES; k++)
            want[t] += in[k * T + (t + 33) % T] - in[k * T + t];
    Dev<int> di(T * TILES), dout(T);
    di.put(in);
    smooth<<<1, T>>>(di.p, dout.p);
    same("smooth", dout.get(), want, T);
    return done();
}
// twin: -DFIX
// expect: race-shared @17 @19
// allow: mem-uninit
