/* SPDX-License-Identifier: MIT */
/* Copies in DOT files: their kind, and their parameters as the driver or the runtime has them. */
#include "graph/dot.h"

#include "image/array.h"
#include "memory/map.h"

#include <inttypes.h>

/* One end of a copy. */
struct end {
    CUmemorytype type;
    CUarray array;
    uint64_t host, device;
    size_t x, y, z, pitch, height, level;
};

static struct end source_of(const CUDA_MEMCPY3D *copy)
{
    return (struct end){copy->srcMemoryType, copy->srcArray,    (uintptr_t)copy->srcHost,
                        copy->srcDevice,     copy->srcXInBytes, copy->srcY,
                        copy->srcZ,          copy->srcPitch,    copy->srcHeight,
                        copy->srcLOD};
}

static struct end destination_of(const CUDA_MEMCPY3D *copy)
{
    return (struct end){copy->dstMemoryType, copy->dstArray,    (uintptr_t)copy->dstHost,
                        copy->dstDevice,     copy->dstXInBytes, copy->dstY,
                        copy->dstZ,          copy->dstPitch,    copy->dstHeight,
                        copy->dstLOD};
}

static uint64_t address_of(const struct end *end)
{
    return end->type == CU_MEMORYTYPE_HOST ? end->host : end->device;
}

/* What the memory is, whatever the copy says. */
static const char *memory_of(const struct end *end)
{
    struct cup_span span;

    if (end->type == CU_MEMORYTYPE_ARRAY)
        return "DEVICE";
    if (!cup_map_find(address_of(end), &span))
        return end->type == CU_MEMORYTYPE_DEVICE ? "DEVICE" : "HOST PAGEABLE";
    if (span.kind == CUP_RANGE_MANAGED)
        return "MANAGED";
    return span.kind == CUP_RANGE_PINNED || span.kind == CUP_RANGE_REGISTERED ? "HOST PINNED"
                                                                              : "DEVICE";
}

static const char *type_of(CUmemorytype type)
{
    static const char *const names[] = {"?", "HOST", "DEVICE", "ARRAY", "UNIFIED"};

    return (unsigned)type < CUP_ARRAY_COUNT(names) ? names[type] : names[0];
}

const char *cup_dot_memcpy_kind(const CUDA_MEMCPY3D *copy, char *buffer)
{
    snprintf(buffer, 8, "%cto%c", type_of(copy->srcMemoryType)[0], type_of(copy->dstMemoryType)[0]);
    return buffer;
}

static void write_end(FILE *file, const struct end *end)
{
    fprintf(file,
            "%s (%s) | 0x%016" PRIXPTR " | 0x%016" PRIX64 " | 0x%016" PRIX64
            " | %zu | %zu | %zu | %zu | %zu | %zu",
            type_of(end->type), memory_of(end), (uintptr_t)end->array, end->host, end->device,
            end->x, end->y, end->z, end->pitch, end->height, end->level);
}

#define END_FIELDS "MemoryType | Array | Host | Device | XInBytes | Y | Z | Pitch | Height | LOD"

static void write_driver_form(FILE *file, const CUDA_MEMCPY3D *copy, const struct end *source,
                              const struct end *destination)
{
    fputs("| {{src | dst} | { " END_FIELDS " | " END_FIELDS "} | {", file);
    write_end(file, source);
    fputs(" | ", file);
    write_end(file, destination);
    fprintf(file, "}}\n| {Extent | {WidthInBytes | Height | Depth} | {%zu | %zu | %zu}}\n",
            copy->WidthInBytes, copy->Height, copy->Depth);
}

#define POINTER_FIELDS "pitch | ptr | xsize | ysize"

static void write_pointer(FILE *file, const struct end *end)
{
    fprintf(file, "%zu | 0x%016" PRIX64 " | 0 | %zu", end->pitch, address_of(end), end->height);
}

static void write_place(FILE *file, const char *name, const struct end *end)
{
    if (end->type == CU_MEMORYTYPE_ARRAY) {
        fprintf(file, "| {%sArray | 0x%016" PRIXPTR "}\n", name, (uintptr_t)end->array);
        return;
    }
    fprintf(file, "| {%sPtr | {" POINTER_FIELDS "} | {", name);
    write_pointer(file, end);
    fputs("}}\n", file);
}

/* Two pointers or two arrays share a row. */
static void write_places(FILE *file, const struct end *source, const struct end *destination)
{
    bool from_array = source->type == CU_MEMORYTYPE_ARRAY,
         to_array = destination->type == CU_MEMORYTYPE_ARRAY;

    if (from_array != to_array) {
        write_place(file, "src", source);
        write_place(file, "dst", destination);
    } else if (from_array) {
        fprintf(file, "| {{srcArray | dstArray} | {0x%016" PRIXPTR " | 0x%016" PRIXPTR "}}\n",
                (uintptr_t)source->array, (uintptr_t)destination->array);
    } else {
        fputs("| {{srcPtr | dstPtr} | {" POINTER_FIELDS " | " POINTER_FIELDS "} | {", file);
        write_pointer(file, source);
        fputs(" | ", file);
        write_pointer(file, destination);
        fputs("}}\n", file);
    }
}

/* The runtime counts elements where an array takes part. */
static size_t element_bytes_of(const struct end *source, const struct end *destination)
{
    CUarray array = source->type == CU_MEMORYTYPE_ARRAY        ? source->array
                    : destination->type == CU_MEMORYTYPE_ARRAY ? destination->array
                                                               : NULL;
    struct CUarray_st *found;
    size_t bytes = 1;

    if (array && cup_array_find(array, &found) == CUDA_SUCCESS) {
        bytes = found->box.element_bytes ? found->box.element_bytes : 1;
        cup_array_unref(found);
    }
    return bytes;
}

static void write_runtime_form(FILE *file, const CUDA_MEMCPY3D *copy, const struct end *source,
                               const struct end *destination)
{
    size_t bytes = element_bytes_of(source, destination);
    char kind[8];

    cup_dot_memcpy_kind(copy, kind);
    fprintf(file, "| {kind | %s (%s to %s)}\n",
            source->type == CU_MEMORYTYPE_UNIFIED || destination->type == CU_MEMORYTYPE_UNIFIED
                ? "default"
                : kind,
            memory_of(source), memory_of(destination));
    write_places(file, source, destination);
    fprintf(file,
            "| {{srcPos | {{x | %zu} | {y | %zu} | {z | %zu}}} | {dstPos | {{x | %zu} | {y | %zu} "
            "| {z | %zu}}} | {Extent | {{Width | %zu} | {Height | %zu} | {Depth | %zu}}}}\n",
            source->x / bytes, source->y, source->z, destination->x / bytes, destination->y,
            destination->z, copy->WidthInBytes / bytes, copy->Height, copy->Depth);
}

void cup_dot_write_memcpy(const struct cup_dot *dot, const CUDA_MEMCPY3D *copy)
{
    struct end source = source_of(copy), destination = destination_of(copy);

    if (dot->flags & CU_GRAPH_DEBUG_DOT_FLAGS_RUNTIME_TYPES)
        write_runtime_form(dot->file, copy, &source, &destination);
    else
        write_driver_form(dot->file, copy, &source, &destination);
}
