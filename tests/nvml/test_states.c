/* SPDX-License-Identifier: MIT */
/* The results of NVML in every state, in the order in which programs expect them. */
#include "nvml_test.h"

#include <dlfcn.h>

TEST(nothing_works_before_init_and_after_shutdown)
{
    nvmlDevice_t device;
    nvmlMemory_t memory;
    unsigned count;

    own_devices("1");
    check_nvml(nvmlDeviceGetCount(&count), NVML_ERROR_UNINITIALIZED);
    check_nvml(nvmlDeviceGetCount(NULL), NVML_ERROR_UNINITIALIZED);
    check_nvml(nvmlDeviceGetMemoryInfo(NULL, NULL), NVML_ERROR_UNINITIALIZED);
    check_nvml(nvmlShutdown(), NVML_ERROR_UNINITIALIZED);
    nvml_ok(nvmlInit());
    nvml_ok(nvmlInit());
    nvml_ok(nvmlDeviceGetHandleByIndex(0, &device));
    nvml_ok(nvmlShutdown());
    nvml_ok(nvmlDeviceGetMemoryInfo(device, &memory));
    nvml_ok(nvmlShutdown());
    check_nvml(nvmlDeviceGetMemoryInfo(device, &memory), NVML_ERROR_UNINITIALIZED);
    check_nvml(nvmlShutdown(), NVML_ERROR_UNINITIALIZED);
    nvml_ok(nvmlInitWithFlags(NVML_INIT_FLAG_NO_GPUS));
    nvml_ok(nvmlDeviceGetCount(&count));
    check(count == 1);
}

TEST(arguments_are_checked)
{
    nvmlDevice_t other = (nvmlDevice_t)&other, device;
    nvmlMemory_t memory;
    char name[8], version[80];

    own_devices("1");
    device = first_device();
    check_nvml(nvmlDeviceGetMemoryInfo(NULL, &memory), NVML_ERROR_INVALID_ARGUMENT);
    check_nvml(nvmlDeviceGetMemoryInfo(other, &memory), NVML_ERROR_INVALID_ARGUMENT);
    check_nvml(nvmlDeviceGetMemoryInfo(device, NULL), NVML_ERROR_INVALID_ARGUMENT);
    check_nvml(nvmlDeviceGetCount(NULL), NVML_ERROR_INVALID_ARGUMENT);
    check_nvml(nvmlDeviceGetHandleByIndex(1, &other), NVML_ERROR_INVALID_ARGUMENT);
    check_nvml(nvmlDeviceGetHandleByIndex(0, NULL), NVML_ERROR_INVALID_ARGUMENT);
    check_nvml(nvmlDeviceGetHandleByUUID("GPU-none", &other), NVML_ERROR_NOT_FOUND);
    check_nvml(nvmlDeviceGetHandleByPciBusId("00:1f.0", &other), NVML_ERROR_NOT_FOUND);
    check_nvml(nvmlDeviceGetHandleByPciBusId("nowhere", &other), NVML_ERROR_INVALID_ARGUMENT);
    check_nvml(nvmlDeviceGetName(device, name, sizeof(name)), NVML_ERROR_INSUFFICIENT_SIZE);
    check_nvml(nvmlDeviceGetName(device, NULL, 96), NVML_ERROR_INVALID_ARGUMENT);
    check_nvml(nvmlSystemGetDriverVersion(version, 3), NVML_ERROR_INSUFFICIENT_SIZE);
    nvml_ok(nvmlSystemGetDriverVersion(version, sizeof(version)));
    check(atoi(version) >= 580);
}

