// SPDX-License-Identifier: Apache-2.0
// The kernels of cuda.cu in OpenCL, line for line. PoCL 3.1 has no sub-groups, so the lanes of
// reduce_shuffle exchange their values through local memory.
#define TILE 32
#define MATRIX_TILE 16
#define ROWS 8 // of a tile, done at once

kernel void vector_add(global const float *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}

kernel void count_positive(global const float *x, int n, volatile global int *counter)
{
    int i = get_global_id(0);
    if (i < n && x[i] > 0.0f)
        atomic_inc(counter);
}

void sum_tree(local float *shared, int tid)
{
    for (int stride = get_local_size(0) / 2; stride > 0; stride >>= 1) {
        if (tid < stride)
            shared[tid] += shared[tid + stride];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

kernel void reduce_basic(global const float *input, global float *output, int n, local float *shared)
{
    int tid = get_local_id(0);
    int i = get_global_id(0);
    shared[tid] = i < n ? input[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum_tree(shared, tid);
    if (tid == 0)
        output[get_group_id(0)] = shared[0];
}

kernel void reduce_optimized(global const float *input, global float *output, int n,
                             local float *shared)
{
    int tid = get_local_id(0);
    int i = get_global_id(0);
    float value = i < n ? input[i] : 0.0f;
    if (i + (int)get_local_size(0) < n)
        value += input[i + get_local_size(0)];
    shared[tid] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum_tree(shared, tid);
    if (tid == 0)
        output[get_group_id(0)] = shared[0];
}

float warp_sum(local float *lanes, int tid, float value)
{
    for (int offset = 16; offset > 0; offset /= 2) {
        lanes[tid] = value;
        barrier(CLK_LOCAL_MEM_FENCE);
        value += lanes[tid % 32 + offset < 32 ? tid + offset : tid];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return value;
}

kernel void reduce_shuffle(global const float *input, global float *output, int n,
                           local float *lanes)
{
    local float sums[32];
    int tid = get_local_id(0);
    int i = get_global_id(0);
    float value = warp_sum(lanes, tid, i < n ? input[i] : 0.0f);
    if (tid % 32 == 0)
        sums[tid / 32] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    value = warp_sum(lanes, tid, tid < (int)get_local_size(0) / 32 ? sums[tid] : 0.0f);
    if (tid == 0)
        output[get_group_id(0)] = value;
}

kernel void scan_block(global float *output, global const float *input, int n, local float *shared)
{
    int tid = get_local_id(0);
    int i = get_global_id(0);
    shared[tid] = i < n ? input[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int stride = 1; stride < (int)get_local_size(0); stride *= 2) {
        float before = 0.0f;
        if (tid >= stride)
            before = shared[tid - stride];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (tid >= stride)
            shared[tid] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n)
        output[i] = shared[tid];
}

kernel void histogram_global(volatile global int *histogram, global const int *data, int n,
                             int num_bins)
{
    int i = get_global_id(0);
    if (i < n)
        atomic_inc(&histogram[data[i] % num_bins]);
}

kernel void histogram_shared(volatile global int *histogram, global const int *data, int n,
                             int num_bins, volatile local int *counts)
{
    int tid = get_local_id(0);
    int i = get_global_id(0);
    for (int bin = tid; bin < num_bins; bin += get_local_size(0))
        counts[bin] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        atomic_inc(&counts[data[i] % num_bins]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tid < num_bins)
        atomic_add(&histogram[tid], counts[tid]);
}

kernel void transpose(global const float *in, global float *out, int side)
{
    local float tile[TILE][TILE + 1];
    int tx = get_local_id(0), ty = get_local_id(1);
    int x = get_group_id(0) * TILE + tx;
    int y = get_group_id(1) * TILE + ty;
    for (int j = 0; j < TILE; j += ROWS)
        tile[ty + j][tx] = in[(y + j) * side + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * TILE + tx;
    y = get_group_id(0) * TILE + ty;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * side + x] = tile[tx][ty + j];
}

kernel void matrix_product(global const float *a, global const float *b, global float *c, int order)
{
    local float as[MATRIX_TILE][MATRIX_TILE], bs[MATRIX_TILE][MATRIX_TILE];
    int tx = get_local_id(0), ty = get_local_id(1);
    int row = get_group_id(1) * MATRIX_TILE + ty, column = get_group_id(0) * MATRIX_TILE + tx;
    float sum = 0.0f;
    for (int first = 0; first < order; first += MATRIX_TILE) {
        as[ty][tx] = a[row * order + first + tx];
        bs[ty][tx] = b[(first + ty) * order + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < MATRIX_TILE; k++)
            sum += as[ty][k] * bs[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * order + column] = sum;
}
