// SPDX-License-Identifier: Apache-2.0
// Numbers of launch, kernel-node and stream attributes, one list for both interfaces
// (cudaLaunchAttributeID and CUlaunchAttribute_enum; CUDA Runtime API, "Data types used by CUDA
// Runtime"). Those that mean something here; the others, up to the last, are hints. Includes
// nothing: tests compile it beside the compiler's headers.
#ifndef WF_RT_ATTR_H
#define WF_RT_ATTR_H

enum wf_rt_attr {
    WF_RT_ATTR_IGNORE = 0,
    WF_RT_ATTR_COOPERATIVE = 2,
    WF_RT_ATTR_CLUSTER = 4,
    WF_RT_ATTR_PROGRAMMATIC_SERIAL = 6,
    WF_RT_ATTR_PROGRAMMATIC_EVENT = 7,
    WF_RT_ATTR_PRIORITY = 8,
    WF_RT_ATTR_COMPLETION_EVENT = 12,
    WF_RT_ATTR_LAST = 16
};

#define WF_RT_ATTR_BYTES 64 // the union of an attribute's values

#endif
