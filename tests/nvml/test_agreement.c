/* SPDX-License-Identifier: MIT */
/* NVML and the driver say the same of devices, memory and processes. */
#include "nvml_test.h"

#include "host_work.h"

#include <strings.h>

enum { MIB = 1 << 20 };

/* Runs until *flag is 1. */
static const char spin_ptx[] = ".version 7.0\n.target sm_50\n.address_size 64\n"
                               ".visible .entry spin(.param .u64 flag) {\n"
                               ".reg .u64 %rd<2>; .reg .u32 %r<2>; .reg .pred %p;\n"
                               "ld.param.u64 %rd0, [flag];\n"
                               "again: ld.volatile.global.u32 %r0, [%rd0];\n"
                               "setp.ne.u32 %p, %r0, 1;\n@%p bra again;\nret;\n}\n";

TEST(names_uuids_and_addresses_are_the_drivers)
{
    unsigned count;
    int devices;

    own_devices("3");
    nvml_ok(nvmlInit());
    check_success(cuInit(0));
    nvml_ok(nvmlDeviceGetCount(&count));
    check_success(cuDeviceGetCount(&devices));
    check(count == 3 && devices == 3);
    for (int i = 0; i < devices; i++) {
        char name[256], nvml_name[256], uuid[NVML_DEVICE_UUID_BUFFER_SIZE], text[64], bus[32];
        nvmlDevice_t device, same;
        nvmlPciInfo_t pci;
        CUuuid own;
        unsigned index;

        nvml_ok(nvmlDeviceGetHandleByIndex((unsigned)i, &device));
        nvml_ok(nvmlDeviceGetIndex(device, &index));
        check(index == (unsigned)i);
        nvml_ok(nvmlDeviceGetName(device, nvml_name, sizeof(nvml_name)));
        check_success(cuDeviceGetName(name, sizeof(name), i));
        check(strcmp(name, nvml_name) == 0);

        nvml_ok(nvmlDeviceGetUUID(device, uuid, sizeof(uuid)));
        check_success(cuDeviceGetUuid(&own, i));
        check(strlen(uuid) == 40 && strncmp(uuid, "GPU-", 4) == 0);
        const char *digit = uuid + 4;
        for (int byte = 0; byte < 16; byte++) {
            digit += *digit == '-';
            snprintf(text, sizeof(text), "%02x", (unsigned char)own.bytes[byte]);
            check(strncmp(digit, text, 2) == 0);
            digit += 2;
        }
        nvml_ok(nvmlDeviceGetHandleByUUID(uuid, &same));
        check(same == device);

        nvml_ok(nvmlDeviceGetPciInfo(device, &pci));
        check_success(cuDeviceGetPCIBusId(bus, sizeof(bus), i));
        check(strcasecmp(pci.busIdLegacy, bus) == 0);
        nvml_ok(nvmlDeviceGetHandleByPciBusId(pci.busId, &same));
        check(same == device);
        nvml_ok(nvmlDeviceGetHandleByPciBusId(bus, &same));
        check(same == device);
    }
}

