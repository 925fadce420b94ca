/* SPDX-License-Identifier: MIT */
/* The instructions that were sampled, and where they come from. Modules are PTX, so what tools get
 * as their machine code is an image without any; the functions' names tell modules apart. */
#include "profiler/params.h"
#include "profiler/sampling.h"
#include "lock.h"
#include "tool.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 4096, PATH_BYTES = 4096 };

TOOL_LOCK(lock)
static struct sampling_place *places[SLOTS]; /* guarded by lock */
static uint32_t function_count;
static CUpti_ComputeCrcCallbackFunc compute_crc;

static struct sampling_place **slot_of(const char *function, uint32_t position)
{
    uint32_t hash = 5381 + position;

    for (const char *c = function; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    return &places[hash % SLOTS];
}

static struct sampling_place *find_locked(const char *function, uint32_t position)
{
    struct sampling_place *place = *slot_of(function, position);

    while (place && (place->position != position || strcmp(place->function, function) != 0))
        place = place->next;
    return place;
}

/* Functions are numbered from 1 on, by their first instruction. */
static uint32_t function_number_locked(const char *function)
{
    const struct sampling_place *first = find_locked(function, 0);

    return first ? first->function_number : ++function_count;
}

struct sampling_place *sampling_place_of(const struct cupipe_instruction_count *row)
{
    pthread_mutex_lock(&lock);
    struct sampling_place *place = find_locked(row->function, row->position);
    if (!place && (place = calloc(1, sizeof(*place)))) {
        struct sampling_place **slot = slot_of(row->function, row->position);

        *place = (struct sampling_place){
            .next = *slot,
            .function = tool_text(row->function),
            .position = row->position,
            .function_number = function_number_locked(row->function),
            .file = row->file ? tool_text(row->file) : NULL,
            .line = row->line,
        };
        *slot = place;
    }
    pthread_mutex_unlock(&lock);
    return place;
}

const struct sampling_place *sampling_place_find(const char *function, uint32_t position)
{
    pthread_mutex_lock(&lock);
    const struct sampling_place *place = find_locked(function, position);
    pthread_mutex_unlock(&lock);
    return place;
}

const void *sampling_cubin(size_t *bytes)
{
    static const char image[64] = "cupipe: a module of PTX, without machine code";

    *bytes = sizeof(image);
    return image;
}

/* CRC-32 of IEEE 802.3. */
static uint64_t crc_of(const uint8_t *bytes, size_t count)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static uint64_t tool_crc(const void *cubin, size_t bytes)
{
    uint64_t crc = 0;

    pthread_mutex_lock(&lock);
    CUpti_ComputeCrcCallbackFunc function = compute_crc;
    pthread_mutex_unlock(&lock);
    if (!function)
        return crc_of(cubin, bytes);
    function(cubin, bytes, &crc);
    return crc;
}

uint64_t sampling_cubin_crc(void)
{
    size_t bytes;
    const void *cubin = sampling_cubin(&bytes);

    return tool_crc(cubin, bytes);
}

CUptiResult cuptiGetCubinCrc(CUpti_GetCubinCrcParams *pParams)
{
    if (!SAMPLING_PARAMS_GIVEN(pParams, CUpti_GetCubinCrcParams) || !pParams->cubin ||
        pParams->cubinSize == 0)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pParams->cubinCrc = tool_crc(pParams->cubin, pParams->cubinSize);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRegisterComputeCrcCallback(CUpti_ComputeCrcCallbackFunc funcComputeCubinCrc)
{
    if (!funcComputeCubinCrc)
        return CUPTI_ERROR_INVALID_PARAMETER;
    pthread_mutex_lock(&lock);
    compute_crc = funcComputeCubinCrc;
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

static bool is_cubin(const void *cubin, size_t bytes)
{
    size_t own_bytes;
    const void *own = sampling_cubin(&own_bytes);

    return cubin && bytes == own_bytes && memcmp(cubin, own, own_bytes) == 0;
}

/* The tool frees both texts. */
CUptiResult cuptiGetSassToSourceCorrelation(CUpti_GetSassToSourceCorrelationParams *pParams)
{
    const struct sampling_place *place;
    const char *slash;

    if (!SAMPLING_PARAMS_GIVEN(pParams, CUpti_GetSassToSourceCorrelationParams) ||
        !pParams->functionName)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (!is_cubin(pParams->cubin, pParams->cubinSize))
        return CUPTI_ERROR_INVALID_PARAMETER;
    place = sampling_place_find(pParams->functionName,
                                (uint32_t)(pParams->pcOffset / SAMPLING_PC_BYTES));
    if (!place || !place->file)
        return CUPTI_ERROR_INVALID_PARAMETER;
    slash = strrchr(place->file, '/');
    char *file = strdup(slash ? slash + 1 : place->file);
    char *folder = slash ? strndup(place->file, (size_t)(slash - place->file)) : strdup("");
    if (!file || !folder) {
        free(file);
        free(folder);
        return CUPTI_ERROR_OUT_OF_MEMORY;
    }
    pParams->fileName = file;
    pParams->dirName = folder;
    pParams->lineNumber = place->line;
    return CUPTI_SUCCESS;
}
