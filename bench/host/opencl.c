// SPDX-License-Identifier: Apache-2.0
// Runs kernels.cl (its path is the argument) on the first OpenCL platform: PoCL, or Oclgrind when started
// under it. Prints the platform's version on standard error.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include "serve.h"
#include "work.h"

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static size_t n_now;
static cl_mem a, b, out, data, bins;

static void must(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: OpenCL error %d\n", what, status);
    exit(2);
}

static cl_mem room(size_t bytes, const void *from)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &status);
    must(status, "clCreateBuffer");
    must(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, from, 0, NULL, NULL),
         "clEnqueueWriteBuffer");
    return buffer;
}

static void *downloaded(cl_mem from, size_t bytes)
{
    void *to = must_have(malloc(bytes));
    must(clEnqueueReadBuffer(queue, from, CL_TRUE, 0, bytes, to, 0, NULL, NULL),
         "clEnqueueReadBuffer");
    return to;
}

static void clear_bins(void)
{
    static const int zero[NUM_BINS];
    must(clEnqueueWriteBuffer(queue, bins, CL_TRUE, 0, sizeof zero, zero, 0, NULL, NULL),
         "clEnqueueWriteBuffer");
}

static void prepare(size_t n)
{
    if (n == n_now)
        return;
    cl_mem *all[] = {&a, &b, &out, &data, &bins};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (*all[i] != NULL)
            must(clReleaseMemObject(*all[i]), "clReleaseMemObject");
    float *floats = must_have(calloc(n, sizeof *floats));
    int *ints = must_have(malloc(n * sizeof *ints));
    out = room(n * sizeof *floats, floats);
    for (size_t i = 0; i < n; i++)
        floats[i] = a_at(i);
    a = room(n * sizeof *floats, floats);
    for (size_t i = 0; i < n; i++)
        floats[i] = b_at(i);
    b = room(n * sizeof *floats, floats);
    for (size_t i = 0; i < n; i++)
        ints[i] = data_at(i);
    data = room(n * sizeof *ints, ints);
    bins = room(NUM_BINS * sizeof *ints, ints);
    free(floats);
    free(ints);
    n_now = n;
}

// The kernel of that name, made once, with these first arguments.
static cl_kernel made(const char *name, const cl_mem *memory, cl_uint count)
{
    static struct {
        const char *name;
        cl_kernel kernel;
    } known[16];
    size_t i = 0;
    while (known[i].name != NULL && strcmp(known[i].name, name) != 0)
        i++;
    if (known[i].name == NULL) {
        cl_int status;
        known[i].name = name;
        known[i].kernel = clCreateKernel(program, name, &status);
        must(status, name);
    }
    for (cl_uint k = 0; k < count; k++)
        must(clSetKernelArg(known[i].kernel, k, sizeof memory[k], &memory[k]), name);
    return known[i].kernel;
}

static void number(cl_kernel kernel, cl_uint at, int value)
{
    must(clSetKernelArg(kernel, at, sizeof value, &value), "number");
}

static void run(cl_kernel kernel, cl_uint dims, const size_t *global, const size_t *local)
{
    must(clEnqueueNDRangeKernel(queue, kernel, dims, NULL, global, local, 0, NULL, NULL),
         "clEnqueueNDRangeKernel");
    must(clFinish(queue), "clFinish");
}

static void run_line(cl_kernel kernel)
{
    size_t local = BLOCK, global = blocks_of(n_now) * BLOCK;
    run(kernel, 1, &global, &local);
}

static void run_vector_add(void)
{
    cl_mem memory[] = {a, b, out};
    cl_kernel kernel = made("vector_add", memory, 3);
    number(kernel, 3, (int)n_now);
    run_line(kernel);
}

static void run_count(void)
{
    cl_kernel kernel = made("count_positive", &a, 1);
    number(kernel, 1, (int)n_now);
    must(clSetKernelArg(kernel, 2, sizeof bins, &bins), "bins");
    run_line(kernel);
}

