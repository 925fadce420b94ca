/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=init: kernels that read device or shared memory that nothing has written. Each test
 * looks at the stderr of a child, of one that reads too early and of one that does not. */
#include "test.h"

#include "checks.h"

enum { THREADS = 64, WORDS = 256, BYTES = WORDS * 4 };

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".file 1 \"reads.cu\"\n"
    ".global .align 4 .u32 zeros[64];\n"
    /* out[i] = in[i], with consecutive threads */
    ".visible .entry copy(.param .u64 out, .param .u64 in)\n{\n"
    ".reg .b32 %i, %x;\n.reg .b64 %o, %a, %d;\n"
    "ld.param.u64 %o, [out];\nld.param.u64 %a, [in];\n"
    "mov.u32 %i, %tid.x;\nmul.wide.u32 %d, %i, 4;\n"
    "add.u64 %o, %o, %d;\nadd.u64 %a, %a, %d;\n"
    ".loc 1 42 3\n"
    "ld.global.u32 %x, [%a];\n"
    "st.global.u32 [%o], %x;\nret;\n}\n"
    /* the same of every other word, backwards */
    ".visible .entry scattered(.param .u64 out, .param .u64 in)\n{\n"
    ".reg .b32 %i, %j, %x;\n.reg .b64 %o, %a, %d;\n"
    "ld.param.u64 %o, [out];\nld.param.u64 %a, [in];\n"
    "mov.u32 %i, %tid.x;\nmul.wide.u32 %d, %i, 4;\nadd.u64 %o, %o, %d;\n"
    "sub.u32 %j, 63, %i;\nmul.wide.u32 %d, %j, 8;\nadd.u64 %a, %a, %d;\n"
    "ld.global.u32 %x, [%a];\nst.global.u32 [%o], %x;\nret;\n}\n"
    /* all threads read the first word, by a generic address */
    ".visible .entry first(.param .u64 out, .param .u64 in)\n{\n"
    ".reg .b32 %i, %x;\n.reg .b64 %o, %a, %d;\n"
    "ld.param.u64 %o, [out];\nld.param.u64 %a, [in];\n"
    "mov.u32 %i, %tid.x;\nmul.wide.u32 %d, %i, 4;\nadd.u64 %o, %o, %d;\n"
    "ld.u32 %x, [%a];\nst.u32 [%o], %x;\nret;\n}\n"
    /* threads of one half count in in[0] */
    ".visible .entry count(.param .u64 out, .param .u64 in)\n{\n"
    ".reg .b32 %i;\n.reg .b64 %a;\n.reg .pred %p;\n"
    "ld.param.u64 %a, [in];\nmov.u32 %i, %tid.x;\nsetp.gt.u32 %p, %i, 31;\n"
    "@%p bra DONE;\nred.global.add.u32 [%a], 1;\nDONE:\nret;\n}\n"
    /* writes in[0..63] as bytes, but every fourth only if thread 3 may, and reads words */
    ".visible .entry bytes(.param .u64 out, .param .u64 in, .param .u32 all)\n{\n"
    ".reg .b32 %i, %x, %t;\n.reg .b64 %o, %a, %b, %d, %e;\n.reg .pred %p, %q;\n"
    "ld.param.u64 %o, [out];\nld.param.u64 %a, [in];\nld.param.u32 %t, [all];\n"
    "mov.u32 %i, %tid.x;\ncvt.u64.u32 %d, %i;\nadd.u64 %b, %a, %d;\n"
    "and.b32 %x, %i, 3;\nadd.u32 %x, %x, %t;\nsetp.eq.u32 %p, %x, 3;\n"
    "@!%p st.global.u8 [%b], %i;\nbar.sync 0;\n"
    "and.b32 %x, %i, 15;\nmul.wide.u32 %d, %x, 4;\nadd.u64 %b, %a, %d;\n"
    "ld.global.u32 %x, [%b];\nmul.wide.u32 %e, %i, 4;\nadd.u64 %o, %o, %e;\n"
    "st.global.u32 [%o], %x;\nret;\n}\n"
    /* vectors of four words, of which the second is kept, and the fourth if `wide` */
    ".visible .entry vectors(.param .u64 out, .param .u64 in, .param .u32 wide)\n{\n"
    ".reg .b32 %i, %x<4>, %w;\n.reg .b64 %o, %a, %d;\n.reg .pred %p;\n"
    "ld.param.u64 %o, [out];\nld.param.u64 %a, [in];\nld.param.u32 %w, [wide];\n"
    "mov.u32 %i, %tid.x;\nand.b32 %i, %i, 15;\nmul.wide.u32 %d, %i, 16;\n"
    "add.u64 %o, %o, %d;\nadd.u64 %a, %a, %d;\nsetp.ne.u32 %p, %w, 0;\n@%p bra WIDE;\n"
    "ld.global.v4.u32 {%x0, %x1, _, %x3}, [%a];\nst.global.u32 [%o], %x1;\nret;\n"
    "WIDE:\nld.global.v4.u32 {%x0, %x1, _, %x3}, [%a];\n"
    "st.global.u32 [%o], %x1;\nst.global.u32 [%o+4], %x3;\nret;\n}\n"
    /* a module's variable, which is zero */
    ".visible .entry variable(.param .u64 out, .param .u64 in)\n{\n"
    ".reg .b32 %i, %x;\n.reg .b64 %o, %a, %d;\n"
    "ld.param.u64 %o, [out];\nmov.u64 %a, zeros;\n"
    "mov.u32 %i, %tid.x;\nmul.wide.u32 %d, %i, 4;\n"
    "add.u64 %o, %o, %d;\nadd.u64 %a, %a, %d;\n"
    "ld.global.u32 %x, [%a];\nst.global.u32 [%o], %x;\nret;\n}\n"
    /* threads turn shared memory round; `late` of them, from the last, do not write theirs */
    ".extern .shared .align 4 .b8 more[];\n"
    ".visible .entry turn(.param .u64 out, .param .u64 in, .param .u32 late)\n{\n"
    ".reg .b32 %i, %x, %s, %t, %l;\n.reg .b64 %o, %d;\n.reg .pred %p;\n"
    "ld.param.u64 %o, [out];\nld.param.u32 %l, [late];\n"
    "mov.u32 %i, %tid.x;\nmul.wide.u32 %d, %i, 4;\nadd.u64 %o, %o, %d;\n"
    "mov.u32 %s, more;\nshl.b32 %t, %i, 2;\nadd.u32 %s, %s, %t;\n"
    "add.u32 %x, %i, %l;\nsetp.lt.u32 %p, %x, 64;\n"
    "@%p st.shared.u32 [%s], %i;\nbar.sync 0;\n"
    "sub.u32 %x, 63, %i;\nshl.b32 %x, %x, 2;\nmov.u32 %s, more;\nadd.u32 %s, %s, %x;\n"
    "ld.shared.u32 %x, [%s];\nst.global.u32 [%o], %x;\nret;\n}\n"
    /* the same with static memory, by generic addresses, and by cp.async */
    ".visible .entry fetch(.param .u64 out, .param .u64 in)\n{\n"
    ".shared .align 16 .b8 tile[256];\n"
    ".reg .b32 %i, %x, %s, %t;\n.reg .b64 %o, %a, %d, %g;\n"
    "ld.param.u64 %o, [out];\nld.param.u64 %a, [in];\n"
    "mov.u32 %i, %tid.x;\nmul.wide.u32 %d, %i, 4;\nadd.u64 %o, %o, %d;\nadd.u64 %a, %a, %d;\n"
    "mov.u32 %s, tile;\nshl.b32 %t, %i, 2;\nadd.u32 %s, %s, %t;\n"
    "cp.async.ca.shared.global [%s], [%a], 4;\ncp.async.wait_all;\nbar.sync 0;\n"
    "mov.u64 %g, tile;\ncvta.shared.u64 %g, %g;\nadd.u64 %g, %g, %d;\n"
    "ld.u32 %x, [%g];\nst.global.u32 [%o], %x;\nret;\n}\n";

