/* SPDX-License-Identifier: MIT */
/* A file is judged by what it is and what stands in it. Its name is asked only after that, and only
 * to refuse it or to find less in it: whoever forges a name gains nothing. */
#include "interop/foreign_layout.h"

#include "core/align.h"
#include "image/layout.h"

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
    SWIFTSHADER_TAIL_BYTES = 15,      /* it asks for so much more than it uses */
};

enum purpose {
    PURPOSE_ANY,
    PURPOSE_DMA_BUF, /* stands in for a dma-buf */
    PURPOSE_NONE,    /* nobody's to import */
};

/* What is known of files by their names; the first that fits counts. */
static const struct named {
    const char *prefix;
    enum purpose purpose;
    unsigned tail_bytes; /* at the end that are not memory */
} names[] = {
    {"/memfd:SwiftShader.Memory", PURPOSE_ANY, SWIFTSHADER_TAIL_BYTES},
    {"/memfd:llvmpipe memory fd", PURPOSE_NONE, 0}, /* without its header, or it would be known */
    {"/memfd:cupipe memory range", PURPOSE_DMA_BUF, 0},
    {"/memfd:cupipe memory", PURPOSE_ANY, CUP_MEMFD_LABEL_BYTES},
    {"/memfd:cupipe", PURPOSE_NONE, 0},
};

static const struct named *find_name(int fd)
{
    static const struct named other = {"", PURPOSE_ANY, 0};
    char path[32], name[64];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    ssize_t length = readlink(path, name, sizeof(name) - 1);
    name[length > 0 ? length : 0] = '\0';
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strncmp(name, names[i].prefix, strlen(names[i].prefix)) == 0)
            return &names[i];
    }
    return &other;
}

/* Finds less in the file than it has, if its end is something else. */
static bool is_for_import(const struct named *named, bool as_dma_buf,
                          struct cup_memfd_location *place)
{
    if (named->purpose == PURPOSE_NONE || (named->purpose == PURPOSE_DMA_BUF && !as_dma_buf) ||
        place->size_bytes <= named->tail_bytes)
        return false;
    place->size_bytes -= named->tail_bytes;
    return true;
}

/* What has no seals is no memory file. What is sealed as Mesa seals its memory, and ours is, may
 * have its header, or may be meant for something else; all others are what they seem to be. */
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
        cup_llvmpipe_file_read(fd, (uint64_t)status.st_size, &file->place))
        return true;
    file->maker = CUP_LAYOUT_SWIFTSHADER;
    file->may_have_tail = !(seals & F_SEAL_SHRINK);
    file->place = (struct cup_memfd_location){0, (uint64_t)status.st_size};
    return file->may_have_tail || is_for_import(find_name(fd), as_dma_buf, &file->place);
}

bool cup_foreign_read_opaque(int fd, struct cup_foreign_file *file)
{
    int saved = errno;
    bool is_read = read_memory(fd, false, file);

    errno = saved;
    return is_read;
}

/* The end of a dma-buf is its size; nothing else can be asked for. */
static bool read_dma_buf(int fd, struct cup_foreign_file *file)
{
    struct statfs system;

    if (fstatfs(fd, &system) != 0 || system.f_type != DMA_BUF_FILE_SYSTEM)
        return read_memory(fd, true, file);
    off_t end = lseek(fd, 0, SEEK_END);
    file->maker = CUP_LAYOUT_SWIFTSHADER;
    file->may_have_tail = false;
    file->place = (struct cup_memfd_location){0, end > 0 ? (uint64_t)end : 0};
    return end > 0;
}

bool cup_foreign_read_dma_buf(int fd, struct cup_foreign_file *file)
{
    int saved = errno;
    bool is_read = read_dma_buf(fd, file);

    errno = saved;
    return is_read;
}

