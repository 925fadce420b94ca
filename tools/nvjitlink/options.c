/* SPDX-License-Identifier: MIT */
/* The options that nvJitLink documents. Those that choose how machine code is made are accepted and
 * change nothing. */
#include "common/input.h"
#include "module/log.h"
#include "nvjitlink/link.h"

#include <stdlib.h>
#include <string.h>

/* An option that ends in '=' has a value. */
static const char *const accepted[] = {
    "-time",
    "-verbose",
    "-g",
    "-lineinfo",
    "-ftz=",
    "-prec-div=",
    "-prec-sqrt=",
    "-fma=",
    "-kernels-used=",
    "-variables-used=",
    "-optimize-unused-variables",
    "-Xptxas=",
    "-Xnvvm=",
    "-split-compile=",
    "-split-compile-extended=",
    "-jump-table-density=",
    "-no-cache",
    "-device-stack-protector",
    "-device-stack-protector=",
    "-nvvm-latest",
    "-Ofc=",
    "-r",
    "-O0",
    "-O3",
};

static bool is_accepted(const char *option)
{
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        size_t length = strlen(accepted[i]);
        if (accepted[i][length - 1] == '=' ? strncmp(option, accepted[i], length) == 0
                                           : strcmp(option, accepted[i]) == 0)
            return true;
    }
    return false;
}

enum { OLDEST = 50 };

static nvJitLinkResult read_architecture(struct nvJitLink *link, const char *name)
{
    link->capability = cup_input_architecture(name);
    if (link->capability == 0) {
        cup_module_log(&link->errors, "unrecognized option: -arch=%s", name);
        return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
    }
    if (link->capability < OLDEST) {
        cup_module_log(&link->errors,
                       "ERROR NVJITLINK_ERROR_UNSUPPORTED_ARCH: unsupported architecture (%s)",
                       name);
        return NVJITLINK_ERROR_UNSUPPORTED_ARCH;
    }
    return NVJITLINK_SUCCESS;
}

static nvJitLinkResult read_option(struct nvJitLink *link, const char *option)
{
    if (strncmp(option, "-arch=", 6) == 0)
        return read_architecture(link, option + 6);
    if (strncmp(option, "-maxrregcount=", 14) == 0) {
        link->source.max_registers = (uint32_t)strtoul(option + 14, NULL, 10);
    } else if (strcmp(option, "-lto") == 0) {
        link->lto = true;
    } else if (strcmp(option, "-ptx") == 0) {
        link->ptx = true;
    } else if (!is_accepted(option)) {
        if (strncmp(option, "-O", 2) == 0)
            cup_module_log(&link->errors,
                           "unsupported value of -O: %s. Only 0 and 3 are supported.", option + 2);
        else
            cup_module_log(&link->errors, "unrecognized option: %s", option);
        return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
    }
    return NVJITLINK_SUCCESS;
}

nvJitLinkResult link_options(struct nvJitLink *link, uint32_t count, const char **options)
{
    bool virtual = false;

    link->options = calloc(count + 1, sizeof *link->options);
    if (!link->options)
        return NVJITLINK_ERROR_INTERNAL;
    for (uint32_t i = 0; i < count; i++) {
        if (!options[i])
            return NVJITLINK_ERROR_NULL_INPUT;
        link->options[i] = strdup(options[i]);
        if (!link->options[i])
            return NVJITLINK_ERROR_INTERNAL;
        link->option_count++;
        virtual = virtual || strncmp(options[i], "-arch=compute_", 14) == 0;
        nvJitLinkResult result = read_option(link, options[i]);
        if (result != NVJITLINK_SUCCESS)
            return result;
    }
    if (link->capability == 0)
        return NVJITLINK_ERROR_MISSING_ARCH;
    if (link->ptx && !link->lto) {
        cup_module_log(&link->errors, "ERROR: -ptx requires -lto");
        return NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS;
    }
    if (virtual && !link->ptx) {
        cup_module_log(&link->errors, "ERROR: virtual arch requires -ptx");
        return NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS;
    }
    return NVJITLINK_SUCCESS;
}
