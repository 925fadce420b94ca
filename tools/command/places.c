/* SPDX-License-Identifier: MIT */
/* Finds the parts of cupipe from the path of the running command, so that a build tree, a prefix
 * and a copy of either work without configuration. */
#include "command/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* From the folder of the command to that of the libraries: in a build tree, then installed. */
static const char *const library_folders[] = {"../lib", "../lib/cupipe", "../lib64/cupipe",
                                              CUPIPE_LIBRARY_FROM_BIN};
enum { LIBRARY_FOLDERS = sizeof library_folders / sizeof library_folders[0] };

static const char manifest_folder[] = "../share/vulkan/implicit_layer.d";

void say(const char *format, ...)
{
    va_list arguments;

    fputs("cupipe: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

bool path_join(char path[PATH_BYTES], const char *folder, const char *name)
{
    int length = snprintf(path, PATH_BYTES, "%s/%s", folder, name);

    return length > 0 && length < PATH_BYTES;
}

bool path_exists(const char *folder, const char *name)
{
    char path[PATH_BYTES];

    return path_join(path, folder, name) && access(path, F_OK) == 0;
}

static int probe(const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0)
        return errno == EACCES ? EACCES : ENOENT;
    return S_ISREG(status.st_mode) && access(path, X_OK) == 0 ? 0 : EACCES;
}

int path_search(const char *name, char path[PATH_BYTES])
{
    const char *list = getenv("PATH");
    int result = ENOENT;

    if (strchr(name, '/')) {
        if (snprintf(path, PATH_BYTES, "%s", name) >= PATH_BYTES)
            return ENOENT;
        return probe(path);
    }
    for (const char *at = list ? list : "/usr/local/bin:/usr/bin:/bin"; *name && at;) {
        size_t length = strcspn(at, ":");
        int used =
            snprintf(path, PATH_BYTES, "%.*s%s%s", (int)length, at, length ? "/" : "./", name);
        int found = used < PATH_BYTES ? probe(path) : ENOENT;
        if (found == 0)
            return 0;
        if (found == EACCES)
            result = EACCES;
        at = at[length] ? at + length + 1 : NULL;
    }
    snprintf(path, PATH_BYTES, "%s", name);
    return result;
}

bool places_find(struct places *places)
{
    char self[PATH_BYTES], path[PATH_BYTES], manifest[PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    *places = (struct places){0};
    self[length > 0 ? length : 0] = 0;
    char *slash = strrchr(self, '/');
    if (!slash) {
        say("/proc is not mounted, so this command cannot find its libraries");
        return false;
    }
    *slash = 0;
    for (int i = 0; i < LIBRARY_FOLDERS; i++)
        if (path_join(path, self, library_folders[i]) && path_exists(path, "libcuda.so.1") &&
            realpath(path, places->library))
            break;
    if (!places->library[0]) {
        say("there is no libcuda.so.1 in %s/../lib or %s/../lib/cupipe: this cupipe is not "
            "complete",
            self, self);
        return false;
    }
    memcpy(places->command, self, sizeof self);
    if (!path_join(places->tools, places->library, "bin") ||
        !path_join(places->cubin, places->library, "cubin"))
        return false;
    if (path_join(path, self, manifest_folder) && path_exists(path, "VkLayer_cupipe.json") &&
        realpath(path, manifest))
        memcpy(places->manifest, manifest, sizeof manifest);
    return true;
}
