// SPDX-License-Identifier: Apache-2.0
// What the tool could not do: told at once, counted.
#include "core/trouble.h"

#include <pthread.h> // pthread_mutex_t
#include <stdio.h>   // fprintf

#include "base/arena.h" // wf_xstrdup
#include "base/map.h"   // struct wf_smap

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct wf_smap told; // line -> itself

void wf_trouble_add(const struct wf_err *err, const char *context)
{
    char line[1400], text[1100];
    wf_err_format(err, text, sizeof text);
    snprintf(line, sizeof line, "%s%s%s", context ? context : "", context ? ": " : "", text);
    pthread_mutex_lock(&lock);
    if (!wf_smap_get(&told, line)) {
        char *own = wf_xstrdup(line);
        wf_smap_put(&told, own, own);
        fprintf(stderr, "warpfence: %s\n", line);
    }
    pthread_mutex_unlock(&lock);
}

uint32_t wf_trouble_count(void)
{
    pthread_mutex_lock(&lock);
    uint32_t n = (uint32_t)told.n;
    pthread_mutex_unlock(&lock);
    return n;
}
