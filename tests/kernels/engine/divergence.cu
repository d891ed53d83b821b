// SPDX-License-Identifier: Apache-2.0
// Every shape of divergent control flow, against the same function run on the host.
// expect: clean
// stdout: PASS
#include "host.h"
#define HD __host__ __device__ __forceinline__
HD int f_nested(int i, int n) { int r = 0; if (i & 1) { if (i & 2) { r = 3 * i; if (i & 4) r ^= 77; else r += n; } else r = i - 5; } else if (i % 3 == 0) { r = i * i; } else { if (i > n / 2) return -1; r = 7; } return r + (i & 8 ? 100 : 200); }
HD int f_loop(int i, int n) { int s = 0; for (int k = 0; k < (i * 7) % 23; k++) { if (k % 5 == 3) continue; if (s > 1000) break; s += k * i; } return s; }
HD int f_switch(int i, int n) { int r = i; switch (i % 11) { case 0: r += 5; case 1: r *= 3; break; case 2: return r - 9; case 3: r ^= 0x55; break; case 4: for (int k = 0; k < i % 7; k++) r += k; break; case 5: r = -r; case 6: case 7: r += 1; break; case 8: r <<= 2; break; case 9: r >>= 1; break; default: r = 0; } return r * 2 + 1; }
HD int f_goto(int i, int n) { int s = i, c = 0; again: if (s == 1 || c > 60) goto out; if (s & 1) { s = 3 * s + 1; c++; goto again; } s >>= 1; c++; if (c == 40 && (i & 1)) goto out2; goto again; out: return c; out2: return -c; }
HD int f_short(int i, int n) { int r = 0; if ((i & 1) && (i % 3 || i > 50) && !(i % 7 == 2 && i < 40)) r |= 1; if (i < 3 || (i > 10 && (i & 4)) || i == n - 1) r |= 2; r |= (i % 5 ? (i % 2 ? 4 : 8) : 16); return r; }
HD int f_nestloop(int i, int n) { int s = 0; for (int a = 0; a < i % 5; a++) { for (int b = a; b < i % 7; b++) { if ((a * b + i) % 3 == 0) continue; int c = b; do { s += c; if (s % 13 == 5) break; } while (c-- > 0); if (s > 500) goto done; } s ^= a; } done: return s; }
HD int f_while2(int i, int n) { int a = i + 1, b = 37; while (b) { int t = a % b; a = b; b = t; } int k = 0; while (true) { k += a; if (k > 40) break; if (k % 11 == 0) { k += 3; continue; } } return a * 100 + k; }
HD int f_early(int i, int n) { for (int k = 0; k < 40; k++) { if ((i * 31 + k * 17) % 29 == 0) return k; if (k == 20 && i % 4 == 0) return -7; } return 99; }
HD unsigned f_uwrap(unsigned i, const unsigned *x, unsigned n) { unsigned s = 0; if (i > 0) s += x[i - 1]; if (i + 1 < n) s += x[i + 1] * 3; if (i >= 5) s += x[(i - 5) % n]; return s; }
#define K(name) __global__ void k_##name(int *o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = f_##name(i, n); } \
 static void t_##name(int n, int b) { Dev<int> d(n); k_##name<<<(n + b - 1) / b, b>>>(d.p, n); int *g = d.get(), *w = (int *)malloc(n * 4); for (int i = 0; i < n; i++) w[i] = f_##name(i, n); same(#name, g, w, n); free(g); free(w); }
K(nested) K(loop) K(switch) K(goto) K(short) K(nestloop) K(while2) K(early)
__global__ void k_uw(unsigned *o, const unsigned *x, unsigned n) { unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = f_uwrap(i, x, n); }
// early return in front of a barrier-free shared use; values live out of divergent loops, uniform and not
__global__ void k_liveout(int *o, int n) {
  int i = threadIdx.x, u = 0, k = 0;
  for (k = 0;; k++) { u += 3; if (k == i % 6) break; }
  int v = u + k; // differs by lane
  int w = 0;
  for (int q = 0; q < 5; q++) { w += q; if (i == 3 && q == 2) break; }
  o[i] = v * 1000 + w;
}
int main() {
  for (int b : {1, 31, 32, 33, 100, 256, 1024}) for (int n : {1, 33, 1000}) { t_nested(n, b); t_loop(n, b); t_switch(n, b); t_goto(n, b); t_short(n, b); t_nestloop(n, b); t_while2(n, b); t_early(n, b); }
  for (int b : {1, 31, 33, 64, 1024}) { unsigned n = 777; unsigned *x = new unsigned[n], *w = new unsigned[n]; for (unsigned i = 0; i < n; i++) x[i] = i * 2654435761u; for (unsigned i = 0; i < n; i++) w[i] = f_uwrap(i, x, n);
    Dev<unsigned> dx(n), d(n); dx.put(x); k_uw<<<(n + b - 1) / b, b>>>(d.p, dx.p, n); same("uwrap", d.get(), w, n); }
  { Dev<int> d(64); k_liveout<<<1, 64>>>(d.p, 64); int w[64]; for (int i = 0; i < 64; i++) { int k = i % 6; w[i] = ((k + 1) * 3 + k) * 1000 + (i == 3 ? 3 : 10); } same("liveout", d.get(), w, 64); }
  return done();
}
