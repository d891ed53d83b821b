// SPDX-License-Identifier: Apache-2.0
// The command loop of a rival. Each line of standard input, "JOB N LIMIT_MS MOST", is answered by one line
// of JSON: a warm-up, then launches until LIMIT_MS have passed or MOST are done, at least one, each timed
// by itself. The first answer for a job and size also says whether the result is right. "peak" asks for
// the peak of resident memory. A process that stays alive lets rivals take turns launch by launch.
#ifndef SERVE_H
#define SERVE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct job {
    const char *name;
    void (*prepare)(size_t n); // makes the inputs, unless they are there; called before each answer
    void (*reset)(void);       // before each launch, not timed; may be NULL
    void (*launch)(void);      // returns when the work is done
    int (*is_right)(void);     // after a launch
};

#define MOST_TIMES 64

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void *must_have(void *p)
{
    if (p == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return p;
}

static double launch_timed(const struct job *job)
{
    if (job->reset != NULL)
        job->reset();
    double start = now_ms();
    job->launch();
    return now_ms() - start;
}

static void answer(const struct job *job, size_t n, double limit_ms, int most, int is_new)
{
    job->prepare(n);
    launch_timed(job);
    int ok = is_new ? job->is_right() : 1;
    double times[MOST_TIMES], start = now_ms();
    int count = 0;
    do
        times[count++] = launch_timed(job);
    while (count < most && count < MOST_TIMES && now_ms() - start < limit_ms);
    printf("{\"job\": \"%s\", \"n\": %zu, \"ok\": %s, \"ms\": [", job->name, n, ok ? "true" : "false");
    for (int i = 0; i < count; i++)
        printf("%s%.5f", i ? ", " : "", times[i]);
    printf("]}\n");
}

static void answer_peak(void)
{
    long kib = -1;
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, "VmHWM:", 6) == 0)
            kib = strtol(line + 6, NULL, 10);
    if (status != NULL)
        fclose(status);
    printf("{\"peak_kib\": %ld}\n", kib);
}

static void obey(const char *line, const struct job *jobs, size_t count, size_t *checked_n)
{
    char name[64];
    size_t n;
    double limit_ms;
    int most;
    if (strcmp(line, "peak\n") == 0) {
        answer_peak();
        return;
    }
    if (sscanf(line, "%63s %zu %lf %d", name, &n, &limit_ms, &most) != 4) {
        printf("{\"error\": \"not understood\"}\n");
        return;
    }
    for (size_t i = 0; i < count; i++)
        if (strcmp(jobs[i].name, name) == 0) {
            answer(&jobs[i], n, limit_ms, most, checked_n[i] != n);
            checked_n[i] = n;
            return;
        }
    printf("{\"error\": \"no job %s here\"}\n", name);
}

static int serve(const struct job *jobs, size_t count)
{
    char line[128];
    size_t *checked_n = (size_t *)must_have(calloc(count, sizeof *checked_n));
    while (fgets(line, sizeof line, stdin) != NULL) {
        obey(line, jobs, count, checked_n);
        fflush(stdout);
    }
    free(checked_n);
    return 0;
}

#endif
