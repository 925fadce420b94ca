/* SPDX-License-Identifier: MIT */
/* cupipe-smi: the devices, their memory and utilisation, and the processes that use them, as NVML
 * tells them. As a table, as a list of devices (-L), or as JSON. */
#include <nvml.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSES_MAX = 512, NAME_BYTES = 256, MIB_SHIFT = 20 };

struct device {
    char name[NAME_BYTES], uuid[NVML_DEVICE_UUID_BUFFER_SIZE];
    nvmlPciInfo_t pci;
    nvmlMemory_t memory;
    nvmlUtilization_t utilization;
    nvmlEnableState_t ecc;
    int major, minor;
    unsigned clock, memory_clock;
    unsigned process_count;
    nvmlProcessInfo_t processes[PROCESSES_MAX];
};

static const char usage[] = "usage: cupipe-smi [-L | --json]\n"
                            "Shows the devices, their memory and utilisation, and processes.\n"
                            "  -L, --list-gpus  one line for each device, with its UUID\n"
                            "  --json           everything as JSON\n"
                            "  -h, --help       this text\n";

static bool read_device(unsigned index, struct device *device)
{
    nvmlEnableState_t pending;
    nvmlDevice_t handle;

    memset(device, 0, sizeof(*device));
    device->process_count = PROCESSES_MAX;
    return nvmlDeviceGetHandleByIndex(index, &handle) == NVML_SUCCESS &&
           nvmlDeviceGetName(handle, device->name, sizeof(device->name)) == NVML_SUCCESS &&
           nvmlDeviceGetUUID(handle, device->uuid, sizeof(device->uuid)) == NVML_SUCCESS &&
           nvmlDeviceGetPciInfo(handle, &device->pci) == NVML_SUCCESS &&
           nvmlDeviceGetMemoryInfo(handle, &device->memory) == NVML_SUCCESS &&
           nvmlDeviceGetUtilizationRates(handle, &device->utilization) == NVML_SUCCESS &&
           nvmlDeviceGetEccMode(handle, &device->ecc, &pending) == NVML_SUCCESS &&
           nvmlDeviceGetCudaComputeCapability(handle, &device->major, &device->minor) ==
               NVML_SUCCESS &&
           nvmlDeviceGetClockInfo(handle, NVML_CLOCK_SM, &device->clock) == NVML_SUCCESS &&
           nvmlDeviceGetClockInfo(handle, NVML_CLOCK_MEM, &device->memory_clock) == NVML_SUCCESS &&
           nvmlDeviceGetComputeRunningProcesses(handle, &device->process_count,
                                                device->processes) == NVML_SUCCESS;
}

static const char *process_name(unsigned pid, char *name, unsigned bytes)
{
    return nvmlSystemGetProcessName(pid, name, bytes) == NVML_SUCCESS && *name ? name : "?";
}

/* The columns of the table of devices, and the width of all of them with the bars between. */
enum { NAME_COLUMN = 43, BUS_COLUMN = 24, UTIL_COLUMN = 17, TABLE_WIDTH = 86 };

static void rule(char mark)
{
    char line[TABLE_WIDTH];

    memset(line, mark, sizeof(line));
    printf("|%.*s+%.*s+%.*s|\n", NAME_COLUMN, line, BUS_COLUMN, line, UTIL_COLUMN, line);
}

static void edge(char end, char mark)
{
    char line[TABLE_WIDTH];

    memset(line, mark, sizeof(line));
    printf("%c%.*s%c\n", end, TABLE_WIDTH, line, end);
}

static void print_device(unsigned index, const struct device *device)
{
    char memory[64], capability[32];

    snprintf(memory, sizeof(memory), "%lluMiB / %lluMiB", device->memory.used >> MIB_SHIFT,
             device->memory.total >> MIB_SHIFT);
    snprintf(capability, sizeof(capability), "%d.%d", device->major, device->minor);
    printf("| %3u  %-36.36s | %22.22s | %14u%% |\n", index, device->name, device->pci.busId,
           device->utilization.gpu);
    printf("|      %-36.36s | %22s | %15s |\n", device->uuid + strlen("GPU-"), memory, capability);
}

static void print_processes(unsigned index, const struct device *device)
{
    char name[NAME_BYTES], memory[32];

    for (unsigned i = 0; i < device->process_count; i++) {
        snprintf(memory, sizeof(memory), "%lluMiB",
                 device->processes[i].usedGpuMemory >> MIB_SHIFT);
        printf("| %3u  %10u   %-52.52s %13s |\n", index, device->processes[i].pid,
               process_name(device->processes[i].pid, name, sizeof(name)), memory);
    }
}

