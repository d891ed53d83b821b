// SPDX-License-Identifier: Apache-2.0
// The scan tests as on a GPU without clusters and bulk copies. Results, float bits included, must be those
// of test_scan.
#define WF_NO_CLUSTERS
#define WF_NO_BULK
#include "test_scan.cu"
