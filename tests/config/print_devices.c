/* SPDX-License-Identifier: MIT */
/* Loads a libcuda, calls cuInit and prints what an application then sees of the devices.
 *
 *     print_devices LIBRARY [NAME=VALUE ...]
 *
 * For each NAME=VALUE it changes the environment so, calls cuInit again and prints again. */
#include <cuda.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static CUresult (*get_error_name)(CUresult, const char **);
static CUresult (*init)(unsigned int);
static CUresult (*get_count)(int *);
static CUresult (*get_name)(char *, int, CUdevice);
static CUresult (*get_uuid)(CUuuid *, CUdevice);
static CUresult (*get_memory)(size_t *, CUdevice);
static CUresult (*get_pci_id)(char *, int, CUdevice);

static void find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);

    if (!symbol) {
        fprintf(stderr, "print_devices: %s\n", dlerror());
        exit(2);
    }
    *(void **)function = symbol;
}

static void load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);

    if (!library) {
        fprintf(stderr, "print_devices: %s\n", dlerror());
        exit(2);
    }
    find(library, "cuGetErrorName", &get_error_name);
    find(library, "cuInit", &init);
    find(library, "cuDeviceGetCount", &get_count);
    find(library, "cuDeviceGetName", &get_name);
    find(library, "cuDeviceGetUuid_v2", &get_uuid);
    find(library, "cuDeviceTotalMem_v2", &get_memory);
    find(library, "cuDeviceGetPCIBusId", &get_pci_id);
}

static void must(CUresult result, const char *what)
{
    if (result != CUDA_SUCCESS) {
        fprintf(stderr, "print_devices: %s answers %d\n", what, (int)result);
        exit(2);
    }
}

static const char *name_of(CUresult result)
{
    const char *name = "?";

    (void)get_error_name(result, &name);
    return name;
}

static void print_device(CUdevice device)
{
    char name[512];
    char pci_id[32];
    CUuuid uuid;
    size_t memory_bytes;

    must(get_name(name, sizeof(name), device), "cuDeviceGetName");
    must(get_uuid(&uuid, device), "cuDeviceGetUuid_v2");
    must(get_memory(&memory_bytes, device), "cuDeviceTotalMem_v2");
    must(get_pci_id(pci_id, sizeof(pci_id), device), "cuDeviceGetPCIBusId");
    printf("device %zu ", memory_bytes);
    for (size_t i = 0; i < sizeof(uuid.bytes); i++)
        printf("%02x", (unsigned char)uuid.bytes[i]);
    printf(" %s %s\n", pci_id, name);
}

static void print_all(void)
{
    CUresult result;
    int count = 0;

    printf("cuInit %s\n", name_of(init(0)));
    result = get_count(&count);
    if (result == CUDA_SUCCESS)
        printf("cuDeviceGetCount %d\n", count);
    else
        printf("cuDeviceGetCount %s\n", name_of(result));
    for (int i = 0; i < count; i++)
        print_device(i);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: print_devices LIBRARY [NAME=VALUE ...]\n");
        return 2;
    }
    load(argv[1]);
    print_all();
    for (int i = 2; i < argc; i++) {
        putenv(argv[i]);
        print_all();
    }
    return 0;
}
