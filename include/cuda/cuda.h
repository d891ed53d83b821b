// SPDX-License-Identifier: Apache-2.0
// Types of the driver interface, for programs that only name them. Its functions are not declared: programs
// that call them are built with nvcc's header and run on our libcuda.so.1.
#ifndef WF_CUDA_DRIVER_H
#define WF_CUDA_DRIVER_H

#ifndef CUDA_VERSION
#define CUDA_VERSION 13000
#endif

typedef unsigned long long CUdeviceptr;
typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;

#endif