TEST(attributes_are_the_drivers)
{
    own_devices("1");
    nvmlDevice_t device = first_device();
    int major, minor, value;
    unsigned clock;

    check_success(cuInit(0));
    nvml_ok(nvmlDeviceGetCudaComputeCapability(device, &major, &minor));
    check_success(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    check(value == major);
    check_success(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
    check(value == minor);
    nvml_ok(nvmlDeviceGetClockInfo(device, NVML_CLOCK_SM, &clock));
    check_success(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 0));
    check(clock == (unsigned)value / 1000);
    check_success(cuDriverGetVersion(&value));
    nvml_ok(nvmlSystemGetCudaDriverVersion(&major));
    check(major == value);
}

TEST(the_model_is_the_configured_one)
{
    nvmlDeviceArchitecture_t architecture;
    char name[96];
    unsigned cores;
    int sms;

    own_devices("1");
    setenv("CUPIPE_GPU", "a100", 1);
    nvmlDevice_t device = first_device();
    nvml_ok(nvmlDeviceGetName(device, name, sizeof(name)));
    check(strstr(name, "A100"));
    nvml_ok(nvmlDeviceGetArchitecture(device, &architecture));
    check(architecture == NVML_DEVICE_ARCH_AMPERE);
    nvml_ok(nvmlDeviceGetNumGpuCores(device, &cores));
    check_success(cuInit(0));
    check_success(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    check(cores == 64 * (unsigned)sms);
}

TEST(hidden_devices_are_seen)
{
    char uuid[NVML_DEVICE_UUID_BUFFER_SIZE];
    nvmlDevice_t device;
    unsigned count;
    CUuuid own;

    own_devices("2");
    setenv("CUDA_VISIBLE_DEVICES", "1", 1);
    nvml_ok(nvmlInit());
    nvml_ok(nvmlDeviceGetCount(&count));
    check(count == 2);
    check_success(cuInit(0));
    nvml_ok(nvmlDeviceGetCount(&count));
    check(count == 2);
    check_success(cuDeviceGetUuid(&own, 0));
    nvml_ok(nvmlDeviceGetHandleByIndex(1, &device));
    nvml_ok(nvmlDeviceGetUUID(device, uuid, sizeof(uuid)));
    char last[3];
    snprintf(last, sizeof(last), "%02x", (unsigned char)own.bytes[15]);
    check(strcmp(uuid + 38, last) == 0);
}

TEST(nothing_visible_is_no_error)
{
    unsigned count;

    own_devices("2");
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    nvml_ok(nvmlInit());
    nvml_ok(nvmlDeviceGetCount(&count));
    check(count == 2);
    check_result(cuInit(0), CUDA_ERROR_NO_DEVICE);
}

TEST(nvml_does_not_initialise_the_driver)
{
    nvmlMemory_t memory;
    int devices;

    own_devices("1");
    nvmlDevice_t device = first_device();
    nvml_ok(nvmlDeviceGetMemoryInfo(device, &memory));
    check(memory.used == 0 && memory.free == memory.total);
    check_result(cuDeviceGetCount(&devices), CUDA_ERROR_NOT_INITIALIZED);
    setenv("CUDA_VISIBLE_DEVICES", "", 1); /* still counts */
    check_result(cuInit(0), CUDA_ERROR_NO_DEVICE);
}

TEST(memory_is_the_drivers)
{
    nvmlMemory_t memory;
    nvmlMemory_v2_t second = {.version = nvmlMemory_v2};
    size_t free_bytes, total;
    CUdeviceptr ptr;

    own_devices("1");
    nvmlDevice_t device = first_device();
    with_context();
    for (int i = 0; i < 3; i++) {
        check_success(cuMemAlloc(&ptr, (size_t)(1 + 10 * i) * MIB));
        check_success(cuMemGetInfo(&free_bytes, &total));
        nvml_ok(nvmlDeviceGetMemoryInfo(device, &memory));
        check(memory.total == total && memory.free == free_bytes);
        check(memory.used == total - free_bytes);
        nvml_ok(nvmlDeviceGetMemoryInfo_v2(device, &second));
        check(second.total == total && second.free == free_bytes && second.used == memory.used);
    }
    check_success(cuMemFree(ptr));
    check_success(cuMemGetInfo(&free_bytes, &total));
    nvml_ok(nvmlDeviceGetMemoryInfo(device, &memory));
    check(memory.free == free_bytes);
}

TEST(a_process_is_listed_while_it_has_a_context)
{
    nvmlProcessInfo_t info[4];
    unsigned count = 0;
    CUcontext context;

    own_devices("1");
    nvmlDevice_t device = first_device();
    nvml_ok(nvmlDeviceGetComputeRunningProcesses(device, &count, NULL));
    check(count == 0);
    check_success(cuInit(0));
    nvml_ok(nvmlDeviceGetComputeRunningProcesses(device, &count, NULL));
    check(count == 0);
    check_success(cuDevicePrimaryCtxRetain(&context, 0));
    check_nvml(nvmlDeviceGetComputeRunningProcesses(device, &count, NULL),
               NVML_ERROR_INSUFFICIENT_SIZE);
    check(count == 1);
    count = 4;
    nvml_ok(nvmlDeviceGetComputeRunningProcesses(device, &count, info));
    check(count == 1 && info[0].pid == (unsigned)getpid());
    check_success(cuDevicePrimaryCtxRelease(0));
    count = 4;
    nvml_ok(nvmlDeviceGetComputeRunningProcesses(device, &count, info));
    check(count == 0);
    check_success(cuDevicePrimaryCtxRetain(&context, 0));
    count = 4;
    nvml_ok(nvmlDeviceGetComputeRunningProcesses(device, &count, info));
    check(count == 1);
}

/* Memory of another process; its child, which has the same descriptors, is not counted. */
TEST(other_processes_are_seen)
{
    int ready[2], go[2];
    nvmlMemory_t memory;
    nvmlProcessInfo_t info[4];
    unsigned count = 4;
    char byte = 0;

    own_devices("2");
    check(pipe(ready) == 0 && pipe(go) == 0);
    pid_t child = fork();
    if (child == 0) {
        CUdeviceptr ptr;
        pid_t grandchild;

        with_context();
        check_success(cuMemAlloc(&ptr, 64 * MIB));
        grandchild = fork();
        if (grandchild == 0) {
            close(go[1]);
            (void)!read(go[0], &byte, 1);
            _exit(0);
        }
        check(write(ready[1], "", 1) == 1);
        close(go[1]);
        (void)!read(go[0], &byte, 1);
        _exit(0);
    }
    check(read(ready[0], &byte, 1) == 1);
    nvmlDevice_t device = first_device(), second;
    nvml_ok(nvmlDeviceGetComputeRunningProcesses(device, &count, info));
    check(count == 1 && info[0].pid == (unsigned)child);
    check(info[0].usedGpuMemory >= 64 * MIB && info[0].usedGpuMemory < 96 * MIB);
    nvml_ok(nvmlDeviceGetMemoryInfo(device, &memory));
    check(memory.used == info[0].usedGpuMemory);
    nvml_ok(nvmlDeviceGetHandleByIndex(1, &second));
    nvml_ok(nvmlDeviceGetMemoryInfo(second, &memory));
    check(memory.used == 0);
    kill(child, SIGKILL); /* nothing is left behind */
    waitpid(child, NULL, 0);
    nvml_ok(nvmlDeviceGetMemoryInfo(device, &memory));
    check(memory.used == 0);
    close(go[1]);
}

TEST(utilisation_is_that_of_kernels)
{
    nvmlProcessUtilizationSample_t sample;
    nvmlUtilization_t utilization;
    unsigned count = 1;
    CUmodule module;
    CUfunction spin;
    uint32_t *flag;

    own_devices("1");
    nvmlDevice_t device = first_device();
    with_context();
    nvml_ok(nvmlDeviceGetUtilizationRates(device, &utilization));
    check(utilization.gpu == 0);
    check_success(cuModuleLoadData(&module, spin_ptx));
    check_success(cuModuleGetFunction(&spin, module, "spin"));
    check_success(cuMemAllocHost((void **)&flag, sizeof(*flag)));
    *(volatile uint32_t *)flag = 0;
    void *parameters[] = {&flag};
    check_success(cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    /* However late the kernel starts, it is seen at last, and from then on it fills every window.
     */
    do
        nvml_ok(nvmlDeviceGetUtilizationRates(device, &utilization));
    while (utilization.gpu == 0);
    do {
        nap();
        nvml_ok(nvmlDeviceGetProcessUtilization(device, &sample, &count, 0));
        check(count == 1 && sample.pid == (unsigned)getpid());
    } while (sample.smUtil != 100);
    *(volatile uint32_t *)flag = 1;
    check_success(cuCtxSynchronize());
    do {
        nap();
        nvml_ok(nvmlDeviceGetUtilizationRates(device, &utilization));
    } while (utilization.gpu != 0);
}

static CUresult wait_for_flag(void *flag)
{
    while (!atomic_load((atomic_int *)flag))
        nap();
    return CUDA_SUCCESS;
}

TEST(work_of_the_host_is_utilisation)
{
    static atomic_int flag;
    struct cupipe_work work = {.name = "waits", .run = wait_for_flag, .data = &flag};
    nvmlUtilization_t utilization;

    own_devices("1");
    nvmlDevice_t device = first_device();
    with_context();
    check_success(cupipe()->launch_work(NULL, &work));
    do
        nvml_ok(nvmlDeviceGetUtilizationRates(device, &utilization));
    while (utilization.gpu == 0);
    atomic_store(&flag, 1);
    check_success(cuCtxSynchronize());
}

TEST(topology_is_the_drivers)
{
    own_devices("4");
    setenv("CUPIPE_TOPOLOGY", "pairs", 1);
    nvml_ok(nvmlInit());
    check_success(cuInit(0));
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            nvmlGpuP2PStatus_t status;
            nvmlDevice_t one, other;
            int access;

            nvml_ok(nvmlDeviceGetHandleByIndex((unsigned)i, &one));
            nvml_ok(nvmlDeviceGetHandleByIndex((unsigned)j, &other));
            nvml_ok(nvmlDeviceGetP2PStatus(one, other, NVML_P2P_CAPS_INDEX_UNKNOWN, &status));
            check(status == NVML_P2P_STATUS_OK);
            nvml_ok(nvmlDeviceGetP2PStatus(one, other, NVML_P2P_CAPS_INDEX_READ, &status));
            check_success(cuDeviceCanAccessPeer(&access, i, j));
            check((status == NVML_P2P_STATUS_OK) == (access != 0));
        }
    }
}

TEST(numbers_capabilities_and_nodes_of_a_device)
{
    nvmlPdi_t pdi[2] = {{.version = nvmlPdi_v1}, {.version = nvmlPdi_v1}}, wrong = {.version = 0};
    nvmlDeviceCapabilities_t capabilities = {nvmlDeviceCapabilities_v1, 7};
    nvmlGridLicensableFeatures_t features;
    unsigned long nodes[2] = {~0ul, ~0ul};
    nvmlDevice_t second;

    own_devices("2");
    nvmlDevice_t device = first_device();
    nvml_ok(nvmlDeviceGetHandleByIndex(1, &second));
    nvml_ok(nvmlDeviceGetPdi(device, &pdi[0]));
    nvml_ok(nvmlDeviceGetPdi(second, &pdi[1]));
    check(pdi[0].value != pdi[1].value);
    check_nvml(nvmlDeviceGetPdi(device, &wrong), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    nvml_ok(nvmlDeviceGetCapabilities(device, &capabilities));
    check(capabilities.capMask == 0);
    memset(&features, 7, sizeof(features));
    nvml_ok(nvmlDeviceGetGridLicensableFeatures(device, &features));
    check(features.isGridLicenseSupported == 0 && features.licensableFeaturesCount == 0);
    nvml_ok(nvmlDeviceGetMemoryAffinity(device, 2, nodes, NVML_AFFINITY_SCOPE_NODE));
    check(nodes[0] != 0 && nodes[0] != ~0ul && nodes[1] == 0);
    check_nvml(nvmlDeviceGetMemoryAffinity(device, 0, nodes, NVML_AFFINITY_SCOPE_NODE),
               NVML_ERROR_INVALID_ARGUMENT);
    check_nvml(nvmlDeviceGetMemoryAffinity(device, 2, nodes, 2), NVML_ERROR_INVALID_ARGUMENT);
}

/* CUDA has no prefix in a UUID; NVML finds the device by either form. */
TEST(a_uuid_needs_no_prefix)
{
    nvmlDevice_t found = NULL;
    char uuid[96];

    own_devices("2");
    first_device();
    for (unsigned i = 0; i < 2; i++) {
        nvmlDevice_t device;

        nvml_ok(nvmlDeviceGetHandleByIndex(i, &device));
        nvml_ok(nvmlDeviceGetUUID(device, uuid, sizeof(uuid)));
        nvml_ok(nvmlDeviceGetHandleByUUID(uuid + strlen("GPU-"), &found));
        check(found == device);
        uuid[0] = 'g';
        check_nvml(nvmlDeviceGetHandleByUUID(uuid, &found), NVML_ERROR_NOT_FOUND);
    }
    check_nvml(nvmlDeviceGetHandleByUUID("GPU-", &found), NVML_ERROR_NOT_FOUND);
    check_nvml(nvmlDeviceGetHandleByUUID("", &found), NVML_ERROR_NOT_FOUND);
}

TEST(a_device_has_one_state_and_no_fan)
{
    nvmlPstates_t states[NVML_MAX_GPU_PERF_PSTATES];
    nvmlGpuDynamicPstatesInfo_t info;
    unsigned fans = 7;

    own_devices("1");
    nvmlDevice_t device = first_device();
    nvml_ok(nvmlDeviceGetSupportedPerformanceStates(device, states, sizeof(states)));
    check(states[0] == NVML_PSTATE_0);
    for (int i = 1; i < NVML_MAX_GPU_PERF_PSTATES; i++)
        check(states[i] == NVML_PSTATE_UNKNOWN);
    check_nvml(nvmlDeviceGetSupportedPerformanceStates(device, states, 1),
               NVML_ERROR_INSUFFICIENT_SIZE);
    memset(&info, 7, sizeof(info));
    nvml_ok(nvmlDeviceGetDynamicPstatesInfo(device, &info));
    check(info.utilization[NVML_GPU_UTILIZATION_DOMAIN_GPU].bIsPresent == 1);
    check(info.utilization[NVML_GPU_UTILIZATION_DOMAIN_GPU].percentage == 0);
    check(info.utilization[NVML_GPU_UTILIZATION_DOMAIN_VID].bIsPresent == 0);
    nvml_ok(nvmlDeviceGetNumFans(device, &fans));
    check(fans == 0);
}

TEST(utilisation_of_no_process_is_not_found)
{
    nvmlProcessesUtilizationInfo_t all = {.version = nvmlProcessesUtilizationInfo_v1};

    own_devices("1");
    nvmlDevice_t device = first_device();
    check_nvml(nvmlDeviceGetProcessesUtilizationInfo(device, &all), NVML_ERROR_NOT_FOUND);
}

TEST(utilisation_of_processes_is_a_list)
{
    nvmlProcessUtilizationInfo_v1_t info[2];
    nvmlProcessesUtilizationInfo_t all = {.version = nvmlProcessesUtilizationInfo_v1};

    own_devices("1");
    nvmlDevice_t device = first_device();
    with_context();
    check_nvml(nvmlDeviceGetProcessesUtilizationInfo(device, &all), NVML_ERROR_INSUFFICIENT_SIZE);
    check(all.processSamplesCount == 1);
    all.procUtilArray = info;
    nvml_ok(nvmlDeviceGetProcessesUtilizationInfo(device, &all));
    check(all.processSamplesCount == 1 && info[0].pid == (unsigned)getpid());
    all.lastSeenTimeStamp = ~0ull;
    check_nvml(nvmlDeviceGetProcessesUtilizationInfo(device, &all), NVML_ERROR_NOT_FOUND);
}
