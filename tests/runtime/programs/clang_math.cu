// SPDX-License-Identifier: MIT
// Functions of the device library, which clang links from a toolkit.
#include "check.h"
#include <cmath>

__global__ void compute(const double *in, double *out)
{
    out[0] = sin(in[0]);
    out[1] = pow(in[1], in[0]);
    out[2] = expf((float)in[0]);
    out[3] = __popc((int)in[1]) + max((int)in[0], 7);
}

int main()
{
    double in[2] = {0.5, 3}, out[4], *memory;

    CHECK_CUDA(cudaMalloc((void **)&memory, sizeof in + sizeof out));
    CHECK_CUDA(cudaMemcpy(memory, in, sizeof in, cudaMemcpyHostToDevice));
    compute<<<1, 1>>>(memory, memory + 2);
    CHECK_CUDA(cudaMemcpy(out, memory + 2, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(std::fabs(out[0] - std::sin(0.5)) < 1e-15);
    CHECK(std::fabs(out[1] - std::sqrt(3.0)) < 1e-14);
    CHECK(std::fabs(out[2] - std::exp(0.5)) < 1e-6);
    CHECK(out[3] == 2 + 7);
    return 0;
}
