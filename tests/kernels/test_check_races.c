/* SPDX-License-Identifier: MIT */
/* CUPIPE_CHECK=races and sync: for each kind of error a kernel that makes it, and the same kernel
 * without it, of which nothing is said. */
#include "kernels.h"

#include "checks.h"

#include <sys/wait.h>

static const char *name, *checks;
static unsigned grid, block, right;
static CUresult wanted;

A_FUNCTION run_kernel(void)
{
    CUdeviceptr out;
    void *arguments[] = {&out, &right};

    with_check(checks);
    out = device_zeros(4096);
    launch_line(kernel_of(module_from("races.ptx"), name), grid, block, 0, arguments);
    check_result(cuCtxSynchronize(), wanted);
}

static const struct told *told_of(const char *what, const char *kernel, unsigned blocks,
                                  unsigned threads, unsigned is_right, CUresult result)
{
    checks = what;
    name = kernel;
    grid = blocks;
    block = threads;
    right = is_right;
    wanted = result;
    return told_well_by(run_kernel);
}

/* Nothing is said of the right form. Returns what is said of the wrong one. */
static const struct told *told_wrong(const char *what, const char *kernel, unsigned blocks,
                                     unsigned threads)
{
    const struct told *told = told_of(what, kernel, blocks, threads, 1, CUDA_SUCCESS);

    check_does_not_say(told, "CUPIPE_CHECK");
    told = told_of(what, kernel, blocks, threads, 0, CUDA_SUCCESS);
    check(reports_of(told) >= 1);
    return told;
}

TEST(a_read_before_a_barrier)
{
    const struct told *told = told_wrong("races", "write_read", 1, 64);

    check_says(told, "race: threads of one block wrote and read 4 bytes at offset ");
    check_says(told, " of shared memory, with nothing between to order them\n");
    check_says(told, "  written by kernel write_read, line 23 of its PTX, block (0,0,0), thread (");
    check_says(told, "  read by kernel write_read, line 32 of its PTX, block (0,0,0), thread (");
    check_says(told, "ld.shared.u32 %x, [%x];\n  __syncthreads() between them would order them\n");
    check_says(told, "and 31 more like");
}

TEST(a_write_before_all_have_read)
{
    const struct told *told = told_wrong("races", "read_write", 1, 64);

    check_says(told, "4 bytes at offset 8 of shared memory, variable words, with");
    check_says(told, "  read by kernel read_write, line 52 of its PTX");
    check_says(told, "  written by kernel read_write, line 59 of its PTX, block (0,0,0), thread "
                     "(63,0,0)");
}

TEST(two_writes)
{
    const struct told *told = told_wrong("races", "write_write", 1, 64);

    check_says(told, "race: threads of one block wrote 4 bytes at offset 0 of shared memory");
}

TEST(two_writes_of_one_instruction)
{
    const struct told *told = told_wrong("races", "one_instruction", 1, 32);

    check_says(told, "lanes of one warp wrote different values to 4 bytes at offset 0 of shared "
                     "memory, variable words with one instruction\n");
}

TEST(a_read_before_a_warp_sync)
{
    const struct told *told = told_wrong("sync", "lanes", 1, 32);

    check_says(told, "race: lanes of one warp wrote and read 4 bytes");
    check_says(told, "__syncwarp() between them would order them\n");
    check_says(told, "CUPIPE_CHECK found: sync 1");
}

TEST(a_read_before_a_warp_sync_is_a_race)
{
    check_says(told_wrong("races", "lanes", 1, 32), "CUPIPE_CHECK found: races 1");
}

TEST(a_read_of_a_lane_that_did_not_synchronise)
{
    told_wrong("sync", "halves", 1, 32);
}

TEST(sync_alone_does_not_report_races_of_warps)
{
    check_does_not_say(told_of("sync", "write_read", 1, 64, 0, CUDA_SUCCESS), "CUPIPE_CHECK");
}

TEST(a_read_beside_atomics)
{
    const struct told *told = told_wrong("races,sync", "counting", 1, 64);

    check_says(told, "atomically changed by kernel counting");
}

TEST(a_write_after_an_arrival)
{
    told_wrong("races,sync", "producer", 1, 64);
}

TEST(no_lock)
{
    const struct told *told = told_of("races,sync", "locked", 1, 64, 1, CUDA_SUCCESS);

    check_does_not_say(told, "CUPIPE_CHECK");
    told = told_of("races", "locked", 1, 64, 0, CUDA_SUCCESS);
    check_says(told, "written by kernel locked, line ");
}

TEST(no_flag)
{
    told_wrong("races,sync", "flagged", 1, 64);
}

TEST(no_mbarrier)
{
    told_wrong("races,sync", "phased", 1, 64);
}

TEST(blocks_that_read_what_others_write)
{
    const struct told *told = told_wrong("races", "blocks", 64, 1);

    check_says(told, "race: threads of two blocks wrote and read 4 bytes of global memory at 0x");
    check_says(told, "  written by kernel blocks, line ");
    check_says(told, "  read by kernel blocks, line ");
    check_says_next(told, "race: threads of two blocks", "  made by cuMemAlloc", "run_kernel");
}

