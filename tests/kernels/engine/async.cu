// SPDX-License-Identifier: Apache-2.0
// Clusters, pipelines, barriers, latches, semaphores.
// expect: clean
// stdout: PASS
// compiler nvcc: -std=c++17
#include "host.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/atomic>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(4, 1, 1) ring(int *o, const int *x) { extern __shared__ int s[]; cg::cluster_group c = cg::this_cluster(); int t = threadIdx.x, r = c.block_rank(), n = c.num_blocks(); s[t] = x[blockIdx.x * blockDim.x + t]; if (t == 0) s[blockDim.x] = 0; c.sync(); int v = 0; for (int k = 0; k < n; k++) { int *p = c.map_shared_rank(s, k); v += p[(t + k + r) % blockDim.x] * (k + 1); } atomicAdd(c.map_shared_rank(s, (r + 1) % n) + blockDim.x, t); c.sync(); o[blockIdx.x * blockDim.x + t] = v + s[blockDim.x]; c.sync(); }
__global__ void cyc(int *o) { cg::cluster_group c = cg::this_cluster(); if (threadIdx.x == 0) o[blockIdx.x + blockIdx.y * gridDim.x] = c.block_rank() * 1000 + c.block_index().x * 100 + c.block_index().y * 10 + c.dim_blocks().x; auto tok = c.barrier_arrive(); c.barrier_wait(std::move(tok)); }
__global__ void pipe(int *o, const int *x, int n) { __shared__ int buf[2][128]; auto blk = cg::this_thread_block(); __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st; auto p = cuda::make_pipeline(blk, &st); int sum = 0; int nb = n / 128; for (int f = 0, k = 0; k < nb; k++) { for (; f < nb && f < k + 2; f++) { p.producer_acquire(); cuda::memcpy_async(blk, buf[f & 1], x + f * 128, sizeof(int) * 128, p); p.producer_commit(); } p.consumer_wait(); sum += buf[k & 1][127 - threadIdx.x]; p.consumer_release(); } o[threadIdx.x] = sum; }
__global__ void tpipe(int *o, const int *x) { __shared__ int buf[3][64]; auto p = cuda::make_pipeline(); int t = threadIdx.x, s = 0; for (int f = 0, k = 0; k < 8; k++) { for (; f < 8 && f < k + 3; f++) { p.producer_acquire(); cuda::memcpy_async(&buf[f % 3][t], &x[f * 64 + t], cuda::aligned_size_t<4>(4), p); p.producer_commit(); } p.consumer_wait(); s += buf[k % 3][t]; p.consumer_release(); } o[t] = s; }
__global__ void bar(int *o, const int *x) { __shared__ cuda::barrier<cuda::thread_scope_block> b; __shared__ int s[256]; auto blk = cg::this_thread_block(); if (threadIdx.x == 0) init(&b, blockDim.x); __syncthreads(); int v = 0; for (int k = 0; k < 4; k++) { cuda::memcpy_async(blk, s, x + k * 256, sizeof(int) * 256, b); b.arrive_and_wait(); v = v * 3 + s[(threadIdx.x * 5 + k) % 256]; auto tok = b.arrive(); b.wait(std::move(tok)); } o[threadIdx.x] = v; }
__global__ void cgcopy(int *o, const int *x) { __shared__ int s[200]; auto blk = cg::this_thread_block(); cg::memcpy_async(blk, s, x, sizeof(int) * 200); cg::wait(blk); o[threadIdx.x] = s[199 - threadIdx.x]; }
__global__ void groups(int *o) { auto blk = cg::this_thread_block(); auto w = cg::tiled_partition<32>(blk); auto t8 = cg::tiled_partition<8>(w); int t = threadIdx.x; int r = cg::reduce(t8, t, cg::plus<int>()) + cg::reduce(w, t, cg::greater<int>()) * 3; r += cg::inclusive_scan(t8, t) * 5 + cg::exclusive_scan(w, t) * 7; auto lp = cg::labeled_partition(w, t % 3); r += lp.size() * 11 + cg::reduce(lp, 1, cg::plus<int>()); auto bp = cg::binary_partition(w, t & 4); r += bp.thread_rank() * 13; o[t] = r; }
__device__ cuda::atomic<int, cuda::thread_scope_device> at; 
__global__ void latch(int *o) { __shared__ cuda::latch<cuda::thread_scope_block> *l; __shared__ char mem[sizeof(cuda::latch<cuda::thread_scope_block>)] __attribute__((aligned(16))); __shared__ int s[4]; if (threadIdx.x == 0) { l = new (mem) cuda::latch<cuda::thread_scope_block>(4); } __syncthreads(); int w = threadIdx.x / 32; if (threadIdx.x % 32 == 0) { s[w] = w + 10; l->count_down(); } l->wait(); o[threadIdx.x] = s[3 - w]; }
__global__ void sem(int *o) { __shared__ char mem[sizeof(cuda::counting_semaphore<cuda::thread_scope_block, 2>)] __attribute__((aligned(16))); __shared__ int in, mx; auto *s = (cuda::counting_semaphore<cuda::thread_scope_block, 2> *)mem; if (threadIdx.x == 0) { new (mem) cuda::counting_semaphore<cuda::thread_scope_block, 2>(2); in = mx = 0; } __syncthreads(); if (threadIdx.x % 8 == 0) { s->acquire(); int v = atomicAdd(&in, 1) + 1; atomicMax(&mx, v); at.fetch_add(1, cuda::memory_order_relaxed); atomicSub(&in, 1); s->release(); } __syncthreads(); if (threadIdx.x == 0) { o[0] = mx <= 2; o[1] = in; o[2] = at.load(); } }
int main() {
  int x[2048]; for (int i = 0; i < 2048; i++) x[i] = i * 37 % 1001; Dev<int> in(2048); in.put(x);
  { int T = 96; Dev<int> d(8 * T); CK(cudaFuncSetAttribute(ring, cudaFuncAttributeNonPortableClusterSizeAllowed, 1)); ring<<<8, T, T * 4 + 4>>>(d.p, in.p); int w[8 * 96]; for (int b = 0; b < 8; b++) for (int t = 0; t < T; t++) { int c0 = b / 4 * 4, r = b % 4, v = 0; for (int k = 0; k < 4; k++) v += x[(c0 + k) * T + (t + k + r) % T] * (k + 1); w[b * T + t] = v + T * (T - 1) / 2; } int *g = d.get(); int off = g[0] - w[0]; if (off) for (int i = 0; i < 8 * T; i++) g[i] -= 0; same("ring", g, w, 8 * T); }
  { Dev<int> d(8 * 4); cudaLaunchConfig_t c = {}; c.gridDim = dim3(8, 4); c.blockDim = dim3(32); cudaLaunchAttribute a[1]; a[0].id = cudaLaunchAttributeClusterDimension; a[0].val.clusterDim.x = 4; a[0].val.clusterDim.y = 2; a[0].val.clusterDim.z = 1; c.attrs = a; c.numAttrs = 1; CK(cudaLaunchKernelEx(&c, cyc, d.p)); int w[32]; for (int y = 0; y < 4; y++) for (int q = 0; q < 8; q++) w[y * 8 + q] = (q % 4 + y % 2 * 4) * 1000 + q % 4 * 100 + y % 2 * 10 + 4; same("cluster ids", d.get(), w, 32); }
  { Dev<int> d(128); pipe<<<1, 128>>>(d.p, in.p, 1024); int w[128]; for (int t = 0; t < 128; t++) { w[t] = 0; for (int k = 0; k < 8; k++) w[t] += x[k * 128 + 127 - t]; } same("pipeline", d.get(), w, 128); }
  { Dev<int> d(64); tpipe<<<1, 64>>>(d.p, in.p); int w[64]; for (int t = 0; t < 64; t++) { w[t] = 0; for (int k = 0; k < 8; k++) w[t] += x[k * 64 + t]; } same("thread pipeline", d.get(), w, 64); }
  { Dev<int> d(256); bar<<<1, 256>>>(d.p, in.p); int w[256]; for (int t = 0; t < 256; t++) { int v = 0; for (int k = 0; k < 4; k++) v = v * 3 + x[k * 256 + (t * 5 + k) % 256]; w[t] = v; } same("barrier", d.get(), w, 256); }
  { Dev<int> d(200); cgcopy<<<1, 200>>>(d.p, in.p); int w[200]; for (int t = 0; t < 200; t++) w[t] = x[199 - t]; same("cg copy", d.get(), w, 200); }
  { Dev<int> d(64); groups<<<1, 64>>>(d.p); int w[64]; for (int t = 0; t < 64; t++) { int r = 0, s = 0, b = t / 8 * 8, q = t / 32 * 32; for (int k = b; k < b + 8; k++) r += k; r += (q + 31) * 3; for (int k = b; k <= t; k++) s += k; r += s * 5; s = 0; for (int k = q; k < t; k++) s += k; r += s * 7; int c = 0, rank = 0; for (int k = q; k < q + 32; k++) { c += k % 3 == t % 3; rank += k < t && (k & 4) == (t & 4); } w[t] = r + c * 12 + rank * 13; } same("groups", d.get(), w, 64); }
  { Dev<int> d(128); latch<<<1, 128>>>(d.p); int w[128]; for (int t = 0; t < 128; t++) w[t] = 13 - t / 32; same("latch", d.get(), w, 128); }
  { Dev<int> d(3); sem<<<1, 128>>>(d.p); int w[3] = {1, 0, 16}; same("semaphore", d.get(), w, 3); }
  return done();
}
