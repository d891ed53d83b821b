// SPDX-License-Identifier: Apache-2.0
// A matrix instruction in a block of 48 threads: its second warp has 16 lanes only.
// expect: warp-mask @14
// allow: warp-mask
// compiler: -arch=sm_90
#include "host.h"

__global__ void part(float *out)
{
    unsigned a = 0x3c003c00, b = 0x3c003c00;
    float d[4], z = 0;
#define MMA(d) asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4}, {%5}, {%6,%6,%6,%6};" \
                            : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) : "r"(a), "r"(b), "f"(z))
    MMA(d);
    out[threadIdx.x] = d[0] + d[3];
}

int main()
{
    Dev<float> out(48);
    part<<<1, 48>>>(out.p);
    puts(out.get()[0] == 16 ? "PASS" : "FAIL");
    return 0;
}
