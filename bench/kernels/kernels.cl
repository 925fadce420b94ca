/* SPDX-License-Identifier: MIT */
/* The same kernels in OpenCL C, for PoCL. */
__kernel void vecadd(__global const float *a, __global const float *b, __global float *c, int n)
{
    int i = get_global_id(0);

    if (i < n)
        c[i] = a[i] + b[i];
}

__kernel void saxpy(float a, __global const float *x, __global float *y, int n)
{
    int i = get_global_id(0);

    if (i < n)
        y[i] = a * x[i] + y[i];
}

__kernel void matmul(__global const float *a, __global const float *b, __global float *c, int n)
{
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0;

    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

__kernel void matmul_tiled(__global const float *a, __global const float *b, __global float *c, int n)
{
    __local float tile_a[32][32], tile_b[32][32];
    int column = get_global_id(0), row = get_global_id(1);
    int x = get_local_id(0), y = get_local_id(1);
    float sum = 0;

    for (int start = 0; start < n; start += 32) {
        tile_a[y][x] = a[row * n + start + x];
        tile_b[y][x] = b[(start + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 32; k++)
            sum += tile_a[y][k] * tile_b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

__kernel void reduce(__global const float4 *in, __global float *out, int n)
{
    __local float partial[256];
    int x = get_local_id(0), piece = n / 4 / get_num_groups(0);
    __global const float4 *mine = in + (size_t)get_group_id(0) * piece;
    float sum = 0;

    for (int i = x; i < piece; i += get_local_size(0)) {
        float4 four = mine[i];
        sum += (four.x + four.y) + (four.z + four.w);
    }
    partial[x] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        if (x < half_size)
            partial[x] += partial[x + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (x == 0)
        out[get_group_id(0)] = partial[0];
}

__kernel void reduce_plain(__global const float *in, __global float *out, int n)
{
    __local float partial[256];
    int x = get_local_id(0);
    float sum = 0;

    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        sum += in[i];
    partial[x] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        if (x < half_size)
            partial[x] += partial[x + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (x == 0)
        out[get_group_id(0)] = partial[0];
}

__kernel void mandelbrot(__global int *out, int width, int height, int limit)
{
    int px = get_global_id(0), py = get_global_id(1);
    float cx = -2.0f + 3.0f * px / width, cy = -1.5f + 3.0f * py / height;
    float x = 0, y = 0;
    int count = 0;

    while (count < limit && x * x + y * y < 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        count++;
    }
    out[py * width + px] = count;
}

__kernel void nbody(__global const float4 *bodies, __global float4 *forces, int n)
{
    __local float4 tile[256];
    int i = get_global_id(0), x = get_local_id(0);
    float4 me = bodies[i];
    float fx = 0, fy = 0, fz = 0;

    for (int start = 0; start < n; start += 256) {
        tile[x] = bodies[start + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 256; j++) {
            float4 other = tile[j];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float square = dx * dx + dy * dy + dz * dz + 0.01f;
            float inverse = rsqrt(square);
            float scale = other.w * inverse * inverse * inverse;
            fx += dx * scale;
            fy += dy * scale;
            fz += dz * scale;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    forces[i] = (float4)(fx, fy, fz, 0);
}
