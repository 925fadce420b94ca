/* SPDX-License-Identifier: MIT */
/* cupipe-smi: the devices, their memory and utilisation, and the processes that use them, as NVML
 * tells them. As a table, as a list of devices (-L), as JSON, or in the forms of nvidia-smi that
 * programs read (query.c). cupipe run finds it under the name nvidia-smi, too. */
#include "smi.h"

#include "query.h"

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
    unsigned index, clock, memory_clock;
    unsigned process_count;
    nvmlProcessInfo_t processes[PROCESSES_MAX];
};

static const char usage[] =
    "usage: cupipe smi [-i ID] [-L | -q | --json | --query-gpu=FIELDS --format=csv]\n"
    "Shows the devices, their memory and utilisation, and processes.\n"
    "  -i, --id=ID              this device alone: its index, UUID or PCI address\n"
    "  -L, --list-gpus          one line for each device, with its UUID\n"
    "  -q, --query              what is known of each device, as text\n"
    "  --json                   everything as JSON\n"
    "  --version                the versions of driver, NVML and CUDA\n"
    "  --query-gpu=FIELDS       a line of values for each device; fields have commas\n"
    "                           between them, and --help-query-gpu lists them\n"
    "  --query-compute-apps=FIELDS  the same for each process that uses a device;\n"
    "                           --help-query-compute-apps lists the fields\n"
    "  --format=csv[,noheader][,nounits]  the form of these lines\n"
    "  -h, --help               this text\n";

