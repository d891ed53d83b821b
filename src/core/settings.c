// SPDX-License-Identifier: Apache-2.0
// The settings in force and their defaults.
#include "core/settings.h"

static struct wf_settings current = {.hang_ms = 2000, .jit_opt = 2, .dump = ""};

const struct wf_settings *wf_settings(void)
{
    return &current;
}

void wf_settings_set(const struct wf_settings *s)
{
    current = *s;
}
