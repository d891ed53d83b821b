// SPDX-License-Identifier: Apache-2.0
// The device runtime library's functions, as PTX that is linked where NVIDIA's library is named.
#ifndef WF_RT_DEVRT_H
#define WF_RT_DEVRT_H

const char *wf__devrt_text(void);

#endif