TEST(blocks_that_write_one_word)
{
    told_wrong("races", "same_value", 64, 32);
}

TEST(the_last_block)
{
    told_wrong("races,sync", "last_block", 64, 1);
}

TEST(memory_that_others_have_freed)
{
    check_does_not_say(told_of("races,sync", "heap", 64, 64, 1, CUDA_SUCCESS), "CUPIPE_CHECK");
}

TEST(a_barrier_that_threads_go_round)
{
    const struct told *told = told_wrong("races,sync", "half_waits", 1, 64);

    check_says(told, "32 of the 64 threads of a block of kernel half_waits waited at a barrier "
                     "that others did not come to\n");
    check_says(told, "  reached by kernel half_waits, line ");
    check_says(told, "bar.sync 0;\n  gone round by kernel half_waits, line ");
}

TEST(a_member_that_does_not_come)
{
    const struct told *told = told_wrong("races,sync", "half_shuffles", 1, 32);

    check_says(told, "an instruction with .sync has the member mask 0xffffffff, but lanes "
                     "0xffff0000 of the warp went on without executing it\n");
    check_says(told, "shfl.sync.bfly.b32");
}

TEST(a_lane_that_is_no_member)
{
    const struct told *told = told_wrong("races,sync", "not_named", 1, 32);

    check_says(told, "lane 0 executed an instruction with .sync whose member mask 0xfffffffe does "
                     "not name it\n");
}

TEST(a_count_that_is_no_number_of_warps)
{
    const struct told *told = told_of("sync", "counted", 1, 64, 1, CUDA_SUCCESS);

    check_does_not_say(told, "CUPIPE_CHECK");
    told = told_of("sync", "counted", 1, 64, 0, CUDA_SUCCESS);
    check_says(told, "barrier 1 is to wait for 48 threads, which is not a multiple of 32\n");
}

TEST(two_counts_of_a_barrier)
{
    const struct told *told = told_wrong("sync", "two_counts", 1, 64);

    check_says(told, "threads came to barrier 1 with different counts: 64, and 96 before\n");
}

TEST(threads_that_wait_for_ever)
{
    const struct told *told = told_of("sync", "two_barriers", 1, 64, 1, CUDA_SUCCESS);

    check_does_not_say(told, "CUPIPE_CHECK");
    told = told_of("sync", "two_barriers", 1, 64, 0, CUDA_ERROR_LAUNCH_TIMEOUT);
    check_says(told, "the threads of block (0,0,0) of kernel two_barriers wait for each other and "
                     "none can continue\n");
    check_says(told, "  warp 0, lanes 0xffffffff, wait at barrier 1, line ");
    check_says(told, "  warp 1, lanes 0xffffffff, wait at barrier 2, line ");
}

TEST(reads_of_an_unrolled_loop)
{
    const struct told *told = told_wrong("races,sync", "unrolled", 1, 128);

    check_says(told, "race: threads of one block wrote and read 4 bytes at offset 264 of shared "
                     "memory");
    check_says(told,
               "  read by kernel unrolled, line 532 of its PTX, block (0,0,0), thread (2,0,0)");
    check_says(told, "  written by kernel unrolled, line 554 of its PTX, block (0,0,0), thread "
                     "(127,0,0)");
}

/* Lines are those of the program as it is written, though the compiler drops instructions. */
TEST(accesses_behind_a_product_that_is_part_of_a_sum)
{
    const struct told *told = told_wrong("races,sync", "behind_a_product", 1, 64);

    check_says(told, ": st.shared.f32 [words+12], %g;");
    check_says(told, ": ld.shared.f32 %f, [words+12];");
    told = told_wrong("races,sync", "behind_both", 1, 64);
    check_says(told, ": st.shared.u32 [words+12], %t;");
    check_says(told, ": ld.shared.u32 %x, [words+12];");
}

TEST(a_row_that_all_blocks_read)
{
    const struct told *told = told_wrong("races", "tagged", 8, 64);

    check_says(told, "race: threads of two blocks ");
}

TEST(an_mbarrier_that_is_not_initialised)
{
    const struct told *told = told_wrong("sync", "mbarrier_new", 1, 64);

    check_says(told, "kernel mbarrier_new uses an mbarrier that is not initialised\n");
    check_says(told, "  executed by kernel mbarrier_new, line ");
}

TEST(an_mbarrier_that_is_initialised_in_a_phase)
{
    const struct told *told = told_wrong("sync", "mbarrier_again", 1, 32);

    check_says(told, "kernel mbarrier_again initialises an mbarrier at which threads or bytes have "
                     "arrived in a phase that is not complete\n");
}

TEST(an_mbarrier_that_has_ended)
{
    const struct told *told = told_wrong("sync", "mbarrier_ended", 1, 32);

    check_says(told, "kernel mbarrier_ended uses an mbarrier that mbarrier.inval has ended\n");
}

TEST(a_copy_that_is_not_waited_for)
{
    const struct told *told = told_wrong("sync", "copies", 1, 64);

    check_says(told, "kernel copies reads shared memory that an asynchronous copy may not have "
                     "written yet\n");
    check_says(told, "  read by kernel copies, line ");
    check_says(told, "  copied by kernel copies, line ");
}
