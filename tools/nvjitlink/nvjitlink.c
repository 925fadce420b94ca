/* SPDX-License-Identifier: MIT */
/* libnvJitLink: links PTX, carriers, fatbins, objects and libraries to a carrier in place of a
 * cubin. The result holds all texts, which libcuda links again when it loads them; here they are
 * linked to report errors. Results and logs are those of NVIDIA's library. */
#include "nvjitlink/nvjitlink.h"

#include "common/image.h"
#include "common/input.h"
#include "module/container.h"
#include "module/device_runtime.h"
#include "module/log.h"
#include "nvjitlink/link.h"

#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* Marks the library as cupipe's. */
EXPORTED extern const char cupipe_version[];
const char cupipe_version[] = CUPIPE_VERSION;

static void free_link(struct nvJitLink *link)
{
    for (uint32_t i = 0; link->options && i < link->option_count; i++)
        free(link->options[i]);
    free(link->options);
    for (size_t i = 0; i < link->lto_inputs.count; i++) {
        free(link->lto_inputs.items[i].data);
        free(link->lto_inputs.items[i].name);
    }
    free(link->lto_inputs.items);
    cup_source_finish(&link->source);
    ptx_log_free(&link->errors);
    free(link->cubin);
    free(link->linked_ptx);
    free(link);
}

/* The handle is there after an error too: it has the log. */
EXPORTED nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle *handle, uint32_t count,
                                         const char **options)
{
    if (!handle || (count && !options))
        return NVJITLINK_ERROR_NULL_INPUT;
    *handle = calloc(1, sizeof **handle);
    if (!*handle)
        return NVJITLINK_ERROR_INTERNAL;
    return link_options(*handle, count, options);
}

EXPORTED nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle *handle)
{
    if (!handle || !*handle)
        return NVJITLINK_ERROR_NULL_INPUT;
    free_link(*handle);
    *handle = NULL;
    return NVJITLINK_SUCCESS;
}

/* Whether the bytes are what the type says. Bytes of no known kind may be LTO-IR. */
static bool matches(nvJitLinkInputType type, enum cup_input_kind kind)
{
    switch (type) {
    case NVJITLINK_INPUT_CUBIN:
        return kind == CUP_INPUT_CARRIER || kind == CUP_INPUT_CUBIN;
    case NVJITLINK_INPUT_PTX:
        return kind == CUP_INPUT_PTX || kind == CUP_INPUT_UNKNOWN;
    case NVJITLINK_INPUT_LTOIR:
        return kind == CUP_INPUT_UNKNOWN;
    case NVJITLINK_INPUT_FATBIN:
        return kind == CUP_INPUT_FATBIN;
    case NVJITLINK_INPUT_OBJECT:
        return kind == CUP_INPUT_HOST || kind == CUP_INPUT_CARRIER;
    case NVJITLINK_INPUT_LIBRARY:
        return kind == CUP_INPUT_HOST;
    default:
        return true;
    }
}

static const char *type_name(nvJitLinkInputType type)
{
    static const char *const names[] = {"NONE",   "CUBIN",  "PTX",     "LTOIR",
                                        "FATBIN", "OBJECT", "LIBRARY", "INDEX"};

    return (unsigned)type < sizeof names / sizeof names[0] ? names[type] : "ANY";
}

static nvJitLinkResult add_lto(struct nvJitLink *link, const void *data, size_t bytes,
                               const char *name)
{
    struct lto_input *input = cup_dynarray_add(&link->lto_inputs.array, sizeof *input);

    if (!input)
        return NVJITLINK_ERROR_INTERNAL;
    *input = (struct lto_input){malloc(bytes), bytes, strdup(name)};
    if (!input->data || !input->name)
        return NVJITLINK_ERROR_INTERNAL;
    memcpy(input->data, data, bytes);
    return NVJITLINK_SUCCESS;
}

