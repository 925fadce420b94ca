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