TEST(versions_of_structures_are_checked)
{
    nvmlMemory_v2_t memory = {.version = nvmlMemory_v2 + 1};
    nvmlPciInfoExt_v1_t pci = {.version = 0};
    nvmlUUID_t uuid = {.version = nvmlUUID_v1, .type = NVML_UUID_TYPE_ASCII};
    nvmlDevice_t found;

    own_devices("1");
    nvmlDevice_t device = first_device();
    check(nvmlMemory_v2 == 0x02000028 && nvmlPciInfoExt_v1 == 0x1000040);
    check(nvmlUUID_v1 == 0x1000034 && nvmlProcessDetailList_v1 == 0x1000018);
    check(nvmlProcessesUtilizationInfo_v1 == 0x01000018);
    check(nvmlSystemDriverBranchInfo_v1 == 0x1000054 && nvmlDeviceAddressingMode_v1 == 0x1000008);
    check_nvml(nvmlDeviceGetMemoryInfo_v2(device, &memory), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    check_nvml(nvmlDeviceGetPciInfoExt(device, &pci), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    pci.version = nvmlPciInfoExt_v1;
    nvml_ok(nvmlDeviceGetPciInfoExt(device, &pci));
    nvml_ok(nvmlDeviceGetUUID(device, uuid.value.str, sizeof(uuid.value.str)));
    nvml_ok(nvmlDeviceGetHandleByUUIDV(&uuid, &found));
    check(found == device);
    uuid.version++;
    check_nvml(nvmlDeviceGetHandleByUUIDV(&uuid, &found), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
}

TEST(fabric_information_has_two_sizes)
{
    union {
        nvmlGpuFabricInfoV_t info;
        unsigned char bytes[64];
    } place;

    own_devices("1");
    nvmlDevice_t device = first_device();
    check(nvmlGpuFabricInfo_v2 == 0x2000024 && nvmlGpuFabricInfo_v3 == 0x3000028);
    memset(&place, 0xa5, sizeof(place));
    check_nvml(nvmlDeviceGetGpuFabricInfoV(device, &place.info),
               NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    place.info.version = nvmlGpuFabricInfo_v2;
    nvml_ok(nvmlDeviceGetGpuFabricInfoV(device, &place.info));
    check(place.info.version == nvmlGpuFabricInfo_v2);
    check(place.bytes[sizeof(nvmlGpuFabricInfo_v2_t)] == 0xa5);
    place.info.version = nvmlGpuFabricInfo_v3;
    nvml_ok(nvmlDeviceGetGpuFabricInfoV(device, &place.info));
    check(place.info.state <= NVML_GPU_FABRIC_STATE_COMPLETED);
    check(place.bytes[sizeof(nvmlGpuFabricInfo_v3_t)] == 0xa5);
}

/* The first form of a structure is smaller than the later ones. */
TEST(old_forms_write_old_structures)
{
    nvmlReturn_t (*first)(nvmlDevice_t device, void *pci) = NULL;
    unsigned char place[64];

    own_devices("1");
    nvmlDevice_t device = first_device();
    *(void **)&first = dlsym(RTLD_DEFAULT, "nvmlDeviceGetPciInfo");
    check(first);
    memset(place, 0xa5, sizeof(place));
    nvml_ok(first(device, place));
    for (size_t i = 32; i < sizeof(place); i++)
        check(place[i] == 0xa5);
}

TEST(the_rest_is_not_supported)
{
    nvmlReturn_t (*power)(nvmlDevice_t device, unsigned *watts) = NULL;
    nvmlEventSet_t set;
    nvmlEventData_t data;
    unsigned clock;

    own_devices("1");
    *(void **)&power = dlsym(RTLD_DEFAULT, "nvmlDeviceGetPowerUsage");
    check(power);
    check_nvml(power(NULL, &clock), NVML_ERROR_UNINITIALIZED);
    nvmlDevice_t device = first_device();
    check_nvml(power(device, &clock), NVML_ERROR_NOT_SUPPORTED);
    check_nvml(nvmlDeviceGetClockInfo(device, NVML_CLOCK_VIDEO, &clock), NVML_ERROR_NOT_SUPPORTED);
    check_nvml(nvmlDeviceGetClockInfo(device, NVML_CLOCK_COUNT, &clock),
               NVML_ERROR_INVALID_ARGUMENT);
    nvml_ok(nvmlEventSetCreate(&set));
    check_nvml(nvmlDeviceRegisterEvents(device, 8, set), NVML_ERROR_NOT_SUPPORTED);
    check_nvml(nvmlEventSetWait(set, &data, 1), NVML_ERROR_TIMEOUT);
    nvml_ok(nvmlEventSetFree(set));
}

TEST(a_broken_configuration_is_no_driver)
{
    setenv("CUPIPE_DEVICES", "many", 1);
    check_nvml(nvmlInit(), NVML_ERROR_DRIVER_NOT_LOADED);
    setenv("CUPIPE_DEVICES", "2", 1);
    nvml_ok(nvmlInit());
}

/* PyTorch counts devices so, and then forks its workers. */
TEST(a_child_can_use_the_driver)
{
    int status;

    own_devices("1");
    first_device();
    pid_t child = fork();
    if (child == 0) {
        with_context();
        _exit(7);
    }
    check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

/* Ends and starts the library, and makes each first question about utilisation wait. */
static void *use_without_end(void *stop)
{
    nvmlUtilization_t utilization;

    while (!atomic_load((_Atomic(bool) *)stop)) {
        nvmlDevice_t device = first_device();
        nvml_ok(nvmlDeviceGetUtilizationRates(device, &utilization));
        nvml_ok(nvmlShutdown());
    }
    return NULL;
}

/* Locks that other threads held when the process forked do not stop the child. */
TEST(a_child_can_use_nvml_whatever_other_threads_did)
{
    enum { FORKS = 20 };
    _Atomic(bool) stop = false;
    pthread_t thread;
    int status;

#ifdef TEST_UNDER_ASAN
    return; /* its allocator's locks do not survive a fork of many threads */
#endif
    own_devices("1");
    first_device(); /* loads the driver; the loader has a lock of its own */
    nvml_ok(nvmlShutdown());
    check(pthread_create(&thread, NULL, use_without_end, &stop) == 0);
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        if (child == 0) {
            nvmlUtilization_t utilization;

            alarm(60);
            nvmlDevice_t device = first_device();
            nvml_ok(nvmlDeviceGetUtilizationRates(device, &utilization));
            nvml_ok(nvmlShutdown());
            _exit(7);
        }
        check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
    atomic_store(&stop, true);
    check(pthread_join(thread, NULL) == 0);
}

/* A child of a process that has called cuInit cannot use the driver; NVML can still count. */
TEST(a_child_can_monitor_after_cuInit)
{
    nvmlProcessInfo_t info[2];
    unsigned count = 2;
    int status;

    own_devices("1");
    nvmlDevice_t device = first_device();
    with_context();
    pid_t child = fork();
    if (child == 0) {
        nvml_ok(nvmlDeviceGetComputeRunningProcesses(device, &count, info));
        _exit(count == 1 && info[0].pid == (unsigned)getppid() ? 7 : 8);
    }
    check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

TEST(every_result_has_a_text)
{
    for (int i = 0; i <= NVML_ERROR_RESET_TYPE_NOT_SUPPORTED; i++)
        check(strcmp(nvmlErrorString((nvmlReturn_t)i), nvmlErrorString(NVML_ERROR_UNKNOWN)) != 0);
    check(strlen(nvmlErrorString((nvmlReturn_t)12345)) > 0);
}

TEST(no_device_gets_or_loses_its_driver)
{
    nvmlSystemEventSetCreateRequest_t create = {.version = nvmlSystemEventSetCreateRequest_v1};
    nvmlSystemRegisterEventRequest_t ask = {.version = nvmlSystemRegisterEventRequest_v1,
                                            .eventTypes = nvmlSystemEventTypeGpuDriverUnbind};
    nvmlSystemEventData_v1_t data;
    nvmlSystemEventSetWaitRequest_t wait = {.version = nvmlSystemEventSetWaitRequest_v1,
                                            .timeoutms = 1,
                                            .data = &data,
                                            .dataSize = 1,
                                            .numEvent = 7};
    nvmlSystemEventSetFreeRequest_t end = {.version = nvmlSystemEventSetFreeRequest_v1};

    own_devices("1");
    first_device();
    nvml_ok(nvmlSystemEventSetCreate(&create));
    check_nvml(nvmlSystemRegisterEvents(&ask), NVML_ERROR_INVALID_ARGUMENT); /* no set */
    ask.set = wait.set = end.set = create.set;
    nvml_ok(nvmlSystemRegisterEvents(&ask));
    ask.eventTypes = 4;
    check_nvml(nvmlSystemRegisterEvents(&ask), NVML_ERROR_NOT_SUPPORTED);
    check_nvml(nvmlSystemEventSetWait(&wait), NVML_ERROR_TIMEOUT);
    check(wait.numEvent == 0);
    create.version = wait.version = 0;
    check_nvml(nvmlSystemEventSetCreate(&create), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    check_nvml(nvmlSystemEventSetWait(&wait), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    nvml_ok(nvmlSystemEventSetFree(&end));
}

/* NVIDIA's library frees whatever it is given. */
TEST(a_stale_or_garbage_event_set_is_refused)
{
    nvmlSystemEventSetCreateRequest_t create = {.version = nvmlSystemEventSetCreateRequest_v1};
    nvmlSystemEventSetFreeRequest_t end = {.version = nvmlSystemEventSetFreeRequest_v1};
    nvmlEventSet_t set, other, garbage = (nvmlEventSet_t)(uintptr_t)0x1234567;
    nvmlEventData_t data;

    own_devices("1");
    first_device();
    nvml_ok(nvmlEventSetCreate(&set));
    nvml_ok(nvmlSystemEventSetCreate(&create));
    end.set = (nvmlSystemEventSet_t)(void *)set;
    check_nvml(nvmlSystemEventSetFree(&end), NVML_ERROR_INVALID_ARGUMENT); /* another kind */
    nvml_ok(nvmlEventSetFree(set));
    nvml_ok(nvmlEventSetCreate(&other));
    check(other != set);
    check_nvml(nvmlEventSetFree(set), NVML_ERROR_INVALID_ARGUMENT);
    check_nvml(nvmlEventSetWait(set, &data, 1), NVML_ERROR_INVALID_ARGUMENT);
    check_nvml(nvmlEventSetFree(garbage), NVML_ERROR_INVALID_ARGUMENT);
    nvml_ok(nvmlEventSetFree(other));
    end.set = create.set;
    nvml_ok(nvmlSystemEventSetFree(&end));
    check_nvml(nvmlSystemEventSetFree(&end), NVML_ERROR_INVALID_ARGUMENT);
}
