// SPDX-License-Identifier: Apache-2.0
// Recursion with local arrays, structs by value, function pointers of other kernels, virtual functions, local arrays.
// expect: clean
// stdout: PASS
#include "host.h"
struct Big { int a[9]; double d; char c; };
struct Mid { int x, y, z; };
__host__ __device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__host__ __device__ __noinline__ int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
__host__ __device__ __noinline__ int localrec(int n, int seed) { int a[8]; for (int i = 0; i < 8; i++) a[i] = seed + i * n; int r = n > 0 ? localrec(n - 1, seed * 3 + a[n & 7]) : 1; int s = 0; for (int i = 0; i < 8; i++) s += a[(i * 3 + n) & 7] * (i + 1); return s + r * 7; }
__host__ __device__ __noinline__ Big mk(int i) { Big b; for (int k = 0; k < 9; k++) b.a[k] = i * k + 1; b.d = i * 0.5; b.c = (char)i; return b; }
__host__ __device__ __noinline__ int use(Big b, Mid m) { int s = b.c; for (int k = 0; k < 9; k++) s += b.a[k]; b.a[(unsigned)m.x % 9] = 5; for (int k = 0; k < 9; k++) s ^= b.a[k] << (k & 3); return s + (int)b.d + m.y * m.z; }
__host__ __device__ __noinline__ Big rec(Big b, int n) { if (n == 0) return b; b.a[n % 9] += n; Big c = rec(b, n - 1); c.d += b.a[0]; c.a[(n + 1) % 9] ^= b.a[n % 9]; return c; }
typedef int (*fn)(int, int);
__device__ int fa(int a, int b) { return a + b; } __device__ int fs(int a, int b) { return a - b * 2; } __device__ int fm(int a, int b) { return a * b; } __device__ int fx(int a, int b) { return (a ^ b) + 1; }
__device__ fn table[4] = {fa, fs, fm, fx};
__constant__ fn ctable[2] = {fx, fm};
__device__ fn slot;
struct Base { int v; __device__ virtual int get(int x) const { return v + x; } __device__ virtual ~Base() {} };
struct D1 : Base { int w; __device__ int get(int x) const override { return v * x + w; } };
struct D2 : D1 { __device__ int get(int x) const override { return D1::get(x) - 1; } };
__global__ void k_rec(int *o) { int i = threadIdx.x; o[i] = fib(i % 12) + ack(i % 3, i % 4) * 1000 + localrec(i % 5, i); }
__global__ void k_struct(int *o) { int i = threadIdx.x; Mid m{i, i + 1, 3}; o[i] = use(mk(i), m); Big b = rec(mk(i), i % 6); int s = (int)(b.d * 2); for (int k = 0; k < 9; k++) s = s * 31 + b.a[k]; o[i + 64] = s; }
__global__ void k_fn(int *o, fn host) { int i = threadIdx.x; int s = table[i & 3](i, 5) * 10 + ctable[i & 1](i, 3); fn f = i % 3 == 0 ? fa : i % 3 == 1 ? fs : fx; s += f(s, i); if (host) s += host(i, 2); o[i] = s; }
__global__ void k_take(int which) { slot = which == 0 ? fs : which == 1 ? fm : fx; }
__global__ void k_slot(int *o) { int i = threadIdx.x; o[i] = slot(i, 4) + (slot == fm); }
__global__ void k_make(Base **p) { int i = threadIdx.x; Base *b; if (i % 3 == 0) b = new Base; else if (i % 3 == 1) { D1 *d = new D1; d->w = i; b = d; } else { D2 *d = new D2; d->w = -i; b = d; } b->v = i; p[i] = b; }
__global__ void k_use(Base **p, int *o) { int i = threadIdx.x; o[i] = p[i]->get(3) + p[(i * 7) & 31]->get(i); }
__global__ void k_del(Base **p) { delete p[threadIdx.x]; }
__global__ void k_local(int *o, int n) { int i = threadIdx.x; int a[16]; short s[16]; char c[16]; double d[4]; long long q[3] = {1, 2, 3}; for (int k = 0; k < 16; k++) { a[k] = k * i; s[k] = (short)(k - i); c[k] = (char)(k * 3 + i); } for (int k = 0; k < 4; k++) d[k] = k * 0.25; a[(i * 5 + n) & 15] += 100; s[(i + n) & 15] = 7; c[(i ^ n) & 15] = -1; d[(i + n) & 3] = i; q[(i + n) % 3] = (long long)i << 33; int r = 0; for (int k = 0; k < 16; k++) r = r * 5 + a[k] + s[(k + i) & 15] * 2 + c[(k * n) & 15]; for (int k = 0; k < 4; k++) r += (int)(d[(k + i) & 3] * 8 * (k + 1)); for (int k = 0; k < 3; k++) r ^= (int)(q[k] >> 30); int *pa = i & 1 ? a : (int *)q; r += pa[i & 3]; o[i] = r; }
static int h_local(int i, int n) { int a[16]; short s[16]; char c[16]; double d[4]; long long q[3] = {1, 2, 3}; for (int k = 0; k < 16; k++) { a[k] = k * i; s[k] = (short)(k - i); c[k] = (char)(k * 3 + i); } for (int k = 0; k < 4; k++) d[k] = k * 0.25; a[(i * 5 + n) & 15] += 100; s[(i + n) & 15] = 7; c[(i ^ n) & 15] = -1; d[(i + n) & 3] = i; q[(i + n) % 3] = (long long)i << 33; int r = 0; for (int k = 0; k < 16; k++) r = (int)(r * 5u) + a[k] + s[(k + i) & 15] * 2 + c[(k * n) & 15]; for (int k = 0; k < 4; k++) r += (int)(d[(k + i) & 3] * 8 * (k + 1)); for (int k = 0; k < 3; k++) r ^= (int)(q[k] >> 30); int pa[6]; if (i & 1) memcpy(pa, a, 24); else memcpy(pa, q, 24); r += pa[i & 3]; return r; }
__device__ int h0(int a, int b) { return 0; }
int main() {
  { Dev<int> d(64); k_rec<<<1, 64>>>(d.p); int w[64]; for (int i = 0; i < 64; i++) w[i] = fib(i % 12) + ack(i % 3, i % 4) * 1000 + localrec(i % 5, i); same("recursion", d.get(), w, 64); }
  { Dev<int> d(128); k_struct<<<1, 64>>>(d.p); int w[128]; for (int i = 0; i < 64; i++) { Mid m{i, i + 1, 3}; w[i] = use(mk(i), m); Big b = rec(mk(i), i % 6); int s = (int)(b.d * 2); for (int k = 0; k < 9; k++) s = (int)(s * 31u) + b.a[k]; w[i + 64] = s; } same("structs", d.get(), w, 128); }
  fn hf; CK(cudaMemcpyFromSymbol(&hf, table, sizeof hf, 2 * sizeof hf));
  { Dev<int> d(64); k_fn<<<1, 64>>>(d.p, hf); int w[64]; for (int i = 0; i < 64; i++) { auto A = [](int a, int b) { return a + b; }; auto S = [](int a, int b) { return a - b * 2; }; auto M = [](int a, int b) { return a * b; }; auto X = [](int a, int b) { return (a ^ b) + 1; }; int (*t[4])(int, int) = {A, S, M, X}, (*c[2])(int, int) = {X, M}; int s = t[i & 3](i, 5) * 10 + c[i & 1](i, 3); int (*f)(int, int) = i % 3 == 0 ? t[0] : i % 3 == 1 ? t[1] : t[3]; s += f(s, i); s += M(i, 2); w[i] = s; } same("pointers", d.get(), w, 64); }
  for (int k = 0; k < 3; k++) { Dev<int> d(32); k_take<<<1, 1>>>(k); k_slot<<<1, 32>>>(d.p); int w[32]; for (int i = 0; i < 32; i++) w[i] = (k == 0 ? i - 8 : k == 1 ? i * 4 : (i ^ 4) + 1) + (k == 1); same("slot", d.get(), w, 32); }
  { Dev<Base *> p(32); Dev<int> d(32); k_make<<<1, 32>>>(p.p); k_use<<<1, 32>>>(p.p, d.p); int w[32]; auto g = [](int i, int x) { return i % 3 == 0 ? i + x : i % 3 == 1 ? i * x + i : i * x - i - 1; }; for (int i = 0; i < 32; i++) w[i] = g(i, 3) + g(i * 7 & 31, i); same("virtual", d.get(), w, 32); k_del<<<1, 32>>>(p.p); CK(cudaDeviceSynchronize()); }
  for (int n : {0, 3, 11}) { Dev<int> d(70); k_local<<<1, 70>>>(d.p, n); int w[70]; for (int i = 0; i < 70; i++) w[i] = h_local(i, n); same("local", d.get(), w, 70); }
  return done();
}
