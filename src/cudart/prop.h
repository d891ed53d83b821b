// SPDX-License-Identifier: Apache-2.0
// The properties of the modelled GPU in the layout of runtime 13.
#ifndef WF_CUDART_PROP_H
#define WF_CUDART_PROP_H

#include "rt/pool_abi.h" // struct abi_location
#include "cudart/abi.h" // struct abi_device_prop

void wf__device_prop(struct abi_device_prop *p);

#endif
