// SPDX-License-Identifier: Apache-2.0
// The kernels whose speed is compared: textbook CUDA, one element a thread, 256 threads a block. Run by
// "warpfence run" and "warpfence check"; kernels.cl holds the same in OpenCL, native.c the same work in C.
#include "device.h"
#include "work.h"

__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void count_positive(const float *x, int n, int *counter)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 0.0f)
        atomicAdd(counter, 1);
}

__device__ void sum_tree(float *shared, int tid)
{
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride)
            shared[tid] += shared[tid + stride];
        __syncthreads();
    }
}

__global__ void reduce_basic(const float *input, float *output, int n)
{
    extern __shared__ float shared[];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    shared[tid] = i < n ? input[i] : 0.0f;
    __syncthreads();
    sum_tree(shared, tid);
    if (tid == 0)
        output[blockIdx.x] = shared[0];
}

// Each block also adds the inputs of the next one, so every input is read twice.
__global__ void reduce_optimized(const float *input, float *output, int n)
{
    extern __shared__ float shared[];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? input[i] : 0.0f;
    if (i + (int)blockDim.x < n)
        value += input[i + blockDim.x];
    shared[tid] = value;
    __syncthreads();
    sum_tree(shared, tid);
    if (tid == 0)
        output[blockIdx.x] = shared[0];
}

__device__ float warp_sum(float value)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffffu, value, offset);
    return value;
}

__global__ void reduce_shuffle(const float *input, float *output, int n)
{
    __shared__ float sums[32];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int warp = tid / 32, lane = tid % 32;
    float value = warp_sum(i < n ? input[i] : 0.0f);
    if (lane == 0)
        sums[warp] = value;
    __syncthreads();
    if (warp == 0) {
        value = warp_sum(tid < (int)blockDim.x / 32 ? sums[lane] : 0.0f);
        if (tid == 0)
            output[blockIdx.x] = value;
    }
}

__global__ void scan_block(float *output, const float *input, int n)
{
    extern __shared__ float shared[];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    shared[tid] = i < n ? input[i] : 0.0f;
    __syncthreads();
    for (int stride = 1; stride < (int)blockDim.x; stride *= 2) {
        float before = 0.0f;
        if (tid >= stride)
            before = shared[tid - stride];
        __syncthreads();
        if (tid >= stride)
            shared[tid] += before;
        __syncthreads();
    }
    if (i < n)
        output[i] = shared[tid];
}

__global__ void histogram_global(int *histogram, const int *data, int n, int num_bins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&histogram[data[i] % num_bins], 1);
}

__global__ void histogram_shared(int *histogram, const int *data, int n, int num_bins)
{
    extern __shared__ int counts[];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int bin = tid; bin < num_bins; bin += blockDim.x)
        counts[bin] = 0;
    __syncthreads();
    if (i < n)
        atomicAdd(&counts[data[i] % num_bins], 1);
    __syncthreads();
    if (tid < num_bins)
        atomicAdd(&histogram[tid], counts[tid]);
}

