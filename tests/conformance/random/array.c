/* SPDX-License-Identifier: MIT */
/*
 * Arrays and mipmaps: making them, asking about them, and linear copies into and out of them.
 */
#include "random.h"

struct array arrays[ALL_ARRAYS];
CUmipmappedArray mipmaps[MIPMAPS];

struct array *array_pick(void)
{
    struct array *found[ALL_ARRAYS];
    unsigned count = 0;

    for (unsigned i = 0; i < ALL_ARRAYS; i++)
        if (arrays[i].live)
            found[count++] = &arrays[i];
    return count ? found[below(count)] : NULL;
}

static CUresult array_transfer(const struct array *array, char *bytes, int in)
{
    CUDA_MEMCPY3D copy;

    memset(&copy, 0, sizeof copy);
    copy.WidthInBytes = array->width * array->element;
    copy.Height = array->rows;
    copy.Depth = array->slices;
    copy.srcMemoryType = in ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY;
    copy.dstMemoryType = in ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST;
    copy.srcHost = copy.dstHost = bytes;
    copy.srcArray = copy.dstArray = array->handle;
    copy.srcPitch = copy.dstPitch = copy.WidthInBytes;
    copy.srcHeight = copy.dstHeight = array->rows;
    return cuda.cuMemcpy3D(&copy);
}

static char bytes[1 << 20];

static size_t array_bytes(const struct array *array)
{
    return array->width * array->element * array->rows * array->slices;
}

static void array_fill(const struct array *array, unsigned pattern)
{
    for (size_t i = 0; i < array_bytes(array); i++)
        bytes[i] = (char)((i * 2246822519u + pattern * 40503u) >> 11 ^ i >> 8);
    if (array->handle)
        array_transfer(array, bytes, 1);
}

unsigned array_hash(const struct array *array)
{
    main_settle();
    memset(bytes, 0, array_bytes(array));
    if (!array->handle || array_transfer(array, bytes, 0))
        return 1;
    return hash_bytes(1, bytes, array_bytes(array));
}

static const char *descriptor_text(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    return format("%zux%zux%zu format %d x%u flags %x", d->Width, d->Height, d->Depth,
                  (int)d->Format, d->NumChannels, d->Flags);
}

const char *array_text(const struct array *array)
{
    return format("array%d(%s)", (int)(array - arrays), descriptor_text(&array->descriptor));
}

static size_t element_bytes(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    size_t bytes_each =
        d->Format == CU_AD_FORMAT_UNSIGNED_INT8 || d->Format == CU_AD_FORMAT_SIGNED_INT8 ? 1
        : d->Format == CU_AD_FORMAT_UNSIGNED_INT32 || d->Format == CU_AD_FORMAT_SIGNED_INT32 ||
                d->Format == CU_AD_FORMAT_FLOAT
            ? 4
            : 2;

    return bytes_each * d->NumChannels;
}

static void array_take(struct array *array, CUarray handle, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    array->live = 1;
    array->handle = handle;
    array->descriptor = *d;
    array->element = element_bytes(d);
    array->width = d->Width;
    array->rows = d->Height ? d->Height : 1;
    array->slices = d->Depth ? d->Depth : 1;
}

/* What every driver makes: plain formats, small extents, each shape in turn. */
static CUDA_ARRAY3D_DESCRIPTOR descriptor_pick(void)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {.Width = (size_t)between(1, 40),
                                 .Format = (CUarray_format)ONE_OF(1, 2, 3, 8, 9, 10, 16, 32),
                                 .NumChannels = ONE_OF_TYPE(unsigned, 1u, 2u, 4u)};
    unsigned shape = below(7);

    if (shape == 1 || shape == 2 || shape == 4)
        d.Height = (size_t)between(1, 20);
    if (shape == 2)
        d.Depth = (size_t)between(1, 6);
    if (shape == 3 || shape == 4) {
        d.Depth = (size_t)between(1, 6);
        d.Flags = CUDA_ARRAY3D_LAYERED;
    }
    if (shape == 5 || shape == 6) {
        d.Height = d.Width;
        d.Depth = shape == 5 ? 6 : 12;
        d.Flags = CUDA_ARRAY3D_CUBEMAP | (shape == 6 ? CUDA_ARRAY3D_LAYERED : 0);
        if (d.Width > 16)
            d.Width = d.Height = 16;
    }
    if (chance(20))
        d.Flags |= CUDA_ARRAY3D_SURFACE_LDST;
    if (chance(10) && shape == 1)
        d.Flags |= CUDA_ARRAY3D_TEXTURE_GATHER;
    return d;
}

