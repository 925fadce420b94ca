/* SPDX-License-Identifier: MIT */
/* The C++ runtime has the function __cxa_demangle(). C++ programs have loaded it already. */
#include "os/demangle.h"

#include "os/dynlib.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangle_function(const char *name, char *buffer, size_t *size, int *status);

/* NAME_BYTES: what a mangled name in a text may have. */
enum { NAME_BYTES = 4096 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static demangle_function *demangle; /* NULL: there is no library */

static void find_demangle(void)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
    static const char name[] = "__cxa_demangle";
    void *found = dlsym(RTLD_DEFAULT, name);

    for (size_t i = 0; !found && i < sizeof(libraries) / sizeof(libraries[0]); i++) {
        void *library = cup_dynlib_open(libraries[i], CUP_DYNLIB_LOAD);
        found = library ? dlsym(library, name) : NULL;
    }
    memcpy(&demangle, &found, sizeof(found));
}

static bool is_mangled(const char *name)
{
    return strncmp(name, "_Z", 2) == 0;
}

bool cup_demangle(const char *name, char *plain, size_t size)
{
    int status = 0;

    if (!is_mangled(name) || size == 0)
        return false;
    pthread_once(&once, find_demangle);
    char *found = demangle ? demangle(name, NULL, NULL, &status) : NULL;
    if (!found)
        return false;
    size_t length = strlen(found);
    length = length < size ? length : size - 1;
    memcpy(plain, found, length);
    plain[length] = '\0';
    free(found);
    return true;
}

/* Names of PTX have $, too. */
static bool is_part_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '.';
}

static size_t name_length(const char *text, size_t length)
{
    size_t count = 0;

    while (count < length && is_part_of_name(text[count]))
        count++;
    while (count && text[count - 1] == '.') /* the end of a sentence */
        count--;
    return count;
}

size_t cup_demangle_text(const char *text, size_t length, char *plain, size_t size)
{
    char name[NAME_BYTES];
    size_t used = 0;

    for (size_t at = 0; at < length && used + 1 < size;) {
        size_t count = name_length(text + at, length - at);

        if (count > 2 && count < sizeof(name)) {
            memcpy(name, text + at, count);
            name[count] = '\0';
            if (cup_demangle(name, plain + used, size - used)) {
                used += strlen(plain + used);
                at += count;
                continue;
            }
        }
        count = count ? count : 1;
        count = count < size - 1 - used ? count : size - 1 - used;
        memcpy(plain + used, text + at, count);
        used += count;
        at += count;
    }
    if (size)
        plain[used] = '\0';
    return used;
}