__global__ void transpose(const float *in, float *out, int side)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += BLOCK / TILE)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * side + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += BLOCK / TILE)
        out[(y + j) * side + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void matrix_product(const float *a, const float *b, float *c, int order)
{
    __shared__ float as[MATRIX_TILE][MATRIX_TILE], bs[MATRIX_TILE][MATRIX_TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * MATRIX_TILE + ty, column = blockIdx.x * MATRIX_TILE + tx;
    float sum = 0.0f;
    for (int first = 0; first < order; first += MATRIX_TILE) {
        as[ty][tx] = a[row * order + first + tx];
        bs[ty][tx] = b[(first + ty) * order + column];
        __syncthreads();
        for (int k = 0; k < MATRIX_TILE; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[row * order + column] = sum;
}

static int n_now, grid;
static float *a, *b, *out;
static int *data, *bins; // bins[0] is the counter of count_positive too

static void prepare(size_t n)
{
    if ((int)n == n_now)
        return;
    float *floats = (float *)must_have(malloc(n * sizeof *floats));
    int *ints = (int *)floats;
    device_room(&a, n);
    device_room(&b, n);
    device_room(&out, n);
    device_room(&data, n);
    device_room(&bins, NUM_BINS);
    for (size_t i = 0; i < n; i++)
        floats[i] = a_at(i);
    upload(a, floats, n);
    for (size_t i = 0; i < n; i++)
        floats[i] = b_at(i);
    upload(b, floats, n);
    for (size_t i = 0; i < n; i++)
        ints[i] = data_at(i);
    upload(data, ints, n);
    CK(cudaMemset(out, 0, n * sizeof *out));
    free(floats);
    n_now = (int)n;
    grid = (int)blocks_of(n);
}

static void clear_bins(void)
{
    CK(cudaMemset(bins, 0, NUM_BINS * sizeof *bins));
    CK(cudaDeviceSynchronize());
}

static void run_vector_add(void)
{
    vector_add<<<grid, BLOCK>>>(a, b, out, n_now);
    finish();
}

static void run_count(void)
{
    count_positive<<<grid, BLOCK>>>(a, n_now, bins);
    finish();
}

static void run_reduce_basic(void)
{
    reduce_basic<<<grid, BLOCK, BLOCK * sizeof(float)>>>(a, out, n_now);
    finish();
}

static void run_reduce_optimized(void)
{
    reduce_optimized<<<grid, BLOCK, BLOCK * sizeof(float)>>>(a, out, n_now);
    finish();
}

static void run_reduce_shuffle(void)
{
    reduce_shuffle<<<grid, BLOCK>>>(a, out, n_now);
    finish();
}

static void run_scan(void)
{
    scan_block<<<grid, BLOCK, BLOCK * sizeof(float)>>>(out, a, n_now);
    finish();
}

static void run_histogram_global(void)
{
    histogram_global<<<grid, BLOCK>>>(bins, data, n_now, NUM_BINS);
    finish();
}

static void run_histogram_shared(void)
{
    histogram_shared<<<grid, BLOCK, NUM_BINS * sizeof(int)>>>(bins, data, n_now, NUM_BINS);
    finish();
}

static void run_transpose(void)
{
    int side = (int)square_side((size_t)n_now);
    transpose<<<dim3(side / TILE, side / TILE), dim3(TILE, BLOCK / TILE)>>>(a, out, side);
    finish();
}

static void run_matrix_product(void)
{
    int order = (int)matrix_order((size_t)n_now), tiles = order / MATRIX_TILE;
    matrix_product<<<dim3(tiles, tiles), dim3(MATRIX_TILE, MATRIX_TILE)>>>(a, b, out, order);
    finish();
}

static int vector_add_is_right(void)
{
    float *result = downloaded(out, n_now);
    int right = is_vector_sum(result, n_now);
    free(result);
    return right;
}

static int count_is_right(void)
{
    int *result = downloaded(bins, 1);
    int right = is_count(result[0], n_now);
    free(result);
    return right;
}

static int sums_are_right(size_t width)
{
    float *result = downloaded(out, grid);
    int right = is_block_sums(result, n_now, width);
    free(result);
    return right;
}

static int block_sums_are_right(void)
{
    return sums_are_right(BLOCK);
}

static int double_sums_are_right(void)
{
    return sums_are_right(2 * BLOCK);
}

static int scan_is_right(void)
{
    float *result = downloaded(out, n_now);
    int right = is_block_scan(result, n_now);
    free(result);
    return right;
}

static int histogram_is_right(void)
{
    int *result = downloaded(bins, NUM_BINS);
    int right = is_histogram(result, n_now);
    free(result);
    return right;
}

static int transpose_is_right(void)
{
    size_t side = square_side(n_now);
    float *result = downloaded(out, side * side);
    int right = is_transposed(result, side);
    free(result);
    return right;
}

static int matrix_product_is_right(void)
{
    size_t order = matrix_order(n_now);
    float *result = downloaded(out, order * order);
    int right = is_product(result, order);
    free(result);
    return right;
}

static const struct job jobs[] = {
    {"vector_add", prepare, NULL, run_vector_add, vector_add_is_right},
    {"count_positive", prepare, clear_bins, run_count, count_is_right},
    {"reduce_basic", prepare, NULL, run_reduce_basic, block_sums_are_right},
    {"reduce_optimized", prepare, NULL, run_reduce_optimized, double_sums_are_right},
    {"reduce_shuffle", prepare, NULL, run_reduce_shuffle, block_sums_are_right},
    {"scan_block", prepare, NULL, run_scan, scan_is_right},
    {"histogram_global", prepare, clear_bins, run_histogram_global, histogram_is_right},
    {"histogram_shared", prepare, clear_bins, run_histogram_shared, histogram_is_right},
    {"transpose", prepare, NULL, run_transpose, transpose_is_right},
    {"matrix_product", prepare, NULL, run_matrix_product, matrix_product_is_right},
};

int main()
{
    return serve(jobs, sizeof jobs / sizeof jobs[0]);
}
