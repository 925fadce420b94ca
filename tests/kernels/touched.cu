/* SPDX-License-Identifier: MIT */
/* The kernels of touched.inc. touched.ptx beside it is what nvcc makes of them:
 *   nvcc -ptx -arch=sm_75 -O2 -o touched.ptx touched.cu  */
typedef unsigned int word;

#define KERNEL(name) extern "C" __global__ void name(word *memory, int a, int b, int c)
#define GET(i) memory[i]
#define PUT(i, value) memory[i] = (value)
#define BYTE(i) ((const unsigned char *)memory)[i]
#define ADD(i) atomicAdd(&memory[i], 1)
#define KEEP(value)                                                                                \
    if ((value) == 0x12345678)                                                                     \
    memory[0] = (value)
#define WAIT __syncthreads();
#define NO_UNROLL _Pragma("unroll 1")
#define COLUMN ((int)threadIdx.x)
#define ROW ((int)threadIdx.y)
#define WIDTH ((int)blockDim.x)
#define BLOCK ((int)blockIdx.x)
#define GRID ((int)gridDim.x)
#define THREADS ((int)(blockDim.x * blockDim.y))
#define THREAD ((int)(threadIdx.x + blockDim.x * threadIdx.y))

#include "touched.inc"
