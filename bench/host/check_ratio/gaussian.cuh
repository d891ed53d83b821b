// SPDX-License-Identifier: Apache-2.0
// Gaussian elimination without pivoting on a diagonally heavy system: for each column one launch makes the
// multipliers and one clears the column below the diagonal. Many small launches, uncoalesced columns.
#ifndef GAUSSIAN_CUH
#define GAUSSIAN_CUH

#include "../device.h"
#include "../work.h"

__global__ void ge_multipliers(const float *matrix, float *multiplier, int order, int column)
{
    int row = column + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (row < order)
        multiplier[row] = matrix[row * order + column] / matrix[column * order + column];
}

__global__ void ge_clear(float *matrix, float *right, const float *multiplier, int order, int column)
{
    int x = column + blockIdx.x * blockDim.x + threadIdx.x;
    int y = column + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= order || y >= order)
        return;
    matrix[y * order + x] -= multiplier[y] * matrix[column * order + x];
    if (x == column)
        right[y] -= multiplier[y] * right[column];
}

static size_t ge_n;
static int ge_order;
static float *ge_matrix, *ge_right, *ge_multiplier, *ge_start;

static float ge_entry(size_t row, size_t column)
{
    float value = a_at(row * (size_t)ge_order + column);
    return row == column ? value + (float)ge_order : value;
}

static void ge_prepare(size_t n)
{
    if (n == ge_n)
        return;
    ge_n = n;
    ge_order = (int)matrix_order(n);
    size_t order = (size_t)ge_order, room = order * order + order;
    float *host = (float *)must_have(malloc(room * sizeof *host));
    for (size_t i = 0; i < order * order; i++)
        host[i] = ge_entry(i / order, i % order);
    for (size_t i = 0; i < order; i++)
        host[order * order + i] = b_at(i);
    device_room(&ge_start, room);
    device_room(&ge_matrix, order * order);
    device_room(&ge_right, order);
    device_room(&ge_multiplier, order);
    upload(ge_start, host, room);
    free(host);
}

static void ge_reset(void)
{
    size_t order = (size_t)ge_order, matrix = order * order;
    CK(cudaMemcpy(ge_matrix, ge_start, matrix * sizeof(float), cudaMemcpyDeviceToDevice));
    CK(cudaMemcpy(ge_right, ge_start + matrix, order * sizeof(float), cudaMemcpyDeviceToDevice));
    CK(cudaDeviceSynchronize());
}

static void ge_launch(void)
{
    for (int column = 0; column + 1 < ge_order; column++) {
        int rows = ge_order - column - 1, tiles = rows / MATRIX_TILE + 1;
        ge_multipliers<<<(rows + BLOCK - 1) / BLOCK, BLOCK>>>(ge_matrix, ge_multiplier, ge_order,
                                                              column);
        ge_clear<<<dim3(tiles, tiles), dim3(MATRIX_TILE, MATRIX_TILE)>>>(
            ge_matrix, ge_right, ge_multiplier, ge_order, column);
    }
    finish();
}

// Solves the triangle that is left and puts the solution into the first system.
static int ge_is_right(void)
{
    size_t order = (size_t)ge_order;
    float *matrix = downloaded(ge_matrix, order * order), *side = downloaded(ge_right, order);
    double *x = (double *)must_have(malloc(order * sizeof *x));
    for (size_t i = order; i-- > 0;) {
        x[i] = (double)side[i];
        for (size_t k = i + 1; k < order; k++)
            x[i] -= (double)matrix[i * order + k] * x[k];
        x[i] /= (double)matrix[i * order + i];
    }
    int right = 1;
    for (size_t i = 0; i < order && right; i++) {
        double sum = 0;
        for (size_t k = 0; k < order; k++)
            sum += (double)ge_entry(i, k) * x[k];
        right = fabs(sum - (double)b_at(i)) < 1e-4;
    }
    free(matrix);
    free(side);
    free(x);
    return right;
}

#endif
