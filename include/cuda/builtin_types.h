// SPDX-License-Identifier: Apache-2.0
// Another name of NVIDIA's for what driver_types.h has.
#include "driver_types.h"
