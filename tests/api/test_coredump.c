/* SPDX-License-Identifier: MIT */
/* Core dumps: the attributes of the process and of a context, and the dump of a failed launch. */
#include "peer.h"

#include <fcntl.h>
#include <sys/stat.h>

static const char ptx_fault[] = ".version 7.8\n.target sm_75\n.address_size 64\n"
                                ".visible .entry stray(.param .u64 at)\n"
                                "{\n"
                                "    .reg .b64 %rd<2>;\n"
                                "    ld.param.u64 %rd1, [at];\n"
                                "    st.global.u32 [%rd1], 1;\n"
                                "    ret;\n"
                                "}\n"
                                ".visible .entry trapped()\n"
                                "{\n"
                                "    trap;\n"
                                "}\n";

TEST(attributes_have_fixed_sizes)
{
    static const struct {
        CUcoredumpSettings attribute;
        size_t size;
    } sizes[] = {{CU_COREDUMP_ENABLE_ON_EXCEPTION, 1},
                 {CU_COREDUMP_TRIGGER_HOST, 1},
                 {CU_COREDUMP_LIGHTWEIGHT, 1},
                 {CU_COREDUMP_FILE, 1024},
                 {CU_COREDUMP_PIPE, 1024},
                 {CU_COREDUMP_GENERATION_FLAGS, 4}};
    unsigned char value[4];
    size_t size;

    check_success(cuInit(0));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        size = 0;
        check_success(cuCoredumpGetAttributeGlobal(sizes[i].attribute, NULL, &size));
        check(size == sizes[i].size);
        check_result(cuCoredumpGetAttributeGlobal(sizes[i].attribute, value, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    }
    size = 2;
    check_result(cuCoredumpGetAttributeGlobal(CU_COREDUMP_TRIGGER_HOST, value, &size),
                 CUDA_ERROR_INVALID_VALUE);
    size = 4;
    check_result(cuCoredumpGetAttributeGlobal((CUcoredumpSettings)8, value, &size),
                 CUDA_ERROR_INVALID_VALUE);
}

TEST(lightweight_is_a_set_of_flags)
{
    unsigned char yes = 1, got = 0;
    unsigned flags = 0;
    size_t byte = 1, word = 4;

    check_success(cuInit(0));
    check_success(cuCoredumpSetAttributeGlobal(CU_COREDUMP_LIGHTWEIGHT, &yes, &byte));
    check_success(cuCoredumpGetAttributeGlobal(CU_COREDUMP_GENERATION_FLAGS, &flags, &word));
    check(flags == CU_COREDUMP_LIGHTWEIGHT_FLAGS);
    flags = CU_COREDUMP_SKIP_GLOBAL_MEMORY;
    check_success(cuCoredumpSetAttributeGlobal(CU_COREDUMP_GENERATION_FLAGS, &flags, &word));
    check_success(cuCoredumpGetAttributeGlobal(CU_COREDUMP_LIGHTWEIGHT, &got, &byte));
    check(got == 0);
}

TEST(a_context_inherits_when_it_is_created)
{
    unsigned flags = 3, got = 0;
    size_t word = 4;

    check_success(cuInit(0));
    check_success(cuCoredumpSetAttributeGlobal(CU_COREDUMP_GENERATION_FLAGS, &flags, &word));
    with_context();
    flags = 1;
    check_success(cuCoredumpSetAttributeGlobal(CU_COREDUMP_GENERATION_FLAGS, &flags, &word));
    check_success(cuCoredumpGetAttribute(CU_COREDUMP_GENERATION_FLAGS, &got, &word));
    check(got == 3);
    /* the process alone has a pipe */
    check_result(cuCoredumpGetAttribute(CU_COREDUMP_PIPE, NULL, &word), CUDA_ERROR_INVALID_VALUE);
}

/* Measured on an H200. */
TEST(the_host_is_dumped_unless_aborting_is_skipped)
{
    unsigned char host = 7, no = 0;
    unsigned flags = CU_COREDUMP_SKIP_ABORT | CU_COREDUMP_SKIP_GLOBAL_MEMORY;
    size_t byte = 1, word = 4;

    check_success(cuInit(0));
    check_success(cuCoredumpSetAttributeGlobal(CU_COREDUMP_GENERATION_FLAGS, &flags, &word));
    check_success(cuCoredumpGetAttributeGlobal(CU_COREDUMP_TRIGGER_HOST, &host, &byte));
    check(host == 0);
    flags = 0;
    check_success(cuCoredumpSetAttributeGlobal(CU_COREDUMP_GENERATION_FLAGS, &flags, &word));
    check_success(cuCoredumpGetAttributeGlobal(CU_COREDUMP_TRIGGER_HOST, &host, &byte));
    check(host == 1);
    check_success(cuCoredumpSetAttributeGlobal(CU_COREDUMP_TRIGGER_HOST, &no, &byte));
    check_success(cuCoredumpGetAttributeGlobal(CU_COREDUMP_GENERATION_FLAGS, &flags, &word));
    check(flags == CU_COREDUMP_SKIP_ABORT);
}

TEST(the_environment_has_flags)
{
    unsigned char value = 7;
    unsigned flags = 0;
    size_t byte = 1, word = 4;

    setenv("CUDA_ENABLE_COREDUMP_ON_EXCEPTION", "1", 1);
    setenv("CUDA_COREDUMP_GENERATION_FLAGS", "skip_abort,skip_global_memory", 1);
    with_context();
    check_success(cuCoredumpGetAttribute(CU_COREDUMP_ENABLE_ON_EXCEPTION, &value, &byte));
    check(value == 1);
    check_success(cuCoredumpGetAttribute(CU_COREDUMP_GENERATION_FLAGS, &flags, &word));
    check(flags == (CU_COREDUMP_SKIP_ABORT | CU_COREDUMP_SKIP_GLOBAL_MEMORY));
}

/* Dumps go to a folder of the test's own. */
static char folder[] = "/tmp/cuda-dump-XXXXXX";

static void enter_folder(void)
{
    check(mkdtemp(folder) && chdir(folder) == 0);
}

static void leave_folder(const char *file)
{
    unlink(file);
    check(chdir("/") == 0 && rmdir(folder) == 0);
}

static const char dump_name[] = "dump";

/* Unmapped in every process; sanitizers map most of the rest. */
enum { WILD = 0x10 };

/* Enables dumps for the contexts that are created from now on. */
static void enable_dumps(unsigned flags)
{
    unsigned char yes = 1;
    size_t byte = 1, word = 4, size = sizeof(dump_name);

    check_success(cuInit(0));
    check_success(cuCoredumpSetAttributeGlobal(CU_COREDUMP_FILE, (void *)dump_name, &size));
    check_success(cuCoredumpSetAttributeGlobal(CU_COREDUMP_ENABLE_ON_EXCEPTION, &yes, &byte));
    check_success(cuCoredumpSetAttributeGlobal(CU_COREDUMP_GENERATION_FLAGS, &flags, &word));
}

static void launch(const char *name, CUdeviceptr address)
{
    void *parameters[] = {&address};
    CUmodule module;
    CUfunction function;

    check_success(cuModuleLoadData(&module, ptx_fault));
    check_success(cuModuleGetFunction(&function, module, name));
    check_success(cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL));
}

