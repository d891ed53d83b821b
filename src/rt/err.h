// SPDX-License-Identifier: Apache-2.0
// Error codes of the runtime. They are CUDA's numbers, so that both shims hand them out unchanged.
#ifndef WF_RT_ERR_H
#define WF_RT_ERR_H

enum wf_cu {
#define WF_CU(id, number, runtime_name, driver_name, words) WF_CU_##id = (number),
#include "rt/err.def"
#undef WF_CU
    WF_CU_NUMBERS // one above the highest
};

// The names of a number; NULL when there is no such code (for the driver's: in that API).
const char *wf_rt_error_name(int number);
const char *wf_rt_error_driver_name(int number);
const char *wf_rt_error_words(int number);

#endif
