// SPDX-License-Identifier: Apache-2.0
// Shuffles of all widths and masks, votes, match, redux, elect, in step and apart.
// expect: clean
// allow: warp-mask  (lanes outside the mask are asked on purpose; what they give is not compared)
// stdout: PASS
#include "host.h"
__global__ void shf(int *o, int w, int d, unsigned mask) {
  int l = threadIdx.x & 31; 
  if (!(mask >> l & 1)) return;
  int v = l * 3 + 7; int *q = o + threadIdx.x * 8;
  q[0] = __shfl_sync(mask, v, d, w); q[1] = __shfl_up_sync(mask, v, d & 31, w); q[2] = __shfl_down_sync(mask, v, d & 31, w); q[3] = __shfl_xor_sync(mask, v, d & 31, w);
  double dv = l * 1.5; double r = __shfl_xor_sync(mask, dv, d & 31, w); q[4] = (int)(r * 2);
  long long lv = ((long long)l << 40) + 5; lv = __shfl_down_sync(mask, lv, d & 31, w); q[5] = (int)(lv >> 40);
  q[6] = __shfl_sync(mask, v, l + d, w); // per-lane index
  q[7] = 1;
}
static bool has(unsigned m, int l) { return m >> l & 1; }
static void t_shf(int w, int d, unsigned mask) {
  Dev<int> dev(32 * 8); shf<<<1, 32>>>(dev.p, w, d, mask); int *g = dev.get();
  for (int l = 0; l < 32; l++) { if (!has(mask, l)) continue; int base = l / w * w, up = d & 31;
    int s[7]; s[0] = base + (d % w + w) % w; s[1] = l - up >= base ? l - up : l; s[2] = l + up < base + w ? l + up : l; int x = l ^ up; s[3] = x < base + w ? x : l; s[4] = s[3]; s[5] = s[2]; s[6] = base + ((l + d) % w + w) % w;
    for (int k = 0; k < 7; k++) { if (!has(mask, s[k])) continue; int want = k == 4 ? s[k] * 3 : k == 5 ? s[k] : s[k] * 3 + 7; if (g[l * 8 + k] != want) { if (n_bad < 10) printf("FAIL shf w%d d%d mask %08x lane %d op %d got %d want %d\n", w, d, mask, l, k, g[l * 8 + k], want); n_bad++; } } }
  free(g); cudaFree(dev.p); }
