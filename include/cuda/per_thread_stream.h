// SPDX-License-Identifier: Apache-2.0
// With CUDA_API_PER_THREAD_DEFAULT_STREAM stream 0 means the calling thread's own stream: the calls that
// know a stream get their other name (runtime API, "API synchronization behavior", "Stream synchronization").
#ifndef WF_CUDA_PER_THREAD_STREAM_H
#define WF_CUDA_PER_THREAD_STREAM_H

#define cudaMemcpy2D cudaMemcpy2D_ptds
#define cudaMemcpy3D cudaMemcpy3D_ptds
#define cudaMemcpyFromSymbol cudaMemcpyFromSymbol_ptds
#define cudaMemcpyToSymbol cudaMemcpyToSymbol_ptds
#define cudaMemcpy cudaMemcpy_ptds
#define cudaMemset2D cudaMemset2D_ptds
#define cudaMemset3D cudaMemset3D_ptds
#define cudaMemset cudaMemset_ptds

#endif
