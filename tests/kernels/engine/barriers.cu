// SPDX-License-Identifier: Apache-2.0
// Barriers of all forms, odd block shapes, cooperative groups, a grid of 2^24 threads.
// expect: clean
// allow: race-warp race-shared
// stdout: PASS
// compiler nvcc: -std=c++17
#include "host.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void ids(int *o) { int b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; int nt = blockDim.x * blockDim.y * blockDim.z; int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; unsigned lane; asm("mov.u32 %0, %%laneid;" : "=r"(lane)); unsigned wid; asm volatile("mov.u32 %0, %%warpid;" : "=r"(wid)); o[b * nt + t] = t * 64 + lane; if (wid != t / 32) o[b * nt + t] = -1; }
__global__ void rev(int *o, const int *x) { extern __shared__ int s[]; int t = threadIdx.x + threadIdx.y * blockDim.x, n = blockDim.x * blockDim.y; s[t] = x[blockIdx.x * n + t]; __syncthreads(); o[blockIdx.x * n + t] = s[n - 1 - t]; }
__global__ void tree(int *o, int n) { __shared__ int s[1024]; int t = threadIdx.x; s[t] = t < n ? t * t : 0; for (int k = t + blockDim.x; k < 1024; k += blockDim.x) s[k] = 0; for (int d = 512; d; d >>= 1) { __syncthreads(); for (int k = t; k < d; k += blockDim.x) s[k] += s[k + d]; } __syncthreads(); if (t == 0) o[0] = s[0]; }
__global__ void red(int *o) { int t = threadIdx.x; int a = __syncthreads_count(t % 3 == 0), b = __syncthreads_and(t < 500), c = __syncthreads_or(t == 70), d = __syncthreads_and(t < 60); o[t] = a * 8 + (b != 0) * 4 + (c != 0) * 2 + (d != 0); }
__global__ void named(int *o) { // two halves with barriers of their own, uneven loops; arrive by one, sync by other
  __shared__ int s[128]; int t = threadIdx.x, h = t / 64;
  for (int k = 0; k < 3 + h * 2; k++) { s[t] = t + k; asm volatile("bar.sync %0, 64;" ::"r"(h + 1) : "memory"); int v = s[t ^ 33]; asm volatile("bar.sync %0, 64;" ::"r"(h + 1) : "memory"); if (k == 2 + h * 2) o[t] = v; }
}
__global__ void arrive(int *o) { // warp 0 produces, warp 1 consumes (ring of two)
  __shared__ int buf[2][32]; int w = threadIdx.x / 32, l = threadIdx.x & 31, sum = 0;
  for (int k = 0; k < 6; k++) { int b = k & 1;
    if (w == 0) { if (k >= 2) asm volatile("barrier.sync %0, 64;" ::"r"(3 + b) : "memory"); buf[b][l] = k * 100 + l; __threadfence_block(); asm volatile("barrier.arrive %0, 64;" ::"r"(1 + b) : "memory"); }
    else { asm volatile("barrier.sync %0, 64;" ::"r"(1 + b) : "memory"); sum += buf[b][31 - l]; if (k < 4) asm volatile("barrier.arrive %0, 64;" ::"r"(3 + b) : "memory"); } }
  if (w) o[l] = sum;
}
__global__ void divbar(int *o) { // a barrier in a loop whose lanes do uneven work in between
  __shared__ int s[100]; int t = threadIdx.x, v = t; for (int k = 0; k < 5; k++) { int c = 0; while (c < (t * 7 + k) % 9) { c++; if (t % 11 == c) break; } s[t] = v + c; __syncthreads(); v = s[(t + 1) % 100]; __syncthreads(); } o[t] = v; }
