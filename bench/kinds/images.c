/* SPDX-License-Identifier: MIT */
/* Volumes and images: a stencil, convolutions, rays through a 3D texture. */
#include "kinds.h"

#include <string.h>

enum { CUBE = 256, WIDTH = 2048, HEIGHT = 2048, VOLUME = 128, RAYS = 512, STEPS = 256 };

static struct data in, out;
static struct launch launch;
static float weights[49];
static int extent;

static void open_stencil(void)
{
    in = data_of_floats((size_t)CUBE * CUBE * CUBE, -1, 1);
    out = data_create((size_t)CUBE * CUBE * CUBE * sizeof(float));
    launch = (struct launch){kernel_named("images", "stencil7"), {4, 64, 256}, {64, 4, 1}};
    extent = CUBE;
}

static void cuda_stencil(void)
{
    RUN(launch, &in.device, &out.device, &extent);
}

static void stencil(const float *restrict from, float *restrict to, int n)
{
#pragma omp parallel for
    for (int z = 1; z < n - 1; z++)
        for (int y = 1; y < n - 1; y++)
            for (int x = 1; x < n - 1; x++) {
                int i = (z * n + y) * n + x;
                to[i] = 0.4f * from[i] + 0.1f * (from[i - 1] + from[i + 1] + from[i - n] +
                                                 from[i + n] + from[i - n * n] + from[i + n * n]);
            }
}

static void native_stencil(void)
{
    stencil(in.host, out.host, CUBE);
}

static bool agree_closely(void)
{
    return same_floats(out, 1e-5f);
}

static void open_convolution(const char *kernel, struct launch shape)
{
    in = data_of_floats((size_t)WIDTH * HEIGHT, 0, 1);
    out = data_create((size_t)WIDTH * HEIGHT * sizeof(float));
    for (int i = 0; i < 49; i++)
        weights[i] = (float)(i % 5 + 1) / 64;
    set_constant("images", "weights", weights, sizeof weights);
    launch = shape;
    launch.function = kernel_named("images", kernel);
}

static void open_convolution3(void)
{
    open_convolution("convolution3",
                     (struct launch){NULL, {WIDTH / 32, HEIGHT / 8, 1}, {32, 8, 1}});
}

static void open_convolution7(void)
{
    open_convolution("convolution7",
                     (struct launch){NULL, {WIDTH / 16, HEIGHT / 16, 1}, {16, 16, 1}});
}

static void cuda_convolution(void)
{
    static int width = WIDTH, height = HEIGHT;

    RUN(launch, &in.device, &out.device, &width, &height);
}

static int within(int value, int end)
{
    return value < 0 ? 0 : value >= end ? end - 1 : value;
}

static float convolved_at_edge(const float *from, int x, int y, int radius)
{
    float sum = 0;

    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++)
            sum += weights[(dy + radius) * (2 * radius + 1) + dx + radius] *
                   from[within(y + dy, HEIGHT) * WIDTH + within(x + dx, WIDTH)];
    return sum;
}

/* The inside of a row without bounds, its ends with them. */
static inline void convolve(const float *restrict from, float *restrict to, int radius)
{
#pragma omp parallel for
    for (int y = 0; y < HEIGHT; y++) {
        bool is_inside = y >= radius && y < HEIGHT - radius;
        int first = is_inside ? radius : WIDTH, end = is_inside ? WIDTH - radius : WIDTH;

        for (int x = 0; x < first; x++)
            to[y * WIDTH + x] = convolved_at_edge(from, x, y, radius);
#pragma omp simd
        for (int x = first; x < end; x++) {
            float sum = 0;
            for (int dy = -radius; dy <= radius; dy++)
                for (int dx = -radius; dx <= radius; dx++)
                    sum += weights[(dy + radius) * (2 * radius + 1) + dx + radius] *
                           from[(y + dy) * WIDTH + x + dx];
            to[y * WIDTH + x] = sum;
        }
        for (int x = end; x < WIDTH; x++)
            to[y * WIDTH + x] = convolved_at_edge(from, x, y, radius);
    }
}

static void native_convolution3(void)
{
    convolve(in.host, out.host, 1);
}

static void native_convolution7(void)
{
    convolve(in.host, out.host, 3);
}

static CUarray array;
static CUtexObject texture;

