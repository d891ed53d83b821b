// SPDX-License-Identifier: Apache-2.0
#ifndef SUM_H
#define SUM_H

#ifdef __cplusplus
extern "C"
#endif
    int
    sum_on_device(const int *in, int n); // n: at most 256

#endif
