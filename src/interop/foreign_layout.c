/* SPDX-License-Identifier: MIT */
/* A file is identified by its type, seals and contents. Its name is used only afterwards, and only
 * to reject the file or to reduce its size, so a forged name gains nothing. */
#include "interop/foreign_layout.h"

#include "core/align.h"
#include "image/layout.h"
#include "image/shape.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum {
    DMA_BUF_FILE_SYSTEM = 0x444d4142, /* "DMAB" */
    SWIFTSHADER_TAIL_BYTES = 15,      /* it allocates this much more than it uses */
};

enum purpose {
    PURPOSE_ANY,
    PURPOSE_DMA_BUF, /* substitutes for a dma-buf */
    PURPOSE_NONE,    /* not importable */
};

/* Properties of files by name; the first match counts. */
static const struct file_rule {
    const char *prefix;
    enum purpose purpose;
    unsigned tail_bytes; /* trailing bytes that are not memory */
} rules[] = {
    {"/memfd:SwiftShader.Memory", PURPOSE_ANY, SWIFTSHADER_TAIL_BYTES},
    /* a valid header would have been recognised before */
    {"/memfd:llvmpipe memory fd", PURPOSE_NONE, 0},
    {"/memfd:cupipe memory range", PURPOSE_DMA_BUF, 0},
    {"/memfd:cupipe memory", PURPOSE_ANY, CUP_MEMFD_LABEL_BYTES},
    {"/memfd:cupipe", PURPOSE_NONE, 0},
};

static const struct file_rule *find_name(int fd)
{
    static const struct file_rule other = {"", PURPOSE_ANY, 0};
    char path[32], name[64];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    ssize_t length = readlink(path, name, sizeof(name) - 1);
    name[length > 0 ? length : 0] = '\0';
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (strncmp(name, rules[i].prefix, strlen(rules[i].prefix)) == 0)
            return &rules[i];
    }
    return &other;
}

/* Rejects files with another purpose and cuts off the trailing bytes. */
static bool is_for_import(const struct file_rule *rule, bool as_dma_buf,
                          struct cup_memfd_location *location)
{
    if (rule->purpose == PURPOSE_NONE || (rule->purpose == PURPOSE_DMA_BUF && !as_dma_buf) ||
        location->size_bytes <= rule->tail_bytes)
        return false;
    location->size_bytes -= rule->tail_bytes;
    return true;
}

/* A file without seals is not a memfd. A file that is sealed as Mesa seals its memory (ours is,
 * too) may have Mesa's header or may serve another purpose; all others consist of memory only. */
static bool read_memory(int fd, bool as_dma_buf, struct cup_foreign_file *file)
{
    struct stat status;
    int seals = fcntl(fd, F_GET_SEALS), mode = fcntl(fd, F_GETFL);

    if (seals < 0 || (seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)) ||
        (mode & O_ACCMODE) != O_RDWR || fstat(fd, &status) != 0 || status.st_size <= 0)
        return false;
    file->maker = CUP_LAYOUT_LLVMPIPE;
    file->may_have_tail = false;
    if ((seals & F_SEAL_SHRINK) &&
        cup_llvmpipe_file_read(fd, (uint64_t)status.st_size, &file->location))
        return true;
    file->maker = CUP_LAYOUT_SWIFTSHADER;
    file->may_have_tail = !(seals & F_SEAL_SHRINK);
    file->location = (struct cup_memfd_location){0, (uint64_t)status.st_size};
    return file->may_have_tail || is_for_import(find_name(fd), as_dma_buf, &file->location);
}

bool cup_foreign_read_opaque(int fd, struct cup_foreign_file *file)
{
    int saved = errno;
    bool is_read = read_memory(fd, false, file);

    errno = saved;
    return is_read;
}

/* A dma-buf has no header and no seals; only its size can be queried. */
static bool read_dma_buf(int fd, struct cup_foreign_file *file)
{
    struct statfs system;

    if (fstatfs(fd, &system) != 0 || system.f_type != DMA_BUF_FILE_SYSTEM)
        return read_memory(fd, true, file);
    off_t end = lseek(fd, 0, SEEK_END);
    file->maker = CUP_LAYOUT_SWIFTSHADER;
    file->may_have_tail = false;
    file->location = (struct cup_memfd_location){0, end > 0 ? (uint64_t)end : 0};
    return end > 0;
}

bool cup_foreign_read_dma_buf(int fd, struct cup_foreign_file *file)
{
    int saved = errno;
    bool is_read = read_dma_buf(fd, file);

    errno = saved;
    return is_read;
}

