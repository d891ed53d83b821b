// SPDX-License-Identifier: Apache-2.0
// Functions that are not done say so, each once.
#include "core/trouble.h" // wf_trouble_add
#include "cudart/priv.h"

enum wf_cu wf__unsupported(const char *name)
{
    struct wf_err err;
    wf_err_set(&err, WF_E_UNSUPPORTED, "%s is not supported", name);
    wf_trouble_add(&err, NULL); // equal lines are told once
    return WF_CU_NOT_SUPPORTED;
}