static CUmodule module_of_process;

static CUdeviceptr allocate(void)
{
    CUdeviceptr memory;

    check_success(cuMemAlloc(&memory, BYTES));
    return memory;
}

static void start(void)
{
    with_check("init");
    check_success(cuModuleLoadData(&module_of_process, ptx));
}

static void launch(const char *name, CUdeviceptr out, CUdeviceptr in, unsigned number,
                   CUstream stream)
{
    void *arguments[] = {&out, &in, &number};
    CUfunction function;

    check_success(cuModuleGetFunction(&function, module_of_process, name));
    check_success(cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1,
                                 strcmp(name, "turn") == 0 ? 256 : 0, stream, arguments, NULL));
}

static void run(const char *name, CUdeviceptr in, unsigned number)
{
    launch(name, allocate(), in, number, NULL);
    check_success(cuCtxSynchronize());
}

static void check_silent(void (*child)(void))
{
    struct told *told = told_well_by(child);

    if (reports_of(told))
        test_fail(__FILE__, __LINE__, "it says:\n%s", told->text);
}

static void check_reports(void (*child)(void), const char *kernel, unsigned reports)
{
    struct told *told = told_well_by(child);
    char words[80];

    snprintf(words, sizeof(words), "kernel %s read ", kernel);
    check_says(told, words);
    if (reports_of(told) != reports)
        test_fail(__FILE__, __LINE__, "it does not say %u things:\n%s", reports, told->text);
}

