/* SPDX-License-Identifier: MIT */
/* The names of the device runtime's functions. */
#include "ptx/device_call.h"

#include "core/compiler.h"
#include "ptx/program.h"

#include <string.h>

enum ptx_device_call ptx_device_call_of(const char *name)
{
    static const char *const names[] = {
#define PTX_DEVICE_CALL(call, text) [PTX_CALL_##call] = text,
#include "ptx/device_calls.def"
#undef PTX_DEVICE_CALL
    };
    unsigned call = 0;

    while (call < PTX_CALL_NONE && strcmp(name, names[call]) != 0)
        call++;
    return (enum ptx_device_call)call;
}

bool ptx_is_system_function(const char *name)
{
    static const char *const names[] = {"vprintf", "malloc", "free", "__assertfail",
                                        "cudaGraphSetConditional"};

    for (size_t i = 0; i < CUP_ARRAY_COUNT(names); i++)
        if (!strcmp(name, names[i]))
            return true;
    return ptx_device_call_of(name) != PTX_CALL_NONE;
}
