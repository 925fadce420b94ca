/* SPDX-License-Identifier: MIT */
/* Tensors whose elements do not lie at strides: ragged ones, packed booleans, four-bit types, and
 * scales in tiles. One walk over all elements serves them: it finds where an element lies, and
 * copies it. */
#include "tensor.h"

#include <math.h>
#include <string.h>

struct walk {
    const struct graph_tensor *tensor;
    const struct dnn_tensor *offsets, *buffer;
    char *memory;
    bool store;
};

static const float e2m1[8] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6};

static double nibble_value(cudnnDataType_t type, unsigned bits)
{
    if (type == CUDNN_DATA_FP4_E2M1)
        return bits & 8 ? -(double)e2m1[bits & 7] : (double)e2m1[bits & 7];
    return type == CUDNN_DATA_INT4 && bits & 8 ? (int)bits - 16 : (int)bits;
}

static unsigned nibble_bits(cudnnDataType_t type, double value)
{
    unsigned best = 0;
    double low = type == CUDNN_DATA_INT4 ? -8 : 0;

    if (type != CUDNN_DATA_FP4_E2M1)
        return (unsigned)(int)fmin(fmax(nearbyint(value), low), low + 15) & 15;
    /* Ties go to the even pattern, which the walk over even patterns first finds. */
    for (unsigned i = 0; i < 8; i++) {
        double distance = fabs(fabs(value) - (double)e2m1[i]);
        double least = fabs(fabs(value) - (double)e2m1[best]);

        if (distance < least || (distance == least && i % 2 == 0))
            best = i;
    }
    return signbit(value) ? best | 8 : best;
}

static int64_t strided(const struct dnn_tensor *view, const int64_t *index)
{
    int64_t at = 0;

    for (int i = 0; i < view->rank; i++)
        at += index[i] * view->strides[i];
    return at;
}

/* Scales of 128 rows by 4 columns form a tile of 512 bytes. Columns are along the dimension with
 * the smallest stride of the last two. */
static int64_t in_tiles(const struct dnn_tensor *view, const int64_t *index)
{
    int last = view->rank - 1, other = view->rank - 2;
    int column = view->strides[last] <= view->strides[other] ? last : other;
    int row = column == last ? other : last;
    int64_t r = index[row], c = index[column];
    int64_t tiles_across = (view->dims[column] + 3) / 4;
    int64_t tiles_down = (view->dims[row] + 127) / 128;
    int64_t matrix = 0;

    for (int i = 0; i < view->rank - 2; i++)
        matrix = matrix * view->dims[i] + index[i];
    return ((matrix * tiles_down + r / 128) * tiles_across + c / 4) * 512 + r % 32 * 16 +
           r / 32 % 4 * 4 + c % 4;
}

/* The element's position in the program's memory; -1: the tensor has no such element. */
static int64_t position(const struct walk *walk, const int64_t *index)
{
    const struct dnn_tensor *view = &walk->tensor->view;

    if (walk->tensor->storage == GRAPH_RAGGED) {
        const struct dnn_tensor *offsets = walk->offsets;
        const char *first = offsets->address;
        size_t bytes = dnn_type_bytes(offsets->type);
        int64_t step = offsets->rank ? offsets->strides[0] : 1;
        int64_t begin = (int64_t)dnn_get(offsets->type, first + (size_t)(index[0] * step) * bytes);
        int64_t end =
            (int64_t)dnn_get(offsets->type, first + (size_t)((index[0] + 1) * step) * bytes);
        int64_t within = strided(view, index) - index[0] * view->strides[0];

        return within < end - begin ? begin + within : -1;
    }
    return walk->tensor->storage == GRAPH_TILES ? in_tiles(view, index) : strided(view, index);
}

static double load_element(const struct walk *walk, int64_t at)
{
    const unsigned char *bytes = (const unsigned char *)walk->memory;
    cudnnDataType_t type = walk->tensor->view.type;

    if (walk->tensor->storage == GRAPH_BITS)
        return bytes[at / 8] >> (at % 8) & 1;
    if (walk->tensor->storage == GRAPH_NIBBLES)
        return nibble_value(type, bytes[at / 2] >> (at % 2 * 4) & 15);
    return dnn_get(type, walk->memory + (size_t)at * dnn_type_bytes(type));
}

