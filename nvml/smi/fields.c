/* SPDX-License-Identifier: MIT */
/* One table of fields for devices and one for processes. A reader serves several fields; the
 * argument says which. */
#include "fields.h"

#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

enum { MIB_SHIFT = 20 };

static bool put(char text[FIELD_BYTES], const char *value)
{
    snprintf(text, FIELD_BYTES, "%s", value);
    return true;
}

static bool put_number(char text[FIELD_BYTES], unsigned long long value)
{
    snprintf(text, FIELD_BYTES, "%llu", value);
    return true;
}

static bool put_state(char text[FIELD_BYTES], nvmlReturn_t result, unsigned state)
{
    return result == NVML_SUCCESS &&
           put(text, state == NVML_FEATURE_ENABLED ? "Enabled" : "Disabled");
}

static bool read_timestamp(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    struct timeval now;
    struct tm parts;
    char head[32];

    (void)subject, (void)argument;
    gettimeofday(&now, NULL);
    localtime_r(&now.tv_sec, &parts);
    strftime(head, sizeof(head), "%Y/%m/%d %H:%M:%S", &parts);
    snprintf(text, FIELD_BYTES, "%s.%03d", head, (int)(now.tv_usec / 1000));
    return true;
}

static bool read_driver_version(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    (void)subject, (void)argument;
    return nvmlSystemGetDriverVersion(text, FIELD_BYTES) == NVML_SUCCESS;
}

static bool read_count(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    unsigned count;

    (void)subject, (void)argument;
    return nvmlDeviceGetCount(&count) == NVML_SUCCESS && put_number(text, count);
}

static bool read_name(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    (void)argument;
    return nvmlDeviceGetName(subject->device, text, FIELD_BYTES) == NVML_SUCCESS;
}

static bool read_uuid(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    (void)argument;
    return nvmlDeviceGetUUID(subject->device, text, FIELD_BYTES) == NVML_SUCCESS;
}

static bool read_index(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    unsigned index;

    (void)argument;
    return nvmlDeviceGetIndex(subject->device, &index) == NVML_SUCCESS && put_number(text, index);
}

enum pci_part { PCI_ADDRESS, PCI_DOMAIN, PCI_BUS, PCI_DEVICE, PCI_ID, PCI_SUBSYSTEM };

static bool read_pci(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    nvmlPciInfo_t pci;

    if (nvmlDeviceGetPciInfo(subject->device, &pci) != NVML_SUCCESS)
        return false;
    if (argument == PCI_ADDRESS)
        return put(text, pci.busId);
    const unsigned values[] = {[PCI_DOMAIN] = pci.domain,
                               [PCI_BUS] = pci.bus,
                               [PCI_DEVICE] = pci.device,
                               [PCI_ID] = pci.pciDeviceId,
                               [PCI_SUBSYSTEM] = pci.pciSubSystemId};
    const int digits[] = {
        [PCI_DOMAIN] = 4, [PCI_BUS] = 2, [PCI_DEVICE] = 2, [PCI_ID] = 8, [PCI_SUBSYSTEM] = 8};
    snprintf(text, FIELD_BYTES, "0x%0*X", digits[argument], values[argument]);
    return true;
}

enum memory_part { MEMORY_TOTAL, MEMORY_USED, MEMORY_FREE, MEMORY_RESERVED };

static bool read_memory(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    nvmlMemory_v2_t memory = {.version = nvmlMemory_v2};

    if (nvmlDeviceGetMemoryInfo_v2(subject->device, &memory) != NVML_SUCCESS)
        return false;
    const unsigned long long values[] = {[MEMORY_TOTAL] = memory.total,
                                         [MEMORY_USED] = memory.used,
                                         [MEMORY_FREE] = memory.free,
                                         [MEMORY_RESERVED] = memory.reserved};
    return put_number(text, values[argument] >> MIB_SHIFT);
}

enum utilization_part { UTILIZATION_GPU, UTILIZATION_MEMORY };

static bool read_utilization(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    nvmlUtilization_t rates;

    return nvmlDeviceGetUtilizationRates(subject->device, &rates) == NVML_SUCCESS &&
           put_number(text, argument == UTILIZATION_GPU ? rates.gpu : rates.memory);
}

static bool read_clock(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    unsigned mhz;

    return nvmlDeviceGetClockInfo(subject->device, (nvmlClockType_t)argument, &mhz) ==
               NVML_SUCCESS &&
           put_number(text, mhz);
}

static bool read_clock_max(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    unsigned mhz;

    return nvmlDeviceGetMaxClockInfo(subject->device, (nvmlClockType_t)argument, &mhz) ==
               NVML_SUCCESS &&
           put_number(text, mhz);
}

