/* SPDX-License-Identifier: MIT */
/* cupipe info: devices, versions, and which parts of cupipe are there. One list of facts is printed
 * as text or as JSON. */
#include "command/command.h"
#include "command/driver.h"
#include "command/gpu.h"
#include "command/nvidia.h"
#include "command/python.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

enum folder { LIBRARY, TOOLS, CUBIN, MANIFEST, IN_PATH, BELOW_CUBLAS };

static const struct part {
    const char *name; /* "": it comes with the part above, and is not told */
    enum folder folder;
    const char *file;
    const char *without; /* what does not work without it */
    bool load;           /* the library is loaded to see whether that works */
} parts[] = {
    {"driver", LIBRARY, "libcuda.so.1", "nothing works", false},
    {"compiler of kernels", LIBRARY, "libcupipe-jit.so", "kernels cannot run", true},
    {"runtime 13", LIBRARY, "libcudart.so.13", "programs of nvcc 13 do not start", false},
    {"runtime 12", LIBRARY, "libcudart.so.12", "programs of nvcc 12 do not start", false},
    {"static runtime", LIBRARY, "libcudart_static.a", "nvcc links NVIDIA's", false},
#define CUDA_LIBRARY(constant, title, name, of_12, of_13, package, without)                        \
    {title, LIBRARY, "lib" name ".so." #of_13, without, false},
#include "libraries/libraries.def"
#undef CUDA_LIBRARY
    {"OpenBLAS", BELOW_CUBLAS, "apt install libopenblas0-pthread, or pip install scipy-openblas32",
     "cuBLAS and cuBLASLt answer NOT_SUPPORTED", false},
    {"NVML", LIBRARY, "libnvidia-ml.so.1", "programs that ask NVML find no devices", false},
    {"ptxas", TOOLS, "ptxas", "Triton and nvcc make machine code", false},
    {"nvlink", TOOLS, "nvlink", "clang's OpenMP and nvcc -rdc make machine code", false},
    {"nvJitLink", CUBIN, "libnvJitLink.so.13", "numba-cuda makes machine code", false},
    {"NVRTC", CUBIN, "libnvrtc.so.13", "cuda.core and CuPy make machine code", false},
    {"Vulkan layer", MANIFEST, "VkLayer_cupipe.json", "lavapipe exports no semaphores", false},
    {"Python", IN_PATH, "python3", "cupipe trace does not run", false},
    {"nvcc", IN_PATH, "nvcc", "CUDA C++ cannot be compiled here, but runs", false},
};
enum { PARTS = sizeof parts / sizeof parts[0] };

static void print_json_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\')
            printf("\\%c", byte);
        else if (byte < 0x20)
            printf("\\u%04x", byte);
        else
            putchar(byte);
    }
    putchar('"');
}

/* Asks cuBLAS which OpenBLAS it computes with. Its message about a missing one is for programs. */
static bool find_openblas(const struct places *places, char path[PATH_BYTES])
{
    int standard_error = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const char *(*ask)(void) = NULL;
    const char *found = NULL;

    if (path_join(path, places->library, "libcublas.so.13"))
        *(void **)&ask = dlsym(dlopen(path, RTLD_NOW | RTLD_LOCAL), "cupipe_openblas");
    if (ask && nowhere >= 0 && standard_error >= 0) {
        dup2(nowhere, STDERR_FILENO);
        found = ask();
        dup2(standard_error, STDERR_FILENO);
    }
    close(nowhere);
    close(standard_error);
    return found && snprintf(path, PATH_BYTES, "%s", found) < PATH_BYTES;
}

/* Finds the part. `why` receives the reason if it is there but does not load. */
static bool find_part(const struct places *places, const struct part *part, char path[PATH_BYTES],
                      char why[PATH_BYTES])
{
    const char *const folders[] = {[LIBRARY] = places->library,
                                   [TOOLS] = places->tools,
                                   [CUBIN] = places->cubin,
                                   [MANIFEST] = places->manifest};

    why[0] = 0;
    if (part->folder == IN_PATH)
        return path_search(part->file, path) == 0;
    if (part->folder == BELOW_CUBLAS)
        return find_openblas(places, path);
    if (!path_join(path, folders[part->folder], part->file) || access(path, R_OK) != 0)
        return false;
    if (part->load && !dlopen(path, RTLD_NOW)) {
        const char *error = dlerror();
        snprintf(why, PATH_BYTES, "%s", error ? error : "it does not load");
        return false;
    }
    return true;
}

static void print_part(const struct places *places, int index, bool json)
{
    const struct part *part = &parts[index];
    char path[PATH_BYTES], why[PATH_BYTES];
    bool found = find_part(places, part, path, why);

    if (!json) {
        if (found)
            printf("  %-20s %s\n", part->name, path);
        else
            printf("  %-20s missing (%s): %s\n", part->name, why[0] ? why : part->file,
                   part->without);
        return;
    }
    printf("%s\n    {\"name\": ", index ? "," : "");
    print_json_string(part->name);
    printf(", \"found\": %s, ", found ? "true" : "false");
    printf(found ? "\"path\": " : "\"without\": ");
    print_json_string(found ? path : part->without);
    if (why[0]) {
        printf(", \"error\": ");
        print_json_string(why);
    }
    putchar('}');
}

struct device_facts {
    char name[256], bus[32], uuid[64];
    size_t memory_bytes;
    int major, minor, multiprocessors;
};