/* Device memory that nothing has written. */

A_FUNCTION read_nothing(void)
{
    start();
    run("copy", allocate(), 0);
}

TEST(memory_that_was_not_written_is_named)
{
    struct told *told = told_well_by(read_nothing);

    check_says(told, "kernel copy read 4 bytes at 0x");
    check_says(told, ", 0 bytes into the 1024 bytes of device memory at 0x");
    check_says(told, ", which nothing had written\n");
    check_says(told, "  read by kernel copy, reads.cu:42, block (0,0,0), thread (0,0,0)\n");
    check_says_next(told, "kernel copy", "  made by cuMemAlloc_v2, called", "read_nothing+0x");
    check_says(told, "cupipe: and 1 more like"); /* the other warp */
    check(reports_of(told) == 1);
}

A_FUNCTION read_scattered(void)
{
    start();
    run("scattered", allocate(), 0);
}

A_FUNCTION read_first(void)
{
    start();
    run("first", allocate(), 0);
}

A_FUNCTION count_from_nothing(void)
{
    start();
    run("count", allocate(), 0);
}

TEST(all_kinds_of_accesses_are_seen)
{
    check_reports(read_scattered, "scattered", 1);
    check_reports(read_first, "first", 1);
    check_reports(count_from_nothing, "count", 1);
}

/* Compilers widen loads over words that nobody asked for. */

static void read_vectors(unsigned wide)
{
    CUdeviceptr in;

    start();
    in = allocate();
    check_success(cuMemsetD2D32(in + 4, 16, 1, 1, BYTES / 16));
    run("vectors", in, wide);
}

A_FUNCTION read_second_words(void)
{
    read_vectors(0);
}

A_FUNCTION read_fourth_words_too(void)
{
    read_vectors(1);
}

TEST(elements_that_are_read_for_nothing_do_not_matter)
{
    check_silent(read_second_words);
    check_reports(read_fourth_words_too, "vectors", 1);
}

/* What writes memory. */

A_FUNCTION read_what_was_written(void)
{
    static uint32_t words[WORDS];
    static const char *const kernels[] = {"copy", "scattered", "first", "count"};
    CUdeviceptr copied, filled, rows, again;
    void *pinned;

    start();
    check_success(cuMemHostAlloc(&pinned, BYTES, CU_MEMHOSTALLOC_DEVICEMAP));
    for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
        copied = allocate();
        filled = allocate();
        rows = allocate();
        again = allocate();
        check_success(cuMemcpyHtoD(copied, words, BYTES));
        check_success(cuMemsetD32(filled, 7, WORDS));
        check_success(cuMemsetD2D8(rows, 64, 1, 64, 16));
        check_success(cuMemcpyDtoD(again, copied, BYTES));
        run(kernels[i], copied, 0);
        run(kernels[i], filled, 0);
        run(kernels[i], rows, 0);
        run(kernels[i], again, 0);
        run(kernels[i], (CUdeviceptr)pinned, 0);
        check_success(cuMemAllocManaged(&copied, BYTES, CU_MEM_ATTACH_GLOBAL));
        run(kernels[i], copied, 0);
    }
    run("variable", 0, 0);
}

A_FUNCTION read_what_a_kernel_wrote(void)
{
    CUdeviceptr in, middle, out;

    start();
    in = allocate();
    middle = allocate();
    out = allocate();
    check_success(cuMemsetD32(in, 1, WORDS));
    launch("copy", middle, in, 0, NULL);
    launch("copy", out, middle, 0, NULL);
    launch("scattered", middle, in, 0, NULL);
    launch("copy", out, middle, 0, NULL);
    check_success(cuCtxSynchronize());
}

TEST(what_was_written_may_be_read)
{
    check_silent(read_what_was_written);
    check_silent(read_what_a_kernel_wrote);
}

A_FUNCTION read_past_what_was_written(void)
{
    CUdeviceptr memory;

    start();
    memory = allocate();
    check_success(cuMemsetD8(memory, 1, THREADS * 4 - 5));
    run("copy", memory, 0);
}

