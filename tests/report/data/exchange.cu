// Read by the golden reports: positions in tests/unit/report/sample.h point here.
__device__ float pick(const float *s, int i)
{
    return s[i & 255];
}

__global__ void exchange(const float *x, float *y, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
	for (int r = 0; r < n; r++) {
		s[t] = x[r * 256 + t]; // 下一轮的写
        /* 读左邻居 */ y[r * 256 + t] = pick(s, t + 255);
    }
}

__global__ void flags(int *flag, int *data)
{
    if (threadIdx.x == 0) atomicAdd(flag, 1); // warpfence: ignore contention: one a block is fine
    // warpfence: ignore race-global, race-scope: the value is a hint
    // only, and nobody relies on it
    *data = 1;
    *data = 2; // warpfence: ignore race-globl: misspelt
    *data = 3; // warpfence: ignore race-global
    int very_long_name_that_goes_on_and_on_0123456789 = flag[0] + flag[1] + flag[2] + flag[3] + flag[4] + flag[5] + flag[6];
    data[very_long_name_that_goes_on_and_on_0123456789] = 0;
}
