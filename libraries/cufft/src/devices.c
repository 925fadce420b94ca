/* SPDX-License-Identifier: MIT */
/* The parts of arrays on several devices: allocation and layout. */
#include "devices.h"

#include "driver.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A descriptor with what it points to. Those that were freed are cleared and kept for the next
 * array, so that a stale pointer leads to a descriptor without parts. */
struct descriptor {
    cudaLibXtDesc public;
    cudaXtDesc parts;
    struct descriptor *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct descriptor *live, *spare; /* guarded by lock */

struct fft_rows fft_rows_of(const struct fft_plan *plan, bool shuffled)
{
    const struct fft_request *request = &plan->request;
    size_t complex_bytes = request->precision == FFT_DOUBLE  ? 16
                           : request->precision == FFT_FLOAT ? 8
                                                             : 4;
    size_t lengths[FFT_MAX_RANK + 1] = {(size_t)request->batch};
    struct fft_rows rows = {1, 1, complex_bytes};
    int split;

    for (int i = 0; i < request->rank; i++)
        lengths[i + 1] = (size_t)request->n[i];
    if (request->kind != FFT_COMPLEX)
        lengths[request->rank] = lengths[request->rank] / 2 + 1;
    split = request->batch > 1 ? 0 : shuffled && request->rank > 1 ? 2 : 1;
    rows.split = lengths[split];
    for (int i = 0; i <= request->rank; i++) {
        if (i < split)
            rows.outer *= lengths[i];
        else if (i > split)
            rows.row *= lengths[i];
    }
    return rows;
}

size_t fft_part_rows(const struct fft_rows *rows, int parts, int part, size_t *first)
{
    size_t each = rows->split / (size_t)parts, more = rows->split % (size_t)parts;
    size_t index = (size_t)part;

    *first = index * each + (index < more ? index : more);
    return each + (index < more);
}

size_t fft_part_bytes(const struct fft_rows *rows, int parts, int part)
{
    size_t first;

    return fft_part_rows(rows, parts, part, &first) * rows->outer * rows->row;
}

size_t fft_part_room(const struct fft_plan *plan, int part)
{
    struct fft_rows natural = fft_rows_of(plan, false), shuffled = fft_rows_of(plan, true);
    size_t bytes = fft_part_bytes(&natural, plan->gpu_count, part);
    size_t other = fft_part_bytes(&shuffled, plan->gpu_count, part);

    return other > bytes ? other : bytes;
}

size_t fft_whole_bytes(const struct fft_plan *plan)
{
    struct fft_rows rows = fft_rows_of(plan, false);

    return rows.outer * rows.split * rows.row;
}

bool fft_is_shuffled(const cudaLibXtDesc *descriptor)
{
    return descriptor->subFormat == CUFFT_XT_FORMAT_OUTPUT ||
           descriptor->subFormat == CUFFT_XT_FORMAT_INPLACE_SHUFFLED;
}

static void move_parts(const struct fft_plan *plan, const cudaLibXtDesc *descriptor, char *whole,
                       bool gather)
{
    struct fft_rows rows = fft_rows_of(plan, fft_is_shuffled(descriptor));

    for (int part = 0; part < plan->gpu_count; part++) {
        size_t first, count = fft_part_rows(&rows, plan->gpu_count, part, &first);
        char *data = descriptor->descriptor->data[part];

        for (size_t i = 0; fft_is_line(plan) && i < count; i++) {
            char *there = whole + fft_line_index(plan, descriptor->subFormat, first + i) * rows.row;
            char *here = data + i * rows.row;

            memcpy(gather ? there : here, gather ? here : there, rows.row);
        }
        if (fft_is_line(plan))
            continue;
        for (size_t i = 0; i < rows.outer; i++) {
            char *there = whole + (i * rows.split + first) * rows.row;
            char *here = data + i * count * rows.row;

            memcpy(gather ? there : here, gather ? here : there, count * rows.row);
        }
    }
}

void fft_gather(const struct fft_plan *plan, const cudaLibXtDesc *descriptor, void *whole)
{
    move_parts(plan, descriptor, whole, true);
}

void fft_scatter(const struct fft_plan *plan, const cudaLibXtDesc *descriptor, const void *whole)
{
    move_parts(plan, descriptor, (char *)whole, false);
}

bool fft_descriptor_fits(const struct fft_plan *plan, const cudaLibXtDesc *descriptor)
{
    struct fft_rows rows;

    if (!descriptor || !descriptor->descriptor || descriptor->library != LIB_FORMAT_CUFFT ||
        descriptor->descriptor->nGPUs != plan->gpu_count)
        return false;
    rows = fft_rows_of(plan, fft_is_shuffled(descriptor));
    for (int i = 0; i < plan->gpu_count; i++) {
        size_t bytes = fft_part_bytes(&rows, plan->gpu_count, i);

        if (bytes > descriptor->descriptor->size[i] || (bytes && !descriptor->descriptor->data[i]))
            return false;
    }
    return true;
}

/* Makes the primary context of a device current. */
static CUresult enter_device(int device)
{
    CUcontext context;
    CUresult result = lib_driver()->primary_context_retain(&context, device);

    return result == CUDA_SUCCESS ? lib_driver()->context_set_current(context) : result;
}

CUresult fft_wait_for_devices(const struct fft_plan *plan)
{
    CUcontext before = NULL;
    CUresult result = lib_driver()->context_get_current(&before);

    for (int i = 0; i < plan->gpu_count && result == CUDA_SUCCESS; i++) {
        result = enter_device(plan->gpus[i]);
        if (result == CUDA_SUCCESS)
            result = lib_driver()->stream_synchronize(NULL);
    }
    lib_driver()->context_set_current(before);
    return result;
}

static void link_descriptor(struct descriptor **list, struct descriptor *descriptor)
{
    pthread_mutex_lock(&lock);
    descriptor->next = *list;
    *list = descriptor;
    pthread_mutex_unlock(&lock);
}

/* A cleared descriptor, in no list. */
static struct descriptor *take_spare(void)
{
    struct descriptor *taken;

