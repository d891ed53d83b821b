// SPDX-License-Identifier: Apache-2.0
// Spin locks inside a warp and between blocks, producers and consumers; races are the point, not the subject.
// expect: clean
// allow: race-* fence-* contention start-order
// stdout: PASS
#include "host.h"
__device__ int g_lock, g_count; __device__ volatile int g_flag; __device__ int g_data[64];
__global__ void lockA(int *c) { bool done = false; while (!done) { if (atomicCAS(&g_lock, 0, 1) == 0) { __threadfence(); c[0] = c[0] + 1; __threadfence(); atomicExch(&g_lock, 0); done = true; } } }
__global__ void lockB(int *c) { while (atomicCAS(&g_lock, 0, 1) != 0) ; __threadfence(); *(volatile int *)c += 1; __threadfence(); atomicExch(&g_lock, 0); }
__global__ void lockC(int *c) { while (atomicExch(&g_lock, 1)) __nanosleep(20); __threadfence(); *(volatile int *)c += 1; __threadfence(); atomicExch(&g_lock, 0); }
__global__ void lanes(int *o) { __shared__ volatile int f[32]; int l = threadIdx.x; f[l] = l == 31; __syncwarp(); while (!f[l]) ; o[l] = l; __threadfence_block(); if (l) f[l - 1] = 1; }
__global__ void warps(int *o) { __shared__ volatile int f, v; int w = threadIdx.x / 32; if (threadIdx.x == 0) { f = 0; v = 0; } __syncthreads();
  for (int k = 0; k < 8; k++) { if ((threadIdx.x & 31) == 0) { while (f != k * (blockDim.x / 32) + w) ; v = v * 3 + w; __threadfence_block(); f = f + 1; } __syncwarp(); } __syncthreads(); if (threadIdx.x == 0) o[0] = v; }
__global__ void prod(int *o) { if (blockIdx.x == gridDim.x - 1) { if (threadIdx.x < 64) g_data[threadIdx.x] = threadIdx.x * 11; __syncthreads(); if (threadIdx.x == 0) { __threadfence(); g_flag = 1; } }
  else { if (threadIdx.x == 0) while (g_flag == 0) ; __syncthreads(); __threadfence(); o[blockIdx.x * blockDim.x + threadIdx.x] = ((volatile int *)g_data)[threadIdx.x]; } }
__global__ void counted(int *o) { int spins = 0; if (blockIdx.x == gridDim.x - 1) { g_flag = 5; return; } while (g_flag != 5) spins++; o[blockIdx.x] = spins >= 0; }
__global__ void ticket(unsigned *next, volatile unsigned *serving, int *c) { if (threadIdx.x % 4 == 0) { unsigned t = atomicAdd(next, 1); while (*serving != t) ; c[0]++; __threadfence(); *serving = t + 1; } }
int main() {
  int zero = 0; Dev<int> c(4); 
  for (int k = 0; k < 3; k++) { CK(cudaMemset(c.p, 0, 16)); if (k == 0) lockA<<<2, 48>>>(c.p); else if (k == 1) lockB<<<2, 48>>>(c.p); else lockC<<<2, 48>>>(c.p); int w = 96; same("lock", c.get(), &w, 1); }
  { Dev<int> o(32); lanes<<<1, 32>>>(o.p); int w[32]; for (int i = 0; i < 32; i++) w[i] = i; same("lanes", o.get(), w, 32); }
  { Dev<int> o(1); warps<<<1, 128>>>(o.p); int v = 0; for (int k = 0; k < 8; k++) for (int w = 0; w < 4; w++) v = v * 3 + w; same("warps", o.get(), &v, 1); }
  { Dev<int> o(7 * 64); CK(cudaMemcpyToSymbol(g_flag, &zero, 4)); prod<<<8, 64>>>(o.p); int w[7 * 64]; for (int i = 0; i < 7 * 64; i++) w[i] = i % 64 * 11; same("prod", o.get(), w, 7 * 64); }
  { Dev<int> o(200); CK(cudaMemcpyToSymbol(g_flag, &zero, 4)); counted<<<200, 1>>>(o.p); int w[200]; for (int &x : w) x = 1; w[199] = 0; same("counted", o.get(), w, 200); }
  { Dev<unsigned> t(2); CK(cudaMemset(c.p, 0, 16)); ticket<<<3, 64>>>(t.p, t.p + 1, c.p); int w = 48; same("ticket", c.get(), &w, 1); }
  return done();
}
