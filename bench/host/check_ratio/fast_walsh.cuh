// SPDX-License-Identifier: Apache-2.0
// Walsh-Hadamard transform of n floats in place: strides above a chunk by one launch a stage on global
// memory, those within a chunk of 1024 together in shared memory.
#ifndef FAST_WALSH_CUH
#define FAST_WALSH_CUH

#include "../device.h"
#include "../work.h"

#define FW_CHUNK (4 * BLOCK)

__global__ void fw_stage(float *data, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int low = i / stride * stride * 2 + i % stride;
    float p = data[low], q = data[low + stride];
    data[low] = p + q;
    data[low + stride] = p - q;
}

__global__ void fw_chunk(float *data)
{
    __shared__ float part[FW_CHUNK];
    int first = blockIdx.x * FW_CHUNK;
    for (int i = threadIdx.x; i < FW_CHUNK; i += BLOCK)
        part[i] = data[first + i];
    for (int stride = FW_CHUNK / 2; stride > 0; stride /= 2) {
        __syncthreads();
        for (int i = threadIdx.x; i < FW_CHUNK / 2; i += BLOCK) {
            int low = i / stride * stride * 2 + i % stride;
            float p = part[low], q = part[low + stride];
            part[low] = p + q;
            part[low + stride] = p - q;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < FW_CHUNK; i += BLOCK)
        data[first + i] = part[i];
}

static size_t fw_n;
static float *fw_start, *fw_data;

static void fw_prepare(size_t n)
{
    if (n == fw_n)
        return;
    float *host = (float *)must_have(malloc(n * sizeof *host));
    for (size_t i = 0; i < n; i++)
        host[i] = a_at(i);
    device_room(&fw_start, n);
    device_room(&fw_data, n);
    upload(fw_start, host, n);
    free(host);
    fw_n = n;
}

static void fw_reset(void)
{
    CK(cudaMemcpy(fw_data, fw_start, fw_n * sizeof(float), cudaMemcpyDeviceToDevice));
    CK(cudaDeviceSynchronize());
}

static void fw_launch(void)
{
    for (size_t stride = fw_n / 2; stride >= FW_CHUNK; stride /= 2)
        fw_stage<<<(int)(fw_n / 2 / BLOCK), BLOCK>>>(fw_data, (int)stride);
    fw_chunk<<<(int)(fw_n / FW_CHUNK), BLOCK>>>(fw_data);
    finish();
}

// Sixteen coefficients by their definition.
static int fw_is_right(void)
{
    float *result = downloaded(fw_data, fw_n);
    int right = 1;
    for (size_t s = 0; s < 16 && right; s++) {
        size_t k = mixed((uint32_t)s) % fw_n;
        double want = 0;
        for (size_t i = 0; i < fw_n; i++)
            want += __builtin_parityll(i & k) ? -(double)a_at(i) : (double)a_at(i);
        right = fabs((double)result[k] - want) < 1e-2 + 1e-7 * (double)fw_n;
    }
    free(result);
    return right;
}

#endif