/* Copies a log of the parser, line by line. */
static void append_ptx_log(struct nvJitLink *link, const struct ptx_log *log)
{
    const char *line = log->text ? log->text : "";

    while (*line) {
        size_t length = strcspn(line, "\n");
        cup_module_log(&link->errors, "%.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

static nvJitLinkResult check_text(struct nvJitLink *link, const struct cup_source_text *text,
                                  const char *name)
{
    struct ptx_log log = {0};
    enum ptx_failure failure;
    struct ptx_program *program = ptx_parse(text->bytes, text->length, &log, &failure);
    nvJitLinkResult result = program ? NVJITLINK_SUCCESS : NVJITLINK_ERROR_PTX_COMPILE;

    if (program && program->target > link->capability) {
        cup_module_log(&link->errors, "ptxas fatal   : SM version specified by .target is higher "
                                      "than default SM version assumed");
        result = NVJITLINK_ERROR_PTX_COMPILE;
    } else if (!program) {
        append_ptx_log(link, &log);
    }
    if (result != NVJITLINK_SUCCESS)
        cup_module_log(&link->errors, "ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (%s)", name);
    if (program)
        ptx_program_free(program);
    ptx_log_free(&log);
    return result;
}

/* Adds the texts of an input that is not LTO-IR; none of them if one is refused. */
static nvJitLinkResult add_texts(struct nvJitLink *link, const void *data, size_t bytes,
                                 const char *name)
{
    struct cup_source added = {0};
    nvJitLinkResult result = NVJITLINK_SUCCESS;

    if (cup_input_read(data, bytes, link->capability, &added, &link->errors) != CUDA_SUCCESS) {
        cup_module_log(&link->errors, "in input %s", name);
        result = NVJITLINK_ERROR_INVALID_INPUT;
    }
    for (size_t i = 0; result == NVJITLINK_SUCCESS && i < added.count; i++)
        result = check_text(link, &added.texts[i], name);
    for (size_t i = 0; result == NVJITLINK_SUCCESS && i < added.count; i++) {
        free(added.texts[i].name);
        added.texts[i].name = strdup(name);
        if (cup_source_add(&link->source, added.texts[i]) != CUDA_SUCCESS)
            result = NVJITLINK_ERROR_INTERNAL;
        added.texts[i].bytes = added.texts[i].name = NULL;
    }
    link->has_others = link->has_others || result == NVJITLINK_SUCCESS;
    cup_source_finish(&added);
    return result;
}

EXPORTED nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle handle, nvJitLinkInputType type,
                                          const void *data, size_t bytes, const char *name)
{
    const char *called = name ? name : "<unnamed>";

    if (!handle || !data)
        return NVJITLINK_ERROR_NULL_INPUT;
    if (handle->complete || handle->capability == 0)
        return NVJITLINK_ERROR_INTERNAL;
    if (type != NVJITLINK_INPUT_ANY &&
        (type < NVJITLINK_INPUT_CUBIN || type > NVJITLINK_INPUT_LIBRARY)) {
        cup_module_log(&handle->errors, "unsupported input type: %s", called);
        return NVJITLINK_ERROR_INCORRECT_INPUT_TYPE;
    }
    enum cup_input_kind kind = cup_input_identify(data, bytes);
    if (!matches(type, kind)) {
        cup_module_log(&handle->errors,
                       "ERROR 1: bad input: does not match type NVJITLINK_INPUT_%s%s",
                       type_name(type), called);
        return NVJITLINK_ERROR_INCORRECT_INPUT_TYPE;
    }
    handle->has_library = handle->has_library || cup_container_is_library(data, bytes);
    if (type == NVJITLINK_INPUT_LTOIR || (type == NVJITLINK_INPUT_ANY && kind == CUP_INPUT_UNKNOWN))
        return add_lto(handle, data, bytes, called);
    return add_texts(handle, data, bytes, called);
}

EXPORTED nvJitLinkResult nvJitLinkAddFile(nvJitLinkHandle handle, nvJitLinkInputType type,
                                          const char *path)
{
    struct cup_source_text file;

    if (!handle || !path)
        return NVJITLINK_ERROR_NULL_INPUT;
    if (cup_source_read_file(path, &file) != CUDA_SUCCESS) {
        cup_module_log(&handle->errors, "ERROR: file %s cannot be read", path);
        return NVJITLINK_ERROR_INVALID_INPUT;
    }
    nvJitLinkResult result = nvJitLinkAddData(handle, type, file.bytes, file.length, path);
    free(file.bytes);
    return result;
}

/* Links the texts, for the errors alone. */
static nvJitLinkResult check_links(struct nvJitLink *link)
{
    struct ptx_program *whole = NULL;
    struct ptx_log log = {0};
    enum ptx_failure failure;
    size_t count;
    struct ptx_program **programs = cup_image_parse(&link->source, &log, &count);

    if (!programs)
        return NVJITLINK_ERROR_INTERNAL;
    if (count == link->source.count && count > 0)
        whole = ptx_link(programs, count, &log, &failure);
    bool good = whole || link->source.count == 0;
    if (!good) {
        append_ptx_log(link, &log);
        cup_module_log(&link->errors, "ERROR 1: finish");
    }
    if (whole)
        ptx_program_free(whole);
    cup_image_free(programs, count);
    ptx_log_free(&log);
    return good ? NVJITLINK_SUCCESS : NVJITLINK_ERROR_INTERNAL;
}

/* With -ptx the result is the PTX; otherwise it is one more text. */
static nvJitLinkResult complete_lto(struct nvJitLink *link)
{
    char *ptx;
    size_t bytes;

    if (link->ptx && link->has_others) {
        cup_module_log(&link->errors, "ERROR: -ptx requires that all inputs have LTOIR");
        return NVJITLINK_ERROR_INCORRECT_INPUT_TYPE;
    }
    if (link->lto_inputs.count == 0)
        return NVJITLINK_SUCCESS;
    nvJitLinkResult result = link_compile_lto(link, &ptx, &bytes);
    if (result != NVJITLINK_SUCCESS)
        return result;
    if (!link->ptx) {
        result = add_texts(link, ptx, bytes, "LTO-IR");
        free(ptx);
        return result;
    }
    link->linked_ptx = ptx;
    link->linked_ptx_bytes = bytes;
    return NVJITLINK_SUCCESS;
}

EXPORTED nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle handle)
{
    if (!handle)
        return NVJITLINK_ERROR_NULL_INPUT;
    if (handle->complete || handle->capability == 0)
        return NVJITLINK_ERROR_INTERNAL;
    nvJitLinkResult result = complete_lto(handle);
    /* NVIDIA's libcudadevrt.a has machine code only; what cupipe has of it is PTX */
    if (result == NVJITLINK_SUCCESS && !handle->ptx && handle->has_library)
        result = add_texts(handle, cup_device_runtime_ptx, strlen(cup_device_runtime_ptx),
                           "device runtime");
    if (result == NVJITLINK_SUCCESS && !handle->ptx)
        result = check_links(handle);
    if (result == NVJITLINK_SUCCESS && !handle->ptx &&
        cup_image_write(&handle->source, handle->capability, CUP_CARRIER_LINKED, &handle->cubin,
                        &handle->cubin_bytes) != CUDA_SUCCESS)
        result = NVJITLINK_ERROR_INTERNAL;
    handle->complete = result == NVJITLINK_SUCCESS;
    return result;
}

/* Answers the size of a result, or its contents. `wanted` tells whether this link makes it. */
static nvJitLinkResult answer(nvJitLinkHandle handle, bool wanted, const void *result,
                              size_t result_bytes, void *contents, size_t *bytes)
{
    if (!handle || (!contents && !bytes))
        return NVJITLINK_ERROR_NULL_INPUT;
    if (handle->complete && !wanted)
        return NVJITLINK_ERROR_INVALID_INPUT;
    if (!result)
        return NVJITLINK_ERROR_INTERNAL;
    if (bytes)
        *bytes = result_bytes;
    if (contents)
        memcpy(contents, result, result_bytes);
    return NVJITLINK_SUCCESS;
}

EXPORTED nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle handle, size_t *bytes)
{
    return answer(handle, handle && !handle->ptx, handle ? handle->cubin : NULL,
                  handle ? handle->cubin_bytes : 0, NULL, bytes);
}