static char text[1 << 16];

static void read_dump(void)
{
    FILE *file = fopen(dump_name, "r");

    check(file != NULL);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
}

static bool has_text(const char *part)
{
    return strstr(text, part) != NULL;
}

/* Reads the dump of a kernel that stores at a bad address. NVIDIA's dumps are binary. */
static void dump_stray_store(unsigned flags)
{
    enter_folder();
    enable_dumps(flags);
    with_context();
    only_cupipe();
    launch("stray", WILD);
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    read_dump();
    leave_folder(dump_name);
}

TEST(a_failed_launch_writes_a_dump)
{
    dump_stray_store(CU_COREDUMP_SKIP_ABORT);
    check(has_text("stray") && has_text("CUDA_ERROR_ILLEGAL_ADDRESS") && has_text("address 0x10)"));
    check(has_text("at = 00000010 00000000\n")); /* the parameter */
    check(has_text("\nv0 "));                    /* the registers */
}

TEST(lightweight_dumps_have_no_registers)
{
    dump_stray_store(CU_COREDUMP_SKIP_ABORT | CU_COREDUMP_LIGHTWEIGHT_FLAGS);
    check(has_text("stray") && !has_text("\nv0 "));
}

TEST(a_trap_writes_a_dump)
{
    enter_folder();
    enable_dumps(CU_COREDUMP_SKIP_ABORT);
    with_context();
    launch("trapped", 0);
    check_result(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
    read_dump();
    leave_folder(dump_name);
    only_cupipe();
    check(has_text("trapped") && has_text("lanes 0xffffffff") && has_text("trap"));
}

/* A context that was created without dumps writes none, whatever is set later. */
TEST(dumps_are_enabled_when_a_context_is_created)
{
    unsigned char yes = 1;
    size_t byte = 1, size = sizeof(dump_name);

    enter_folder();
    with_context();
    check_success(cuCoredumpSetAttribute(CU_COREDUMP_FILE, (void *)dump_name, &size));
    check_success(cuCoredumpSetAttribute(CU_COREDUMP_ENABLE_ON_EXCEPTION, &yes, &byte));
    launch("trapped", 0);
    check_result(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
    check(access(dump_name, F_OK) != 0);
    leave_folder(dump_name);
}

static void fail_with_dump(int socket)
{
    (void)socket;
    signal(SIGABRT, SIG_DFL);
    enable_dumps(0);
    with_context();
    launch("trapped", 0);
    cuCtxSynchronize();
}

TEST(a_dump_aborts_the_process)
{
    int status;

    enter_folder();
    struct peer peer = peer_start(fail_with_dump);
    check(waitpid(peer.pid, &status, 0) == peer.pid);
    check(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    check(access(dump_name, R_OK) == 0);
    leave_folder(dump_name);
}

/* The pipe is there with the first context, serves one request, and the devices are lost. */
TEST(dumps_on_request)
{
    char name[1024] = "pipe-%p", expected[64];
    unsigned char yes = 1, got = 0;
    size_t byte = 1, size = sizeof(name);
    struct stat status;

    enter_folder();
    check_success(cuInit(0));
    check_success(cuCoredumpSetAttributeGlobal(CU_COREDUMP_PIPE, name, &size));
    check_success(cuCoredumpSetAttributeGlobal(CU_COREDUMP_ENABLE_USER_TRIGGER, &yes, &byte));
    check_result(cuCoredumpSetAttributeGlobal(CU_COREDUMP_PIPE, name, &size),
                 CUDA_ERROR_NOT_SUPPORTED);
    check_success(cuCoredumpGetAttributeGlobal(CU_COREDUMP_ENABLE_ON_EXCEPTION, &got, &byte));
    check(got == 1);
    size = sizeof(name);
    check_success(cuCoredumpGetAttributeGlobal(CU_COREDUMP_PIPE, name, &size));
    snprintf(expected, sizeof(expected), "pipe-%d", (int)getpid());
    check(strcmp(name, expected) == 0 && access(name, F_OK) != 0);
    enable_dumps(CU_COREDUMP_SKIP_ABORT);
    with_context();
    check(stat(name, &status) == 0 && S_ISFIFO(status.st_mode));
    int fd = open(name, O_WRONLY | O_NONBLOCK);
    check(fd >= 0 && write(fd, "x", 1) == 1);
    close(fd);
    while (cuCtxSynchronize() == CUDA_SUCCESS)
        nap();
    check_result(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
    check(access(dump_name, R_OK) == 0 && access(name, F_OK) != 0);
    leave_folder(dump_name);
}

/* What the callbacks saw, in the order of their calls. */
static struct {
    char who;
    bool file_was_there;
} seen[8];
static int seen_count;

static void note(void *data, int pid, CUdevice device)
{
    check(pid == (int)getpid() && device == 0 && seen_count < 8);
    seen[seen_count].who = *(const char *)data;
    seen[seen_count++].file_was_there = access(dump_name, F_OK) == 0;
}

TEST(callbacks_tell_of_the_start_and_the_end)
{
    static const char names[] = "abcdef";
    CUcoredumpCallbackHandle removed, kept;

    need_driver(13020);
    enter_folder();
    enable_dumps(CU_COREDUMP_SKIP_ABORT);
    check_success(cuCoredumpRegisterCompleteCallback(note, (void *)&names[0], NULL));
    check_success(cuCoredumpRegisterStartCallback(note, (void *)&names[1], NULL));
    check_success(cuCoredumpRegisterStartCallback(note, (void *)&names[2], &removed));
    check_success(cuCoredumpRegisterStartCallback(note, (void *)&names[3], &kept));
    check_success(cuCoredumpRegisterCompleteCallback(note, (void *)&names[4], NULL));
    check(kept != removed);
    check_success(cuCoredumpDeregisterStartCallback(removed));
    with_context();
    launch("trapped", 0);
    check_result(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
    leave_folder(dump_name);
    check(seen_count == 4);
    check(seen[0].who == 'b' && seen[1].who == 'd' && seen[2].who == 'a' && seen[3].who == 'e');
    check(!seen[0].file_was_there && !seen[1].file_was_there);
    check(seen[2].file_was_there && seen[3].file_was_there);
}

TEST(handles_of_callbacks_are_checked)
{
    CUcoredumpCallbackHandle start, complete;

    check_success(cuInit(0));
    need_driver(13020);
    check_result(cuCoredumpRegisterStartCallback(NULL, NULL, &start), CUDA_ERROR_INVALID_VALUE);
    check_result(cuCoredumpRegisterCompleteCallback(NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    check_success(cuCoredumpRegisterStartCallback(note, NULL, &start));
    check_success(cuCoredumpRegisterCompleteCallback(note, NULL, &complete));
    check_result(cuCoredumpDeregisterStartCallback(complete), CUDA_ERROR_INVALID_VALUE);
    check_result(cuCoredumpDeregisterCompleteCallback(start), CUDA_ERROR_INVALID_VALUE);
    check_result(cuCoredumpDeregisterStartCallback(NULL), CUDA_ERROR_INVALID_VALUE);
    check_success(cuCoredumpDeregisterStartCallback(start));
    check_success(cuCoredumpDeregisterCompleteCallback(complete));
    check_result(cuCoredumpDeregisterStartCallback(start), CUDA_ERROR_INVALID_VALUE);
}

/* A callback may remove itself, and callbacks that it adds are called, too. */
static CUcoredumpCallbackHandle own_handle;

static void replace_self(void *data, int pid, CUdevice device)
{
    check_success(cuCoredumpDeregisterStartCallback(own_handle));
    check_success(cuCoredumpRegisterStartCallback(note, data, NULL));
    note(data, pid, device);
}

TEST(a_callback_changes_the_list)
{
    char name = 'x';

    need_driver(13020);
    enter_folder();
    enable_dumps(CU_COREDUMP_SKIP_ABORT);
    check_success(cuCoredumpRegisterStartCallback(replace_self, &name, &own_handle));
    with_context();
    only_cupipe();
    launch("trapped", 0);
    check_result(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
    leave_folder(dump_name);
    check(seen_count == 2);
}

static void complete_and_exit(void *data, int pid, CUdevice device)
{
    (void)data, (void)pid, (void)device;
    _exit(access(dump_name, R_OK) == 0 ? 42 : 1);
}

static void fail_with_callback(int socket)
{
    (void)socket;
    enable_dumps(0);
    check_success(cuCoredumpRegisterCompleteCallback(complete_and_exit, NULL, NULL));
    with_context();
    launch("trapped", 0);
    cuCtxSynchronize();
}

TEST(the_end_is_told_before_the_process_aborts)
{
    int status;

    need_driver(13020);
    enter_folder();
    struct peer peer = peer_start(fail_with_callback);
    check(waitpid(peer.pid, &status, 0) == peer.pid);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    leave_folder(dump_name);
}

static const char compressed_name[] = "dump.gz";

/* The dump of a trap, named `name` and compressed, is read by gzip. */
static void dump_compressed(const char *name)
{
    unsigned flags = CU_COREDUMP_SKIP_ABORT | CU_COREDUMP_GZIP_COMPRESS;
    size_t word = 4, size = strlen(name) + 1;

    check_success(cuInit(0));
    need_driver(13010);
    only_cupipe();
    if (cuCoredumpSetAttributeGlobal(CU_COREDUMP_GENERATION_FLAGS, &flags, &word) ==
        CUDA_ERROR_NOT_SUPPORTED)
        skip("libdeflate is not installed");
    enter_folder();
    enable_dumps(flags);
    check_success(cuCoredumpSetAttributeGlobal(CU_COREDUMP_FILE, (void *)name, &size));
    with_context();
    launch("trapped", 0);
    check_result(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
    check(access(compressed_name, R_OK) == 0 && access(dump_name, F_OK) != 0);
    FILE *pipe = popen("gzip -dc dump.gz", "r");
    check(pipe != NULL);
    text[fread(text, 1, sizeof(text) - 1, pipe)] = '\0';
    int status = pclose(pipe);
    leave_folder(compressed_name);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        skip("gzip is not installed");
    check(status == 0 && has_text("kernel:  trapped\n"));
}

TEST(compressed_dumps_get_a_suffix)
{
    dump_compressed(dump_name);
}

TEST(compressed_dumps_keep_their_suffix)
{
    dump_compressed(compressed_name);
}

TEST(a_dump_that_is_only_logged_writes_no_file)
{
    char name = 'l';

    need_driver(13030);
    enter_folder();
    enable_dumps(CU_COREDUMP_SKIP_ABORT | (unsigned)CU_COREDUMP_LOG_ONLY);
    with_context();
    only_cupipe();
    check_success(cuCoredumpRegisterStartCallback(note, &name, NULL));
    launch("trapped", 0);
    check_result(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
    check(access(dump_name, F_OK) != 0 && seen_count == 0);
    leave_folder(dump_name);
}

TEST(the_environment_has_newer_flags)
{
    unsigned flags = 0;
    size_t word = 4;

    setenv("CUDA_COREDUMP_GENERATION_FLAGS",
           "gzip_compress,faulted_contexts_only,no_errbar_at_exit,log_only", 1);
    check_success(cuInit(0));
    need_driver(13030);
    check_success(cuCoredumpGetAttributeGlobal(CU_COREDUMP_GENERATION_FLAGS, &flags, &word));
    check(flags == (CU_COREDUMP_GZIP_COMPRESS | CU_COREDUMP_FAULTED_CONTEXTS_ONLY |
                    CU_COREDUMP_NO_ERRBAR_AT_EXIT | (unsigned)CU_COREDUMP_LOG_ONLY));
}

/* Driver 13.0 takes any flags, and those that came later do nothing. */
TEST(newer_flags_mean_nothing_to_an_older_driver)
{
    setenv("CUPIPE_DRIVER", "13.0", 1);
    dump_stray_store(CU_COREDUMP_SKIP_ABORT | CU_COREDUMP_GZIP_COMPRESS |
                     (unsigned)CU_COREDUMP_LOG_ONLY);
    check(has_text("stray"));
}
