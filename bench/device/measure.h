// SPDX-License-Identifier: Apache-2.0
// Timing and reporting for the benchmark: median and spread of at least 21 repetitions, one JSON row
// a measurement. Calls on up to 2^22 elements are captured twenty times in a graph and the replay is
// timed, so launches from the host do not count; longer ones are timed one by one with events.
#ifndef MEASURE_H
#define MEASURE_H

#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CK(x)                                                                                       \
    do {                                                                                            \
        cudaError_t e_ = (x);                                                                       \
        if (e_ != cudaSuccess) {                                                                    \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #x, cudaGetErrorString(e_));              \
            exit(2);                                                                                \
        }                                                                                           \
    } while (0)

#define REPETITIONS 21
#define GRAPH_CALLS 20

struct timing {
    double median, low, high; // microseconds; low and high: 10th and 90th percentile
};

struct row {
    const char *pattern, *type, *data, *who;
    size_t n;
    int bins; // 0 where there are none
    double bytes; // moved at least, for the rate
    struct timing time;
    int ok; // 1 right, 0 wrong, -1 not a result that is checked
};

static FILE *json;
static int rows_written, rows_wrong;
static cudaStream_t bench_stream;
static cudaEvent_t bench_start, bench_stop;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static struct timing summarize(double *t)
{
    qsort(t, REPETITIONS, sizeof *t, by_value);
    struct timing r = {t[REPETITIONS / 2], t[REPETITIONS / 10], t[REPETITIONS - 1 - REPETITIONS / 10]};
    return r;
}

static double elapsed_us(void)
{
    float ms;
    CK(cudaEventSynchronize(bench_stop));
    CK(cudaEventElapsedTime(&ms, bench_start, bench_stop));
    return ms * 1e3;
}

// call(stream) starts the work once.
template <class F> static struct timing measure(size_t n, F call)
{
    double t[REPETITIONS];
    if (n <= (1u << 22)) {
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        CK(cudaStreamBeginCapture(bench_stream, cudaStreamCaptureModeGlobal));
        for (int i = 0; i < GRAPH_CALLS; i++)
            call(bench_stream);
        CK(cudaStreamEndCapture(bench_stream, &graph));
        CK(cudaGraphInstantiate(&exec, graph, 0));
        for (int i = -3; i < REPETITIONS; i++) {
            CK(cudaEventRecord(bench_start, bench_stream));
            CK(cudaGraphLaunch(exec, bench_stream));
            CK(cudaEventRecord(bench_stop, bench_stream));
            double us = elapsed_us() / GRAPH_CALLS;
            if (i >= 0)
                t[i] = us;
        }
        CK(cudaGraphExecDestroy(exec));
        CK(cudaGraphDestroy(graph));
        return summarize(t);
    }
    for (int i = -3; i < REPETITIONS; i++) {
        CK(cudaEventRecord(bench_start, bench_stream));
        call(bench_stream);
        CK(cudaEventRecord(bench_stop, bench_stream));
        double us = elapsed_us();
        if (i >= 0)
            t[i] = us;
    }
    return summarize(t);
}

static void report(struct row r)
{
    fprintf(json,
            "%s\n  {\"pattern\": \"%s\", \"type\": \"%s\", \"data\": \"%s\", \"who\": \"%s\", \"n\": %zu, "
            "\"bins\": %d, \"median_us\": %.3f, \"p10_us\": %.3f, \"p90_us\": %.3f, \"gb_per_s\": %.1f, "
            "\"ok\": %s}",
            rows_written++ ? "," : "", r.pattern, r.type, r.data, r.who, r.n, r.bins, r.time.median,
            r.time.low, r.time.high, r.bytes / r.time.median / 1e3,
            r.ok < 0 ? "null" : r.ok ? "true" : "false");
    if (r.ok == 0) {
        rows_wrong++;
        printf("WRONG: %s %s %s %s n %zu bins %d\n", r.pattern, r.type, r.data, r.who, r.n, r.bins);
    }
}

#endif