/* Only a request for the last bytes needs to identify the owner of the file. */
bool cup_foreign_holds(int fd, const struct cup_foreign_file *file, uint64_t end)
{
    uint64_t size_bytes = file->location.size_bytes;

    if (end > size_bytes)
        return false;
    if (!file->may_have_tail || size_bytes - end >= SWIFTSHADER_TAIL_BYTES)
        return true;
    int saved = errno;
    unsigned tail_bytes = find_name(fd)->tail_bytes;
    errno = saved;
    return end + tail_bytes <= size_bytes;
}

/* Mesa's idea of the cache line size: from cpuid on x86, otherwise the size of a pointer. */
static uint64_t llvmpipe_line_bytes(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;

    if (__get_cpuid(1, &a, &b, &c, &d) && (b >> 8 & 0xff))
        return (uint64_t)(b >> 8 & 0xff) * 8;
    return 64;
#else
    return sizeof(void *);
#endif
}

/* Elements along an extent that is padded to a multiple of `step` pixels. */
static unsigned padded(unsigned pixels, unsigned step, unsigned block)
{
    return cup_divide_up(cup_divide_up(pixels, step) * step, block);
}

static bool is_one_dimensional(const struct cup_shape *shape)
{
    return shape->dimensions == CUP_IMAGE_1D || shape->dimensions == CUP_IMAGE_1D_LAYERED;
}

static bool is_cube(const struct cup_shape *shape)
{
    return shape->dimensions == CUP_IMAGE_CUBE || shape->dimensions == CUP_IMAGE_CUBE_LAYERED;
}

/* Levels in sequence, each with all its layers. Extents are padded to 4 x 4 pixels, except the
 * height of 1D images. */
static uint64_t llvmpipe_boxes(const struct cup_shape *shape, uint64_t address,
                               struct cup_box *boxes)
{
    enum { STEP = 4, LEVEL_ALIGN = 64 };
    uint64_t line = llvmpipe_line_bytes(), offset = 0;
    unsigned block = shape->format->block;

    for (unsigned level = 0; level < shape->levels; level++) {
        struct cup_box *box = &boxes[level];
        unsigned width = cup_shape_extent_at(shape->width, level),
                 height = cup_shape_extent_at(shape->height, level);
        uint64_t rows = is_one_dimensional(shape) ? 1 : padded(height, STEP, block);
        cup_box_init(box, shape, level, address + offset);
        box->row_bytes = cup_align_to_step(
            (uint64_t)padded(width, STEP, block * shape->format->pair) * shape->element_bytes,
            line);
        box->slice_bytes = box->row_bytes * rows;
        offset += cup_align_to_step(cup_box_bytes(box), LEVEL_ALIGN);
    }
    return offset;
}

/* Layers in sequence, each with all its levels. Slices are padded to 16 bytes and extents to 2 x 2
 * pixels. Cube faces have a border of one pixel, in which the driver keeps copies of the adjacent
 * faces. */
static uint64_t swiftshader_boxes(const struct cup_shape *shape, uint64_t address,
                                  struct cup_box *boxes)
{
    enum { STEP = 2, SLICE_ALIGN = 16 };
    unsigned block = shape->format->block, border = is_cube(shape) ? 1 : 0;
    uint64_t offset = 0;

    for (unsigned level = 0; level < shape->levels; level++) {
        struct cup_box *box = &boxes[level];
        unsigned width = cup_shape_extent_at(shape->width, level) + 2 * border;
        unsigned height = cup_shape_extent_at(shape->height, level) + 2 * border;
        cup_box_init(box, shape, level, address + offset);
        box->row_bytes =
            (uint64_t)padded(width, STEP, block * shape->format->pair) * shape->element_bytes;
        box->slice_bytes =
            cup_align_to_step(box->row_bytes * padded(height, STEP, block), SLICE_ALIGN);
        box->base += border * (box->row_bytes + shape->element_bytes);
        offset += box->slice_bytes * cup_shape_extent_at(shape->depth, level);
    }
    for (unsigned level = 0; level < shape->levels && shape->layers > 1; level++)
        boxes[level].slice_bytes = offset; /* the stride of layers is the size of a layer */
    return offset * shape->layers;
}

uint64_t cup_foreign_boxes(enum cup_foreign_layout_maker maker, const struct cup_shape *shape,
                           uint64_t address, struct cup_box *boxes)
{
    if (maker == CUP_LAYOUT_LLVMPIPE)
        return llvmpipe_boxes(shape, address, boxes);
    return swiftshader_boxes(shape, address, boxes);
}