    pthread_mutex_lock(&lock);
    taken = spare;
    if (taken)
        spare = taken->next;
    pthread_mutex_unlock(&lock);
    if (!taken)
        return calloc(1, sizeof(*taken));
    taken->next = NULL;
    return taken;
}

static void free_parts(struct descriptor *descriptor)
{
    for (int i = 0; i < descriptor->parts.nGPUs; i++) {
        if (descriptor->parts.data[i])
            lib_driver()->memory_free((CUdeviceptr)(uintptr_t)descriptor->parts.data[i]);
    }
    memset(descriptor, 0, sizeof(*descriptor));
    link_descriptor(&spare, descriptor);
}

static CUresult allocate_part(const struct fft_plan *plan, cudaXtDesc *parts, int part)
{
    size_t bytes = fft_part_room(plan, part);
    CUdeviceptr memory = 0;
    CUresult result = enter_device(plan->gpus[part]);

    if (result != CUDA_SUCCESS)
        return result;
    result = bytes ? lib_driver()->memory_alloc(&memory, bytes) : CUDA_SUCCESS;
    parts->data[part] = (void *)(uintptr_t)memory;
    parts->size[part] = bytes;
    parts->GPUs[part] = plan->gpus[part];
    return result;
}

static struct descriptor *create(const struct fft_plan *plan, cufftXtSubFormat format)
{
    struct descriptor *descriptor = take_spare();
    CUcontext before = NULL;
    CUresult result = CUDA_SUCCESS;

    if (!descriptor)
        return NULL;
    descriptor->public.descriptor = &descriptor->parts;
    descriptor->public.library = LIB_FORMAT_CUFFT;
    descriptor->public.subFormat = (int)format;
    descriptor->parts.nGPUs = plan->gpu_count;
    lib_driver()->context_get_current(&before);
    for (int i = 0; i < plan->gpu_count && result == CUDA_SUCCESS; i++)
        result = allocate_part(plan, &descriptor->parts, i);
    lib_driver()->context_set_current(before);
    if (result == CUDA_SUCCESS)
        return descriptor;
    free_parts(descriptor);
    return NULL;
}

cufftResult cufftXtMalloc(cufftHandle handle, cudaLibXtDesc **descriptor, cufftXtSubFormat format)
{
    struct fft_plan *plan = fft_handle_find(handle);
    struct descriptor *created;

    if (!plan || !plan->made || !plan->gpu_count)
        return CUFFT_INVALID_PLAN;
    if (!descriptor || (unsigned)format >= CUFFT_FORMAT_UNDEFINED)
        return CUFFT_INVALID_VALUE;
    if (format == CUFFT_XT_FORMAT_DISTRIBUTED_INPUT || format == CUFFT_XT_FORMAT_DISTRIBUTED_OUTPUT)
        return CUFFT_NOT_SUPPORTED;
    created = create(plan, format);
    if (!created)
        return CUFFT_ALLOC_FAILED;
    link_descriptor(&live, created);
    *descriptor = &created->public;
    return CUFFT_SUCCESS;
}

cufftResult cufftXtFree(cudaLibXtDesc *descriptor)
{
    struct descriptor **link = &live, *found;

    if (!descriptor)
        return CUFFT_SUCCESS;
    pthread_mutex_lock(&lock);
    while (*link && &(*link)->public != descriptor)
        link = &(*link)->next;
    found = *link;
    if (found)
        *link = found->next;
    pthread_mutex_unlock(&lock);
    if (!found)
        return CUFFT_INVALID_VALUE;
    free_parts(found);
    return CUFFT_SUCCESS;
}
