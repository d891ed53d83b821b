// SPDX-License-Identifier: Apache-2.0
// What the programs of this folder share: each compares the device's results with the host's and prints PASS or FAIL.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cstdint>
#include <cmath>
#include <cuda_runtime.h>
#include <initializer_list>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); exit(2); } } while (0)
static int n_bad = 0;
template <class T> static void same(const char *what, const T *got, const T *want, int n) {
    int bad = 0, first = -1;
    for (int i = 0; i < n; i++) if (memcmp(&got[i], &want[i], sizeof(T))) { if (first < 0) first = i; bad++; }
    if (bad) { long long a = 0, b = 0; memcpy(&a, got + first, sizeof(T) < 8 ? sizeof(T) : 8); memcpy(&b, want + first, sizeof(T) < 8 ? sizeof(T) : 8); std::printf("FAIL %s: %d wrong, first [%d] got %lld want %lld\n", what, bad, first, a, b); n_bad++; }
}
static int done() { std::puts(n_bad ? "FAIL" : "PASS"); return n_bad != 0; }
template <class T> struct Dev { T *p; int n; Dev(int n_) : n(n_) { CK(cudaMalloc(&p, n * sizeof(T))); CK(cudaMemset(p, 0, n * sizeof(T))); }
  void put(const T *h) { CK(cudaMemcpy(p, h, n * sizeof(T), cudaMemcpyHostToDevice)); }
  T *get() { CK(cudaGetLastError()); CK(cudaDeviceSynchronize()); T *h = (T *)malloc(n * sizeof(T)); CK(cudaMemcpy(h, p, n * sizeof(T), cudaMemcpyDeviceToHost)); return h; } };
