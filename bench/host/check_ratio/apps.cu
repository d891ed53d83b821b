// SPDX-License-Identifier: Apache-2.0
// Six small applications on which "check" is measured against "run", beside the kernels of ../cuda.cu.
#include "backprop.cuh"
#include "black_scholes.cuh"
#include "convolution_fft.cuh"
#include "fast_walsh.cuh"
#include "gaussian.cuh"
#include "srad.cuh"

static const struct job jobs[] = {
    {"backprop", bp_prepare, bp_reset, bp_launch, bp_is_right},
    {"gaussian", ge_prepare, ge_reset, ge_launch, ge_is_right},
    {"srad", sr_prepare, NULL, sr_launch, sr_is_right},
    {"black_scholes", bs_prepare, NULL, bs_launch, bs_is_right},
    {"convolution_fft", cf_prepare, NULL, cf_launch, cf_is_right},
    {"fast_walsh", fw_prepare, fw_reset, fw_launch, fw_is_right},
};

int main()
{
    return serve(jobs, sizeof jobs / sizeof jobs[0]);
}
