/* SPDX-License-Identifier: MIT */
/* cupipe cache: the folder of compiled kernels (src/exec/code/cache_folder.c). Warming is done by
 * libcuda itself: every kernel of a file is loaded, and so compiled, in the optimised tier, which
 * later processes prefer to their first tier. cuFuncLoad compiles for blocks whose width is a
 * multiple of 32, or for the block that the kernel requires. */
#include "command/command.h"
#include "command/driver.h"
#include "common/input.h"
#include "module/container.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As libcuda chooses it. Returns false after a message if there is none. */
static bool find_folder(char path[PATH_BYTES])
{
    const char *asked = getenv("CUPIPE_CACHE"), *cache = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");

    if (asked && strcmp(asked, "off") == 0) {
        say("CUPIPE_CACHE=off: compiled kernels are not kept");
        return false;
    }
    if (asked && *asked)
        return snprintf(path, PATH_BYTES, "%s", asked) < PATH_BYTES;
    if (cache && cache[0] == '/')
        return path_join(path, cache, "cupipe");
    if (home && home[0] == '/')
        return path_join(path, home, ".cache/cupipe");
    say("neither CUPIPE_CACHE, XDG_CACHE_HOME nor HOME names a folder");
    return false;
}

/* Where kernels go when that folder cannot be written. */
static bool find_other(char path[PATH_BYTES])
{
    const char *temporary = getenv("TMPDIR");

    return snprintf(path, PATH_BYTES, "%s/cupipe-%u",
                    temporary && temporary[0] == '/' ? temporary : "/tmp",
                    (unsigned)geteuid()) < PATH_BYTES &&
           access(path, F_OK) == 0;
}

/* Counts the files with an ending, and removes them if asked. Files that are not the cache's are
 * left alone. `what` says what they are. */
static int walk(const char *path, const char *ending, const char *what, bool remove)
{
    DIR *folder = opendir(path);
    unsigned long long bytes = 0;
    unsigned count = 0, failed = 0;
    struct dirent *each;

    while (folder && (each = readdir(folder))) {
        const char *end = strrchr(each->d_name, '.');
        struct stat status;
        if (!end || strcmp(end, ending) != 0 ||
            fstatat(dirfd(folder), each->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(status.st_mode))
            continue;
        count++;
        bytes += (unsigned long long)status.st_size;
        if (remove && unlinkat(dirfd(folder), each->d_name, 0) != 0)
            failed++;
    }
    if (folder)
        closedir(folder);
    printf(remove ? "%s: removed %u %s, %.1f MiB\n" : "%s: %u %s, %.1f MiB\n", path, count - failed,
           what, (double)bytes / (1 << 20));
    if (failed)
        say("%u %s could not be removed", failed, what);
    return failed ? EXIT_BAD : 0;
}

/* Kernels, and what was compiled for versions of PyTorch (packaging/cupipe/torch_object.py). */
static int walk_all(const char *path, bool remove)
{
    char torch[PATH_BYTES];
    int kernels = walk(path, ".kernel", "kernels", remove), objects = 0;

    if (path_join(torch, path, "torch") && access(torch, F_OK) == 0)
        objects = walk(torch, ".so", "objects for PyTorch", remove);
    return kernels ? kernels : objects;
}

struct warming {
    const struct driver *driver;
    const char *file;
    unsigned kernels, failed;
};

static void warm_functions(struct warming *warming, CUmodule module, CUfunction *functions,
                           unsigned count)
{
    const struct driver *driver = warming->driver;

    if (driver->cuModuleEnumerateFunctions(functions, count, module) != CUDA_SUCCESS)
        return;
    for (unsigned i = 0; i < count; i++) {
        const char *name = "?";
        CUresult result = driver->cuFuncLoad(functions[i]);
        warming->kernels++;
        if (result == CUDA_SUCCESS)
            continue;
        warming->failed++;
        driver->cuFuncGetName(&name, functions[i]);
        say("%s: %s: %s", warming->file, name, driver_error(driver, result));
    }
}

/* Compiles the kernels of PTX or of a fatbin. */
static bool warm_image(void *argument, const uint8_t *image, size_t bytes, const char *member)
{
    struct warming *warming = argument;
    const struct driver *driver = warming->driver;
    CUmodule module;
    unsigned count = 0;
    CUresult result = driver->cuModuleLoadData(&module, image);

    (void)bytes;
    (void)member;
    if (result != CUDA_SUCCESS) {
        warming->failed++;
        say("%s: %s. CUPIPE_LOG=debug says more.", warming->file, driver_error(driver, result));
        return true;
    }
    driver->cuModuleGetFunctionCount(&count, module);
    CUfunction *functions = calloc(count + 1, sizeof *functions);
    if (functions)
        warm_functions(warming, module, functions, count);
    free(functions);
    driver->cuModuleUnload(module);
    return true;
}

static bool warm_file(const struct driver *driver, const char *path)
{
    struct warming warming = {.driver = driver, .file = path};
    struct cup_source_text file;

    if (cup_source_read_file(path, &file) != CUDA_SUCCESS) {
        say("%s cannot be read", path);
        return false;
    }
    const uint8_t *bytes = (const uint8_t *)file.bytes;
    enum cup_input_kind kind = cup_input_identify(bytes, file.length);
    if (kind == CUP_INPUT_HOST)
        cup_container_each(bytes, file.length, warm_image, &warming);
    else if (kind != CUP_INPUT_UNKNOWN)
        warm_image(&warming, bytes, file.length, NULL);
    else
        say("%s is neither PTX nor a file with device code", path);
    free(file.bytes);
    printf("%s: %u kernels are in the cache\n", path, warming.kernels - warming.failed);
    return kind != CUP_INPUT_UNKNOWN && warming.failed == 0;
}

static int warm(int count, char **files)
{
    static struct places places;
    static struct driver driver;
    CUdevice device;
    CUcontext context;
    bool good = true;

    setenv("CUPIPE_JIT", "optimised", 1);
    if (!places_find(&places) || !driver_load(&places, &driver))
        return EXIT_OURS;
    CUresult result = driver.cuInit(0);
    if (result == CUDA_SUCCESS)
        result = driver.cuDeviceGet(&device, 0);
    if (result == CUDA_SUCCESS)
        result = driver.cuDevicePrimaryCtxRetain(&context, device);
    if (result == CUDA_SUCCESS)
        result = driver.cuCtxSetCurrent(context);
    if (result != CUDA_SUCCESS) {
        say("the driver does not start: %s", driver_error(&driver, result));
        return EXIT_BAD;
    }
    for (int i = 0; i < count; i++)
        good = warm_file(&driver, files[i]) && good;
    return good ? 0 : EXIT_BAD;
}

int command_cache(int count, char **arguments)
{
    char folder[PATH_BYTES], other[PATH_BYTES];
    bool clear = count == 2 && strcmp(arguments[1], "clear") == 0;
    bool warming = count > 2 && strcmp(arguments[1], "warm") == 0;

    if (count > 1 && !clear && !warming) {
        say("usage: cupipe cache [clear | warm FILE...]");
        return EXIT_OURS;
    }
    if (!find_folder(folder))
        return EXIT_BAD;
    if (warming)
        return warm(count - 2, arguments + 2);
    int own = walk_all(folder, clear), others = find_other(other) ? walk_all(other, clear) : 0;
    return own ? own : others;
}