static void store_element(const struct walk *walk, int64_t at, double value)
{
    unsigned char *bytes = (unsigned char *)walk->memory;
    cudnnDataType_t type = walk->tensor->view.type;
    unsigned shift, bits, mask;

    if (walk->tensor->storage != GRAPH_BITS && walk->tensor->storage != GRAPH_NIBBLES) {
        dnn_set(type, walk->memory + (size_t)at * dnn_type_bytes(type), value);
        return;
    }
    mask = walk->tensor->storage == GRAPH_BITS ? 1 : 15;
    bits = mask == 1 ? value != 0 : nibble_bits(type, value);
    shift = (unsigned)(mask == 1 ? at % 8 : at % 2 * 4);
    at = mask == 1 ? at / 8 : at / 2;
    bytes[at] = (unsigned char)((bytes[at] & ~(mask << shift)) | bits << shift);
}

static void copy_element(const struct walk *walk, const int64_t *index)
{
    const struct dnn_tensor *buffer = walk->buffer;
    char *plain =
        (char *)buffer->address + (size_t)strided(buffer, index) * dnn_type_bytes(buffer->type);
    int64_t at = position(walk, index);

    if (walk->store && at >= 0)
        store_element(walk, at, dnn_get(buffer->type, plain));
    else if (!walk->store)
        dnn_set(buffer->type, plain, at >= 0 ? load_element(walk, at) : 0);
}

/* Rows of a ragged tensor whose last dimension is contiguous are copied whole. */
static bool copy_row(const struct walk *walk, int64_t *index)
{
    const struct dnn_tensor *view = &walk->tensor->view, *buffer = walk->buffer;
    int last = view->rank - 1;
    size_t bytes = dnn_type_bytes(view->type);
    int64_t first, end;
    char *plain, *packed;

    if (walk->tensor->storage != GRAPH_RAGGED || view->strides[last] != 1 ||
        buffer->strides[last] != 1 || view->type != buffer->type)
        return false;
    index[last] = view->dims[last] - 1;
    end = position(walk, index);
    index[last] = 0;
    first = position(walk, index);
    plain = (char *)buffer->address + (size_t)strided(buffer, index) * bytes;
    packed = walk->memory + (size_t)first * bytes;
    if (first < 0 && !walk->store)
        memset(plain, 0, (size_t)view->dims[last] * bytes);
    if (first < 0)
        return true;
    if (end < 0)
        return false;
    memcpy(walk->store ? packed : plain, walk->store ? plain : packed,
           (size_t)view->dims[last] * bytes);
    return true;
}

static void walk_all(const struct walk *walk)
{
    const struct dnn_tensor *view = &walk->tensor->view;
    int64_t index[DNN_RANK_MOST] = {0};
    int last = view->rank - 1;

    if (!dnn_count(view))
        return;
    for (;;) {
        int i = last - 1;

        if (!copy_row(walk, index))
            for (index[last] = 0; index[last] < view->dims[last]; index[last]++)
                copy_element(walk, index);
        index[last] = 0;
        for (; i >= 0 && ++index[i] == view->dims[i]; i--)
            index[i] = 0;
        if (i < 0)
            return;
    }
}

void graph_storage_load(const struct graph_tensor *tensor, const void *memory,
                        const struct dnn_tensor *offsets, const struct dnn_tensor *buffer)
{
    const struct walk walk = {tensor, offsets, buffer, (char *)memory, false};

    walk_all(&walk);
}

void graph_storage_store(const struct graph_tensor *tensor, void *memory,
                         const struct dnn_tensor *offsets, const struct dnn_tensor *buffer)
{
    const struct walk walk = {tensor, offsets, buffer, memory, true};

    walk_all(&walk);
}

size_t graph_tensor_bytes(const struct graph_tensor *tensor)
{
    size_t count = dnn_count(&tensor->view) ? 1 : 0;

    if (tensor->storage == GRAPH_PLAIN)
        return dnn_span_bytes(&tensor->view) +
               (tensor->is_complex && count ? dnn_type_bytes(tensor->view.type) : 0);
    if (tensor->storage == GRAPH_RAGGED || tensor->storage == GRAPH_TILES)
        return count;
    for (int i = 0; i < tensor->view.rank && count; i++)
        count += (size_t)((tensor->view.dims[i] - 1) * tensor->view.strides[i]);
    return tensor->storage == GRAPH_BITS ? (count + 7) / 8 : (count + 1) / 2;
}