static bool read_clock_application(const struct subject *subject, int argument,
                                   char text[FIELD_BYTES])
{
    unsigned mhz;

    return nvmlDeviceGetApplicationsClock(subject->device, (nvmlClockType_t)argument, &mhz) ==
               NVML_SUCCESS &&
           put_number(text, mhz);
}

static bool read_clock_reasons(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    unsigned long long reasons;

    (void)argument;
    if (nvmlDeviceGetCurrentClocksEventReasons(subject->device, &reasons) != NVML_SUCCESS)
        return false;
    snprintf(text, FIELD_BYTES, "0x%016llX", reasons);
    return true;
}

static bool read_capability(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    int major, minor;

    (void)argument;
    if (nvmlDeviceGetCudaComputeCapability(subject->device, &major, &minor) != NVML_SUCCESS)
        return false;
    snprintf(text, FIELD_BYTES, "%d.%d", major, minor);
    return true;
}

static bool read_compute_mode(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    static const char *const names[] = {"Default", "Exclusive_Thread", "Prohibited",
                                        "Exclusive_Process"};
    nvmlComputeMode_t mode;

    (void)argument;
    return nvmlDeviceGetComputeMode(subject->device, &mode) == NVML_SUCCESS &&
           (unsigned)mode < sizeof(names) / sizeof(names[0]) && put(text, names[mode]);
}

static bool read_performance(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    nvmlPstates_t state;

    (void)argument;
    if (nvmlDeviceGetPerformanceState(subject->device, &state) != NVML_SUCCESS ||
        state == NVML_PSTATE_UNKNOWN)
        return false;
    snprintf(text, FIELD_BYTES, "P%d", (int)state);
    return true;
}

static bool read_persistence(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    nvmlEnableState_t state = NVML_FEATURE_DISABLED;

    (void)argument;
    return put_state(text, nvmlDeviceGetPersistenceMode(subject->device, &state), state);
}

static bool read_accounting(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    nvmlEnableState_t state = NVML_FEATURE_DISABLED;

    (void)argument;
    return put_state(text, nvmlDeviceGetAccountingMode(subject->device, &state), state);
}

static bool read_display(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    nvmlEnableState_t state = NVML_FEATURE_DISABLED;

    (void)argument;
    return put_state(text, nvmlDeviceGetDisplayMode(subject->device, &state), state);
}

enum moment { CURRENT, PENDING };

static bool read_ecc(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    nvmlEnableState_t current = NVML_FEATURE_DISABLED, pending = NVML_FEATURE_DISABLED;
    nvmlReturn_t result = nvmlDeviceGetEccMode(subject->device, &current, &pending);

    return put_state(text, result, argument == CURRENT ? current : pending);
}

enum { CORRECTED = 1, VOLATILE = 2 };

static bool read_ecc_errors(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    unsigned long long count;
    nvmlReturn_t result = nvmlDeviceGetTotalEccErrors(
        subject->device,
        argument & CORRECTED ? NVML_MEMORY_ERROR_TYPE_CORRECTED
                             : NVML_MEMORY_ERROR_TYPE_UNCORRECTED,
        argument & VOLATILE ? NVML_VOLATILE_ECC : NVML_AGGREGATE_ECC, &count);

    return result == NVML_SUCCESS && put_number(text, count);
}

static bool read_mig(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    unsigned current = NVML_FEATURE_DISABLED, pending = NVML_FEATURE_DISABLED;
    nvmlReturn_t result = nvmlDeviceGetMigMode(subject->device, &current, &pending);

    return put_state(text, result, argument == CURRENT ? current : pending);
}

static bool read_pid(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    (void)argument;
    return put_number(text, subject->process->pid);
}

static bool read_process_name(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    (void)argument;
    return nvmlSystemGetProcessName(subject->process->pid, text, FIELD_BYTES) == NVML_SUCCESS &&
           text[0];
}

static bool read_process_memory(const struct subject *subject, int argument, char text[FIELD_BYTES])
{
    (void)argument;
    return put_number(text, subject->process->usedGpuMemory >> MIB_SHIFT);
}

