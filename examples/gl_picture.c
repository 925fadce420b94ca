/* SPDX-License-Identifier: MIT */
/* OpenGL draws a picture into a texture, CUDA changes the texture, and a PNG shows both.
 *
 * It needs no window and no OpenGL headers: EGL is loaded when it runs. A shader draws an evening
 * with hills. CUDA has the texture as an array: it copies the rows of the sky, upside down, into a
 * lake, sets three stamps of the sun, and puts a frame around it, all with copies and memsets.
 *
 *     gl_picture [FILE.png] */
#include "png.h"

#include <cuda.h>
#include <cudaGL.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 960, HEIGHT = 600, HORIZON = 220, FRAME = 12, TILE = 120 };

/* The few functions it takes, and their constants under names of our own. */
#define FUNCTIONS(X)                                                                               \
    X(void *, eglGetPlatformDisplayEXT, (unsigned, void *, const int *))                           \
    X(unsigned, eglInitialize, (void *, int *, int *))                                             \
    X(unsigned, eglBindAPI, (unsigned))                                                            \
    X(void *, eglCreateContext, (void *, void *, void *, const int *))                             \
    X(unsigned, eglMakeCurrent, (void *, void *, void *, void *))                                  \
    X(void, glGenTextures, (int, unsigned *))                                                      \
    X(void, glBindTexture, (unsigned, unsigned))                                                   \
    X(void, glTexParameteri, (unsigned, unsigned, int))                                            \
    X(void, glTexImage2D, (unsigned, int, int, int, int, int, unsigned, unsigned, const void *))   \
    X(void, glGetTexImage, (unsigned, int, unsigned, unsigned, void *))                            \
    X(void, glGenFramebuffers, (int, unsigned *))                                                  \
    X(void, glBindFramebuffer, (unsigned, unsigned))                                               \
    X(void, glFramebufferTexture2D, (unsigned, unsigned, unsigned, unsigned, int))                 \
    X(unsigned, glCreateShader, (unsigned))                                                        \
    X(void, glShaderSource, (unsigned, int, const char *const *, const int *))                     \
    X(void, glCompileShader, (unsigned))                                                           \
    X(unsigned, glCreateProgram, (void))                                                           \
    X(void, glAttachShader, (unsigned, unsigned))                                                  \
    X(void, glLinkProgram, (unsigned))                                                             \
    X(void, glUseProgram, (unsigned))                                                              \
    X(void, glGenVertexArrays, (int, unsigned *))                                                  \
    X(void, glBindVertexArray, (unsigned))                                                         \
    X(void, glViewport, (int, int, int, int))                                                      \
    X(void, glDrawArrays, (unsigned, int, int))                                                    \
    X(unsigned, glGetError, (void))

static struct {
#define DECLARE(result, name, arguments) result(*name) arguments;
    FUNCTIONS(DECLARE)
} gl;

enum {
    SURFACELESS = 0x31DD,
    OPENGL_API = 0x30A2,
    TEXTURE_2D = 0x0DE1,
    TEXTURE_MAX_LEVEL = 0x813D,
    RGBA = 0x1908,
    RGBA8 = 0x8058,
    UNSIGNED_BYTE = 0x1401,
    FRAMEBUFFER = 0x8D40,
    COLOR_ATTACHMENT = 0x8CE0,
    VERTEX_SHADER = 0x8B31,
    FRAGMENT_SHADER = 0x8B30,
    TRIANGLES = 4,
};

static const char vertex_text[] =
    "#version 150\n"
    "void main() {\n"
    "    gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0);\n"
    "}\n";

