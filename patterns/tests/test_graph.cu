// SPDX-License-Identifier: Apache-2.0
// Every launcher can be captured in a graph and replayed; a replay on other data gives that data's
// result.
#include "warpfence/wf_compact.cuh"
#include "warpfence/wf_count.cuh"
#include "warpfence/wf_histogram.cuh"
#include "warpfence/wf_reduce.cuh"
#include "warpfence/wf_scan.cuh"

#include "wf_test.h"

static void test(size_t n)
{
    uint32_t *x = (uint32_t *)malloc(n * 4), *scan = (uint32_t *)malloc(n * 4), *packed = (uint32_t *)malloc(n * 4);
    wf_array<uint32_t> in(n), scanned(n), kept(n);
    wf_array<uint64_t> sum(1), count(1), picked(1), bins(100);
    size_t bytes[5] = {0, 0, 0, 0, 0};
    CK(wf_reduce_sum_u32(0, &bytes[0], in.data, sum.data, n, 0));
    CK(wf_scan_inclusive_sum_u32(0, &bytes[1], in.data, scanned.data, n, 0));
    CK(wf_histogram_even_u32(0, &bytes[2], in.data, bins.data, n, 0, 1000, 100, 0));
    CK(wf_count_lt_u32(0, &bytes[3], in.data, 300u, count.data, n, 0));
    CK(wf_compact_lt_u32(0, &bytes[4], in.data, 300u, kept.data, picked.data, n, 0));
    void *temp[5];
    for (int i = 0; i < 5; i++)
        CK(cudaMalloc(&temp[i], bytes[i]));
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CK(cudaStreamCreate(&s));
    CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CK(wf_reduce_sum_u32(temp[0], &bytes[0], in.data, sum.data, n, s));
    CK(wf_scan_inclusive_sum_u32(temp[1], &bytes[1], in.data, scanned.data, n, s));
    CK(wf_histogram_even_u32(temp[2], &bytes[2], in.data, bins.data, n, 0, 1000, 100, s));
    CK(wf_count_lt_u32(temp[3], &bytes[3], in.data, 300u, count.data, n, s));
    CK(wf_compact_lt_u32(temp[4], &bytes[4], in.data, 300u, kept.data, picked.data, n, s));
    CK(cudaStreamEndCapture(s, &graph));
    CK(cudaGraphInstantiate(&exec, graph, 0));
    for (int replay = 0; replay < 4; replay++) {
        uint64_t want_sum = 0, want_count = 0, want_bins[100] = {0}, got, got_bins[100];
        for (size_t i = 0; i < n; i++) {
            x[i] = (uint32_t)(wf_random() % 1100);
            want_sum += x[i];
            want_count += x[i] < 300;
            if (x[i] < 1000)
                want_bins[x[i] / 10]++;
        }
        in.put(x);
        CK(cudaGraphLaunch(exec, s));
        CK(cudaStreamSynchronize(s));
        sum.get(&got);
        EXPECT(got == want_sum, "replay %d: sum", replay);
        count.get(&got);
        EXPECT(got == want_count, "replay %d: count", replay);
        picked.get(&got);
        EXPECT(got == want_count, "replay %d: compact", replay);
        bins.get(got_bins);
        EXPECT(!memcmp(got_bins, want_bins, sizeof got_bins), "replay %d: histogram", replay);
        scanned.get(scan);
        kept.get(packed);
        uint32_t upto = 0;
        size_t bad = 0, k = 0;
        for (size_t i = 0; i < n; i++) {
            bad += scan[i] != (upto += x[i]);
            if (x[i] < 300)
                bad += packed[k++] != x[i];
        }
        EXPECT(bad == 0, "replay %d: %zu wrong in scan or compact", replay, bad);
    }
    CK(cudaGraphExecDestroy(exec));
    CK(cudaGraphDestroy(graph));
    CK(cudaStreamDestroy(s));
    for (int i = 0; i < 5; i++)
        CK(cudaFree(temp[i]));
    free(x);
    free(scan);
    free(packed);
}

int main(int argc, char **argv)
{
    test(500);
    test(30000);
    if (wf_test_size(argc, argv) != WF_SMALL)
        test(3000001);
    return wf_test_end("test_graph");
}