static CUresult array_make(struct array *array)
{
    CUDA_ARRAY3D_DESCRIPTOR d = descriptor_pick();
    CUarray handle = NULL;
    unsigned pattern = below(1000);
    CUresult result;

    say("cuArray3DCreate(%s)", descriptor_text(&d));
    result = cuda.cuArray3DCreate(&handle, &d);
    array_take(array, result ? NULL : handle, &d);
    cuda.cuCtxSetCurrent(main_context);
    array_fill(array, pattern);
    return result;
}

static CUresult mipmap_make(unsigned index)
{
    CUDA_ARRAY3D_DESCRIPTOR d = descriptor_pick();
    unsigned count = (unsigned)between(1, 4), pattern = below(1000);
    CUresult result;

    d.Width = d.Width < 8 ? 8 : d.Width;
    if (d.Flags & CUDA_ARRAY3D_CUBEMAP)
        d.Height = d.Width;
    mipmaps[index] = NULL;
    say("cuMipmappedArrayCreate(%s, %u)", descriptor_text(&d), count);
    result = cuda.cuMipmappedArrayCreate(&mipmaps[index], &d, count);
    if (result)
        mipmaps[index] = NULL;
    cuda.cuCtxSetCurrent(main_context);
    for (unsigned level = 0; level < LEVELS; level++) {
        struct array *array = &arrays[ARRAYS + index * LEVELS + level];
        CUDA_ARRAY3D_DESCRIPTOR small = d;
        CUarray handle = NULL;
        array->live = 0;
        if (level >= count)
            continue;
        small.Width = d.Width >> level ? d.Width >> level : 1;
        if (d.Height)
            small.Height = d.Height >> level ? d.Height >> level : 1;
        if (d.Depth && !(d.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)))
            small.Depth = d.Depth >> level ? d.Depth >> level : 1;
        if (mipmaps[index] && cuda.cuMipmappedArrayGetLevel(&handle, mipmaps[index], level))
            handle = NULL;
        array_take(array, handle, &small);
        array_fill(array, pattern + level);
    }
    return result;
}

void array_begin(void)
{
    for (unsigned i = 0; i < ARRAYS; i++) {
        random_setup("array", i);
        answer(array_make(&arrays[i]), "%s", "\n");
    }
    for (unsigned i = 0; i < MIPMAPS; i++) {
        random_setup("mipmap", i);
        answer(mipmap_make(i), "%s", "\n");
    }
}

static void op_array_make(void)
{
    unsigned index = below(ARRAYS + MIPMAPS);
    CUresult result = CUDA_SUCCESS;

    if (index < ARRAYS) {
        struct array *array = &arrays[index];
        if (array->handle)
            result = cuda.cuArrayDestroy(array->handle);
        say("cuArrayDestroy(%s) %s, ", array_text(array), result_name(result));
        return answer(array_make(array), "%s", array->handle ? "made" : "none");
    }
    index -= ARRAYS;
    if (mipmaps[index])
        result = cuda.cuMipmappedArrayDestroy(mipmaps[index]);
    say("cuMipmappedArrayDestroy(%u) %s, ", index, result_name(result));
    answer(mipmap_make(index), "%s", mipmaps[index] ? "made" : "none");
}

