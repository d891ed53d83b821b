// SPDX-License-Identifier: Apache-2.0
// The scan tests with tiles that never wait for the scanner: every tile adds up for itself. Results,
// float bits included, must be those of test_scan.
#define WF_LOOKBACK_PATIENCE 0
#include "test_scan.cu"
