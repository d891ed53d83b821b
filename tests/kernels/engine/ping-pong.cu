// SPDX-License-Identifier: Apache-2.0
// Two paths of a warp wait for each other in loops of their own.
// expect: clean
// allow: race-* fence-*
// stdout: PASS
#include "host.h"
__global__ void pp(int *o) { __shared__ volatile int turn; int l = threadIdx.x; if (l == 0) turn = 0; __syncwarp(); int n = 0;
  if (l & 1) { for (int k = 0; k < 20; k++) { while (turn % 2 != 1) n++; if (l == 1) turn = turn + 1; __syncwarp(0xaaaaaaaa); } }
  else { for (int k = 0; k < 20; k++) { while (turn % 2 != 0) n += 2; if (l == 0) turn = turn + 1; __syncwarp(0x55555555); } }
  o[l] = turn + (n < 0); }
__global__ void mix(int *o, int *flag) { // a divergent spin beside a loop with a barrier of the warp
  int l = threadIdx.x & 31, w = threadIdx.x / 32; volatile int *f = flag; if (l < 8) { int k = 0; while (f[0] < (w + 1) * 3) { if (++k > 5 && l == 0 && f[0] == w * 3 + 1) f[0] = w * 3 + 2; } } else { if (l == 8) { while (f[0] != w * 3) ; f[0] = w * 3 + 1; while (f[0] != w * 3 + 2) ; f[0] = w * 3 + 3; } __syncwarp(~0xffu); } __syncwarp(); o[threadIdx.x] = f[0] >= (w + 1) * 3; }
int main() { { Dev<int> d(32); pp<<<1, 32>>>(d.p); int *g = d.get(); int w[32]; for (int i = 0; i < 32; i++) w[i] = g[i] >= 38 ? g[i] : -1; same("pingpong", g, w, 32); }
  { Dev<int> d(96), f(1); mix<<<1, 96>>>(d.p, f.p); int w[96]; for (int &x : w) x = 1; same("mix", d.get(), w, 96); } return done(); }
