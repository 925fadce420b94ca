/* SPDX-License-Identifier: MIT */
/* What the groups about tensor maps share. */
#include "tensor_map.h"
#include "tensor_values.h"

static const int element_bits[16] = {8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 4, 6};
CUtensorMap tensor_map __attribute__((aligned(128)));
uint64_t random_state;

int bits_of(int type)
{
    return type >= 0 && type < 16 ? element_bits[type] : 16;
}

static const char *number_text(uint64_t value)
{
    return value < 1u << 20 ? format("%llu", (unsigned long long)value)
                            : format("0x%llx", (unsigned long long)value);
}

static const char *list64_text(const uint64_t *values, int count)
{
    char text[200] = "";
    for (int i = 0; i < count; i++) {
        if (i)
            strcat(text, "x");
        strcat(text, number_text(values[i]));
    }
    return format("%s", text);
}

static const char *list32_text(const unsigned *values, int count)
{
    uint64_t wide[6];
    for (int i = 0; i < count; i++)
        wide[i] = values[i];
    return list64_text(wide, count);
}

static const char *list_int_text(const int *values, int count)
{
    char text[100] = "";
    for (int i = 0; i < count; i++)
        strcat(text, format(i ? "x%d" : "%d", values[i]));
    return format("%s", text);
}

const char *tensor_name(const struct tensor *tensor)
{
    int dims = tensor->rank > 5 ? 5 : tensor->rank, strides = dims ? dims - 1 : 0,
        corners = dims > 2 ? dims - 2 : 0;
    if (tensor->kind == 0)
        return format("dt%d.r%d.a%llx.d%s.s%s.b%s.e%s.i%d.w%d.l%d.o%d", tensor->type,
                      (int)tensor->rank, (unsigned long long)tensor->address,
                      list64_text(tensor->dims, dims), list64_text(tensor->strides, strides),
                      list32_text(tensor->box, dims), list32_text(tensor->steps, dims),
                      tensor->interleave, tensor->swizzle, tensor->l2, tensor->fill);
    if (tensor->kind == 1)
        return format("dt%d.r%d.a%llx.d%s.s%s.lo%s.hi%s.c%s.p%s.e%s.i%d.w%d.l%d.o%d", tensor->type,
                      (int)tensor->rank, (unsigned long long)tensor->address,
                      list64_text(tensor->dims, dims), list64_text(tensor->strides, strides),
                      list_int_text(tensor->low, corners), list_int_text(tensor->high, corners),
                      number_text(tensor->channels), number_text(tensor->pixels),
                      list32_text(tensor->steps, dims), tensor->interleave, tensor->swizzle,
                      tensor->l2, tensor->fill);
    return format("dt%d.r%d.a%llx.d%s.s%s.lo%d.hi%d.c%s.p%s.e%s.i%d.m%d.w%d.l%d.o%d", tensor->type,
                  (int)tensor->rank, (unsigned long long)tensor->address,
                  list64_text(tensor->dims, dims), list64_text(tensor->strides, strides),
                  tensor->low[0], tensor->high[0], number_text(tensor->channels),
                  number_text(tensor->pixels), list32_text(tensor->steps, dims), tensor->interleave,
                  tensor->mode, tensor->swizzle, tensor->l2, tensor->fill);
}

const char *hex_text(const void *bytes, int count)
{
    const unsigned char *at = bytes;
    char text[300];
    for (int i = 0; i < count; i++)
        sprintf(text + 2 * i, "%02x", at[i]);
    return format("%s", text);
}

const char *map_text(const CUtensorMap *map, CUresult result)
{
    const char *bytes = equal_bytes(map, sizeof *map);
    if (!result)
        return hex_text(map, 128);
    return !strcmp(bytes, "all=a5") ? "kept" : hex_text(map, 128);
}

CUresult tensor_encode(CUtensorMap *map, const struct tensor *tensor)
{
    void *address = (void *)(uintptr_t)tensor->address;
    if (tensor->kind == 0)
        return cuda.cuTensorMapEncodeTiled(
            map, tensor->type, tensor->rank, address, (const cuuint64_t *)tensor->dims,
            (const cuuint64_t *)tensor->strides, tensor->box, tensor->steps, tensor->interleave,
            tensor->swizzle, tensor->l2, tensor->fill);
    if (tensor->kind == 1)
        return cuda.cuTensorMapEncodeIm2col(
            map, tensor->type, tensor->rank, address, (const cuuint64_t *)tensor->dims,
            (const cuuint64_t *)tensor->strides, tensor->low, tensor->high, tensor->channels,
            tensor->pixels, tensor->steps, tensor->interleave, tensor->swizzle, tensor->l2,
            tensor->fill);
    return cuda.cuTensorMapEncodeIm2colWide(
        map, tensor->type, tensor->rank, address, (const cuuint64_t *)tensor->dims,
        (const cuuint64_t *)tensor->strides, tensor->low[0], tensor->high[0], tensor->channels,
        tensor->pixels, tensor->steps, tensor->interleave, tensor->mode, tensor->swizzle,
        tensor->l2, tensor->fill);
}