/* Any format, any extents, any flags: mostly refused, so the order of complaints counts. */
static CUDA_ARRAY3D_DESCRIPTOR odd_descriptor(void)
{
    unsigned formats = 0;
    CUDA_ARRAY3D_DESCRIPTOR d;

    while (format_names[formats].name)
        formats++;
    d.Format =
        (CUarray_format)(chance(95) ? format_names[below(formats)].value : ONE_OF(0, 4, 160, 255));
    d.NumChannels =
        chance(90) ? ONE_OF_TYPE(unsigned, 1u, 2u, 3u, 4u) : ONE_OF_TYPE(unsigned, 0u, 5u, 8u);
    d.Width = chance(95) ? (size_t)between(1, 40) : ONE_SIZE_OF(0, 7, 65536, 131073, 262145);
    d.Height = chance(70)   ? (size_t)between(1, 40)
               : chance(85) ? 0
                            : ONE_SIZE_OF(7, 32769, 65537, 131073);
    d.Depth = chance(60)   ? 0
              : chance(85) ? ONE_SIZE_OF(1, 2, 3, 6, 12)
                           : ONE_SIZE_OF(2049, 16385, 7);
    d.Flags = chance(40) ? 0
              : chance(80)
                  ? ONE_OF_TYPE(unsigned, 1u, 2u, 4u, 5u, 8u, 0x10u, 0x20u, 0x40u, 0x80u, 3u)
                  : below(0x200);
    if (chance(50))
        d.Width &= ~(size_t)1, d.Height &= ~(size_t)1;
    if (d.Width > 1000 && d.Height > 1000)
        d.Height = 1;
    if (d.Depth > 1000 && d.Flags != 1)
        d.Width = d.Height = 1;
    return d;
}

static void op_array_odd(void)
{
    CUDA_ARRAY3D_DESCRIPTOR d = odd_descriptor(), got;
    CUDA_ARRAY_DESCRIPTOR plain = {d.Width, d.Height, d.Format, d.NumChannels};
    unsigned count =
        chance(85) ? (unsigned)between(1, 6) : ONE_OF_TYPE(unsigned, 0u, 7u, 17u, 100u);
    CUarray array = (CUarray)as_host(UNTOUCHED);
    CUmipmappedArray mipmap = (CUmipmappedArray)as_host(UNTOUCHED);
    CUresult result;

    memset(&got, 0, sizeof got);
    switch (below(4)) {
    case 0:
        say("odd cuArrayCreate(%s)", descriptor_text(&d));
        answer(result = cuda.cuArrayCreate(&array, &plain), "%s", out_state(array));
        break;
    case 1:
        say("odd cuArray3DCreate(%s)", descriptor_text(&d));
        answer(result = cuda.cuArray3DCreate(&array, &d), "%s", out_state(array));
        break;
    default:
        say("odd cuMipmappedArrayCreate(%s, %u)", descriptor_text(&d), count);
        result = cuda.cuMipmappedArrayCreate(&mipmap, &d, count);
        answer(result, "%s", out_state(mipmap));
        if (result)
            return;
        array = NULL;
        unsigned level = below(count + 1);
        CUresult asked = cuda.cuMipmappedArrayGetLevel(&array, mipmap, level);
        say(" level %u %s", level, result_name(asked));
        if (!asked)
            say(" %s", cuda.cuArray3DGetDescriptor(&got, array) ? "-" : descriptor_text(&got));
        cuda.cuMipmappedArrayDestroy(mipmap);
        return;
    }
    if (result)
        return;
    say(" %s", cuda.cuArray3DGetDescriptor(&got, array) ? "-" : descriptor_text(&got));
    cuda.cuArrayDestroy(array);
}