/* Fields without a reader are those of sensors and parts that a device of cupipe does not have. */
static const struct field of_devices[] = {
    {"timestamp", NULL, NULL, read_timestamp, 0, "When the query was made."},
    {"driver_version", NULL, NULL, read_driver_version, 0, "The version of the driver."},
    {"count", NULL, NULL, read_count, 0, "How many devices there are."},
    {"name", "gpu_name", NULL, read_name, 0, "The name of the device."},
    {"serial", "gpu_serial", NULL, NULL, 0, "The serial number of the board."},
    {"uuid", "gpu_uuid", NULL, read_uuid, 0, "The UUID of the device."},
    {"index", NULL, NULL, read_index, 0, "Its number, from 0 on."},
    {"pci.bus_id", "gpu_bus_id", NULL, read_pci, PCI_ADDRESS, "Its PCI address."},
    {"pci.domain", NULL, NULL, read_pci, PCI_DOMAIN, "The domain of that, in hexadecimal."},
    {"pci.bus", NULL, NULL, read_pci, PCI_BUS, "The bus, in hexadecimal."},
    {"pci.device", NULL, NULL, read_pci, PCI_DEVICE, "The device, in hexadecimal."},
    {"pci.device_id", NULL, NULL, read_pci, PCI_ID, "The PCI vendor and device id."},
    {"pci.sub_device_id", NULL, NULL, read_pci, PCI_SUBSYSTEM, "The PCI subsystem id."},
    {"pcie.link.gen.current", NULL, NULL, NULL, 0, "The generation of the PCIe link."},
    {"pcie.link.gen.max", NULL, NULL, NULL, 0, "The highest one."},
    {"pcie.link.width.current", NULL, NULL, NULL, 0, "The width of the PCIe link."},
    {"pcie.link.width.max", NULL, NULL, NULL, 0, "The greatest one."},
    {"display_mode", NULL, NULL, read_display, 0, "Whether a display is attached."},
    {"display_attached", NULL, NULL, NULL, 0, "Whether a display is connected."},
    {"display_active", NULL, NULL, read_display, 0, "Whether a display is in use."},
    {"persistence_mode", NULL, NULL, read_persistence, 0, "Whether the driver stays loaded."},
    {"accounting.mode", NULL, NULL, read_accounting, 0, "Whether processes are accounted."},
    {"vbios_version", NULL, NULL, NULL, 0, "The version of the board's BIOS."},
    {"fan.speed", NULL, "%", NULL, 0, "The speed of the fan."},
    {"pstate", NULL, NULL, read_performance, 0, "The performance state, P0 to P12."},
    {"clocks_event_reasons.active", "clocks_throttle_reasons.active", NULL, read_clock_reasons, 0,
     "Why clocks are low, as bits."},
    {"memory.total", NULL, "MiB", read_memory, MEMORY_TOTAL, "All memory of the device."},
    {"memory.reserved", NULL, "MiB", read_memory, MEMORY_RESERVED, "What the driver keeps of it."},
    {"memory.used", NULL, "MiB", read_memory, MEMORY_USED, "What processes use of it."},
    {"memory.free", NULL, "MiB", read_memory, MEMORY_FREE, "The rest."},
    {"compute_mode", NULL, NULL, read_compute_mode, 0, "Who may use the device."},
    {"compute_cap", NULL, NULL, read_capability, 0, "The compute capability."},
    {"utilization.gpu", NULL, "%", read_utilization, UTILIZATION_GPU,
     "The part of the time in which kernels ran."},
    {"utilization.memory", NULL, "%", read_utilization, UTILIZATION_MEMORY,
     "The part of the time in which memory was accessed."},
    {"utilization.encoder", NULL, "%", NULL, 0, "The same of the encoder of videos."},
    {"utilization.decoder", NULL, "%", NULL, 0, "The same of the decoder."},
    {"ecc.mode.current", NULL, NULL, read_ecc, CURRENT, "Whether memory has ECC."},
    {"ecc.mode.pending", NULL, NULL, read_ecc, PENDING, "The same after the next boot."},
    {"ecc.errors.corrected.volatile.total", NULL, NULL, read_ecc_errors, CORRECTED | VOLATILE,
     "Errors that ECC corrected since the last boot."},
    {"ecc.errors.corrected.aggregate.total", NULL, NULL, read_ecc_errors, CORRECTED,
     "All errors that ECC corrected."},
    {"ecc.errors.uncorrected.volatile.total", NULL, NULL, read_ecc_errors, VOLATILE,
     "Errors that ECC found and could not correct since the last boot."},
    {"ecc.errors.uncorrected.aggregate.total", NULL, NULL, read_ecc_errors, 0, "All of these."},
    {"retired_pages.single_bit_ecc.count", "retired_pages.sbe", NULL, NULL, 0,
     "Pages that are no longer used after errors of one bit."},
    {"retired_pages.double_bit.count", "retired_pages.dbe", NULL, NULL, 0,
     "Pages that are no longer used after errors of two bits."},
    {"retired_pages.pending", NULL, NULL, NULL, 0, "Whether more will be after the next boot."},
    {"temperature.gpu", NULL, NULL, NULL, 0, "Degrees Celsius."},
    {"temperature.memory", NULL, NULL, NULL, 0, "Those of the memory."},
    {"power.management", NULL, NULL, NULL, 0, "Whether power is managed."},
    {"power.draw", NULL, "W", NULL, 0, "The power that the board draws."},
    {"power.draw.average", "gpu.power.draw.average", "W", NULL, 0, "The average of a second."},
    {"power.draw.instant", "gpu.power.draw.instant", "W", NULL, 0, "The power of this moment."},
    {"power.limit", "gpu.power.requested_limit", "W", NULL, 0, "The limit of that."},
    {"enforced.power.limit", "gpu.power.current_limit", "W", NULL, 0, "The lowest of all limits."},
    {"power.default_limit", "gpu.power.default_limit", "W", NULL, 0, "The limit after a boot."},
    {"power.min_limit", "gpu.power.min_limit", "W", NULL, 0, "The lowest limit that can be set."},
    {"power.max_limit", "gpu.power.max_limit", "W", NULL, 0, "The highest one."},
    {"clocks.current.graphics", "clocks.gr", "MHz", read_clock, NVML_CLOCK_GRAPHICS,
     "The clock of graphics."},
    {"clocks.current.sm", "clocks.sm", "MHz", read_clock, NVML_CLOCK_SM,
     "The clock of the multiprocessors."},
    {"clocks.current.memory", "clocks.mem", "MHz", read_clock, NVML_CLOCK_MEM,
     "The clock of the memory."},
    {"clocks.current.video", "clocks.video", "MHz", read_clock, NVML_CLOCK_VIDEO,
     "The clock of the codecs."},
    {"clocks.applications.graphics", "clocks.applications.gr", "MHz", read_clock_application,
     NVML_CLOCK_GRAPHICS, "The clock of graphics that programs ask for."},
    {"clocks.applications.memory", "clocks.applications.mem", "MHz", read_clock_application,
     NVML_CLOCK_MEM, "The same of the memory."},
    {"clocks.max.graphics", "clocks.max.gr", "MHz", read_clock_max, NVML_CLOCK_GRAPHICS,
     "The highest clock of graphics."},
    {"clocks.max.sm", NULL, "MHz", read_clock_max, NVML_CLOCK_SM,
     "The highest clock of the multiprocessors."},
    {"clocks.max.memory", "clocks.max.mem", "MHz", read_clock_max, NVML_CLOCK_MEM,
     "The highest clock of the memory."},
    {"mig.mode.current", NULL, NULL, read_mig, CURRENT, "Whether the device is partitioned."},
    {"mig.mode.pending", NULL, NULL, read_mig, PENDING, "The same after the next reset."},
};