static void run_shared(const char *name, cl_mem first, cl_mem second)
{
    cl_mem memory[] = {first, second};
    cl_kernel kernel = made(name, memory, 2);
    number(kernel, 2, (int)n_now);
    must(clSetKernelArg(kernel, 3, BLOCK * sizeof(float), NULL), name);
    run_line(kernel);
}

static void run_reduce_basic(void)
{
    run_shared("reduce_basic", a, out);
}

static void run_reduce_optimized(void)
{
    run_shared("reduce_optimized", a, out);
}

static void run_reduce_shuffle(void)
{
    run_shared("reduce_shuffle", a, out);
}

static void run_scan(void)
{
    run_shared("scan_block", out, a);
}

static cl_kernel made_histogram(const char *name)
{
    cl_mem memory[] = {bins, data};
    cl_kernel kernel = made(name, memory, 2);
    number(kernel, 2, (int)n_now);
    number(kernel, 3, NUM_BINS);
    return kernel;
}

static void run_histogram_global(void)
{
    run_line(made_histogram("histogram_global"));
}

static void run_histogram_shared(void)
{
    cl_kernel kernel = made_histogram("histogram_shared");
    must(clSetKernelArg(kernel, 4, NUM_BINS * sizeof(int), NULL), "histogram_shared");
    run_line(kernel);
}

static void run_transpose(void)
{
    size_t side = square_side(n_now);
    size_t local[] = {TILE, BLOCK / TILE}, global[] = {side, side / TILE * (BLOCK / TILE)};
    cl_mem memory[] = {a, out};
    cl_kernel kernel = made("transpose", memory, 2);
    number(kernel, 2, (int)side);
    run(kernel, 2, global, local);
}

static void run_matrix_product(void)
{
    size_t order = matrix_order(n_now);
    size_t local[] = {MATRIX_TILE, MATRIX_TILE}, global[] = {order, order};
    cl_mem memory[] = {a, b, out};
    cl_kernel kernel = made("matrix_product", memory, 3);
    number(kernel, 3, (int)order);
    run(kernel, 2, global, local);
}

static int vector_add_is_right(void)
{
    float *result = downloaded(out, n_now * sizeof *result);
    int right = is_vector_sum(result, n_now);
    free(result);
    return right;
}

static int count_is_right(void)
{
    int *result = downloaded(bins, sizeof *result);
    int right = is_count(*result, n_now);
    free(result);
    return right;
}

static int sums_are_right(size_t width)
{
    float *result = downloaded(out, blocks_of(n_now) * sizeof *result);
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
    return sums_are_right((size_t)2 * BLOCK);
}

static int scan_is_right(void)
{
    float *result = downloaded(out, n_now * sizeof *result);
    int right = is_block_scan(result, n_now);
    free(result);
    return right;
}

static int histogram_is_right(void)
{
    int *result = downloaded(bins, NUM_BINS * sizeof *result);
    int right = is_histogram(result, n_now);
    free(result);
    return right;
}

static int transpose_is_right(void)
{
    size_t side = square_side(n_now);
    float *result = downloaded(out, side * side * sizeof *result);
    int right = is_transposed(result, side);
    free(result);
    return right;
}

static int matrix_product_is_right(void)
{
    size_t order = matrix_order(n_now);
    float *result = downloaded(out, order * order * sizeof *result);
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

static char *whole_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "%s: cannot be opened\n", path);
        exit(2);
    }
    size_t most = (size_t)1 << 20;
    char *text = must_have(calloc(most + 1, 1));
    text[fread(text, 1, most, file)] = 0;
    fclose(file);
    return text;
}

static void open_device(const char *path)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    char version[256] = "";
    must(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    must(clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version, version, NULL),
         "clGetPlatformInfo");
    fprintf(stderr, "%s\n", version);
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    must(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &status);
    must(status, "clCreateCommandQueue");
    char *source = whole_file(path);
    const char *text = source;
    program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    must(status, "clCreateProgramWithSource");
    must(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    free(source);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s kernels.cl\n", argv[0]);
        return 2;
    }
    open_device(argv[1]);
    return serve(jobs, sizeof jobs / sizeof jobs[0]);
}
