// SPDX-License-Identifier: Apache-2.0
// Lookups in the table of error codes.
#include "rt/err.h"

#include <stddef.h> // NULL

static const struct row {
    int number;
    const char *runtime_name, *driver_name, *words;
} rows[] = {
#define WF_CU(id, number, runtime_name, driver_name, words)                                        \
    {number, runtime_name, driver_name, words},
#include "rt/err.def"
#undef WF_CU
};

static const struct row *find(int number)
{
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].number == number)
            return &rows[i];
    return NULL;
}

const char *wf_rt_error_name(int number)
{
    const struct row *r = find(number);
    return r ? r->runtime_name : NULL;
}

const char *wf_rt_error_driver_name(int number)
{
    const struct row *r = find(number);
    return r && r->driver_name[0] ? r->driver_name : NULL;
}

const char *wf_rt_error_words(int number)
{
    const struct row *r = find(number);
    return r ? r->words : NULL;
}