/* Rows count from the top, as a PNG has them. */
static const char fragment_text[] =
    "#version 150\n"
    "out vec4 color;\n"
    "float noise(vec2 p) { return fract(sin(dot(p, vec2(12.9898, 78.233))) * 43758.5453); }\n"
    "float smooth_noise(vec2 p) {\n"
    "    vec2 i = floor(p), f = smoothstep(0.0, 1.0, fract(p));\n"
    "    return mix(mix(noise(i), noise(i + vec2(1, 0)), f.x),\n"
    "               mix(noise(i + vec2(0, 1)), noise(i + vec2(1, 1)), f.x), f.y);\n"
    "}\n"
    "void main() {\n"
    "    vec2 p = gl_FragCoord.xy;\n"
    "    float up = 1.0 - p.y / 380.0;\n"
    "    vec3 sky = mix(vec3(1.0, 0.55, 0.25), vec3(0.13, 0.12, 0.35), pow(clamp(up, 0.0, 1.0), "
    "0.7));\n"
    "    float sun = distance(p, vec2(620.0, 292.0));\n"
    "    sky += vec3(1.0, 0.7, 0.3) * exp(-sun / 90.0);\n"
    "    sky = mix(sky, vec3(1.0, 0.96, 0.82), smoothstep(46.0, 43.0, sun));\n"
    "    float cloud = 0.0, scale = 1.0;\n"
    "    for (int i = 0; i < 5; i++, scale *= 2.0)\n"
    "        cloud += smooth_noise(p * vec2(0.004, 0.014) * scale) / scale;\n"
    "    sky = mix(sky, vec3(0.95, 0.6, 0.55), 0.55 * smoothstep(0.95, 1.5, cloud));\n"
    "    float hill = 352.0 - 46.0 * smooth_noise(vec2(p.x * 0.006, 3.0))\n"
    "                       - 14.0 * smooth_noise(vec2(p.x * 0.03, 7.0));\n"
    "    sky = mix(sky, vec3(0.10, 0.08, 0.18), smoothstep(hill - 1.0, hill + 1.0, p.y));\n"
    "    color = vec4(sky, 1.0);\n"
    "}\n";

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void check(CUresult result, const char *call)
{
    const char *name = "?";

    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorName(result, &name);
    fail(call, name);
}
#define CHECK(call) check((call), #call)

static void open_opengl(void)
{
    static const int attributes[] = {0x3098, 3, 0x30FB, 3, 0x3038};
    void *library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    void *(*address)(const char *) = NULL;
    void *symbol = library ? dlsym(library, "eglGetProcAddress") : NULL;

    if (!symbol)
        fail("libEGL.so.1", "not here; the package is libegl1");
    memcpy(&address, &symbol, sizeof(symbol));
#define LOAD(result, name, arguments)                                                              \
    symbol = dlsym(library, #name);                                                                \
    symbol = symbol ? symbol : address(#name);                                                     \
    memcpy(&gl.name, &symbol, sizeof(symbol));
    FUNCTIONS(LOAD)
    void *display =
        gl.eglGetPlatformDisplayEXT ? gl.eglGetPlatformDisplayEXT(SURFACELESS, NULL, NULL) : NULL;
    if (!display || !gl.eglInitialize(display, NULL, NULL) || !gl.eglBindAPI(OPENGL_API))
        fail("EGL", "no display without a surface");
    void *context = gl.eglCreateContext(display, NULL, NULL, attributes);
    if (!context || !gl.eglMakeCurrent(display, NULL, NULL, context))
        fail("EGL", "no OpenGL context");
}

static void attach_shader(unsigned program, unsigned kind, const char *text)
{
    unsigned shader = gl.glCreateShader(kind);

    gl.glShaderSource(shader, 1, &text, NULL);
    gl.glCompileShader(shader);
    gl.glAttachShader(program, shader);
}

/* A texture with the picture in it. */
static unsigned draw(void)
{
    unsigned texture, framebuffer, vertices, program = gl.glCreateProgram();

    gl.glGenTextures(1, &texture);
    gl.glBindTexture(TEXTURE_2D, texture);
    gl.glTexParameteri(TEXTURE_2D, TEXTURE_MAX_LEVEL, 0);
    gl.glTexImage2D(TEXTURE_2D, 0, RGBA8, WIDTH, HEIGHT, 0, RGBA, UNSIGNED_BYTE, NULL);
    gl.glGenFramebuffers(1, &framebuffer);
    gl.glBindFramebuffer(FRAMEBUFFER, framebuffer);
    gl.glFramebufferTexture2D(FRAMEBUFFER, COLOR_ATTACHMENT, TEXTURE_2D, texture, 0);
    attach_shader(program, VERTEX_SHADER, vertex_text);
    attach_shader(program, FRAGMENT_SHADER, fragment_text);
    gl.glLinkProgram(program);
    gl.glUseProgram(program);
    gl.glGenVertexArrays(1, &vertices);
    gl.glBindVertexArray(vertices);
    gl.glViewport(0, 0, WIDTH, HEIGHT);
    gl.glDrawArrays(TRIANGLES, 0, 3);
    if (gl.glGetError() != 0)
        fail("OpenGL", "the picture could not be drawn");
    return texture;
}

/* A rectangle of an array to another place of it, by way of device memory. */
static void move(CUarray array, CUdeviceptr scratch, size_t from_x, size_t from_y, size_t to_x,
                 size_t to_y, size_t width, size_t height)
{
    CUDA_MEMCPY2D out = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                         .srcArray = array,
                         .srcXInBytes = from_x * 4,
                         .srcY = from_y,
                         .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                         .dstDevice = scratch,
                         .dstPitch = width * 4,
                         .WidthInBytes = width * 4,
                         .Height = height};
    CUDA_MEMCPY2D in = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                        .srcDevice = scratch,
                        .srcPitch = width * 4,
                        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                        .dstArray = array,
                        .dstXInBytes = to_x * 4,
                        .dstY = to_y,
                        .WidthInBytes = width * 4,
                        .Height = height};

    CHECK(cuMemcpy2D(&out));
    CHECK(cuMemcpy2D(&in));
}

