// SPDX-License-Identifier: Apache-2.0
// Index wrap inside a warp, initialised variables, unions, bit-fields, narrow types, vectors, lambdas.
// expect: clean
// allow: race-warp
// stdout: PASS
// compiler nvcc: -std=c++17 --extended-lambda
// xfail-run clang: #2
// xfail clang: #2
#include "host.h"
__constant__ int cint[8] = {1, -2, 3, -4, 5, -6, 7, -8}; __constant__ double cd[3] = {0.5, -1.25, 1e300}; __constant__ unsigned char cc[5] = "abcd"; __constant__ short cs2[2][3] = {{1, 2, 3}, {-1, -2, -3}};
__device__ int darr[16] = {0, 1, 4, 9}; __device__ int *dptr = darr + 2; __device__ const char *strs[3] = {"zero", "one", "twelve"}; __device__ int dz[1000]; __device__ float df = 3.5f; __device__ long long dl = -5000000000ll;
struct Node { int v; Node *next; }; __device__ Node nb = {9, nullptr}; __device__ Node na = {7, &nb}; __device__ struct { char a; short b; int c; double d; } mixed = {'x', -300, 70000, 2.5};
union U { float f; unsigned u; unsigned char b[4]; unsigned short h[2]; }; struct BF { unsigned a : 3, b : 7, c : 22; int d : 5; long long e : 40; };
template <int N, class T> struct Vec { T v[N]; __host__ __device__ T dot(const Vec &o) const { T s = 0; for (int i = 0; i < N; i++) s += v[i] * o.v[i]; return s; } };
template <class F> __global__ void apply(int *o, F f) { o[threadIdx.x] = f(threadIdx.x); }
__global__ void consts(long long *o) { int i = threadIdx.x; long long r = cint[i & 7] + cint[3] * 10; r += (long long)(cd[i % 3] > 1e100 ? 1 : cd[i % 3] * 8); r = r * 7 + cc[i % 5] + cs2[i & 1][i % 3]; r += darr[i & 3] * 1000 + *dptr + dptr[1] + strs[i % 3][i % 3] + (long long)(df * 2) + dl; Node *p = &na; for (int k = 0; k < i % 5; k++) p = p->next ? p->next : &na; r = r * 3 + p->v + mixed.a + mixed.b + mixed.c + (int)(mixed.d * 2); dz[i] = i; r += dz[i]; o[i] = r; }
static long long h_consts(int i) { int hc[8] = {1, -2, 3, -4, 5, -6, 7, -8}, dd[4] = {0, 1, 4, 9}; short s[2][3] = {{1, 2, 3}, {-1, -2, -3}}; double d[3] = {0.5, -1.25, 1e300}; const char *ss[3] = {"zero", "one", "twelve"}; long long r = hc[i & 7] + -40; r += (long long)(d[i % 3] > 1e100 ? 1 : d[i % 3] * 8); r = r * 7 + "abcd"[i % 5] + s[i & 1][i % 3]; r += dd[i & 3] * 1000 + 4 + 9 + ss[i % 3][i % 3] + 7 - 5000000000ll; r = r * 3 + (i % 5 % 2 ? 9 : 7) + 'x' - 300 + 70000 + 5; return r + i; }
__host__ __device__ int f_bits(int i) { U u; u.f = i * 1.5f; int r = u.b[i & 3] + u.h[i & 1] * 3; u.b[i & 3] = (unsigned char)(i * 37); r ^= (int)u.u; BF b; memset(&b, 0, sizeof b); b.a = i; b.b = i * 3; b.c = i * 1000; b.d = i; b.e = (long long)i << 30; b.a ^= b.b; b.e += b.d; r += b.a + b.b * 8 + b.c + b.d * 3 + (int)(b.e >> 20); signed char c = (signed char)(i * 5); unsigned char uc = (unsigned char)(i * 5); short s = (short)(i * 3001); unsigned short us = (unsigned short)(i * 3001); r += c * 3 + uc + s / 7 - us % 13 + (c >> 2) + (uc >> 2) + (s < us) + (c < uc); c += 100; uc += 100; s *= 3; us *= 3; return r + c + uc + s + us; }
__global__ void bits(int *o) { o[threadIdx.x] = f_bits(threadIdx.x - 20); }
// lane indices that cross 2^31, 2^32, and below zero
__global__ void wrap(int *o, const int *x, unsigned base, int sbase, long long lb) { unsigned t = threadIdx.x; unsigned u = base + t; int s = sbase + (int)t; long long l = lb + t; int r = 0; if (u < 64u) r += x[u]; if (s >= 0 && s < 64) r += x[s] * 2; if (l >= 0 && l < 64) r += x[l] * 3; unsigned u4 = (base + t) * 4u; if (u4 < 64u) r += x[u4] * 5; unsigned w = t - 5u; if (w < 64u) r += x[w] * 7; if (w >= 0xfffffff0u) r += x[w + 5u] * 11; o[t] = r; }
__global__ void huge(const int *x, int *o, long long off) { int i = blockIdx.x * blockDim.x + threadIdx.x; o[i] = (x - off)[off + i] + *(const int *)((const char *)x + (size_t)i * 4u); const int *e = x + 0x40000000ll; o[i] += e[(int)(i - 0x40000000)]; }
__global__ void strided(int *o, const int *x, int n, int st) { int i = threadIdx.x; o[i] = x[(i * st) % n] + x[n - 1 - i] + x[(unsigned)(i * -1) % (unsigned)n]; o[n + 31 - i] = x[i]; ((char *)o)[4 * n + 256 + i] = (char)i; ((short *)o)[2 * n + 256 + i * 3] = (short)i; }
__global__ void vecs(double2 *d, float4 *f, short4 *s, uchar4 *c, long4 *l, int *o) { int i = threadIdx.x; double2 a = d[i]; float4 b = f[i]; short4 e = s[i]; uchar4 g = c[i]; long4 m = l[i]; a.x += b.w; b.x = (float)a.y; e.y += g.z; m.w ^= e.x; g.w = (unsigned char)m.y; d[31 - i + 32] = a; f[i + 32] = b; s[i * 2 % 32 + 32] = e; if (i & 1) c[i + 32] = g; l[i + 32] = m; o[i] = (int)(a.x + b.y + e.z + g.x + m.z); }
#pragma nv_diag_suppress 2464
int main() {
  { Dev<long long> d(64); consts<<<1, 64>>>(d.p); long long w[64]; for (int i = 0; i < 64; i++) w[i] = h_consts(i); same("consts", d.get(), w, 64); }
  { Dev<int> d(96); bits<<<1, 96>>>(d.p); int w[96]; for (int i = 0; i < 96; i++) w[i] = f_bits(i - 20); same("bits", d.get(), w, 96); }
  { int x[64]; for (int i = 0; i < 64; i++) x[i] = i * i + 1; Dev<int> in(64), d(64); in.put(x); struct { unsigned b; int s; long long l; } c[] = {{0xfffffff0u, -16, -10}, {0x7ffffff0u, 0x7fffffe0, 1ll << 32}, {0, 0, 0}, {30, 40, 50}, {0x3ffffff8u, -3, -40}, {0x80000000u, (int)0x80000000, (1ll << 31) - 8}};
    for (auto &q : c) { wrap<<<1, 64>>>(d.p, in.p, q.b, q.s, q.l); int w[64]; for (unsigned t = 0; t < 64; t++) { unsigned u = q.b + t, u4 = u * 4u, v = t - 5u; int s = (int)((unsigned)q.s + t); long long l = q.l + t; int r = 0; if (u < 64u) r += x[u]; if (s >= 0 && s < 64) r += x[s] * 2; if (l >= 0 && l < 64) r += x[l] * 3; if (u4 < 64u) r += x[u4] * 5; if (v < 64u) r += x[v] * 7; if (v >= 0xfffffff0u) r += x[v + 5u] * 11; w[t] = r; } same("wrap", d.get(), w, 64); } }
  { int n = 4096; int *x = new int[n], *w = new int[n]; for (int i = 0; i < n; i++) { x[i] = i * 3; w[i] = 3 * i * 3; } Dev<int> in(n), d(n); in.put(x); huge<<<n / 128, 128>>>(in.p, d.p, 1ll << 33); same("huge", d.get(), w, n); }
  for (int st : {1, 2, 3, 33, -0}) { int n = 97; int x[97]; for (int i = 0; i < n; i++) x[i] = i * 7; Dev<int> in(n), d(n + 300); in.put(x); strided<<<1, 32>>>(d.p, in.p, n, st); int w[397] = {0}; for (int i = 0; i < 32; i++) { w[i] = x[i * st % n] + x[n - 1 - i] + x[(unsigned)-i % 97u]; w[n + 31 - i] = x[i]; } for (int i = 0; i < 32; i++) ((char *)w)[4 * n + 256 + i] = (char)i; for (int i = 0; i < 32; i++) ((short *)w)[2 * n + 256 + i * 3] = (short)i; int *g = d.get(); for (int k = n + 64; k < n + 130; k++) w[k] = g[k]; same("strided", g, w, n + 64); }
  { Dev<double2> d(64); Dev<float4> f(64); Dev<short4> s(64); Dev<uchar4> c(64); Dev<long4> l(64); Dev<int> o(32); double2 hd[64]; float4 hf[64]; short4 hs[64]; uchar4 hc[64]; long4 hl[64]; int w[32]; memset(hd, 0, sizeof hd); memset(hf, 0, sizeof hf); memset(hs, 0, sizeof hs); memset(hc, 0, sizeof hc); memset(hl, 0, sizeof hl);
    for (int i = 0; i < 32; i++) { hd[i] = make_double2(i, -i); hf[i] = make_float4(i, 2 * i, 3 * i, 4 * i); hs[i] = make_short4(i, -i, 2 * i, 3); hc[i] = make_uchar4(i, i + 1, i + 2, i + 3); hl[i] = make_long4(i, 5 * i, 6 * i, 7 * i); }
    d.put(hd); f.put(hf); s.put(hs); c.put(hc); l.put(hl); vecs<<<1, 32>>>(d.p, f.p, s.p, c.p, l.p, o.p);
    for (int i = 0; i < 32; i++) { double2 a = hd[i]; float4 b = hf[i]; short4 e = hs[i]; uchar4 g = hc[i]; long4 m = hl[i]; a.x += b.w; b.x = (float)a.y; e.y += g.z; m.w ^= e.x; g.w = (unsigned char)m.y; hd[63 - i] = a; hf[i + 32] = b; hs[i * 2 % 32 + 32] = e; if (i & 1) hc[i + 32] = g; hl[i + 32] = m; w[i] = (int)(a.x + b.y + e.z + g.x + m.z); }
    same("double2", d.get(), hd, 64); same("float4", f.get(), hf, 64); same("short4", s.get(), hs, 64); same("uchar4", c.get(), hc, 64); same("long4", l.get(), hl, 64); same("sum", o.get(), w, 32); }
  { Dev<int> d(64); int k = 5; Vec<4, int> v{{1, 2, 3, 4}}; apply<<<1, 64>>>(d.p, [=] __device__(int i) { Vec<4, int> q{{i, i + 1, k, 2}}; return q.dot(v); }); int w[64]; for (int i = 0; i < 64; i++) w[i] = i + 2 * i + 2 + 15 + 8; same("lambda", d.get(), w, 64); }
  return done();
}
