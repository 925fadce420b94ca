/* SPDX-License-Identifier: MIT */
/* One texture fetch a thread, of each kind. sampling.ptx beside it is what nvcc makes of them:
 * nvcc -ptx -arch=sm_75 -O3 -o sampling.ptx sampling.cu
 *
 * Coordinates are affine in the pixel's; no product is fused with a sum, so that C computes the
 * same. */

struct turn {
    float xx, xy, yx, yy, zx, zy; /* x by column and row of the pixel, and so on */
};

#define PIXEL                                                                                      \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                 \
    float column = i & 2047, row = i >> 11;                                                        \
    float x = __fadd_rn(__fmul_rn(t.xx, column), __fmul_rn(t.xy, row)),                            \
          y = __fadd_rn(__fmul_rn(t.yx, column), __fmul_rn(t.yy, row)),                            \
          z = __fadd_rn(__fmul_rn(t.zx, column), __fmul_rn(t.zy, row));                            \
    (void)x, (void)y, (void)z

static __device__ float sum_of(float v)
{
    return v;
}

static __device__ float sum_of(float4 v)
{
    return v.x + v.y + v.z + v.w;
}

#define FETCH(name, expression)                                                                    \
    extern "C" __global__ void name(cudaTextureObject_t texture, float *out, turn t)               \
    {                                                                                              \
        PIXEL;                                                                                     \
        out[i] = sum_of(expression);                                                               \
    }
FETCH(fetch_1d, tex1D<float>(texture, x))
FETCH(fetch_1d_4, tex1D<float4>(texture, x))
FETCH(fetch_1d_layered_4, tex1DLayered<float4>(texture, x, i & 3))
FETCH(fetch_2d, tex2D<float>(texture, x, y))
FETCH(fetch_2d_4, tex2D<float4>(texture, x, y))
FETCH(fetch_2d_layered_4, tex2DLayered<float4>(texture, x, y, i & 3))
FETCH(fetch_3d, tex3D<float>(texture, x, y, z))
FETCH(fetch_3d_4, tex3D<float4>(texture, x, y, z))
FETCH(fetch_cube_4, texCubemap<float4>(texture, x, y, z))
FETCH(fetch_cube_layered_4, texCubemapLayered<float4>(texture, x, y, z, i & 3))
FETCH(fetch_level_4, tex2DLod<float4>(texture, x, y, z))
FETCH(fetch_gradient_4, tex2DGrad<float4>(texture, x, y, make_float2(z, 0), make_float2(0, z)))
FETCH(gather_4, tex2Dgather<float4>(texture, x, y, 0))
FETCH(fetch_memory, tex1Dfetch<float>(texture, (int)x))
FETCH(fetch_memory_4, tex1Dfetch<float4>(texture, (int)x))

extern "C" __global__ void surface_2d(cudaSurfaceObject_t surface, float *out, turn t)
{
    PIXEL;
    uchar4 texel = surf2Dread<uchar4>(surface, 4 * (int)x, (int)y, cudaBoundaryModeClamp);
    out[i] = texel.x + texel.y + texel.z + texel.w;
}

extern "C" __global__ void surface_3d(cudaSurfaceObject_t surface, float *out, turn t)
{
    PIXEL;
    out[i] = surf3Dread<float>(surface, 4 * (int)x, (int)y, (int)z, cudaBoundaryModeClamp);
}

/* Each thread has a texel of its own. */
extern "C" __global__ void surface_store_2d(cudaSurfaceObject_t surface, float *out, turn t)
{
    PIXEL;
    surf2Dwrite<float>(out[i], surface, 4 * (int)row, (int)column);
}
