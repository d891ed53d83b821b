// Scan of one block, the listing without its second loop.
#include <stdio.h>
#include <cuda_runtime.h>

// Hillis-Steele 扫描算法
__global__ void scanKernel(float *output, const float *input, int n) {
    extern __shared__ float sharedData[];
    
    int tid = threadIdx.x;
    int globalIdx = blockIdx.x * blockDim.x + threadIdx.x;
    
    // 加载数据
    if (globalIdx < n) {
        sharedData[tid] = input[globalIdx];
    } else {
        sharedData[tid] = 0.0f;
    }
    __syncthreads();
    
    // Upsweep 阶段
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        float temp = 0.0f;
        if (tid >= stride) {
            temp = sharedData[tid - stride];
        }
        __syncthreads();
        if (tid >= stride) {
            sharedData[tid] += temp;
        }
        __syncthreads();
    }
    
    // 写回结果
    if (globalIdx < n) {
        output[globalIdx] = sharedData[tid];
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
    int n = 1024;
    size_t size = n * sizeof(float);
    
    float *h_input = (float *)malloc(size);
    float *h_output = (float *)malloc(size);
    float *h_expected = (float *)malloc(size);
    
    for (int i = 0; i < n; i++) {
        h_input[i] = 1.0f;
    }
    
    // CPU 参考结果
    h_expected[0] = h_input[0];
    for (int i = 1; i < n; i++) {
        h_expected[i] = h_expected[i-1] + h_input[i];
    }
    
    float *d_input, *d_output;
    CUDA_CHECK(cudaMalloc((void **)&d_input, size));
    CUDA_CHECK(cudaMalloc((void **)&d_output, size));
    
    CUDA_CHECK(cudaMemcpy(d_input, h_input, size, cudaMemcpyHostToDevice));
    
    int threadsPerBlock = 1024;
    int blocksPerGrid = 1;
    int sharedMemSize = threadsPerBlock * sizeof(float);
    
    scanKernel<<<blocksPerGrid, threadsPerBlock, sharedMemSize>>>(d_output, d_input, n);
    CUDA_CHECK(cudaDeviceSynchronize());
    
    CUDA_CHECK(cudaMemcpy(h_output, d_output, size, cudaMemcpyDeviceToHost));
    
    // 验证
    bool correct = true;
    for (int i = 0; i < n; i++) {
        if (fabs(h_output[i] - h_expected[i]) > 1e-3) {
            printf("Mismatch at index %d: got %.0f, expected %.0f\n", 
                   i, h_output[i], h_expected[i]);
            correct = false;
            break;
        }
    }
    printf("Scan result: %s\n", correct ? "PASSED" : "FAILED");
    
    CUDA_CHECK(cudaFree(d_input));
    CUDA_CHECK(cudaFree(d_output));
    free(h_input);
    free(h_output);
    free(h_expected);
    
    return 0;
}

// clean; prints PASSED
// expect: clean
// stdout: Scan result: PASSED
