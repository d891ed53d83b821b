// SPDX-License-Identifier: Apache-2.0
// The one device: attributes, limits, flags. Its properties follow from the attributes.
#ifndef WF_RT_DEVICE_H
#define WF_RT_DEVICE_H

#include <stdint.h> // uint64_t

#include "rt/err.h" // enum wf_cu

#define WF_RT_PCI_BUS_ID "0000:00:06.0"

enum wf_rt_attr {
#define WF_ATTR(id, number, value) WF_RT_ATTR_##id = (number),
#include "rt/attr.def"
#undef WF_ATTR
};

// INVALID_VALUE for a number that is no attribute. No context needed.
enum wf_cu wf_rt_device_attr(int attr, int *value);
int wf_rt_device_attr_value(enum wf_rt_attr attr);
const char *wf_rt_device_name(void);
void wf_rt_device_uuid(unsigned char uuid[16]);

enum wf_cu wf_rt_limit_get(int limit, uint64_t *value);
enum wf_cu wf_rt_limit_set(int limit, uint64_t value);
enum wf_cu wf_rt_device_flags_set(unsigned flags);
unsigned wf_rt_device_flags(void);

#endif
