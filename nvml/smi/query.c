/* SPDX-License-Identifier: MIT */
/* The forms are those that nvidia-smi documents, because scripts read them. */
#include "query.h"

#include "smi.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { FIELDS_MAX = 128, PROCESSES_MAX = 512 };

bool query_format(struct query *query, const char *text)
{
    bool good = true;

    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t length = strcspn(at, ",");
        if (length == 8 && memcmp(at, "noheader", 8) == 0)
            query->no_header = true;
        else if (length == 7 && memcmp(at, "nounits", 7) == 0)
            query->no_units = true;
        else if (length != 3 || memcmp(at, "csv", 3) != 0)
            good = false;
    }
    if (!good)
        printf("Format modifier is not recognized.\n");
    return good;
}

/* Returns the number of fields, or -1 after a message. */
static int find_fields(const struct query *query, const struct field *fields[FIELDS_MAX])
{
    int count = 0;

    for (const char *at = query->names; *at;) {
        size_t length = strcspn(at, ",");
        const struct field *field = field_find(query->list, at, length);

        if (!field || count == FIELDS_MAX) {
            printf("Field \"%.*s\" is not a valid field to query.\n\n", (int)length, at);
            return -1;
        }
        fields[count++] = field;
        at += length + (at[length] == ',');
    }
    return count;
}

static void print_header(const struct field *const *fields, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        printf("%s%s", i ? ", " : "", fields[i]->name);
        if (fields[i]->unit)
            printf(" [%s]", fields[i]->unit);
    }
    putchar('\n');
}

static void print_line(const struct query *query, const struct field *const *fields, unsigned count,
                       const struct subject *subject)
{
    char text[FIELD_BYTES];

    for (unsigned i = 0; i < count; i++) {
        field_print(fields[i], subject, query->no_units, text);
        printf("%s%s", i ? ", " : "", text);
    }
    putchar('\n');
}

static void print_processes(const struct query *query, const struct field *const *fields,
                            unsigned count, nvmlDevice_t device)
{
    static nvmlProcessInfo_t processes[PROCESSES_MAX];
    unsigned found = PROCESSES_MAX;

    if (nvmlDeviceGetComputeRunningProcesses(device, &found, processes) != NVML_SUCCESS)
        return;
    for (unsigned i = 0; i < found; i++)
        print_line(query, fields, count, &(struct subject){device, &processes[i]});
}

int query_print(const struct query *query, const nvmlDevice_t *devices, unsigned count)
{
    const struct field *fields[FIELDS_MAX];
    int found = find_fields(query, fields);
    unsigned field_count = (unsigned)found;

    if (found < 0)
        return SMI_WRONG_USE;
    if (!query->no_header)
        print_header(fields, field_count);
    for (unsigned i = 0; i < count; i++) {
        if (query->list == &process_fields)
            print_processes(query, fields, field_count, devices[i]);
        else
            print_line(query, fields, field_count, &(struct subject){devices[i], NULL});
    }
    return 0;
}

int query_help(const struct field_list *list)
{
    printf("List of valid fields to query for the option \"--query-%s\":\n\n", list->option);
    for (size_t i = 0; i < list->count; i++) {
        const struct field *field = &list->fields[i];
        printf("\"%s\"%s%s%s\n%s\n\n", field->name, field->other ? " or \"" : "",
               field->other ? field->other : "", field->other ? "\"" : "", field->meaning);
    }
    return 0;
}

