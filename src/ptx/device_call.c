/* SPDX-License-Identifier: MIT */
/* The names of the device runtime's functions. */
#include "ptx/device_call.h"

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