static void paint(CUarray array, CUdeviceptr scratch, unsigned color, size_t x, size_t y,
                  size_t width, size_t height)
{
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = scratch,
                          .srcPitch = width * 4,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .dstXInBytes = x * 4,
                          .dstY = y,
                          .WidthInBytes = width * 4,
                          .Height = height};

    CHECK(cuMemsetD32(scratch, color, width * height));
    CHECK(cuMemcpy2D(&copy));
}

/* Each row of the lake is one of the sky, upside down, and every third one is shifted. */
static void reflect(CUarray array, CUdeviceptr scratch)
{
    for (size_t y = HEIGHT - HORIZON; y < HEIGHT; y++) {
        size_t depth = y - (HEIGHT - HORIZON), shift = y % 3 == 0 ? depth / 8 : 0;
        size_t from = HEIGHT - HORIZON - 1 - depth - depth % 5;
        move(array, scratch, 0, from, shift, y, WIDTH - shift, 1);
        if (shift > 0)
            move(array, scratch, 0, y - 1, 0, y, shift, 1);
    }
}

static void change(CUgraphicsResource resource)
{
    CUdeviceptr scratch, tile;
    CUarray array;

    CHECK(cuMemAlloc(&scratch, (size_t)WIDTH * HEIGHT * 4));
    CHECK(cuMemAlloc(&tile, TILE * TILE * 4));
    CHECK(cuGraphicsMapResources(1, &resource, NULL));
    CHECK(cuGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
    reflect(array, scratch);
    for (unsigned i = 0; i < 3; i++) { /* stamps of the sun, as small pictures of their own */
        size_t x = 60 + i * (TILE + 30);
        paint(array, scratch, 0xffe8f0f4, x - 5, 55, TILE + 10, TILE + 10);
        move(array, tile, 500 + 40 * i, 180 + 40 * i, x, 60, TILE, TILE);
    }
    paint(array, scratch, 0xff30241c, 0, 0, WIDTH, FRAME);
    paint(array, scratch, 0xff30241c, 0, HEIGHT - FRAME, WIDTH, FRAME);
    paint(array, scratch, 0xff30241c, 0, 0, FRAME, HEIGHT);
    paint(array, scratch, 0xff30241c, WIDTH - FRAME, 0, FRAME, HEIGHT);
    CHECK(cuGraphicsUnmapResources(1, &resource, NULL));
    CHECK(cuMemFree(scratch));
    CHECK(cuMemFree(tile));
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "gl_picture.png";
    uint8_t *pixels = malloc((size_t)WIDTH * HEIGHT * 4);
    CUgraphicsResource resource;
    CUcontext context;

    if (!pixels)
        fail("pixels", "no memory");
    CHECK(cuInit(0));
    CHECK(cuDevicePrimaryCtxRetain(&context, 0));
    CHECK(cuCtxSetCurrent(context));
    open_opengl();
    unsigned texture = draw();
    printf("OpenGL drew a sky and hills into a texture of %d x %d\n", WIDTH, HEIGHT);
    CHECK(cuGraphicsGLRegisterImage(&resource, texture, TEXTURE_2D, 0));
    change(resource);
    CHECK(cuGraphicsUnregisterResource(resource));
    printf("CUDA copied the sky into the lake, and set three stamps and a frame\n");
    gl.glBindTexture(TEXTURE_2D, texture);
    gl.glGetTexImage(TEXTURE_2D, 0, RGBA, UNSIGNED_BYTE, pixels);
    if (!png_write(path, pixels, WIDTH, HEIGHT))
        fail(path, "cannot be written");
    printf("the picture of both: %s\n", path);
    free(pixels);
    return 0;
}
