// SPDX-License-Identifier: Apache-2.0
// The C++ forms of runtime calls: typed pointers, symbols by reference, kernels by function
// pointer, the occupancy helpers that the documentation describes in words.
#ifndef WF_CUDA_RUNTIME_TEMPLATES_H
#define WF_CUDA_RUNTIME_TEMPLATES_H

#include "../cuda_runtime_api.h"

template <class T> static inline cudaError_t cudaMalloc(T **p, size_t size)
{
    return cudaMalloc((void **)(void *)p, size);
}
template <class T>
static inline cudaError_t cudaMallocHost(T **p, size_t size, unsigned int flags = 0)
{
    return flags ? cudaHostAlloc((void **)(void *)p, size, flags)
                 : cudaMallocHost((void **)(void *)p, size);
}
template <class T> static inline cudaError_t cudaHostAlloc(T **p, size_t size, unsigned int flags)
{
    return cudaHostAlloc((void **)(void *)p, size, flags);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T **p, size_t size,
                                            unsigned int flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)(void *)p, size, flags);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height)
{
    return cudaMallocPitch((void **)(void *)p, pitch, width, height);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **p, size_t size, cudaStream_t stream)
{
    return cudaMallocAsync((void **)(void *)p, size, stream);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **p, size_t size, cudaMemPool_t pool,
                                          cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)(void *)p, size, pool, stream);
}
template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T **p, size_t size, cudaMemPool_t pool,
                                                  cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)(void *)p, size, pool, stream);
}
template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T **d, void *h, unsigned int flags)
{
    return cudaHostGetDevicePointer((void **)(void *)d, h, flags);
}
static inline __attribute__((unused)) cudaError_t cudaEventCreate(cudaEvent_t *event,
                                                                  unsigned int flags)
{
    return cudaEventCreateWithFlags(event, flags);
}

// Symbols
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count,
                                             size_t offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count,
                                               size_t offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}
template <class T>
static inline cudaError_t
cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count, size_t offset = 0,
                        enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
    return cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}
template <class T>
static inline cudaError_t
cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t count, size_t offset = 0,
                          enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                          cudaStream_t stream = 0)
{
    return cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **p, const T &symbol)
{
    return cudaGetSymbolAddress(p, (const void *)&symbol);
}
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol)
{
    return cudaGetSymbolSize(size, (const void *)&symbol);
}

// Kernels
template <class T>
static inline cudaError_t cudaLaunchKernel(T *func, dim3 grid, dim3 block, void **args,
                                           size_t sharedMem = 0, cudaStream_t stream = 0)
{
    return cudaLaunchKernel((const void *)func, grid, block, args, sharedMem, stream);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *func, dim3 grid, dim3 block, void **args,
                                                      size_t sharedMem = 0, cudaStream_t stream = 0)
{
    return cudaLaunchCooperativeKernel((const void *)func, grid, block, args, sharedMem, stream);
}
template <class... Expected, class... Given>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                             void (*kernel)(Expected...), Given &&...given)
{
    return [&](Expected... values) { // converts each argument to the kernel's own type
        void *args[] = {(void *)&values..., nullptr};
        return cudaLaunchKernelExC(config, (const void *)kernel, args);
    }(static_cast<Given &&>(given)...);
}
template <class T>
static inline cudaError_t cudaFuncSetAttribute(T *func, enum cudaFuncAttribute attr, int value)
{
    return cudaFuncSetAttribute((const void *)func, attr, value);
}
template <class T>
static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, T *func)
{
    return cudaFuncGetAttributes(attr, (const void *)func);
}
template <class T>
static inline cudaError_t cudaFuncSetCacheConfig(T *func, enum cudaFuncCache config)
{
    return cudaFuncSetCacheConfig((const void *)func, config);
}

// Occupancy
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, T func, int block,
                                                                        size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(n, (const void *)func, block,
                                                                  shared, cudaOccupancyDefault);
}
template <class T>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, T func, int block, size_t shared,
                                                       unsigned int flags)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(n, (const void *)func, block,
                                                                  shared, flags);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int *n, T *func,
                                                         const cudaLaunchConfig_t *config)
{
    return cudaOccupancyMaxActiveClusters(n, (const void *)func, config);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *n, T *func,
                                                               const cudaLaunchConfig_t *config)
{
    return cudaOccupancyMaxPotentialClusterSize(n, (const void *)func, config);
}

// The block size, a multiple of the warp size, that puts the most threads on a multiprocessor; the
// largest of several that do. `shared_of` gives the dynamic shared memory of a block size.
template <class T, class F>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block,
                                                                         T func, F shared_of,
                                                                         int limit = 0)
{
    struct cudaFuncAttributes attr;
    int device = 0, sms = 0, best = 0, per_sm = 0;
    cudaError_t e = cudaGetDevice(&device);
    if (e == cudaSuccess)
        e = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (e == cudaSuccess)
        e = cudaFuncGetAttributes(&attr, (const void *)func);
    if (e != cudaSuccess)
        return e;
    if (limit <= 0 || limit > attr.maxThreadsPerBlock)
        limit = attr.maxThreadsPerBlock;
    *grid = *block = 0;
    for (int size = (limit + 31) / 32 * 32; size > 0; size -= 32) {
        int threads = size < limit ? size : limit;
        e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, (const void *)func, threads,
                                                          (size_t)shared_of(threads));
        if (e != cudaSuccess)
            return e;
        if (per_sm * threads > best) {
            best = per_sm * threads;
            *block = threads;
            *grid = per_sm * sms;
        }
    }
    return cudaSuccess;
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T func,
                                                             size_t shared = 0, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        grid, block, func, [=](int) { return shared; }, limit);
}

#endif
