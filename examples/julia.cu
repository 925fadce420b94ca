/* SPDX-License-Identifier: MIT */
/* The kernel of julia.c: a Julia set in smooth colours, four samples a pixel. julia.ptx beside it was
 * made of this with  nvcc -ptx -arch=sm_75 julia.cu  */

__device__ float3 colour(float t)
{
    return make_float3(0.5f + 0.5f * __cosf(6.2831853f * (t + 0.60f)),
                       0.5f + 0.5f * __cosf(6.2831853f * (t + 0.68f)),
                       0.5f + 0.5f * __cosf(6.2831853f * (t + 0.80f)));
}

__device__ float3 sample(float x, float y, float cx, float cy, int limit)
{
    int count = 0;
    float square = x * x + y * y;

    while (count < limit && square < 64.0f) {
        float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        square = x * x + y * y;
        count++;
    }
    if (count == limit)
        return make_float3(0.02f, 0.02f, 0.05f);
    return colour(0.035f * (count - __log2f(__log2f(square)) + 4.0f));
}

extern "C" __global__ void julia(uchar4 *pixels, int width, int height, float cx, float cy, int limit)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    float r = 0, g = 0, b = 0;

    if (px >= width || py >= height)
        return;
    for (int i = 0; i < 4; i++) {
        float x = (px + 0.25f + 0.5f * (i & 1) - 0.5f * width) * 3.0f / width;
        float y = (py + 0.25f + 0.5f * (i >> 1) - 0.5f * height) * 3.0f / width;
        float3 c = sample(x, y, cx, cy, limit);
        r += c.x;
        g += c.y;
        b += c.z;
    }
    pixels[py * width + px] = make_uchar4((unsigned char)(63.75f * r), (unsigned char)(63.75f * g),
                                          (unsigned char)(63.75f * b), 255);
}
