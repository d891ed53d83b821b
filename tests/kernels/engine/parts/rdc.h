// SPDX-License-Identifier: Apache-2.0
#pragma once
typedef int (*unary)(int);
extern __device__ int there(int x);
extern __device__ int here(int x);
extern __device__ unary pick(int t);
extern __device__ int part_counter;
extern __device__ int shared_by_all;
void launch_part(int *out);
