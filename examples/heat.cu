/* SPDX-License-Identifier: MIT */
/* The kernels of mpi_heat.c. A part of the plate is `rows` rows of `width` cells between two more
 * rows, which belong to its neighbours. heat.ptx beside it was made of this with
 *     nvcc -ptx -arch=sm_75 heat.cu  */

/* Each cell becomes the mean of its four neighbours; the columns at both ends keep their heat. */
extern "C" __global__ void heat(float *next, const float *now, int width, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    int at = y * width + x;

    if (x < 1 || x >= width - 1 || y > rows)
        return;
    next[at] = 0.25f * (now[at - width] + now[at - 1] + now[at + 1] + now[at + width]);
}

/* The largest change of a cell. Floats that are not negative have the order of their bits. */
extern "C" __global__ void change(float *most, const float *next, const float *now, int width, int rows)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y + 1;

    if (x < width && y <= rows)
        atomicMax((int *)most, __float_as_int(fabsf(next[y * width + x] - now[y * width + x])));
}
