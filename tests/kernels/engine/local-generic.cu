// SPDX-License-Identifier: Apache-2.0
// Local memory by a generic address that is one number for all lanes and that was computed in a way (an OR) which hides
// its space: each lane still has bytes of its own there.
// expect: clean
// stdout: PASS
#include <cstdio>

__global__ void twice(unsigned *out)
{
    asm volatile("{\n"
                 ".local .align 8 .b8 kept[48]; .reg .b64 at, both, high, to; .reg .b32 r;\n"
                 "mov.u64 at, kept; cvta.local.u64 at, at;\n"
                 "cvt.u64.u32 both, %0; shl.b64 high, both, 33; or.b64 both, both, high;\n"
                 "st.u64 [at+24], both;\n"
                 "add.u64 at, at, 24; or.b64 at, at, 4; ld.u32 r, [at];\n"
                 "mul.wide.u32 to, %0, 4; add.u64 to, to, %1; st.global.u32 [to], r;\n"
                 "}" ::"r"(threadIdx.x), "l"(out) : "memory");
}

int main()
{
    unsigned *out, got[32], wrong = 0;
    cudaMalloc(&out, sizeof got);
    twice<<<1, 32>>>(out);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < 32; i++)
        wrong += got[i] != 2 * i;
    puts(wrong ? "FAIL" : "PASS");
    cudaFree(out);
    return wrong != 0;
}
