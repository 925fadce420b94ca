/* SPDX-License-Identifier: MIT */
#include "nvrtc/request.h"

#include "common/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns what follows in the option if it begins with one of its names and a sign or nothing. */
static const char *value_of(const char *option, const char *longer, const char *brief)
{
    const char *names[] = {longer, brief};

    for (unsigned i = 0; i < 2; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(option, names[i], length) == 0 && (option[length] == '=' || !option[length]))
            return option[length] ? option + length + 1 : option + length;
    }
    return NULL;
}

/* The value of -arch may be the next option. */
static bool replace_architecture(struct nvrtc_request *request, int count, int at)
{
    const char *value = value_of(request->options[at], "--gpu-architecture", "-arch");

    if (value && !*value && at + 1 < count)
        value = request->options[++at];
    if (!value || strncmp(value, "sm_", 3) != 0 || cup_input_architecture(value) == 0)
        return true;
    size_t prefix = (size_t)(value - request->options[at]);
    free(request->replaced);
    request->replaced = malloc(strlen(request->options[at]) + sizeof "compute_");
    if (!request->replaced)
        return false;
    sprintf(request->replaced, "%.*scompute_%s", (int)prefix, request->options[at], value + 3);
    request->capability = cup_input_architecture(value);
    request->options[at] = request->replaced;
    return true;
}

bool nvrtc_request_init(struct nvrtc_request *request, int count, const char *const *options)
{
    *request = (struct nvrtc_request){.options = calloc((size_t)count + 1, sizeof(char *))};
    if (!request->options)
        return false;
    memcpy(request->options, options, (size_t)count * sizeof(char *));
    for (int i = 0; i < count; i++) {
        const char *rdc = value_of(options[i], "--relocatable-device-code", "-rdc");
        request->lto = request->lto || strcmp(options[i], "-dlto") == 0 ||
                       strcmp(options[i], "--dlink-time-opt") == 0;
        request->relocatable = request->relocatable || (rdc && strcmp(rdc, "true") == 0) ||
                               strcmp(options[i], "-dc") == 0 ||
                               strcmp(options[i], "--device-c") == 0;
        if (!replace_architecture(request, count, i))
            return false;
    }
    return true;
}

void nvrtc_request_finish(struct nvrtc_request *request)
{
    free(request->options);
    free(request->replaced);
}