static void print_table(const struct device *devices, unsigned count)
{
    char version[NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE] = "?", cuda_version[32];
    unsigned processes = 0;
    int cuda = 0;

    nvmlSystemGetDriverVersion(version, sizeof(version));
    nvmlSystemGetCudaDriverVersion(&cuda);
    snprintf(cuda_version, sizeof(cuda_version), "%d.%d", cuda / 1000, cuda % 1000 / 10);
    edge('+', '-');
    printf("| CUPIPE-SMI %-12s Driver Version: %-20s  CUDA Version: %-8s |\n", CUPIPE_VERSION,
           version, cuda_version);
    rule('-');
    printf("| GPU  %-36s | %22s | %15s |\n", "Name", "Bus-Id", "GPU-Util");
    printf("|      %-36s | %22s | %15s |\n", "UUID", "Memory-Usage", "Capability");
    rule('=');
    for (unsigned i = 0; i < count; i++) {
        print_device(i, &devices[i]);
        rule('-');
        processes += devices[i].process_count;
    }
    printf("\n");
    edge('+', '-');
    printf("| GPU         PID   %-52s %13s |\n", "Process name", "Memory-Usage");
    printf("|======================================================================================"
           "|\n");
    for (unsigned i = 0; i < count; i++)
        print_processes(i, &devices[i]);
    if (processes == 0)
        printf("|  %-83s |\n", "No running processes found");
    edge('+', '-');
}

static void print_list(const struct device *devices, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        printf("GPU %u: %s (UUID: %s)\n", i, devices[i].name, devices[i].uuid);
}

static void print_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < ' ')
            printf("\\u%04x", (unsigned char)*text);
        else
            putchar(*text);
    }
    putchar('"');
}

static void print_json_device(unsigned index, const struct device *device)
{
    char name[NAME_BYTES];

    printf("    {\"index\": %u, \"name\": ", index);
    print_string(device->name);
    printf(", \"uuid\": \"%s\", \"pci_bus_id\": \"%s\",\n", device->uuid, device->pci.busId);
    printf("     \"compute_capability\": \"%d.%d\", \"clock_mhz\": %u, \"memory_clock_mhz\": %u,\n",
           device->major, device->minor, device->clock, device->memory_clock);
    printf("     \"ecc\": %s, \"memory_total_bytes\": %llu, \"memory_used_bytes\": %llu,\n",
           device->ecc == NVML_FEATURE_ENABLED ? "true" : "false", device->memory.total,
           device->memory.used);
    printf("     \"utilization_percent\": %u, \"processes\": [", device->utilization.gpu);
    for (unsigned i = 0; i < device->process_count; i++) {
        printf("%s\n      {\"pid\": %u, \"name\": ", i ? "," : "", device->processes[i].pid);
        print_string(process_name(device->processes[i].pid, name, sizeof(name)));
        printf(", \"memory_used_bytes\": %llu}", device->processes[i].usedGpuMemory);
    }
    printf("]}");
}

static void print_json(const struct device *devices, unsigned count)
{
    char version[NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE] = "?";
    int cuda = 0;

    nvmlSystemGetDriverVersion(version, sizeof(version));
    nvmlSystemGetCudaDriverVersion(&cuda);
    printf("{\"version\": \"%s\", \"driver_version\": \"%s\", \"cuda_version\": \"%d.%d\",\n",
           CUPIPE_VERSION, version, cuda / 1000, cuda % 1000 / 10);
    printf("  \"devices\": [");
    for (unsigned i = 0; i < count; i++) {
        printf("%s\n", i ? "," : "");
        print_json_device(i, &devices[i]);
    }
    printf("\n  ]}\n");
}

/* Returns NULL and says why if NVML has no answer. */
static struct device *read_devices(unsigned *count)
{
    struct device *devices;
    nvmlReturn_t result = nvmlInit();

    if (result == NVML_SUCCESS)
        result = nvmlDeviceGetCount(count);
    if (result != NVML_SUCCESS) {
        fprintf(stderr, "cupipe-smi: NVML does not start: %s\n", nvmlErrorString(result));
        return NULL;
    }
    devices = calloc(*count, sizeof(*devices));
    for (unsigned i = 0; devices && i < *count; i++) {
        if (!read_device(i, &devices[i])) {
            fprintf(stderr, "cupipe-smi: device %u cannot be read\n", i);
            free(devices);
            return NULL;
        }
    }
    if (!devices)
        fprintf(stderr, "cupipe-smi: %s\n", strerror(ENOMEM));
    return devices;
}

int main(int argc, char **argv)
{
    void (*print)(const struct device *devices, unsigned count) = print_table;
    struct device *devices;
    unsigned count = 0;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-L") == 0 || strcmp(argv[i], "--list-gpus") == 0) {
            print = print_list;
        } else if (strcmp(argv[i], "--json") == 0) {
            print = print_json;
        } else {
            bool is_help = strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0;

            fputs(usage, is_help ? stdout : stderr);
            return is_help ? 0 : 2;
        }
    }
    devices = read_devices(&count);
    if (!devices)
        return 1;
    print(devices, count);
    free(devices);
    nvmlShutdown();
    return fflush(stdout) == 0 ? 0 : 1;
}