void check_tensor(const struct tensor *tensor)
{
    const char *text;
    memset(&tensor_map, 0xa5, sizeof tensor_map);
    CHECK_THEN(tensor_name(tensor), tensor_encode(&tensor_map, tensor),
               text = map_text(&tensor_map, result), "%s", text);
}

void strides_fit(struct tensor *tensor)
{ /* strides: rows padded to 32 bytes, the rest dense */
    tensor->strides[0] = (tensor->dims[0] * bits_of(tensor->type) / 8 + 31) / 32 * 32;
    for (int i = 1; i < 5; i++)
        tensor->strides[i] = tensor->strides[i - 1] * tensor->dims[i];
}

void inner_bytes_set(struct tensor *tensor, unsigned bytes)
{
    tensor->box[0] = tensor->channels = bytes * 8 / bits_of(tensor->type);
}

struct tensor tensor_plain(int kind, int type, unsigned rank)
{
    struct tensor tensor;
    memset(&tensor, 0, sizeof tensor);
    tensor.kind = kind;
    tensor.type = type;
    tensor.rank = rank;
    tensor.address = PLAIN_ADDRESS;
    static const uint64_t dims[5] = {256, 32, 16, 8, 4};
    static const unsigned box[5] = {0, 8, 4, 2, 1};
    for (int i = 0; i < 5; i++)
        tensor.dims[i] = dims[i], tensor.box[i] = box[i], tensor.steps[i] = 1;
    tensor.steps[5] = tensor.box[5] = tensor.dims[5] = 1;
    strides_fit(&tensor);
    tensor.pixels = 64;
    if (kind == 2)
        tensor.swizzle = 3;
    if (type >= 13 && type < 16)
        tensor.box[0] = tensor.channels = 128;
    else
        inner_bytes_set(&tensor, 32);
    return tensor;
}

/* ---- tiled ---- */

unsigned random_next(void)
{
    random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
    return random_state >> 33;
}

unsigned random_below(unsigned limit)
{
    return random_next() % limit;
}

uint64_t random_logarithmic(int max_bits)
{
    int b = 1 + random_below(max_bits);
    uint64_t v = ((uint64_t)random_next() << 31) ^ random_next();
    return (v & ((1ull << b) - 1)) + 1;
}

void tensor_random(struct tensor *tensor)
{ /* mostly valid, sometimes one thing wrong */
    tensor->type = random_below(13);
    tensor->address = PLAIN_ADDRESS + 32ull * random_next();
    int e = element_bits[tensor->type];
    for (int i = 0; i < 5; i++)
        tensor->dims[i] = random_logarithmic(random_below(8) ? 14 : 32),
        tensor->steps[i] = random_below(3) ? 1 : 1 + random_below(8);
    tensor->interleave = random_below(4) ? 0 : random_below(3);
    tensor->swizzle = tensor->interleave == 2 ? 1 : random_below(random_below(10) ? 4 : 7);
    tensor->l2 = random_below(4);
    tensor->fill = e >= 16 && tensor->type >= 6 ? random_below(2) : 0;
    unsigned lim = tensor->interleave     ? 256 * e / 8
                   : tensor->swizzle == 0 ? 256 * e / 8
                   : tensor->swizzle == 1 ? 32
                   : tensor->swizzle == 2 ? 64
                                          : 128,
             by = 16 * (1 + random_below(lim / 16));
    tensor->box[0] = tensor->channels = by * 8 / e;
    uint64_t s = (tensor->dims[0] * e / 8 + 31) / 32 * 32;
    for (int i = 0; i < 4; i++) {
        if (!random_below(4))
            s += 32 * random_below(64);
        if (s >= 1ull << 40)
            s = 32 * (1 + random_below(1 << 20));
        tensor->strides[i] = s;
        s *= tensor->dims[i + 1];
    }
}

void tensor_spoil(struct tensor *tensor)
{
    switch (random_below(12)) {
    case 0:
        tensor->address += 1 + random_below(31);
        break;
    case 1:
        tensor->dims[random_below(5)] = dim_values[random_below(COUNT_OF(dim_values))];
        break;
    case 2:
        tensor->strides[random_below(4)] = stride_values[random_below(COUNT_OF(stride_values))];
        break;
    case 3:
        tensor->box[random_below(5)] = box_values[random_below(COUNT_OF(box_values))];
        break;
    case 4:
        tensor->steps[random_below(5)] = step_values[random_below(COUNT_OF(step_values))];
        break;
    case 5:
        tensor->interleave = random_below(4);
        break;
    case 6:
        tensor->swizzle = random_below(8);
        break;
    case 7:
        tensor->l2 = random_below(6);
        break;
    case 8:
        tensor->fill = random_below(3);
        break;
    case 9:
        tensor->type = random_below(18);
        break;
    case 10:
        tensor->rank = random_below(8);
        break;
    default:
        tensor->address ^= 1ull << (47 + random_below(17));
    }
}