static const struct field of_processes[] = {
    {"timestamp", NULL, NULL, read_timestamp, 0, "When the query was made."},
    {"gpu_name", NULL, NULL, read_name, 0, "The name of the device."},
    {"gpu_bus_id", NULL, NULL, read_pci, PCI_ADDRESS, "Its PCI address."},
    {"gpu_serial", NULL, NULL, NULL, 0, "The serial number of its board."},
    {"gpu_uuid", NULL, NULL, read_uuid, 0, "Its UUID."},
    {"pid", NULL, NULL, read_pid, 0, "The process that uses the device."},
    {"process_name", "name", NULL, read_process_name, 0, "The file that the process runs."},
    {"used_gpu_memory", "used_memory", "MiB", read_process_memory, 0,
     "The memory that the process uses of the device."},
};

const struct field_list device_fields = {"gpu", of_devices,
                                         sizeof(of_devices) / sizeof(of_devices[0])};
const struct field_list process_fields = {"compute-apps", of_processes,
                                          sizeof(of_processes) / sizeof(of_processes[0])};

static bool is_name(const char *known, const char *name, size_t length)
{
    return known && strlen(known) == length && memcmp(known, name, length) == 0;
}

const struct field *field_find(const struct field_list *list, const char *name, size_t length)
{
    for (size_t i = 0; i < list->count; i++)
        if (is_name(list->fields[i].name, name, length) ||
            is_name(list->fields[i].other, name, length))
            return &list->fields[i];
    return NULL;
}

void field_print(const struct field *field, const struct subject *subject, bool bare,
                 char text[FIELD_BYTES])
{
    if (!field->read || !field->read(subject, field->argument, text)) {
        snprintf(text, FIELD_BYTES, "[N/A]");
        return;
    }
    size_t length = strlen(text);
    if (field->unit && !bare)
        snprintf(text + length, FIELD_BYTES - length, " %s", field->unit);
}
