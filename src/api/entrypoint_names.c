/* SPDX-License-Identifier: MIT */
/* Looks through the generated list of names. */
#include "api/entrypoint_names.h"

#include <stddef.h>
#include <string.h>

bool cup_entrypoint_knows(const char *name)
{
    size_t length = strlen(name);
    bool is_beginning = name[length - 1] == '*';

    for (const char *each = cup_entrypoint_names; *each; each += strlen(each) + 1) {
        if (is_beginning ? strncmp(each, name, length - 1) == 0 : strcmp(each, name) == 0)
            return true;
    }
    return false;
}