__global__ void early(int *o, int n) { __shared__ int s[4]; int t = threadIdx.x; if (t >= n) return; if (t % 32 == 0) s[t / 32] = t; __syncthreads(); o[t] = s[0] + (t / 32 > 0 ? s[t / 32] : 0); }
__global__ void coop(int *a, int *b, int n) { cg::grid_group g = cg::this_grid(); int i = g.thread_rank(); for (int k = 0; k < 4; k++) { int *x = k & 1 ? b : a, *y = k & 1 ? a : b; y[i] = x[(i + 1) % n] + x[i]; g.sync(); } }
__global__ void tiles(int *o) { auto blk = cg::this_thread_block(); auto t4 = cg::tiled_partition<4>(blk); auto t16 = cg::tiled_partition<16>(blk); auto w = cg::tiled_partition<32>(blk); int t = threadIdx.x; int v = t4.shfl_down(t, 1) + t16.shfl_xor(t, 5) + w.any(t == 40) + t16.ballot(t & 1) + t4.match_any(t / 2); cg::coalesced_group c = cg::coalesced_threads(); int r = 0; if (t % 3 == 1) { cg::coalesced_group q = cg::coalesced_threads(); r = q.size() * 100 + q.thread_rank() + q.shfl(t, 0); } o[t] = v * 2 + r + c.size(); }
__global__ void tile64(int *o) { __shared__ cg::block_tile_memory<128> mem; auto blk = cg::this_thread_block(mem); auto t64 = cg::tiled_partition<64>(blk); int t = threadIdx.x; int v = t64.shfl(t, 3) + t64.any(t == 100) * 1000; t64.sync(); o[t] = v + t64.meta_group_rank() * 5; }
__global__ void big(unsigned long long *sum) { unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; if (i % 4096 == 5) atomicAdd(sum, i); }
int main() {
  struct { dim3 g, b; } sh[] = {{dim3(3), dim3(1)}, {dim3(2), dim3(31)}, {dim3(2), dim3(33)}, {dim3(2, 3, 2), dim3(7, 5, 3)}, {dim3(2), dim3(32, 4)}, {dim3(2), dim3(48, 2)}, {dim3(1), dim3(1, 100)}, {dim3(2), dim3(5, 1, 13)}, {dim3(1), dim3(1024)}, {dim3(2), dim3(33, 31)}};
  for (auto &x : sh) { int nt = x.b.x * x.b.y * x.b.z, nb = x.g.x * x.g.y * x.g.z, n = nt * nb; Dev<int> d(n); ids<<<x.g, x.b>>>(d.p); int *w = new int[n]; for (int i = 0; i < n; i++) w[i] = (i % nt) * 64 + (i % nt) % 32; same("ids", d.get(), w, n);
    if (x.b.z == 1 && x.g.y == 1) { Dev<int> in(n); in.put(w); rev<<<x.g, x.b, nt * 4>>>(d.p, in.p); int *v = new int[n]; for (int i = 0; i < n; i++) v[i] = w[i / nt * nt + nt - 1 - i % nt]; same("rev", d.get(), v, n); } }
  for (int b : {1, 31, 33, 100, 256, 1000, 1024}) { Dev<int> d(1); tree<<<1, b>>>(d.p, b); int w = 0; for (int i = 0; i < b; i++) w += i * i; same("tree", d.get(), &w, 1); }
  for (int b : {64, 71, 100, 512}) { Dev<int> d(b); red<<<1, b>>>(d.p); int w[512]; for (int i = 0; i < b; i++) w[i] = (b + 2) / 3 * 8 + (b <= 500) * 4 + (b > 70) * 2; same("red", d.get(), w, b); }
  { Dev<int> d(128); named<<<1, 128>>>(d.p); int w[128]; for (int i = 0; i < 128; i++) w[i] = (i ^ 33) + 2 + i / 64 * 2; same("named", d.get(), w, 128); }
  { Dev<int> d(32); arrive<<<1, 64>>>(d.p); int w[32]; for (int l = 0; l < 32; l++) { w[l] = 0; for (int k = 0; k < 6; k++) w[l] += k * 100 + 31 - l; } same("arrive", d.get(), w, 32); }
  { Dev<int> d(100); divbar<<<1, 100>>>(d.p); int v[100]; for (int t = 0; t < 100; t++) v[t] = t; for (int k = 0; k < 5; k++) { int s[100]; for (int t = 0; t < 100; t++) { int c = 0; while (c < (t * 7 + k) % 9) { c++; if (t % 11 == c) break; } s[t] = v[t] + c; } for (int t = 0; t < 100; t++) v[t] = s[(t + 1) % 100]; } same("divbar", d.get(), v, 100); }

  { int n = 8 * 96; Dev<int> a(n), b(n); int *x = new int[n], *y = new int[n]; for (int i = 0; i < n; i++) x[i] = i % 17; a.put(x); void *args[] = {&a.p, &b.p, &n}; CK(cudaLaunchCooperativeKernel((void *)coop, dim3(8), dim3(96), args, 0, 0)); for (int k = 0; k < 4; k++) { for (int i = 0; i < n; i++) y[i] = x[(i + 1) % n] + x[i]; memcpy(x, y, n * 4); } same("coop", a.get(), x, n); }
  { Dev<int> d(96); tiles<<<1, 96>>>(d.p); int w[96]; for (int t = 0; t < 96; t++) { int l = t & 31; int v = (t % 4 == 3 ? t : t + 1) + (t ^ 5) + (t / 32 == 1) + 0xaaaa + (3 << (t % 4 / 2 * 2)); int r = 0; if (t % 3 == 1) { int first = -1, cnt = 0, rank = 0; for (int k = t / 32 * 32; k < t / 32 * 32 + 32; k++) if (k % 3 == 1) { if (first < 0) first = k; if (k < t) rank++; cnt++; } r = cnt * 100 + rank + first; } w[t] = v * 2 + r + 32; (void)l; } same("tiles", d.get(), w, 96); }
  { Dev<int> d(128); tile64<<<1, 128>>>(d.p); int w[128]; for (int t = 0; t < 128; t++) w[t] = t / 64 * 64 + 3 + (t / 64 == 1) * 1000 + t / 64 * 5; same("tile64", d.get(), w, 128); }
  { Dev<unsigned long long> d(1); big<<<1 << 16, 256>>>(d.p); unsigned long long w = 0; for (unsigned long long i = 5; i < 1ull << 24; i += 4096) w += i; same("big", d.get(), &w, 1); }
  return done();
}
