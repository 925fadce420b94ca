/* SPDX-License-Identifier: MIT */
/* Memory that CUDA exports, in OpenGL: a buffer and a texture over it by GL_EXT_memory_object_fd,
 * on Mesa's software driver without a window. */
#include "test.h"

#include "external.h"
#include "images.h"
#include "virtual.h"

#include <EGL/egl.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <dlfcn.h>

#define PLATFORM_SURFACELESS_MESA 0x31DD

static struct {
    PFNGLBINDBUFFERPROC BindBuffer;
    PFNGLBUFFERSTORAGEMEMEXTPROC BufferStorageMemEXT;
    PFNGLBUFFERSUBDATAPROC BufferSubData;
    PFNGLCREATEMEMORYOBJECTSEXTPROC CreateMemoryObjectsEXT;
    PFNGLGENBUFFERSPROC GenBuffers;
    PFNGLGETBUFFERSUBDATAPROC GetBufferSubData;
    PFNGLGETSTRINGIPROC GetStringi;
    PFNGLIMPORTMEMORYFDEXTPROC ImportMemoryFdEXT;
    PFNGLTEXSTORAGEMEM2DEXTPROC TexStorageMem2DEXT;
    void (*Finish)(void);
    GLenum (*GetError)(void);
    void (*GetIntegerv)(GLenum name, GLint *value);
    void (*GenTextures)(GLsizei count, GLuint *textures);
    void (*BindTexture)(GLenum target, GLuint texture);
    void (*TexSubImage2D)(GLenum target, GLint level, GLint x, GLint y, GLsizei width,
                          GLsizei height, GLenum format, GLenum type, const void *texels);
    void (*GetTexImage)(GLenum target, GLint level, GLenum format, GLenum type, void *texels);
} gl;

static void *library;

static void *symbol(const char *name)
{
    void *(*get)(const char *name);
    void *found = dlsym(library, "eglGetProcAddress");

    memcpy(&get, &found, sizeof(found));
    return get(name);
}

