// SPDX-License-Identifier: Apache-2.0
// The runtime interface header in C: it compiles, and sizes and offsets are those of CUDA 13
// (recorded from a program built with NVIDIA's header), because programs built with either must run
// on one library.
#include "../../../include/cuda/cuda_runtime_api.h"

#include "test.h"

WF_TEST(layouts_are_those_of_cuda_13)
{
    CHECK_EQ(sizeof(struct cudaDeviceProp), 1008);
    CHECK_EQ(offsetof(struct cudaDeviceProp, totalGlobalMem), 288);
    CHECK_EQ(offsetof(struct cudaDeviceProp, multiProcessorCount), 384);
    CHECK_EQ(offsetof(struct cudaDeviceProp, l2CacheSize), 596);
    CHECK_EQ(offsetof(struct cudaDeviceProp, sharedMemPerBlockOptin), 672);
    CHECK_EQ(offsetof(struct cudaDeviceProp, clusterLaunch), 748);
    CHECK_EQ(offsetof(struct cudaDeviceProp, hostNumaMultinodeIpcSupported), 780);
    CHECK_EQ(sizeof(struct cudaFuncAttributes), 144);
    CHECK_EQ(offsetof(struct cudaFuncAttributes, numRegs), 28);
    CHECK_EQ(sizeof(struct cudaPointerAttributes), 88);
    CHECK_EQ(sizeof(cudaLaunchAttribute), 72);
    CHECK_EQ(offsetof(cudaLaunchAttribute, val), 8);
    CHECK_EQ(sizeof(cudaLaunchConfig_t), 56);
    CHECK_EQ(offsetof(cudaLaunchConfig_t, attrs), 40);
    CHECK_EQ(sizeof(struct cudaMemcpy3DParms), 160);
    CHECK_EQ(sizeof(struct cudaMemPoolProps), 88);
    CHECK_EQ(sizeof(double4), 32);
    CHECK_EQ(sizeof(long4_32a), 32);
    CHECK_EQ(_Alignof(float4), 16);
    CHECK_EQ(_Alignof(long4_32a), 32);
}

WF_TEST(values_are_those_of_cuda_13)
{
    CHECK_EQ(cudaErrorIllegalAddress, 700);
    CHECK_EQ(cudaErrorLaunchFailure, 719);
    CHECK_EQ(cudaErrorCooperativeLaunchTooLarge, 720);
    CHECK_EQ(cudaDevAttrMultiProcessorCount, 16);
    CHECK_EQ(cudaDevAttrCooperativeLaunch, 95);
    CHECK_EQ(cudaLaunchAttributeCooperative, 2);
    CHECK_EQ(cudaMemcpyDefault, 4);
}