/* Only who wants the last bytes has to know whose file it is. */
bool cup_foreign_holds(int fd, const struct cup_foreign_file *file, uint64_t end)
{
    uint64_t size_bytes = file->place.size_bytes;

    if (end > size_bytes)
        return false;
    if (!file->may_have_tail || size_bytes - end >= SWIFTSHADER_TAIL_BYTES)
        return true;
    int saved = errno;
    unsigned tail_bytes = find_name(fd)->tail_bytes;
    errno = saved;
    return end + tail_bytes <= size_bytes;
}

/* What Mesa takes for the length of a line of the cache: it asks x86 processors, and takes the size
 * of a pointer elsewhere. */
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

static unsigned divide_up(unsigned value, unsigned by)
{
    return (value + by - 1) / by;
}

/* An extent of a level in pixels; see cup_shape_level, which answers in elements. */
static unsigned halved(unsigned extent, unsigned level)
{
    return extent >> level ? extent >> level : 1;
}

/* Elements along an extent that is padded to a multiple of so many pixels. */
static unsigned padded(unsigned pixels, unsigned step, unsigned block)
{
    return divide_up(divide_up(pixels, step) * step, block);
}

static bool is_one_dimensional(const struct cup_shape *shape)
{
    return shape->dimensions == CUP_IMAGE_1D || shape->dimensions == CUP_IMAGE_1D_LAYERED;
}

static bool is_cube(const struct cup_shape *shape)
{
    return shape->dimensions == CUP_IMAGE_CUBE || shape->dimensions == CUP_IMAGE_CUBE_LAYERED;
}

/* Level by level, each with all of its layers. Pixels are padded to 4 x 4, but rows of a 1D image
 * stay alone. */
static uint64_t llvmpipe_boxes(const struct cup_shape *shape, uint64_t address,
                               struct cup_box *boxes)
{
    enum { STEP = 4, LEVEL_ALIGN = 64 };
    uint64_t line = llvmpipe_line_bytes(), offset = 0;
    unsigned block = shape->format->block;

    for (unsigned level = 0; level < shape->levels; level++) {
        struct cup_box *box = &boxes[level];
        unsigned width = halved(shape->width, level), height = halved(shape->height, level);
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

/* Layer by layer, each with all of its levels; slices take multiples of 16 bytes, pixels are padded
 * to 2 x 2. The faces of a cube have a border of one pixel, in which the driver keeps a copy of
 * their neighbours. */
static uint64_t swiftshader_boxes(const struct cup_shape *shape, uint64_t address,
                                  struct cup_box *boxes)
{
    enum { STEP = 2, SLICE_ALIGN = 16 };
    unsigned block = shape->format->block, border = is_cube(shape) ? 1 : 0;
    uint64_t offset = 0;

    for (unsigned level = 0; level < shape->levels; level++) {
        struct cup_box *box = &boxes[level];
        unsigned width = halved(shape->width, level) + 2 * border;
        unsigned height = halved(shape->height, level) + 2 * border;
        cup_box_init(box, shape, level, address + offset);
        box->row_bytes =
            (uint64_t)padded(width, STEP, block * shape->format->pair) * shape->element_bytes;
        box->slice_bytes =
            cup_align_to_step(box->row_bytes * padded(height, STEP, block), SLICE_ALIGN);
        box->base += border * (box->row_bytes + shape->element_bytes);
        offset += box->slice_bytes * halved(shape->depth, level);
    }
    for (unsigned level = 0; level < shape->levels && shape->layers > 1; level++)
        boxes[level].slice_bytes = offset; /* layers are as far apart as one is large */
    return offset * shape->layers;
}

uint64_t cup_foreign_boxes(enum cup_foreign_layout_maker maker, const struct cup_shape *shape,
                           uint64_t address, struct cup_box *boxes)
{
    if (maker == CUP_LAYOUT_LLVMPIPE)
        return llvmpipe_boxes(shape, address, boxes);
    return swiftshader_boxes(shape, address, boxes);
}