#define LOAD(name)                                                                                 \
    do {                                                                                           \
        void *found = symbol("gl" #name);                                                          \
        memcpy(&gl.name, &found, sizeof(found));                                                   \
        if (!found)                                                                                \
            skip("OpenGL has no gl" #name);                                                        \
    } while (0)

static void load_functions(void)
{
    LOAD(BindBuffer);
    LOAD(BufferStorageMemEXT);
    LOAD(BufferSubData);
    LOAD(CreateMemoryObjectsEXT);
    LOAD(GenBuffers);
    LOAD(GetBufferSubData);
    LOAD(GetStringi);
    LOAD(ImportMemoryFdEXT);
    LOAD(TexStorageMem2DEXT);
    LOAD(Finish);
    LOAD(GetError);
    LOAD(GetIntegerv);
    LOAD(GenTextures);
    LOAD(BindTexture);
    LOAD(TexSubImage2D);
    LOAD(GetTexImage);
}

static bool has_extension(const char *wanted)
{
    GLint count = 0;

    gl.GetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; i++) {
        if (strcmp((const char *)gl.GetStringi(GL_EXTENSIONS, (GLuint)i), wanted) == 0)
            return true;
    }
    return false;
}

#define EGL_CALL(name) ((__typeof__(name) *)dlsym(library, #name))

/* A context of OpenGL 4.5, current and without a surface; or the test is skipped. */
static void open_gl(void)
{
    static const EGLint context_wanted[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION,
                                            5, EGL_NONE};

    setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
    library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        skip("there is no EGL (libEGL.so.1)");
    EGLDisplay display =
        EGL_CALL(eglGetPlatformDisplay)(PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (!EGL_CALL(eglInitialize)(display, NULL, NULL) || !EGL_CALL(eglBindAPI)(EGL_OPENGL_API))
        skip("EGL has no display without a window system");
    EGLContext context = EGL_CALL(eglCreateContext)(display, NULL, EGL_NO_CONTEXT, context_wanted);
    if (!context || !EGL_CALL(eglMakeCurrent)(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
        skip("EGL has no context of OpenGL 4.5");
    load_functions();
    if (!has_extension("GL_EXT_memory_object_fd"))
        skip("OpenGL has no GL_EXT_memory_object_fd");
}

enum { SIZE = 2 << 20 };

static int exported(CUdeviceptr *at)
{
    CUmemGenericAllocationHandle handle = create(SIZE, FD_TYPE);
    int fd = -1;

    *at = reserve(SIZE);
    check_success(cuMemMap(*at, SIZE, 0, handle, 0));
    allow(*at, SIZE, READWRITE);
    check_success(cuMemExportToShareableHandle(&fd, handle, FD_TYPE, 0));
    return fd;
}

static GLuint import_object(int fd)
{
    GLuint object = 0;

    gl.CreateMemoryObjectsEXT(1, &object);
    gl.ImportMemoryFdEXT(object, SIZE, GL_HANDLE_TYPE_OPAQUE_FD_EXT, fd);
    check(gl.GetError() == GL_NO_ERROR);
    return object;
}

TEST(opengl_buffer_in_memory_that_cuda_made)
{
    unsigned char *bytes = malloc(SIZE);
    CUdeviceptr at;
    GLuint buffer;

    open_gl();
    with_context();
    GLuint object = import_object(exported(&at));
    gl.GenBuffers(1, &buffer);
    gl.BindBuffer(GL_ARRAY_BUFFER, buffer);
    gl.BufferStorageMemEXT(GL_ARRAY_BUFFER, SIZE, object, 0);
    if (gl.GetError() != GL_NO_ERROR) /* Mesa 22.3 makes none of its own memory either */
        skip("OpenGL makes no buffers in memory objects");
    put_pattern(at, SIZE, 1);
    gl.GetBufferSubData(GL_ARRAY_BUFFER, 0, SIZE, bytes);
    check_made(bytes, SIZE, 1);
    make_bytes(bytes, SIZE, 2);
    gl.BufferSubData(GL_ARRAY_BUFFER, 0, SIZE, bytes);
    gl.Finish();
    check_has_pattern(at, SIZE, 2);
    free(bytes);
}

TEST(opengl_texture_in_memory_that_cuda_made)
{
    enum { WIDTH = 100, HEIGHT = 60, BYTES = WIDTH * HEIGHT * 4 };
    static unsigned char bytes[BYTES];
    CUmipmappedArray mipmap;
    CUarray level;
    CUdeviceptr at;
    GLuint texture;

    open_gl();
    with_context();
    int fd = exported(&at);
    CUexternalMemory memory = import(another(fd), SIZE);
    check_success(try_map_image(&mipmap, memory, 0,
                                describe(WIDTH, HEIGHT, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0), 1));
    check_success(cuMipmappedArrayGetLevel(&level, mipmap, 0));
    GLuint object = import_object(fd);
    gl.GenTextures(1, &texture);
    gl.BindTexture(GL_TEXTURE_2D, texture);
    gl.TexStorageMem2DEXT(GL_TEXTURE_2D, 1, GL_RGBA8, WIDTH, HEIGHT, object, 0);
    check(gl.GetError() == GL_NO_ERROR);
    make_bytes(bytes, BYTES, 1);
    gl.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
    gl.Finish();
    memset(bytes, 0, BYTES);
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          .srcArray = level,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = bytes,
                          .dstPitch = WIDTH * 4,
                          .WidthInBytes = WIDTH * 4,
                          .Height = HEIGHT};
    check_success(cuMemcpy2D(&copy));
    check_made(bytes, BYTES, 1);
    make_bytes(bytes, BYTES, 2);
    CUDA_MEMCPY2D back = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = bytes,
                          .srcPitch = WIDTH * 4,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = level,
                          .WidthInBytes = WIDTH * 4,
                          .Height = HEIGHT};
    check_success(cuMemcpy2D(&back));
    memset(bytes, 0, BYTES);
    gl.GetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
    check_made(bytes, BYTES, 2);
}
