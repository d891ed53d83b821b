// SPDX-License-Identifier: Apache-2.0
// Only the logs and the wall time have an effect: registers, optimization and targets are the engine's.
#include "rt/err.h" // enum wf_cu

#include <stdio.h>  // snprintf
#include <string.h> // memcpy

#include "cuda/jit.h"

enum {
    WALL_TIME = 2,
    INFO_LOG,
    INFO_LOG_BYTES,
    ERROR_LOG,
    ERROR_LOG_BYTES,
    LAST_OPTION = 40 // newer ones are hints too
};

enum wf_cu wf__jit_check(unsigned n, const int *options, void *const *values)
{
    if (n && (!options || !values))
        return WF_CU_INVALID_VALUE;
    for (unsigned i = 0; i < n; i++)
        if (options[i] < 0 || options[i] > LAST_OPTION)
            return WF_CU_INVALID_VALUE;
    return WF_CU_SUCCESS;
}

static void **find(unsigned n, const int *options, void **values, int option)
{
    for (unsigned i = 0; i < n; i++)
        if (options[i] == option)
            return &values[i];
    return NULL;
}

// A value is passed in the place of a pointer: its low half is the number.
static void put_log(void **buffer, void **bytes, const char *text)
{
    unsigned room = bytes ? (unsigned)(uintptr_t)*bytes : 0;
    size_t n = strlen(text) + (*text != '\0');
    if (buffer && *buffer && room) {
        snprintf(*buffer, room, "%s", text);
        n = n < room ? n : room;
    } else {
        n = 0;
    }
    if (bytes)
        *bytes = (void *)n;
}

bool wf__jit_has_log(unsigned n, const int *options, void *const *values)
{
    for (unsigned i = 0; i < n; i++)
        if (options[i] == ERROR_LOG && values[i])
            return true;
    return false;
}

void wf__jit_log(unsigned n, const int *options, void **values, const struct wf_err *err)
{
    char line[1100] = "";
    if (err)
        wf_err_format(err, line, sizeof line);
    put_log(find(n, options, values, ERROR_LOG), find(n, options, values, ERROR_LOG_BYTES), line);
    put_log(find(n, options, values, INFO_LOG), find(n, options, values, INFO_LOG_BYTES), "");
    void **time = find(n, options, values, WALL_TIME);
    float none = 0;
    if (time)
        memcpy(time, &none, sizeof none);
}