TEST(one_byte_that_was_not_written_is_enough)
{
    struct told *told = told_well_by(read_past_what_was_written);

    check_says(told, "kernel copy read 1 bytes at 0x");
    check_says(told, ", 251 bytes into the 1024 bytes");
    check_says(told, "thread (62,0,0)");
}

A_FUNCTION read_a_copy_of_nothing(void)
{
    CUdeviceptr from, to;

    start();
    from = allocate();
    to = allocate();
    check_success(cuMemsetD32(from, 1, 16));
    check_success(cuMemsetD32(to, 1, WORDS));
    check_success(cuMemcpyDtoD(to, from, BYTES));
    run("copy", to, 0);
}

TEST(copies_of_what_was_not_written_are_no_better)
{
    struct told *told = told_well_by(read_a_copy_of_nothing);

    check_says(told, ", 64 bytes into the 1024 bytes");
    check(reports_of(told) == 1);
}

/* Another process may write exported memory at any time. */
A_FUNCTION read_exported_memory(void)
{
    CUdeviceptr exported;
    CUipcMemHandle handle;

    start();
    exported = allocate();
    check_success(cuIpcGetMemHandle(&handle, exported));
    run("copy", exported, 0);
    check_success(cuMemcpyDtoD(exported, allocate(), BYTES));
    run("copy", exported, 0);
}

TEST(exported_memory_is_written_by_others)
{
    check_silent(read_exported_memory);
}

A_FUNCTION write_all_bytes(void)
{
    start();
    run("bytes", allocate(), 4);
}

A_FUNCTION write_some_bytes(void)
{
    start();
    run("bytes", allocate(), 0);
}

TEST(bytes_of_a_word_are_told_apart)
{
    check_silent(write_all_bytes);
    check_reports(write_some_bytes, "bytes", 1);
}

/* Memory that is used again. */

A_FUNCTION read_freed_and_allocated(void)
{
    CUdeviceptr memory;

    start();
    memory = allocate();
    check_success(cuMemsetD32(memory, 1, WORDS));
    check_success(cuMemFree(memory));
    run("copy", allocate(), 0);
}

static CUdeviceptr allocate_in(CUstream stream)
{
    CUdeviceptr memory;

    check_success(cuMemAllocAsync(&memory, BYTES, stream));
    return memory;
}

/* The stream reaches the free, and the second allocation, after the calls. */
static void use_twice(bool written)
{
    CUdeviceptr out, memory;
    CUstream stream;

    start();
    out = allocate();
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < 20; i++) {
        memory = allocate_in(stream);
        if (written || i < 19)
            check_success(cuMemsetD32Async(memory, 1, WORDS, stream));
        launch("copy", out, memory, 0, stream);
        check_success(cuMemFreeAsync(memory, stream));
    }
    check_success(cuStreamSynchronize(stream));
}

A_FUNCTION use_twice_rightly(void)
{
    use_twice(true);
}

A_FUNCTION use_twice_wrongly(void)
{
    use_twice(false);
}

TEST(memory_that_was_freed_is_as_new)
{
    check_reports(read_freed_and_allocated, "copy", 1);
    check_silent(use_twice_rightly);
    check_reports(use_twice_wrongly, "copy", 1);
}

/* Shared memory. */

A_FUNCTION turn_rightly(void)
{
    start();
    run("turn", 0, 0);
    run("turn", 0, 0);
}

A_FUNCTION turn_wrongly(void)
{
    start();
    run("turn", 0, 0); /* another block's writes do not count */
    run("turn", 0, 1);
}

TEST(shared_memory_belongs_to_a_block)
{
    struct told *told = told_well_by(turn_wrongly);

    check_silent(turn_rightly);
    check_says(told, "kernel turn read 4 bytes of shared memory at offset 252, which no thread of "
                     "the block had written\n");
    check_says(told, "thread (0,0,0)");
    check(reports_of(told) == 1);
}

A_FUNCTION fetch_rightly(void)
{
    CUdeviceptr memory;

    start();
    memory = allocate();
    check_success(cuMemsetD32(memory, 1, WORDS));
    run("fetch", memory, 0);
}

A_FUNCTION fetch_wrongly(void)
{
    start();
    run("fetch", allocate(), 0);
}

TEST(asynchronous_copies_read_and_write)
{
    check_silent(fetch_rightly);
    check_reports(fetch_wrongly, "fetch", 1);
}