EXPORTED nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle handle, void *cubin)
{
    return answer(handle, handle && !handle->ptx, handle ? handle->cubin : NULL,
                  handle ? handle->cubin_bytes : 0, cubin, NULL);
}

EXPORTED nvJitLinkResult nvJitLinkGetLinkedPtxSize(nvJitLinkHandle handle, size_t *bytes)
{
    return answer(handle, handle && handle->ptx, handle ? handle->linked_ptx : NULL,
                  handle ? handle->linked_ptx_bytes : 0, NULL, bytes);
}

EXPORTED nvJitLinkResult nvJitLinkGetLinkedPtx(nvJitLinkHandle handle, char *ptx)
{
    return answer(handle, handle && handle->ptx, handle ? handle->linked_ptx : NULL,
                  handle ? handle->linked_ptx_bytes : 0, ptx, NULL);
}

/* LTO-IR is not made here. */
EXPORTED nvJitLinkResult nvJitLinkGetLinkedLTOIRSize(nvJitLinkHandle handle, size_t *bytes)
{
    return handle && bytes ? NVJITLINK_ERROR_INVALID_INPUT : NVJITLINK_ERROR_NULL_INPUT;
}

EXPORTED nvJitLinkResult nvJitLinkGetLinkedLTOIR(nvJitLinkHandle handle, void *ltoir)
{
    return handle && ltoir ? NVJITLINK_ERROR_INVALID_INPUT : NVJITLINK_ERROR_NULL_INPUT;
}

