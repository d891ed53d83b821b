// SPDX-License-Identifier: Apache-2.0
// What the pattern tests share: checks that count failures, device arrays with a poisoned margin, the
// two-phase call, a random number generator. "small" as first argument, or WF_TEST_SMALL=1, keeps to
// sizes for a CPU engine; "big" adds more than 2^32 elements (needs about 40 GB of device memory).
#ifndef WF_TEST_H
#define WF_TEST_H

#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wf_failures, wf_checks;

#define CK(x)                                                                                       \
    do {                                                                                            \
        cudaError_t e_ = (x);                                                                       \
        if (e_ != cudaSuccess) {                                                                    \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #x, cudaGetErrorString(e_));              \
            exit(2);                                                                                \
        }                                                                                           \
    } while (0)

#define EXPECT(ok, ...)                                                                             \
    do {                                                                                            \
        wf_checks++;                                                                                \
        if (!(ok)) {                                                                                \
            if (wf_failures++ < 20) {                                                               \
                printf("%s:%d: %s: ", __FILE__, __LINE__, #ok);                                     \
                printf(__VA_ARGS__);                                                                \
                printf("\n");                                                                       \
            }                                                                                       \
        }                                                                                           \
    } while (0)

// Asks for the size, then calls with poisoned storage of exactly that size. The call names temp and
// &bytes.
#define TWO_PHASE(call)                                                                             \
    do {                                                                                            \
        void *temp = 0;                                                                             \
        size_t bytes = 0;                                                                           \
        CK(call);                                                                                   \
        CK(cudaMalloc(&temp, bytes));                                                               \
        CK(cudaMemset(temp, 0xa5, bytes));                                                          \
        CK(call);                                                                                   \
        CK(cudaDeviceSynchronize());                                                                \
        CK(cudaFree(temp));                                                                         \
    } while (0)

enum wf_test_size { WF_SMALL, WF_NORMAL, WF_BIG };

static inline enum wf_test_size wf_test_size(int argc, char **argv)
{
    const char *env = getenv("WF_TEST_SMALL");
    if ((argc > 1 && !strcmp(argv[1], "small")) || (env && *env == '1'))
        return WF_SMALL;
    return argc > 1 && !strcmp(argv[1], "big") ? WF_BIG : WF_NORMAL;
}

static inline int wf_test_end(const char *name)
{
    printf("%s: %d checks, %d failed\n", name, wf_checks, wf_failures);
    return wf_failures != 0;
}

static uint64_t wf_random_state = 88172645463325252ull;

static inline uint64_t wf_random(void)
{
    wf_random_state ^= wf_random_state << 13;
    wf_random_state ^= wf_random_state >> 7;
    wf_random_state ^= wf_random_state << 17;
    return wf_random_state * 2685821657736338717ull;
}

#define WF_MARGIN 64 // elements before and after, which must stay as they were

// n elements on the device, `shift` elements past an aligned address.
template <class T> struct wf_array {
    T *base, *data;
    size_t n, shift;

    wf_array(size_t n_, size_t shift_ = 0) : n(n_), shift(shift_)
    {
        CK(cudaMalloc(&base, (n + shift + 2 * WF_MARGIN) * sizeof(T)));
        CK(cudaMemset(base, 0x5c, (n + shift + 2 * WF_MARGIN) * sizeof(T)));
        data = base + WF_MARGIN + shift;
    }
    ~wf_array() { cudaFree(base); }
    void put(const T *host) { if (n) CK(cudaMemcpy(data, host, n * sizeof(T), cudaMemcpyHostToDevice)); }
    void get(T *host) { if (n) CK(cudaMemcpy(host, data, n * sizeof(T), cudaMemcpyDeviceToHost)); }
    void poison() { if (n) CK(cudaMemset(data, 0xa5, n * sizeof(T))); }
    void check_margin(const char *what)
    {
        unsigned char want[WF_MARGIN * sizeof(T)], got[WF_MARGIN * sizeof(T)];
        memset(want, 0x5c, sizeof want);
        CK(cudaMemcpy(got, data - WF_MARGIN, sizeof got, cudaMemcpyDeviceToHost));
        EXPECT(!memcmp(want, got, sizeof got), "%s wrote before its %zu elements", what, n);
        CK(cudaMemcpy(got, data + n, sizeof got, cudaMemcpyDeviceToHost));
        EXPECT(!memcmp(want, got, sizeof got), "%s wrote behind its %zu elements", what, n);
    }

  private:
    wf_array(const wf_array &);
    wf_array &operator=(const wf_array &);
};

// Sizes around every boundary: lanes, rows, tiles, blocks; 0 ends the list after the first.
static const size_t wf_sizes_small[] = {0, 1, 2, 3, 5, 31, 32, 33, 127, 128, 129, 1000, 1023, 1024, 1025, 4095, 4096, 4097, 9001};
static const size_t wf_sizes_normal[] = {16383, 16384, 16385, 32767, 32768, 32769, 65535, 65536, 65537, 100003, 131071,
                                         131072, 131073, 262145, 1000003, 2097152, 2097153,
                                         4194304 + 77, 17 * 1048576 + 5};

static inline size_t wf_size_count(enum wf_test_size size)
{
    size_t count = sizeof wf_sizes_small / sizeof *wf_sizes_small;
    return size == WF_SMALL ? count : count + sizeof wf_sizes_normal / sizeof *wf_sizes_normal;
}

static inline size_t wf_size_at(size_t i)
{
    size_t count = sizeof wf_sizes_small / sizeof *wf_sizes_small;
    return i < count ? wf_sizes_small[i] : wf_sizes_normal[i - count];
}

#endif