static void open_rays(void)
{
    CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = VOLUME,
                                     .Height = VOLUME,
                                     .Depth = VOLUME,
                                     .Format = CU_AD_FORMAT_FLOAT,
                                     .NumChannels = 1};
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CUDA_TEXTURE_DESC reading = {.filterMode = CU_TR_FILTER_MODE_LINEAR,
                                 .flags = CU_TRSF_NORMALIZED_COORDINATES};

    in = data_of_floats((size_t)VOLUME * VOLUME * VOLUME, 0, 1);
    out = data_create((size_t)RAYS * RAYS * sizeof(float));
    must(cuArray3DCreate(&array, &shape));
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = in.host,
                          .srcPitch = VOLUME * sizeof(float),
                          .srcHeight = VOLUME,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = VOLUME * sizeof(float),
                          .Height = VOLUME,
                          .Depth = VOLUME};
    must(cuMemcpy3D(&copy));
    resource.res.array.hArray = array;
    for (int i = 0; i < 3; i++)
        reading.addressMode[i] = CU_TR_ADDRESS_MODE_CLAMP;
    must(cuTexObjectCreate(&texture, &resource, &reading, NULL));
    launch =
        (struct launch){kernel_named("images", "raymarch"), {RAYS / 16, RAYS / 16, 1}, {16, 16, 1}};
}

static void cuda_rays(void)
{
    static int width = RAYS, steps = STEPS;

    RUN(launch, &texture, &out.device, &width, &steps);
}

static float mixed(float a, float b, float weight)
{
    return a + weight * (b - a);
}

/* Linear between eight texels, clamped at the edges. */
static float sampled(const float *volume, float x, float y, float z)
{
    float place[3] = {x * VOLUME - 0.5f, y * VOLUME - 0.5f, z * VOLUME - 0.5f};
    int low[3], high[3];

    for (int i = 0; i < 3; i++) {
        int whole = (int)(place[i] + 1) - 1;
        place[i] -= (float)whole;
        low[i] = within(whole, VOLUME);
        high[i] = within(whole + 1, VOLUME);
    }
    const float *near = volume + low[2] * VOLUME * VOLUME,
                *far = volume + high[2] * VOLUME * VOLUME;
    int above = low[1] * VOLUME, below = high[1] * VOLUME;
    float a = mixed(near[above + low[0]], near[above + high[0]], place[0]);
    float b = mixed(near[below + low[0]], near[below + high[0]], place[0]);
    float c = mixed(far[above + low[0]], far[above + high[0]], place[0]);
    float d = mixed(far[below + low[0]], far[below + high[0]], place[0]);

    return mixed(mixed(a, b, place[1]), mixed(c, d, place[1]), place[2]);
}

static void native_rays(void)
{
    const float *volume = in.host;
    float *to = out.host, dx = 0.2f / STEPS, dy = -0.1f / STEPS, dz = 1.0f / STEPS;

#pragma omp parallel for schedule(dynamic, 8)
    for (int row = 0; row < RAYS; row++)
        for (int column = 0; column < RAYS; column++) {
            float x = ((float)column + 0.5f) / RAYS, y = ((float)row + 0.5f) / RAYS, z = 0;
            float light = 0, left = 1;

            for (int i = 0; i < STEPS && left >= 0.02f; i++) {
                float density = sampled(volume, x, y, z), covered = density * density * 0.1f;
                light += left * covered * density;
                left *= 1 - covered;
                x += dx;
                y += dy;
                z += dz;
            }
            to[row * RAYS + column] = light;
        }
}

/* A texture's weights have 8 bits, C's 24. */
static bool agree_roughly(void)
{
    bool agree = same_floats(out, 0.02f);

    must(cuTexObjectDestroy(texture));
    must(cuArrayDestroy(array));
    return agree;
}

const struct kind image_kinds[] = {
    {"7-point stencil, 256^3", open_stencil, cuda_stencil, native_stencil, agree_closely},
    {"convolution 3 x 3, 2048^2", open_convolution3, cuda_convolution, native_convolution3,
     agree_closely},
    {"convolution 7 x 7, shared memory", open_convolution7, cuda_convolution, native_convolution7,
     agree_closely},
    {"rays through a 3D texture, 512^2", open_rays, cuda_rays, native_rays, agree_roughly},
    {.name = NULL},
};
