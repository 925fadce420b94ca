/* SPDX-License-Identifier: MIT */
/* Compiled kernels are kept on disk, and nothing that lies there is believed. */
#include "cache_folder.h"
#include "launch.h"

#include "exec/code/code.h"
#include "exec/code/elf.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

static void forget_code(void)
{
    check_success(cuCtxSynchronize());
    cup_code_image_finish(&test_image);
}

static bool entry_path(char path[512])
{
    DIR *listing = opendir(folder);
    struct dirent *each;
    bool found = false;

    check(listing != NULL);
    while ((each = readdir(listing))) {
        if (strstr(each->d_name, ".kernel")) {
            snprintf(path, 512, "%s/%s", folder, each->d_name);
            found = true;
        } else {
            check(each->d_name[0] == '.' && strncmp(each->d_name, ".new", 4) != 0);
        }
    }
    closedir(listing);
    return found;
}

TEST(the_second_time_nothing_is_compiled)
{
    uint64_t out[8] = {0};
    struct params params = {.out = out};

    with_cache();
    launch("tables", 8, 32, &params);
    forget_code();
    check(compilations() == 1);
    memset(out, 0, sizeof(out));
    launch("tables", 8, 32, &params);
    forget_code();
    check(compilations() == 1);
    check(out[0] == 1001822);
    launch("tables", 8, 33, &params); /* another shape */
    forget_code();
    check(compilations() == 2);
    remove_cache();
}

/* Whatever byte is wrong: the kernel runs, compiled anew if need be. */
TEST(damaged_entries_are_replaced)
{
    uint64_t out[8] = {0};
    struct params params = {.out = out};
    char path[512];
    uint8_t byte;

    with_cache();
    unsetenv("EXEC_COUNT");
    launch("tables", 8, 32, &params);
    forget_code();
    check(entry_path(path));
    struct stat status;
    check(stat(path, &status) == 0);
    for (off_t at = 0; at < status.st_size; at += at < 200 ? 1 : 97) {
        int fd = open(path, O_RDWR);
        check(fd >= 0 && pread(fd, &byte, 1, at) == 1);
        byte ^= 0x41;
        check(pwrite(fd, &byte, 1, at) == 1);
        close(fd);
        memset(out, 0, sizeof(out));
        launch("tables", 8, 32, &params);
        forget_code();
        check(out[0] == 1001822);
    }
    for (off_t size = 0; size < status.st_size; size += 313) {
        check(truncate(path, size) == 0);
        launch("tables", 8, 32, &params);
        forget_code();
        struct stat after;
        check(stat(path, &after) == 0 && after.st_size == status.st_size);
    }
    remove_cache();
}

/* What a checksum does not find the loader must withstand. */
TEST(damaged_objects_do_no_harm)
{
    static uint8_t object[1 << 20], copy[1 << 20];
    char path[512];

    with_cache();
    launch("tables", 8, 32, &(struct params){.out = (uint64_t[8]){0}});
    forget_code();
    check(entry_path(path));
    FILE *file = fopen(path, "rb");
    check(file && fseek(file, 48, SEEK_SET) == 0);
    size_t size = fread(object, 1, sizeof(object), file);
    fclose(file);
    srand(1);
    for (int round = 0; round < 4000; round++) {
        struct cup_elf_symbol symbol = {.name = "cup_abi_run_blocks"};
        struct cup_elf_code code;
        size_t length = round % 5 == 0 ? (size_t)rand() % size : size;
        memcpy(copy, object, size);
        for (int k = 0; k < 1 + round % 4; k++)
            copy[(size_t)rand() % size] = (uint8_t)rand();
        if (!cup_elf_load(copy, length, &code, &symbol, 1))
            cup_elf_unload(&code);
    }
    remove_cache();
}

/* What was written to stderr since begin_told(). */
static char told[8192], told_path[96];

static void begin_told(void)
{
    snprintf(told_path, sizeof(told_path), "%s/told", folder);
    int fd = open(told_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    check(fd >= 0 && dup2(fd, STDERR_FILENO) >= 0);
    close(fd);
}

static void end_told(void)
{
    FILE *file = fopen(told_path, "r");

    check(file != NULL);
    told[fread(told, 1, sizeof(told) - 1, file)] = '\0';
    fclose(file);
}

/* The user's folder cannot be made, and temporary files go to `temporary`. */
static void with_cache_in(const char *temporary)
{
    setenv("EXEC_COUNT", counter, 1);
    setenv("TMPDIR", temporary, 1);
    begin_told();
    with_kernels("/proc/nowhere/cupipe");
    for (int i = 0; i < 3; i++) {
        launch("empty", 1, 32, NULL);
        forget_code();
    }
    end_told();
}

static void make_temporary(void)
{
    strcpy(folder, "/tmp/cupipe-test-XXXXXX");
    check(mkdtemp(folder) != NULL);
    snprintf(counter, sizeof(counter), "%s.count", folder);
}

TEST(without_a_folder_kernels_are_among_temporary_files)
{
    char wanted[512];

    make_temporary();
    with_cache_in(folder);
    check(compilations() == 1);
    snprintf(wanted, sizeof(wanted),
             "cupipe: compiled kernels cannot be kept in /proc/nowhere/cupipe (No such file or "
             "directory) and are kept in %s/cupipe-%u. CUPIPE_CACHE=FOLDER names another folder\n",
             folder, (unsigned)geteuid());
    check(strcmp(told, wanted) == 0); /* once */
    remove_cache();
}

TEST(a_temporary_folder_that_others_made_is_not_used)
{
    char path[128], target[128];

    make_temporary();
    snprintf(path, sizeof(path), "%s/cupipe-%u", folder, (unsigned)geteuid());
    snprintf(target, sizeof(target), "%s/target", folder);
    check(mkdir(target, 0700) == 0 && symlink(target, path) == 0);
    with_cache_in(folder);
    check(compilations() == 3);
    check(rmdir(target) == 0); /* nothing is in it */
    const char *line =
        strstr(told, "cupipe: compiled kernels are not kept: neither in /proc/nowhere");
    check(line && strstr(line, path) && !strstr(line + 1, "cupipe: compiled"));
    remove_cache();
}

TEST(folders_of_others_are_not_used)
{
    setenv("TMPDIR", "/proc/nowhere", 1);
    with_cache();
    check(chmod(folder, 0777) == 0);
    launch("empty", 1, 32, NULL);
    forget_code();
    launch("empty", 1, 32, NULL);
    forget_code();
    check(compilations() == 2);
    remove_cache();
}

TEST(a_folder_that_cannot_be_is_no_error)
{
    setenv("TMPDIR", "/proc/nowhere", 1);
    with_kernels("/proc/nowhere/cupipe");
    launch("empty", 1, 32, NULL);
    check_success(cuCtxSynchronize());
}

static _Atomic(int) started;

static void *launch_one(void *argument)
{
    uint64_t out[8] = {0};
    struct params params = {.out = out};
    CUstream stream;

    check_success(cuCtxSetCurrent(argument));
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    atomic_fetch_add(&started, 1);
    struct cup_exec_request request = request_of("tables", 8, 32, &params);
    check_success(cup_exec_launch(stream, &request));
    check_success(cuStreamSynchronize(stream));
    check(out[0] == 1001822);
    return NULL;
}

TEST(one_compiles_and_the_others_wait)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];

    with_cache();
    CUcontext context;
    check_success(cuCtxGetCurrent(&context));
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, launch_one, context) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    check(compilations() == 1);
    remove_cache();
}
