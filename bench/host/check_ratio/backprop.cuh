// SPDX-License-Identifier: Apache-2.0
// One layer of a neural network, forward and backward: n weights between n/16 inputs and 16 hidden units.
// Blocks of 16x16: products in shared memory, a tree over the inputs, then every weight is moved.
#ifndef BACKPROP_CUH
#define BACKPROP_CUH

#include "../device.h"
#include "../work.h"

#define BP_SIDE 16
#define BP_RATE 0.3f
#define BP_MOMENTUM 0.3f

__global__ void bp_forward(const float *input, const float *weights, float *partial)
{
    __shared__ float node[BP_SIDE];
    __shared__ float product[BP_SIDE][BP_SIDE];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.x * BP_SIDE + ty;
    if (tx == 0)
        node[ty] = input[row];
    __syncthreads();
    product[ty][tx] = weights[row * BP_SIDE + tx] * node[ty];
    __syncthreads();
    for (int step = 1; step < BP_SIDE; step *= 2) {
        if (ty % (2 * step) == 0)
            product[ty][tx] += product[ty + step][tx];
        __syncthreads();
    }
    if (ty == 0)
        partial[blockIdx.x * BP_SIDE + tx] = product[0][tx];
}

__global__ void bp_adjust(const float *input, const float *delta, float *weights, float *change)
{
    int row = blockIdx.x * BP_SIDE + threadIdx.y, i = row * BP_SIDE + threadIdx.x;
    float step = BP_RATE * delta[threadIdx.x] * input[row] + BP_MOMENTUM * change[i];
    weights[i] += step;
    change[i] = step;
}

static size_t bp_n;
static float *bp_input, *bp_weights, *bp_delta, *bp_change, *bp_partial, *bp_start;

static void bp_prepare(size_t n)
{
    if (n == bp_n)
        return;
    float *host = (float *)must_have(malloc(n * sizeof *host));
    for (size_t i = 0; i < n; i++)
        host[i] = a_at(i);
    device_room(&bp_start, n);
    device_room(&bp_weights, n);
    device_room(&bp_change, n);
    device_room(&bp_input, n / BP_SIDE);
    device_room(&bp_partial, n / BP_SIDE);
    device_room(&bp_delta, BP_SIDE);
    upload(bp_start, host, n);
    for (size_t i = 0; i < n / BP_SIDE; i++)
        host[i] = b_at(i);
    upload(bp_input, host, n / BP_SIDE);
    upload(bp_delta, host, BP_SIDE);
    free(host);
    bp_n = n;
}

static void bp_reset(void)
{
    CK(cudaMemcpy(bp_weights, bp_start, bp_n * sizeof(float), cudaMemcpyDeviceToDevice));
    CK(cudaMemset(bp_change, 0, bp_n * sizeof(float)));
    CK(cudaDeviceSynchronize());
}

static void bp_launch(void)
{
    dim3 block(BP_SIDE, BP_SIDE);
    int grid = (int)(bp_n / (BP_SIDE * BP_SIDE));
    bp_forward<<<grid, block>>>(bp_input, bp_weights, bp_partial);
    bp_adjust<<<grid, block>>>(bp_input, bp_delta, bp_weights, bp_change);
    finish();
}

static int bp_is_right(void)
{
    float *partial = downloaded(bp_partial, bp_n / BP_SIDE), *weights = downloaded(bp_weights, bp_n);
    int right = 1;
    for (size_t i = 0; i < bp_n / BP_SIDE && right; i++) {
        size_t first = i / BP_SIDE * BP_SIDE;
        double want = 0;
        for (size_t k = first; k < first + BP_SIDE; k++)
            want += (double)a_at(k * BP_SIDE + i % BP_SIDE) * (double)b_at(k);
        right = fabs((double)partial[i] - want) < 1e-4;
    }
    for (size_t i = 0; i < bp_n && right; i++) {
        double want = (double)a_at(i) +
                      (double)BP_RATE * (double)b_at(i % BP_SIDE) * (double)b_at(i / BP_SIDE);
        right = fabs((double)weights[i] - want) < 1e-4;
    }
    free(partial);
    free(weights);
    return right;
}

#endif
