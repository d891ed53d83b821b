// SPDX-License-Identifier: Apache-2.0
// Every atomic, width and space.
// expect: clean
// allow: race-* fence-*
// stdout: PASS
#include "host.h"
#include <cuda_fp16.h>
#include <cuda_bf16.h>
struct Out { int s[16]; unsigned u[16]; unsigned long long l[8]; long long ll[4]; float f[4]; double d[2]; unsigned short h[4]; __half2 h2[2]; __half h1[2]; __nv_bfloat162 b2[2]; float4 f4; float2 f2; };
template <class A> __device__ void body(A *o, int i, int n) {
  atomicAdd(&o->s[0], i); atomicSub(&o->s[1], i); atomicMin(&o->s[2], -i); atomicMax(&o->s[3], i * 3); atomicAnd(&o->s[4], ~(1 << (i & 31))); atomicOr(&o->s[5], 1 << (i & 31)); atomicXor(&o->s[6], i); atomicExch(&o->s[7], 5); atomicCAS(&o->s[8], 0, 9);
  atomicAdd(&o->s[9 + (i & 3)], 1); 
  atomicAdd(&o->u[0], (unsigned)i); atomicInc(&o->u[1], 6); atomicDec(&o->u[2], 6); atomicMin(&o->u[3], 1000u - i); atomicMax(&o->u[4], (unsigned)i); atomicAdd(&o->u[5 + i % 7], i % 5);
  atomicAdd(&o->l[0], (unsigned long long)i << 33); atomicMin(&o->l[1], (1ull << 40) - i); atomicMax(&o->l[2], (1ull << 40) + i); atomicAnd(&o->l[3], ~(1ull << (i & 63))); atomicOr(&o->l[4], 1ull << (i & 63)); atomicXor(&o->l[5], (unsigned long long)i << 20); atomicExch(&o->l[6], 77ull << 35); atomicCAS(&o->l[7], 0ull, 3ull << 50);
  atomicMin(&o->ll[0], -(long long)i << 34); atomicMax(&o->ll[1], (long long)i << 34);
  atomicAdd(&o->f[0], 1.5f); atomicAdd(&o->f[1], (float)i); atomicExch(&o->f[2], 2.25f); atomicAdd(&o->d[0], i * 0.25);
  unsigned short e = o->h[0], a; do { a = e; e = atomicCAS(&o->h[0], a, (unsigned short)(a + 3)); } while (e != a);
  atomicAdd(&o->h2[0], __floats2half2_rn(1.f, 2.f)); atomicAdd(&o->h1[0], __float2half(0.5f)); atomicAdd(&o->b2[0], __floats2bfloat162_rn(1.f, 0.5f));
}
__global__ void g(Out *o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { body(o, i, n);
  atomicAdd(&o->f4, make_float4(1, 2, 3, 4)); atomicAdd(&o->f2, make_float2(1, -1)); } }
