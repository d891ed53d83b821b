// Three reductions, the listing as printed.
#include <stdio.h>
#include <cuda_runtime.h>

// 基础归约内核
__global__ void reduceBasic(float *input, float *output, int n) {
    extern __shared__ float sharedData[];
    
    int tid = threadIdx.x;
    int globalIdx = blockIdx.x * blockDim.x + threadIdx.x;
    
    // 加载数据
    sharedData[tid] = (globalIdx < n) ? input[globalIdx] : 0.0f;
    __syncthreads();
    
    // 树形归约
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride) {
            sharedData[tid] += sharedData[tid + stride];
        }
        __syncthreads();
    }
    
    // 写入结果
    if (tid == 0) {
        output[blockIdx.x] = sharedData[0];
    }
}

// 优化的归约：减少同步次数
__global__ void reduceOptimized(float *input, float *output, int n) {
    extern __shared__ float sharedData[];
    
    int tid = threadIdx.x;
    int globalIdx = blockIdx.x * blockDim.x + threadIdx.x;
    
    // 加载数据并在寄存器中进行初步归约
    float val = (globalIdx < n) ? input[globalIdx] : 0.0f;
    if (globalIdx + blockDim.x < n) {
        val += input[globalIdx + blockDim.x];
    }
    
    sharedData[tid] = val;
    __syncthreads();
    
    // 树形归约
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride) {
            sharedData[tid] += sharedData[tid + stride];
        }
        __syncthreads();
    }
    
    if (tid == 0) {
        output[blockIdx.x] = sharedData[0];
    }
}

// 使用 warp shuffle 的归约
__device__ float warpReduceSum(float val) {
    for (int offset = 16; offset > 0; offset /= 2) {
        val += __shfl_down_sync(0xFFFFFFFF, val, offset);
    }
    return val;
}

__global__ void reduceWarpShuffle(float *input, float *output, int n) {
    __shared__ float sharedData[32];
    
    int tid = threadIdx.x;
    int globalIdx = blockIdx.x * blockDim.x + threadIdx.x;
    int warpId = tid / 32;
    int laneId = tid % 32;
    
    float val = (globalIdx < n) ? input[globalIdx] : 0.0f;
    val = warpReduceSum(val);
    
    if (laneId == 0) {
        sharedData[warpId] = val;
    }
    __syncthreads();
    
    if (warpId == 0) {
        val = (tid < blockDim.x / 32) ? sharedData[laneId] : 0.0f;
        val = warpReduceSum(val);
        if (tid == 0) {
            output[blockIdx.x] = val;
        }
    }
}

#define CUDA_CHECK(call) \
    do { \
        cudaError_t err = call; \
        if (err != cudaSuccess) { \
            printf("CUDA error: %s\n", cudaGetErrorString(err)); \
            exit(1); \
        } \
    } while(0)

int main() {
    int n = 1 << 20;
    size_t size = n * sizeof(float);
    
    float *h_input = (float *)malloc(size);
    float expectedSum = 0.0f;
    
    for (int i = 0; i < n; i++) {
        h_input[i] = 1.0f;
        expectedSum += 1.0f;
    }
    
    float *d_input;
    CUDA_CHECK(cudaMalloc((void **)&d_input, size));
    CUDA_CHECK(cudaMemcpy(d_input, h_input, size, cudaMemcpyHostToDevice));
    
    int threadsPerBlock = 256;
    int blocksPerGrid = (n + threadsPerBlock - 1) / threadsPerBlock;
    size_t outputSize = blocksPerGrid * sizeof(float);
    
    float *d_output;
    CUDA_CHECK(cudaMalloc((void **)&d_output, outputSize));
    
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    
    // 测试基础归约
    int sharedMemSize = threadsPerBlock * sizeof(float);
    CUDA_CHECK(cudaEventRecord(start));
    reduceBasic<<<blocksPerGrid, threadsPerBlock, sharedMemSize>>>(d_input, d_output, n);
    CUDA_CHECK(cudaEventRecord(stop));
    CUDA_CHECK(cudaEventSynchronize(stop));
    
    float basicTime = 0;
    CUDA_CHECK(cudaEventElapsedTime(&basicTime, start, stop));
    printf("Basic reduce time: %.3f ms\n", basicTime);
    
    // 测试优化归约
    CUDA_CHECK(cudaEventRecord(start));
    reduceOptimized<<<blocksPerGrid, threadsPerBlock, sharedMemSize>>>(d_input, d_output, n);
    CUDA_CHECK(cudaEventRecord(stop));
    CUDA_CHECK(cudaEventSynchronize(stop));
    
    float optimizedTime = 0;
    CUDA_CHECK(cudaEventElapsedTime(&optimizedTime, start, stop));
    printf("Optimized reduce time: %.3f ms\n", optimizedTime);
    
    // 测试 warp shuffle 归约
    CUDA_CHECK(cudaEventRecord(start));
    reduceWarpShuffle<<<blocksPerGrid, threadsPerBlock, sharedMemSize>>>(d_input, d_output, n);
    CUDA_CHECK(cudaEventRecord(stop));
    CUDA_CHECK(cudaEventSynchronize(stop));
    
    float warpTime = 0;
    CUDA_CHECK(cudaEventElapsedTime(&warpTime, start, stop));
    printf("Warp shuffle reduce time: %.3f ms\n", warpTime);
    
    // 验证结果
    float *h_output = (float *)malloc(outputSize);
    CUDA_CHECK(cudaMemcpy(h_output, d_output, outputSize, cudaMemcpyDeviceToHost));
    
    float sum = 0.0f;
    for (int i = 0; i < blocksPerGrid; i++) {
        sum += h_output[i];
    }
    
    printf("Sum: %.0f (expected: %.0f)\n", sum, expectedSum);
    printf("Verification: %s\n", (fabs(sum - expectedSum) < 1e-3) ? "PASSED" : "FAILED");
    
    CUDA_CHECK(cudaFree(d_input));
    CUDA_CHECK(cudaFree(d_output));
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    free(h_input);
    free(h_output);
    
    return 0;
}

// no synchronization fault. Prints PASSED, but reduceOptimized (lines 37 to 40) is never checked
// and adds most values twice: it is launched with one block per 256 values while each block reads
// 512
// expect: clean
// stdout: Verification: PASSED
