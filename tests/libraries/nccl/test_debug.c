/* SPDX-License-Identifier: MIT */
/* What NCCL_DEBUG writes, and where. */
#include "nccl_test.h"

#include <stdio.h>

static char path[64];

/* Variables are read with the first message of the process. */
static void write_to_file(const char *level, const char *subsystems)
{
    snprintf(path, sizeof(path), "/tmp/nccl-debug-test-%d", getpid());
    setenv("NCCL_DEBUG_FILE", "/tmp/nccl-debug-test-%p", 1);
    setenv("NCCL_DEBUG", level, 1);
    if (subsystems)
        setenv("NCCL_DEBUG_SUBSYS", subsystems, 1);
}

/* What the file holds; it is removed. */
static char *written(void)
{
    char *text = calloc(1, 1 << 16);
    FILE *file = fopen(path, "r");

    if (file) {
        check(fread(text, 1, (1 << 16) - 1, file) < (1 << 16) - 1);
        fclose(file);
        unlink(path);
    }
    return text;
}

/* A communicator of one rank, an operation of it, and its end. */
static void use_communicator(ncclConfig_t *config)
{
    CUdeviceptr memory;
    ncclUniqueId id;
    ncclComm_t comm;

    enter_device(0);
    check_success(cuMemAlloc(&memory, 64));
    check_done(ncclGetUniqueId(&id));
    check_done(ncclCommInitRankConfig(&comm, 1, id, 0, config));
    check_done(ncclAllReduce((void *)memory, (void *)memory, 4, ncclFloat, ncclSum, comm, NULL));
    check_success(cuCtxSynchronize());
    check_done(ncclCommDestroy(comm));
    check_success(cuMemFree(memory));
}

TEST(info_shows_what_a_communicator_was_asked_for)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    char *text;

    config.minCTAs = 2;
    config.maxCTAs = 4;
    config.cgaClusterSize = 2;
    config.splitShare = 1;
    config.netName = "Socket";
    write_to_file("INFO", NULL);
    use_communicator(&config);
    text = written();
    check(strstr(text, "NCCL version 2."));
    check(strstr(text, "NCCL INFO Comm config Min CTAs set to 2\n"));
    check(strstr(text, "NCCL INFO Comm config Max CTAs set to 4\n"));
    check(strstr(text, "NCCL INFO Comm config CGA cluster size set to 2\n"));
    check(strstr(text, "NCCL INFO Comm config Split share set to 1\n"));
    check(strstr(text, "NCCL INFO Using network Socket\n"));
    check(strstr(text, "Init COMPLETE\n"));
    check(!strstr(text, "AllReduce"));
    free(text);
}

TEST(registrations_have_a_subsystem)
{
    CUdeviceptr memory;
    ncclUniqueId id;
    ncclComm_t comm;
    void *handle;
    char *text;

    write_to_file("INFO", "REG");
    enter_device(0);
    check_success(cuMemAlloc(&memory, 64));
    check_done(ncclGetUniqueId(&id));
    check_done(ncclCommInitRank(&comm, 1, id, 0));
    check_done(ncclCommRegister(comm, (void *)memory, 64, &handle));
    check_done(ncclCommDeregister(comm, handle));
    check_done(ncclCommDestroy(comm));
    text = written();
    only_cupipe();
    check(strstr(text, "NCCL INFO register comm 0x"));
    check(strstr(text, " size 64\n"));
    free(text);
}

TEST(subsystems_choose_lines)
{
    char *text;

    write_to_file("info", "coll");
    use_communicator(NULL);
    text = written();
    check(strstr(text, "NCCL INFO AllReduce: opCount 0 sendbuff"));
    check(!strstr(text, "Init COMPLETE"));
    free(text);
}

TEST(subsystems_can_be_left_out)
{
    char *text;

    write_to_file("INFO", "^INIT,NET");
    use_communicator(NULL);
    text = written();
    check(strstr(text, "NCCL INFO AllReduce: opCount 0 sendbuff"));
    check(!strstr(text, "Init COMPLETE"));
    free(text);
}

TEST(version_is_one_line)
{
    char *text;

    write_to_file("VERSION", NULL);
    use_communicator(NULL);
    use_communicator(NULL);
    text = written();
    check(strncmp(text, "NCCL version 2.", 15) == 0);
    check(strchr(text, '\n') == text + strlen(text) - 1);
    free(text);
}

/* Warnings begin with the time, in NCCL's format or that of the program. */
TEST(warnings_say_what_was_wrong)
{
    char *text;

    write_to_file("WARN", NULL);
    setenv("NCCL_DEBUG_TIMESTAMP_FORMAT", "<time> ", 1);
    check_nccl(ncclCommInitRank(NULL, 1, (ncclUniqueId){0}, 0), ncclInvalidArgument);
    text = written();
    only_cupipe();
    check(strncmp(text, "<time> ", 7) == 0);
    check(strstr(text, "NCCL WARN "));
    free(text);
}

TEST(variables_are_read_anew)
{
    char *text;

    write_to_file("VERSION", NULL);
    check_nccl(ncclCommInitRank(NULL, 1, (ncclUniqueId){0}, 0), ncclInvalidArgument);
    text = written();
    check(!strstr(text, "WARN"));
    free(text);
    setenv("NCCL_DEBUG", "WARN", 1);
    ncclResetDebugInit();
    check_nccl(ncclCommInitRank(NULL, 1, (ncclUniqueId){0}, 0), ncclInvalidArgument);
    text = written();
    check(strstr(text, "NCCL WARN "));
    free(text);
}

/* A file that cannot be written is none. */
TEST(a_wrong_file_is_no_error)
{
    setenv("NCCL_DEBUG", "INFO", 1);
    setenv("NCCL_DEBUG_FILE", "/nowhere/%h/%p/%", 1);
    use_communicator(NULL);
}

TEST(an_unknown_network_is_refused)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclUniqueId id;
    ncclComm_t comm = NULL;

    config.netName = "none of this name";
    enter_device(0);
    check_done(ncclGetUniqueId(&id));
    check_nccl(ncclCommInitRankConfig(&comm, 1, id, 0, &config), ncclInvalidUsage);
}