__global__ void s(Out *o, int n) { __shared__ Out sh; char *p = (char *)&sh; for (int k = threadIdx.x; k < (int)sizeof(Out); k += blockDim.x) p[k] = ((char *)o)[k]; __syncthreads(); for (int i = threadIdx.x; i < n; i += blockDim.x) body(&sh, i, n); __syncthreads(); for (int k = threadIdx.x; k < (int)sizeof(Out); k += blockDim.x) ((char *)o)[k] = p[k]; }
__global__ void gen(Out *o, int n, int pick) { __shared__ Out sh; char *p = (char *)&sh; for (int k = threadIdx.x; k < (int)sizeof(Out); k += blockDim.x) p[k] = ((char *)o)[k]; __syncthreads(); Out *q = pick ? &sh : o; for (int i = threadIdx.x; i < n; i += blockDim.x) body(q, i, n); __syncthreads(); if (pick) for (int k = threadIdx.x; k < (int)sizeof(Out); k += blockDim.x) ((char *)o)[k] = p[k]; }
struct __align__(16) Q { unsigned long long a, b; };
__global__ void wide(Q *q) { Q e = *q, a, w; do { a = e; w.a = a.a + 1; w.b = a.b + w.a; e = atomicCAS(q, a, w); } while (e.a != a.a || e.b != a.b); }
__global__ void wide2(Q *q, Q *out) { Q v{5, 6}; if (threadIdx.x == 0) *out = atomicExch(q, v); }
// old values: each thread's ticket is unique, scopes
__global__ void tick(int *c, int *seen) { int t = atomicAdd(c, 1); atomicAdd(&seen[t], 1); t = atomicAdd_block(c + 1, 2); t = atomicAdd_system(c + 2, t & 1); if (threadIdx.x % 2) atomicMax_block(c + 3, threadIdx.x); int o = atomicInc((unsigned *)c + 4, 9); atomicAdd(c + 5 + (o == 9), 1); }
static void init(Out &o) { memset(&o, 0, sizeof o); o.s[4] = -1; o.l[1] = ~0ull; o.l[3] = ~0ull; o.u[3] = ~0u; }
static void model(Out &o, int n) { init(o); // in place: copies need not keep the padding, which is compared too
  for (int i = 0; i < n; i++) { o.s[0] += i; o.s[1] -= i; if (-i < o.s[2]) o.s[2] = -i; if (i * 3 > o.s[3]) o.s[3] = i * 3; o.s[4] &= ~(1u << (i & 31)); o.s[5] |= 1u << (i & 31); o.s[6] ^= i; o.s[7] = 5; if (!o.s[8]) o.s[8] = 9; o.s[9 + (i & 3)]++; o.u[0] += i; o.u[1] = o.u[1] >= 6 ? 0 : o.u[1] + 1; o.u[2] = o.u[2] == 0 || o.u[2] > 6 ? 6 : o.u[2] - 1; if (1000u - i < o.u[3]) o.u[3] = 1000u - i; if ((unsigned)i > o.u[4]) o.u[4] = i; o.u[5 + i % 7] += i % 5;
  o.l[0] += (unsigned long long)i << 33; if ((1ull << 40) - i < o.l[1]) o.l[1] = (1ull << 40) - i; if ((1ull << 40) + i > o.l[2]) o.l[2] = (1ull << 40) + i; o.l[3] &= ~(1ull << (i & 63)); o.l[4] |= 1ull << (i & 63); o.l[5] ^= (unsigned long long)i << 20; o.l[6] = 77ull << 35; if (!o.l[7]) o.l[7] = 3ull << 50; if (-((long long)i << 34) < o.ll[0]) o.ll[0] = -((long long)i << 34); if (((long long)i << 34) > o.ll[1]) o.ll[1] = (long long)i << 34; o.f[0] += 1.5f; o.f[1] += i; o.f[2] = 2.25f; o.d[0] += i * 0.25; o.h[0] += 3; }
  o.h2[0] = __floats2half2_rn(n, 2 * n); o.h1[0] = __float2half(n * 0.5f); o.b2[0] = __floats2bfloat162_rn(n, n * 0.5f); }
int main() {
  int n = 200; Out h, w; model(w, n); Dev<Out> d(1);
  for (int k = 0; k < 4; k++) { init(h); d.put(&h); if (k == 0) g<<<3, 96>>>(d.p, n); else if (k == 1) s<<<1, 100>>>(d.p, n); else gen<<<1, 70>>>(d.p, n, k - 2); Out *r = d.get(); Out x; memcpy((void *)&x, (void *)&w, sizeof x); if (k == 0) { x.f4 = make_float4(n, 2 * n, 3 * n, 4 * n); x.f2 = make_float2(n, -n); }
    char name[20]; snprintf(name, 20, "atomics%d", k); same(name, (char *)r, (char *)&x, 312); }
  { Dev<Q> q(2); wide<<<2, 50>>>(q.p); Q *r = q.get(); Q x{0, 0}; for (int i = 0; i < 100; i++) { x.a++; x.b += x.a; } same("wide", r, &x, 1); wide2<<<1, 32>>>(q.p, q.p + 1); r = q.get(); Q y[2] = {{5, 6}, x}; same("wide exch", r, y, 2); }
  { Dev<int> c(8), seen(256); tick<<<4, 64>>>(c.p, seen.p); int w[256]; for (int &x : w) x = 1; same("tickets", seen.get(), w, 256); int *r = c.get(); int z[8] = {256, 512, 0, 63, 6, 231, 25, 0}; same("counters", r, z, 8); }
  return done();
}
