/* SPDX-License-Identifier: MIT */
/* The kernels of the benchmark that read through textures. textures.ptx beside it is what nvcc makes of
 * them:  nvcc -ptx -arch=sm_75 -O3 -o textures.ptx textures.cu  */

/* A picture, turned: x and y of the source are affine in those of the target. */
extern "C" __global__ void rotate(cudaTextureObject_t picture, uchar4 *out, int width, float cosine,
                                  float sine)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = x - width * 0.5f, v = y - width * 0.5f;
    float4 texel = tex2D<float4>(picture, u * cosine - v * sine + width * 0.5f,
                                 u * sine + v * cosine + width * 0.5f);

    out[y * width + x] = make_uchar4(texel.x * 255.0f + 0.5f, texel.y * 255.0f + 0.5f,
                                     texel.z * 255.0f + 0.5f, texel.w * 255.0f + 0.5f);
}

extern "C" __global__ void read_texture(cudaTextureObject_t picture, float *out, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    out[y * width + x] = tex2D<float>(picture, x + 0.5f, y + 0.5f);
}

extern "C" __global__ void read_array(const float *picture, float *out, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    out[y * width + x] = picture[y * width + x];
}

/* The nearest texel of a picture that is turned; and the same out of an array. */
extern "C" __global__ void turn_texture(cudaTextureObject_t picture, float *out, int width, float cosine,
                                        float sine)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = x - width * 0.5f, v = y - width * 0.5f;

    out[y * width + x] = tex2D<float>(picture, u * cosine - v * sine + width * 0.5f,
                                      u * sine + v * cosine + width * 0.5f);
}

extern "C" __global__ void turn_array(const float *picture, float *out, int width, float cosine, float sine)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = x - width * 0.5f, v = y - width * 0.5f;
    int column = (int)floorf(u * cosine - v * sine + width * 0.5f);
    int row = (int)floorf(u * sine + v * cosine + width * 0.5f);

    column = min(max(column, 0), width - 1);
    row = min(max(row, 0), width - 1);
    out[y * width + x] = picture[row * width + column];
}

/* Pixels of four bytes, as they are and as fractions, row by row and turned; and the same out of an
 * array. */
static __device__ int column_of(void) { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ int row_of(void) { return blockIdx.y * blockDim.y + threadIdx.y; }
static __device__ uchar4 bytes_of(float4 texel)
{
    return make_uchar4(texel.x * 255.0f + 0.5f, texel.y * 255.0f + 0.5f, texel.z * 255.0f + 0.5f,
                       texel.w * 255.0f + 0.5f);
}
static __device__ float4 fractions_of(uchar4 texel)
{
    return make_float4(texel.x / 255.0f, texel.y / 255.0f, texel.z / 255.0f, texel.w / 255.0f);
}
static __device__ float2 turned(int x, int y, int width, float cosine, float sine)
{
    float u = x - width * 0.5f, v = y - width * 0.5f;

    return make_float2(u * cosine - v * sine + width * 0.5f, u * sine + v * cosine + width * 0.5f);
}
static __device__ int cell_of(float2 at, int width)
{
    return min(max((int)floorf(at.y), 0), width - 1) * width + min(max((int)floorf(at.x), 0), width - 1);
}

extern "C" __global__ void read_pixels(cudaTextureObject_t picture, uchar4 *out, int width)
{
    int x = column_of(), y = row_of();

    out[y * width + x] = tex2D<uchar4>(picture, x + 0.5f, y + 0.5f);
}

extern "C" __global__ void read_pixel_array(const uchar4 *picture, uchar4 *out, int width)
{
    int x = column_of(), y = row_of();

    out[y * width + x] = picture[y * width + x];
}

extern "C" __global__ void read_fractions(cudaTextureObject_t picture, uchar4 *out, int width)
{
    int x = column_of(), y = row_of();

    out[y * width + x] = bytes_of(tex2D<float4>(picture, x + 0.5f, y + 0.5f));
}

extern "C" __global__ void read_fraction_array(const uchar4 *picture, uchar4 *out, int width)
{
    int x = column_of(), y = row_of();

    out[y * width + x] = bytes_of(fractions_of(picture[y * width + x]));
}

extern "C" __global__ void turn_pixels(cudaTextureObject_t picture, uchar4 *out, int width, float cosine,
                                       float sine)
{
    int x = column_of(), y = row_of();
    float2 at = turned(x, y, width, cosine, sine);

    out[y * width + x] = tex2D<uchar4>(picture, at.x, at.y);
}

extern "C" __global__ void turn_pixel_array(const uchar4 *picture, uchar4 *out, int width, float cosine,
                                            float sine)
{
    int x = column_of(), y = row_of();

    out[y * width + x] = picture[cell_of(turned(x, y, width, cosine, sine), width)];
}

extern "C" __global__ void turn_fractions(cudaTextureObject_t picture, uchar4 *out, int width, float cosine,
                                          float sine)
{
    int x = column_of(), y = row_of();
    float2 at = turned(x, y, width, cosine, sine);

    out[y * width + x] = bytes_of(tex2D<float4>(picture, at.x, at.y));
}

extern "C" __global__ void turn_fraction_array(const uchar4 *picture, uchar4 *out, int width, float cosine,
                                               float sine)
{
    int x = column_of(), y = row_of();

    out[y * width + x] = bytes_of(fractions_of(picture[cell_of(turned(x, y, width, cosine, sine), width)]));
}

extern "C" __global__ void copy_surface(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width)
{
    int x = column_of(), y = row_of();

    surf2Dwrite(surf2Dread<uchar4>(from, x * 4, y), to, x * 4, y);
}
