// SPDX-License-Identifier: Apache-2.0
// threadIdx, blockIdx, blockDim, gridDim, warpSize: objects without storage whose members read the
// PTX special registers.
#ifndef WF_CUDA_BUILTIN_VARS_H
#define WF_CUDA_BUILTIN_VARS_H

#include "common.h"

#define WF_SREG(member, builtin)                                                                   \
    __declspec(property(get = wf_get_##member)) unsigned int member;                               \
    WF_MEM static unsigned int wf_get_##member()                                                   \
    {                                                                                              \
        return builtin();                                                                          \
    }
#define WF_SREG3(name, x_, y_, z_)                                                                 \
    struct wf_builtin_##name {                                                                     \
        WF_SREG(x, x_)                                                                             \
        WF_SREG(y, y_)                                                                             \
        WF_SREG(z, z_)                                                                             \
        WF_MEM operator dim3() const                                                               \
        {                                                                                          \
            return dim3(x, y, z);                                                                  \
        }                                                                                          \
        WF_MEM operator uint3() const                                                              \
        {                                                                                          \
            return uint3{x, y, z};                                                                 \
        }                                                                                          \
        wf_builtin_##name(const wf_builtin_##name &) = delete;                                     \
        void operator=(const wf_builtin_##name &) const = delete;                                  \
                                                                                                   \
      private:                                                                                     \
        wf_builtin_##name();                                                                       \
        wf_builtin_##name *operator&() const;                                                      \
    };                                                                                             \
    extern const __device__ __attribute__((weak)) wf_builtin_##name name;

WF_SREG3(threadIdx, __nvvm_read_ptx_sreg_tid_x, __nvvm_read_ptx_sreg_tid_y,
         __nvvm_read_ptx_sreg_tid_z)
WF_SREG3(blockIdx, __nvvm_read_ptx_sreg_ctaid_x, __nvvm_read_ptx_sreg_ctaid_y,
         __nvvm_read_ptx_sreg_ctaid_z)
WF_SREG3(blockDim, __nvvm_read_ptx_sreg_ntid_x, __nvvm_read_ptx_sreg_ntid_y,
         __nvvm_read_ptx_sreg_ntid_z)
WF_SREG3(gridDim, __nvvm_read_ptx_sreg_nctaid_x, __nvvm_read_ptx_sreg_nctaid_y,
         __nvvm_read_ptx_sreg_nctaid_z)

__attribute__((device)) const int warpSize = 32;

#undef WF_SREG3
#undef WF_SREG

#endif