static bool ask_device(const struct driver *driver, int ordinal, struct device_facts *facts)
{
    CUdevice device;
    CUuuid uuid;
    const struct {
        CUdevice_attribute attribute;
        int *value;
    } numbers[] = {{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &facts->major},
                   {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &facts->minor},
                   {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &facts->multiprocessors}};

    if (driver->cuDeviceGet(&device, ordinal) != CUDA_SUCCESS ||
        driver->cuDeviceGetName(facts->name, sizeof facts->name, device) != CUDA_SUCCESS ||
        driver->cuDeviceGetPCIBusId(facts->bus, sizeof facts->bus, device) != CUDA_SUCCESS ||
        driver->cuDeviceTotalMem_v2(&facts->memory_bytes, device) != CUDA_SUCCESS ||
        driver->cuDeviceGetUuid_v2(&uuid, device) != CUDA_SUCCESS)
        return false;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (driver->cuDeviceGetAttribute(numbers[i].value, numbers[i].attribute, device) !=
            CUDA_SUCCESS)
            return false;
    size_t used = (size_t)snprintf(facts->uuid, sizeof facts->uuid, "GPU-");
    for (int i = 0; i < 16; i++)
        used += (size_t)snprintf(facts->uuid + used, sizeof facts->uuid - used, "%s%02x",
                                 i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                                 (unsigned char)uuid.bytes[i]);
    return true;
}

static void print_device(int ordinal, const struct device_facts *facts, bool json)
{
    if (!json) {
        printf("  %d: %s at %s, compute capability %d.%d, %d multiprocessors, %zu MiB\n     %s\n",
               ordinal, facts->name, facts->bus, facts->major, facts->minor, facts->multiprocessors,
               facts->memory_bytes >> 20, facts->uuid);
        return;
    }
    printf("%s\n    {\"ordinal\": %d, \"name\": ", ordinal ? "," : "", ordinal);
    print_json_string(facts->name);
    printf(", \"pci\": \"%s\", \"uuid\": \"%s\", \"compute_capability\": \"%d.%d\", "
           "\"multiprocessors\": %d, \"memory_bytes\": %zu}",
           facts->bus, facts->uuid, facts->major, facts->minor, facts->multiprocessors,
           facts->memory_bytes);
}

static CUresult print_devices(const struct driver *driver, bool json)
{
    struct device_facts facts;
    int count = 0;
    CUresult result = driver->cuInit(0);

    if (result == CUDA_SUCCESS)
        result = driver->cuDeviceGetCount(&count);
    printf(json ? "  \"devices\": [" : "devices:\n");
    for (int i = 0; i < count; i++)
        if (ask_device(driver, i, &facts))
            print_device(i, &facts, json);
    if (json)
        printf("\n  ],\n  \"cuInit\": \"%s\",\n", driver_error(driver, result));
    else if (result != CUDA_SUCCESS)
        printf("  none: cuInit answers %s\n", driver_error(driver, result));
    return result;
}

static bool is_setting(const char *variable)
{
    return strncmp(variable, "CUPIPE_", 7) == 0 ||
           strncmp(variable, "CUDA_VISIBLE_DEVICES=", 21) == 0;
}

static void print_settings(bool json)
{
    bool any = false;

    printf(json ? ",\n  \"variables\": {" : "variables:\n");
    for (char **each = environ; *each; each++) {
        char name[256];
        size_t length = strcspn(*each, "=");
        if (!is_setting(*each) || length >= sizeof name || !(*each)[length])
            continue;
        snprintf(name, sizeof name, "%.*s", (int)length, *each);
        if (json) {
            printf("%s\n    ", any ? "," : "");
            print_json_string(name);
            printf(": ");
            print_json_string(*each + length + 1);
        } else {
            printf("  %s\n", *each);
        }
        any = true;
    }
    if (json)
        printf("\n  }\n}\n");
    else if (!any)
        printf("  none is set\n");
}

/* For the Python that a shell finds. */
static void print_nvidia(bool json)
{
    char path[PATH_BYTES];
    bool found = python_in_path(path);

    if (json) {
        printf(",\n");
        nvidia_print_json(found ? path : NULL, print_json_string);
    } else {
        nvidia_print(found ? path : NULL);
    }
}

int command_info(int count, char **arguments)
{
    static struct places places;
    static struct driver driver;
    bool json = count == 2 && strcmp(arguments[1], "--json") == 0;
    int version = 0;

    if (count == 2 && strcmp(arguments[1], "--gpus") == 0) {
        gpu_print_all();
        return 0;
    }
    if (count > 2 || (count == 2 && !json)) {
        say("usage: cupipe info [--json | --gpus]");
        return EXIT_OURS;
    }
    if (!places_find(&places) || !driver_load(&places, &driver))
        return EXIT_OURS;
    driver.cuDriverGetVersion(&version);
    if (json) {
        printf("{\n  \"cupipe\": \"%s\",\n  \"cuda\": \"%d.%d\",\n  \"library\": ", CUPIPE_VERSION,
               version / 1000, version % 1000 / 10);
        print_json_string(places.library);
        printf(",\n");
    } else {
        printf("cupipe %s, CUDA %d.%d, in %s\n", CUPIPE_VERSION, version / 1000,
               version % 1000 / 10, places.library);
    }
    CUresult result = print_devices(&driver, json);
    printf(json ? "  \"parts\": [" : "parts:\n");
    for (int i = 0; i < PARTS; i++)
        if (parts[i].name[0])
            print_part(&places, i, json);
    if (json)
        printf("\n  ]");
    print_nvidia(json);
    print_settings(json);
    return result == CUDA_SUCCESS ? 0 : EXIT_BAD;
}