/* The rows of -q, with their depth. A row without a field is the head of a section. */
static const struct row {
    unsigned depth;
    const char *label, *field;
} rows[] = {
    {1, "Product Name", "name"},
    {1, "Display Mode", "display_mode"},
    {1, "Display Active", "display_active"},
    {1, "Persistence Mode", "persistence_mode"},
    {1, "MIG Mode", NULL},
    {2, "Current", "mig.mode.current"},
    {2, "Pending", "mig.mode.pending"},
    {1, "Accounting Mode", "accounting.mode"},
    {1, "Serial Number", "serial"},
    {1, "GPU UUID", "uuid"},
    {1, "VBIOS Version", "vbios_version"},
    {1, "Compute Capability", "compute_cap"},
    {1, "PCI", NULL},
    {2, "Bus", "pci.bus"},
    {2, "Device", "pci.device"},
    {2, "Domain", "pci.domain"},
    {2, "Device Id", "pci.device_id"},
    {2, "Bus Id", "pci.bus_id"},
    {2, "Sub System Id", "pci.sub_device_id"},
    {1, "Fan Speed", "fan.speed"},
    {1, "Performance State", "pstate"},
    {1, "FB Memory Usage", NULL},
    {2, "Total", "memory.total"},
    {2, "Reserved", "memory.reserved"},
    {2, "Used", "memory.used"},
    {2, "Free", "memory.free"},
    {1, "Compute Mode", "compute_mode"},
    {1, "Utilization", NULL},
    {2, "GPU", "utilization.gpu"},
    {2, "Memory", "utilization.memory"},
    {1, "ECC Mode", NULL},
    {2, "Current", "ecc.mode.current"},
    {2, "Pending", "ecc.mode.pending"},
    {1, "Temperature", NULL},
    {2, "GPU Current Temp", "temperature.gpu"},
    {1, "Clocks", NULL},
    {2, "Graphics", "clocks.current.graphics"},
    {2, "SM", "clocks.current.sm"},
    {2, "Memory", "clocks.current.memory"},
    {2, "Video", "clocks.current.video"},
    {1, "Max Clocks", NULL},
    {2, "Graphics", "clocks.max.graphics"},
    {2, "SM", "clocks.max.sm"},
    {2, "Memory", "clocks.max.memory"},
};

enum { INDENT = 4, LABEL_COLUMNS = 54 };

static void print_row(unsigned depth, const char *label, const char *value)
{
    int indent = INDENT * (int)depth;

    if (!value)
        printf("%*s%s\n", indent, "", label);
    else if (strcmp(value, "[N/A]") == 0)
        printf("%*s%-*s : N/A\n", indent, "", LABEL_COLUMNS - indent, label);
    else
        printf("%*s%-*s : %s\n", indent, "", LABEL_COLUMNS - indent, label, value);
}

static void print_process_rows(nvmlDevice_t device)
{
    static nvmlProcessInfo_t processes[PROCESSES_MAX];
    static const struct row of_process[] = {{2, "Process ID", "pid"},
                                            {3, "Name", "process_name"},
                                            {3, "Used GPU Memory", "used_gpu_memory"}};
    unsigned found = PROCESSES_MAX;
    char text[FIELD_BYTES];

    if (nvmlDeviceGetComputeRunningProcesses(device, &found, processes) != NVML_SUCCESS)
        return;
    print_row(1, "Processes", found ? NULL : "None");
    for (unsigned i = 0; i < found; i++)
        for (size_t j = 0; j < sizeof(of_process) / sizeof(of_process[0]); j++) {
            const struct row *row = &of_process[j];
            field_print(field_find(&process_fields, row->field, strlen(row->field)),
                        &(struct subject){device, &processes[i]}, false, text);
            print_row(row->depth, row->label, text);
        }
}

static void print_device_rows(nvmlDevice_t device)
{
    struct subject subject = {device, NULL};
    char text[FIELD_BYTES];

    field_print(field_find(&device_fields, "pci.bus_id", 10), &subject, false, text);
    printf("GPU %s\n", text);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *name = rows[i].field;
        if (name)
            field_print(field_find(&device_fields, name, strlen(name)), &subject, false, text);
        print_row(rows[i].depth, rows[i].label, name ? text : NULL);
    }
    print_process_rows(device);
    putchar('\n');
}

int query_print_all(const nvmlDevice_t *devices, unsigned count)
{
    char text[FIELD_BYTES] = "[N/A]", now[64];
    time_t seconds = time(NULL);
    unsigned attached = 0;
    struct tm parts;
    int cuda = 0;

    printf("\n==============NVSMI LOG==============\n\n");
    localtime_r(&seconds, &parts);
    strftime(now, sizeof(now), "%a %b %e %H:%M:%S %Y", &parts);
    print_row(0, "Timestamp", now);
    nvmlSystemGetDriverVersion(text, sizeof(text));
    print_row(0, "Driver Version", text);
    nvmlSystemGetCudaDriverVersion(&cuda);
    snprintf(text, sizeof(text), "%d.%d", cuda / 1000, cuda % 1000 / 10);
    print_row(0, "CUDA Version", text);
    if (cuda >= SMI_TWO_NAMES_SINCE) {
        print_row(0, "CUDA UMD Version", text);
        nvmlSystemGetDriverVersion(text, sizeof(text));
        print_row(0, "KMD Version", text);
    }
    nvmlDeviceGetCount(&attached);
    snprintf(text, sizeof(text), "%u", attached);
    putchar('\n');
    print_row(0, "Attached GPUs", text);
    for (unsigned i = 0; i < count; i++)
        print_device_rows(devices[i]);
    return 0;
}