__global__ void votes(unsigned *o, unsigned sel) {
  int l = threadIdx.x & 31; bool p = sel >> l & 1; unsigned *q = o + threadIdx.x * 16;
  q[0] = __ballot_sync(~0u, p); q[1] = __any_sync(~0u, p); q[2] = __all_sync(~0u, p); 
  unsigned m = __ballot_sync(~0u, l % 3 == 0);
  if (l % 3 == 0) { q[3] = __ballot_sync(m, p); q[4] = __all_sync(m, p); q[5] = __reduce_add_sync(m, l); q[6] = __reduce_max_sync(m, (int)(l - 9)); q[7] = __activemask(); q[8] = __match_any_sync(m, l / 6); int pr; q[9] = __match_all_sync(m, sel, &pr); q[10] = pr; }
  else { unsigned n = ~m; q[3] = __ballot_sync(n, !p); q[4] = __any_sync(n, p); q[5] = __reduce_xor_sync(n, 1u << l); q[6] = __reduce_min_sync(n, (unsigned)(l * 7)); q[7] = __activemask(); q[8] = __match_any_sync(n, (unsigned long long)(l % 4) << 40); int pr; q[9] = __match_all_sync(n, l == 1 ? 7ull : 8ull, &pr); q[10] = pr; }
  q[11] = __reduce_and_sync(~0u, sel | 1u << l); q[12] = __reduce_or_sync(~0u, p ? 1u << l : 0);
  __syncwarp();
  q[13] = __reduce_min_sync(~0u, (int)l - 20); q[14] = __fns(sel, 0, 2); unsigned e; 
  asm volatile("{ .reg .pred p; elect.sync %0|p, %1; selp.u32 %0, 1000, %0, p; }" : "=r"(e) : "r"(~0u)); q[15] = e;
}
static void t_votes(unsigned sel) {
  Dev<unsigned> d(64 * 16); votes<<<1, 64>>>(d.p, sel); unsigned *g = d.get(), w[64 * 16]; unsigned m = 0; for (int l = 0; l < 32; l++) if (l % 3 == 0) m |= 1u << l; unsigned n = ~m;
  for (int t = 0; t < 64; t++) { int l = t & 31; unsigned *q = w + t * 16; q[0] = sel; q[1] = sel != 0; q[2] = sel == ~0u;
   if (l % 3 == 0) { q[3] = sel & m; q[4] = (sel & m) == m; q[5] = 0; for (int k = 0; k < 32; k += 3) q[5] += k; q[6] = 21; q[7] = m; q[8] = 0; for (int k = 0; k < 32; k += 3) if (k / 6 == l / 6) q[8] |= 1u << k; q[9] = m; q[10] = 1; }
   else { q[3] = ~sel & n; q[4] = (sel & n) != 0; q[5] = n; q[6] = 7; q[7] = n; q[8] = 0; for (int k = 0; k < 32; k++) if (k % 3 && k % 4 == l % 4) q[8] |= 1u << k; q[9] = 0; q[10] = 0; }
   q[11] = ~0u; for (int k = 0; k < 32; k++) q[11] &= sel | 1u << k; q[12] = sel; q[13] = -20;
   int c = 0, f = -1; for (int k = 0; k < 32; k++) if (sel >> k & 1 && ++c == 2) { f = k; break; } q[14] = f; q[15] = l == 0 ? 1000 : 0; }
  same("votes", g, w, 64 * 16);
}
// divergent loops with different trip counts around warp operations and __syncwarp
__global__ void looped(int *o) {
  int l = threadIdx.x & 31, s = 0;
  for (int k = 0; k < 8; k++) {
    unsigned act = __ballot_sync(~0u, k < l % 9);
    int v = __shfl_sync(~0u, l * 10 + k, (l + k) & 31);
    if (k < l % 9) { s += __popc(act) + v; int t = 0; while (t < l % 5) { t++; if ((t + k) % 3 == 0) break; } s += t; s += __reduce_add_sync(act, t); }
    __syncwarp();
  }
  o[threadIdx.x] = s;
}
static void t_looped() { Dev<int> d(96); looped<<<1, 96>>>(d.p); int w[96];
  for (int b = 0; b < 96; b += 32) { int s[32] = {0}; for (int k = 0; k < 8; k++) { int cnt = 0, tt[32], sum = 0; for (int l = 0; l < 32; l++) if (k < l % 9) { cnt++; int t = 0; while (t < l % 5) { t++; if ((t + k) % 3 == 0) break; } tt[l] = t; sum += t; }
     for (int l = 0; l < 32; l++) if (k < l % 9) s[l] += cnt + ((l + k) & 31) * 10 + k + tt[l] + sum; } for (int l = 0; l < 32; l++) w[b + l] = s[l]; }
  same("looped", d.get(), w, 96); }
// both sides of a branch meet in warp operations written at different places
__global__ void sides(int *o) { int l = threadIdx.x, r; if (l & 1) { r = __shfl_xor_sync(~0u, l, 1); r += 1000; } else { r = __shfl_xor_sync(~0u, l, 1); r += 2000; } o[l] = r; }
int main() {
  for (int w = 1; w <= 32; w *= 2) for (int d : {0, 1, 2, 3, 7, 15, 16, 31, -1, 33}) { t_shf(w, d, ~0u); t_shf(w, d, 0x0000ffffu); t_shf(w, d, 0x5a5aff01u); }
  for (unsigned s : {0u, ~0u, 1u, 0x80000000u, 0x12345678u, 0xfffffffeu}) t_votes(s);
  t_looped();
  { Dev<int> d(32); sides<<<1, 32>>>(d.p); int w[32]; for (int i = 0; i < 32; i++) w[i] = (i ^ 1) + (i & 1 ? 1000 : 2000); same("sides", d.get(), w, 32); }
  return done();
}
