// Two histograms, the listing as printed.
#include <stdio.h>
#include <cuda_runtime.h>

// 简单原子直方图
__global__ void simpleHistogram(int *histogram, int *data, int n, int numBins) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        int bin = data[idx] % numBins;
        atomicAdd(&histogram[bin], 1);
    }
}

// 优化的直方图：使用共享内存
__global__ void optimizedHistogram(int *histogram, int *data, int n, int numBins) {
    extern __shared__ int sharedHist[];
    
    int tid = threadIdx.x;
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    
    // 初始化共享内存
    for (int i = tid; i < numBins; i += blockDim.x) {
        sharedHist[i] = 0;
    }
    __syncthreads();
    
    // 累积到共享内存
    if (idx < n) {
        int bin = data[idx] % numBins;
        atomicAdd(&sharedHist[bin], 1);
    }
    __syncthreads();
    
    // 合并到全局内存
    if (tid < numBins) {
        atomicAdd(&histogram[tid], sharedHist[tid]);
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
    int numBins = 256;
    size_t dataSize = n * sizeof(int);
    size_t histSize = numBins * sizeof(int);
    
    int *h_data = (int *)malloc(dataSize);
    int *h_histogram = (int *)calloc(numBins, sizeof(int));
    int *h_histogramOpt = (int *)calloc(numBins, sizeof(int));
    
    for (int i = 0; i < n; i++) {
        h_data[i] = rand() % 1000;
    }
    
    // CPU 参考结果
    for (int i = 0; i < n; i++) {
        h_histogram[h_data[i] % numBins]++;
    }
    
    int *d_data, *d_histogram, *d_histogramOpt;
    CUDA_CHECK(cudaMalloc((void **)&d_data, dataSize));
    CUDA_CHECK(cudaMalloc((void **)&d_histogram, histSize));
    CUDA_CHECK(cudaMalloc((void **)&d_histogramOpt, histSize));
    
    CUDA_CHECK(cudaMemcpy(d_data, h_data, dataSize, cudaMemcpyHostToDevice));
    
    int threadsPerBlock = 256;
    int blocksPerGrid = (n + threadsPerBlock - 1) / threadsPerBlock;
    
    // 测试简单版本
    CUDA_CHECK(cudaMemset(d_histogram, 0, histSize));
    simpleHistogram<<<blocksPerGrid, threadsPerBlock>>>(d_histogram, d_data, n, numBins);
    
    float *h_result = (float *)malloc(histSize);
    CUDA_CHECK(cudaMemcpy(h_result, d_histogram, histSize, cudaMemcpyDeviceToHost));
    
    bool correct = true;
    for (int i = 0; i < numBins; i++) {
        if (h_result[i] != h_histogram[i]) {
            correct = false;
            break;
        }
    }
    printf("Simple histogram: %s\n", correct ? "PASSED" : "FAILED");
    
    // 测试优化版本
    int sharedMemSize = numBins * sizeof(int);
    CUDA_CHECK(cudaMemset(d_histogramOpt, 0, histSize));
    optimizedHistogram<<<blocksPerGrid, threadsPerBlock, sharedMemSize>>>(
        d_histogramOpt, d_data, n, numBins);
    
    CUDA_CHECK(cudaMemcpy(h_result, d_histogramOpt, histSize, cudaMemcpyDeviceToHost));
    
    correct = true;
    for (int i = 0; i < numBins; i++) {
        if (h_result[i] != h_histogram[i]) {
            correct = false;
            break;
        }
    }
    printf("Optimized histogram: %s\n", correct ? "PASSED" : "FAILED");
    
    CUDA_CHECK(cudaFree(d_data));
    CUDA_CHECK(cudaFree(d_histogram));
    CUDA_CHECK(cudaFree(d_histogramOpt));
    free(h_data);
    free(h_histogram);
    free(h_histogramOpt);
    free(h_result);
    
    return 0;
}

// no synchronization fault. Prints FAILED twice although both kernels are right: line 82 reads the
// int counts into float h_result and compares those (exit status is 0 all the same)
// expect: clean
// stdout: Simple histogram: FAILED
// stdout: Optimized histogram: FAILED