/* The size of a log counts its NUL; an empty log has size 0. */
EXPORTED nvJitLinkResult nvJitLinkGetErrorLogSize(nvJitLinkHandle handle, size_t *bytes)
{
    if (!handle || !bytes)
        return NVJITLINK_ERROR_NULL_INPUT;
    *bytes = handle->errors.text ? handle->errors.count + 1 : 0;
    return NVJITLINK_SUCCESS;
}

EXPORTED nvJitLinkResult nvJitLinkGetErrorLog(nvJitLinkHandle handle, char *log)
{
    if (!handle || !log)
        return NVJITLINK_ERROR_NULL_INPUT;
    if (handle->errors.text)
        memcpy(log, handle->errors.text, handle->errors.count + 1);
    return NVJITLINK_SUCCESS;
}

EXPORTED nvJitLinkResult nvJitLinkGetInfoLogSize(nvJitLinkHandle handle, size_t *bytes)
{
    if (!handle || !bytes)
        return NVJITLINK_ERROR_NULL_INPUT;
    *bytes = 0;
    return NVJITLINK_SUCCESS;
}

EXPORTED nvJitLinkResult nvJitLinkGetInfoLog(nvJitLinkHandle handle, char *log)
{
    return handle && log ? NVJITLINK_SUCCESS : NVJITLINK_ERROR_NULL_INPUT;
}

/* Clients decide by the version which LTO-IR and options they may give, so it is that of the
 * library that reads them. */
EXPORTED nvJitLinkResult nvJitLinkVersion(unsigned *major, unsigned *minor)
{
    if (!major || !minor)
        return NVJITLINK_ERROR_NULL_INPUT;
    if (!link_lto_version(major, minor)) {
        *major = CUP_CUDA_MAJOR;
        *minor = CUP_CUDA_MAJOR == 12 ? 9 : 5;
    }
    return NVJITLINK_SUCCESS;
}

/* Headers map nvJitLinkCreate to __nvJitLinkCreate_13_0, by their version. */
#define ALIAS(name, version)                                                                       \
    EXPORTED extern __typeof__(name) __##name##_##version __attribute__((alias(#name)));
#if CUP_CUDA_MAJOR == 13
#define ALIASES(name, parameters)                                                                  \
    ALIAS(name, 13_0)                                                                              \
    ALIAS(name, 13_1)                                                                              \
    ALIAS(name, 13_2)                                                                              \
    ALIAS(name, 13_3)                                                                              \
    ALIAS(name, 13_4)                                                                              \
    ALIAS(name, 13_5)
#else
#define ALIASES(name, parameters)                                                                  \
    ALIAS(name, 12_0)                                                                              \
    ALIAS(name, 12_1)                                                                              \
    ALIAS(name, 12_2)                                                                              \
    ALIAS(name, 12_3)                                                                              \
    ALIAS(name, 12_4)                                                                              \
    ALIAS(name, 12_5)                                                                              \
    ALIAS(name, 12_6)                                                                              \
    ALIAS(name, 12_7)                                                                              \
    ALIAS(name, 12_8)                                                                              \
    ALIAS(name, 12_9)
#endif
NVJITLINK_FUNCTIONS(ALIASES)