static void op_array_ask(void)
{
    struct array *array = array_pick();
    CUDA_ARRAY3D_DESCRIPTOR got;
    CUDA_ARRAY_DESCRIPTOR plain;
    CUDA_ARRAY_SPARSE_PROPERTIES sparse;
    CUDA_ARRAY_MEMORY_REQUIREMENTS needs;
    unsigned which = below(6), index = below(3), level = below(6);
    CUarray plane = (CUarray)as_host(UNTOUCHED);
    CUresult result;

    memset(&got, 0, sizeof got);
    memset(&plain, 0, sizeof plain);
    memset(&sparse, 0, sizeof sparse);
    memset(&needs, 0, sizeof needs);
    if (which < 5 && (!array || !array->handle))
        return skip();
    switch (which) {
    case 0:
        say("cuArray3DGetDescriptor(%s)", array_text(array));
        result = cuda.cuArray3DGetDescriptor(&got, array->handle);
        return answer(result, "%s", descriptor_text(&got));
    case 1:
        say("cuArrayGetDescriptor(%s)", array_text(array));
        result = cuda.cuArrayGetDescriptor(&plain, array->handle);
        return answer(result, "%zux%zu %d x%u", plain.Width, plain.Height, (int)plain.Format,
                      plain.NumChannels);
    case 2:
        say("cuArrayGetSparseProperties(%s)", array_text(array));
        return answer(cuda.cuArrayGetSparseProperties(&sparse, array->handle), "%s", "");
    case 3:
        say("cuArrayGetMemoryRequirements(%s)", array_text(array));
        result = cuda.cuArrayGetMemoryRequirements(&needs, array->handle, 0);
        return answer(result, "%zu %zu", needs.size, needs.alignment);
    case 4:
        say("cuArrayGetPlane(%s, %u)", array_text(array), index);
        result = cuda.cuArrayGetPlane(&plane, array->handle, index);
        return answer(result, "%s", plane == array->handle ? "same" : out_state(plane));
    default:
        say("cuMipmappedArrayGetLevel(%u, %u)", index, level);
        if (!mipmaps[index])
            return skip();
        result = cuda.cuMipmappedArrayGetLevel(&plane, mipmaps[index], level);
        return answer(result, "%s", out_state(plane));
    }
}

/* Bytes of a row; now and then more than the array has. */
static void op_array_linear(void)
{
    struct array *array = array_pick(), *other = array_pick();
    struct slot *slot = slot_pick(ANY_KIND, NULL);
    unsigned which = below(7);
    int host = which < 4;
    const char *name;
    CUstream stream = stream_pick(&name);
    CUresult result;

    if (host && !slot->host)
        slot = &slots[SLOTS - 1];
    size_t row = array->width * array->element, offset = chance(50) ? 0 : below((unsigned)row),
           other_row = other->width * other->element,
           other_offset = chance(60) ? 0 : below((unsigned)other_row);
    if (chance(70)) {
        offset = offset / array->element * array->element;
        other_offset = other_offset / array->element * array->element;
    }
    size_t size = chance(30) ? row - offset : 1 + below((unsigned)row);
    if (chance(60))
        size = (size + array->element - 1) / array->element * array->element;
    if (size > slot_window(slot))
        size = slot_window(slot);
    say("%s(%s, %zu, %s, %zu, %s)",
        (const char *[]){"cuMemcpyHtoA", "cuMemcpyAtoH", "cuMemcpyHtoAAsync", "cuMemcpyAtoHAsync",
                         "cuMemcpyDtoA", "cuMemcpyAtoD", "cuMemcpyAtoA"}[which],
        array_text(array), offset,
        which == 6 ? format("%s+%zu", array_text(other), other_offset) : slot_text(slot, 0), size,
        name);
    if (!array->handle || !slot->ptr || (which == 6 && (!other->handle || other == array)))
        return skip();
    switch (which) {
    case 0:
        result = cuda.cuMemcpyHtoA(array->handle, offset, slot->host, size);
        break;
    case 1:
        result = cuda.cuMemcpyAtoH(slot->host, array->handle, offset, size);
        break;
    case 2:
        result = cuda.cuMemcpyHtoAAsync(array->handle, offset, slot->host, size, stream);
        break;
    case 3:
        result = cuda.cuMemcpyAtoHAsync(slot->host, array->handle, offset, size, stream);
        break;
    case 4:
        result = cuda.cuMemcpyDtoA(array->handle, offset, slot->ptr, size);
        break;
    case 5:
        result = cuda.cuMemcpyAtoD(slot->ptr, array->handle, offset, size);
        break;
    default:
        result = cuda.cuMemcpyAtoA(array->handle, offset, other->handle, other_offset, size);
    }
    answer(result, "%s", "");
    if (succeeded())
        say(" %08x", which == 1 || which == 3 || which == 5 ? slot_hash(slot) : array_hash(array));
}

const struct operation array_operations[] = {{6, op_array_make, 1},
                                             {12, op_array_odd, 0},
                                             {6, op_array_ask, 0},
                                             {12, op_array_linear, 0},
                                             {0, NULL, 0}};
