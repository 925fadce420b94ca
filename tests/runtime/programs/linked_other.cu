// SPDX-License-Identifier: MIT
// The other half of linked_main.cu.
__device__ int shared_counter = 3;

__device__ int twice(int x)
{
    return 2 * x;
}

__global__ void count(int *out)
{
    *out = ++shared_counter;
}

void run_other(int *out)
{
    count<<<1, 1>>>(out);
}