static bool read_device(nvmlDevice_t handle, struct device *device)
{
    nvmlEnableState_t pending;

    memset(device, 0, sizeof(*device));
    device->process_count = PROCESSES_MAX;
    return nvmlDeviceGetIndex(handle, &device->index) == NVML_SUCCESS &&
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

static void print_device(const struct device *device)
{
    char memory[64], capability[32];

    snprintf(memory, sizeof(memory), "%lluMiB / %lluMiB", device->memory.used >> MIB_SHIFT,
             device->memory.total >> MIB_SHIFT);
    snprintf(capability, sizeof(capability), "%d.%d", device->major, device->minor);
    printf("| %3u  %-36.36s | %22.22s | %14u%% |\n", device->index, device->name, device->pci.busId,
           device->utilization.gpu);
    printf("|      %-36.36s | %22s | %15s |\n", device->uuid + strlen("GPU-"), memory, capability);
}

static void print_processes(const struct device *device)
{
    char name[NAME_BYTES], memory[32];

    for (unsigned i = 0; i < device->process_count; i++) {
        snprintf(memory, sizeof(memory), "%lluMiB",
                 device->processes[i].usedGpuMemory >> MIB_SHIFT);
        printf("| %3u  %10u   %-52.52s %13s |\n", device->index, device->processes[i].pid,
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
        print_device(&devices[i]);
        rule('-');
        processes += devices[i].process_count;
    }
    printf("\n");
    edge('+', '-');
    printf("| GPU         PID   %-52s %13s |\n", "Process name", "Memory-Usage");
    printf("|======================================================================================"
           "|\n");
    for (unsigned i = 0; i < count; i++)
        print_processes(&devices[i]);
    if (processes == 0)
        printf("|  %-83s |\n", "No running processes found");
    edge('+', '-');
}

static void print_list(const struct device *devices, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        printf("GPU %u: %s (UUID: %s)\n", devices[i].index, devices[i].name, devices[i].uuid);
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

static void print_json_device(const struct device *device)
{
    char name[NAME_BYTES];

    printf("    {\"index\": %u, \"name\": ", device->index);
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

static void print_version(const struct device *devices, unsigned count)
{
    char driver[NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE] = "?";
    const char *last;
    int cuda = 0;

    (void)devices;
    (void)count;
    nvmlSystemGetDriverVersion(driver, sizeof(driver));
    nvmlSystemGetCudaDriverVersion(&cuda);
    last = strrchr(driver, '.');
    printf("NVIDIA-SMI version  : %s\n", driver);
    printf("NVML version        : %.*s\n", last ? (int)(last - driver) : 0, driver);
    printf("DRIVER version      : %s\n", driver);
    printf("CUDA Version        : %d.%d\n", cuda / 1000, cuda % 1000 / 10);
    if (cuda >= SMI_TWO_NAMES_SINCE) {
        printf("KMD version         : %s\n", driver);
        printf("CUDA UMD version    : %d.%d\n", cuda / 1000, cuda % 1000 / 10);
    }
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
        print_json_device(&devices[i]);
    }
    printf("\n  ]}\n");
}

enum { DEVICES_MAX = 64 };

/* Finds a device by its index, UUID or PCI address. */
static bool find_device(const char *id, nvmlDevice_t *device)
{
    char *end;
    unsigned long index = strtoul(id, &end, 10);

    if (*id >= '0' && *id <= '9' && !*end && index < DEVICES_MAX)
        return nvmlDeviceGetHandleByIndex((unsigned)index, device) == NVML_SUCCESS;
    return nvmlDeviceGetHandleByUUID(id, device) == NVML_SUCCESS ||
           nvmlDeviceGetHandleByPciBusId(id, device) == NVML_SUCCESS;
}

/* Finds the devices that are asked for: a list with commas, or all. Returns an exit status. */
static int find_devices(const char *ids, nvmlDevice_t devices[DEVICES_MAX], unsigned *count)
{
    char id[NVML_DEVICE_UUID_BUFFER_SIZE];
    nvmlReturn_t result = nvmlInit();
    unsigned all = 0;

    if (result == NVML_SUCCESS)
        result = nvmlDeviceGetCount(&all);
    if (result != NVML_SUCCESS) {
        fprintf(stderr, "cupipe-smi: NVML does not start: %s\n", nvmlErrorString(result));
        return SMI_NO_NVML;
    }
    for (*count = 0; !ids && *count < all && *count < DEVICES_MAX; ++*count)
        if (nvmlDeviceGetHandleByIndex(*count, &devices[*count]) != NVML_SUCCESS)
            return SMI_NO_NVML;
    for (const char *at = ids; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        snprintf(id, sizeof(id), "%.*s", (int)strcspn(at, ","), at);
        if (*count == DEVICES_MAX || !find_device(id, &devices[*count])) {
            printf("No devices were found\n");
            return SMI_NOT_FOUND;
        }
        ++*count;
    }
    return 0;
}

typedef void print_function(const struct device *devices, unsigned count);

/* Prints a form that shows all devices together. */
static int print_devices(print_function *print, const nvmlDevice_t *handles, unsigned count)
{
    struct device *devices = calloc(count ? count : 1, sizeof(*devices));
    int status = devices ? 0 : SMI_NO_NVML;

    if (!devices)
        fprintf(stderr, "cupipe-smi: %s\n", strerror(ENOMEM));
    for (unsigned i = 0; i < count && !status; i++) {
        if (!read_device(handles[i], &devices[i])) {
            fprintf(stderr, "cupipe-smi: device %u cannot be read\n", i);
            status = SMI_NO_NVML;
        }
    }
    if (!status)
        print(devices, count);
    free(devices);
    return status;
}

/* What the command line asks for. */
struct request {
    const char *ids, *format;
    struct query query;
    print_function *print;
    bool all;
};

/* The value of "--name=value" or "--name value", or NULL if the word is another option. */
static const char *value_of(const char *name, char ***words)
{
    size_t length = strlen(name);

    if (strncmp(**words, name, length) != 0)
        return NULL;
    if ((**words)[length] == '=')
        return **words + length + 1;
    return !(**words)[length] && (*words)[1] ? *++*words : NULL;
}

static bool take_value(struct request *request, char ***words)
{
    const struct {
        const char *name;
        const char **place;
        const struct field_list *list;
    } options[] = {
        {"-i", &request->ids, NULL},
        {"--id", &request->ids, NULL},
        {"--format", &request->format, NULL},
        {"--query-gpu", &request->query.names, &device_fields},
        {"--query-compute-apps", &request->query.names, &process_fields},
    };

    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        const char *value = value_of(options[i].name, words);
        if (!value)
            continue;
        *options[i].place = value;
        if (options[i].list)
            request->query.list = options[i].list;
        return true;
    }
    return false;
}

static bool is_option(const char *word, const char *brief, const char *full)
{
    return strcmp(word, brief) == 0 || strcmp(word, full) == 0;
}

static int refuse(const char *option)
{
    printf("ERROR: Option %s is not recognized. Please run 'cupipe smi -h'.\n\n", option);
    return SMI_UNKNOWN_OPTION;
}

/* Returns -1 to go on, or an exit status. */
static int take_word(struct request *request, char ***words)
{
    const char *word = **words;

    if (is_option(word, "-h", "--help"))
        return fputs(usage, stdout) < 0;
    if (strcmp(word, "--help-query-gpu") == 0)
        return query_help(&device_fields);
    if (strcmp(word, "--help-query-compute-apps") == 0)
        return query_help(&process_fields);
    if (is_option(word, "-L", "--list-gpus"))
        request->print = print_list;
    else if (strcmp(word, "--json") == 0)
        request->print = print_json;
    else if (strcmp(word, "--version") == 0)
        request->print = print_version;
    else if (is_option(word, "-q", "--query"))
        request->all = true;
    else if (!take_value(request, words))
        return refuse(word);
    return -1;
}

int main(int argc, char **argv)
{
    struct request request = {.print = print_table};
    nvmlDevice_t devices[DEVICES_MAX];
    unsigned count = 0;

    (void)argc;
    for (char **word = argv + 1; *word; word++) {
        int status = take_word(&request, &word);
        if (status >= 0)
            return status;
    }
    if (request.format && !request.query.list)
        return refuse("--format without a query");
    if (request.format && !query_format(&request.query, request.format))
        return SMI_WRONG_USE;
    int status = find_devices(request.ids, devices, &count);
    if (status)
        return status;
    if (request.query.list)
        status = query_print(&request.query, devices, count);
    else if (request.all)
        status = query_print_all(devices, count);
    else
        status = print_devices(request.print, devices, count);
    nvmlShutdown();
    return status ? status : fflush(stdout) != 0;
}
