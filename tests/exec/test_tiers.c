/* SPDX-License-Identifier: MIT */
/* The tiers of the compiler: which one runs a kernel, and when it is compiled again. */
#include "cache_folder.h"
#include "launch.h"

#include "exec/code/code.h"

static void with_tiers(const char *jit)
{
    setenv("CUPIPE_JIT", jit, 1);
    with_cache();
}

static struct cup_code *code_of(const char *name)
{
    struct cup_exec_request request = request_of(name, 1, 32, NULL);

    return test_codes[request.function][CUP_SHAPE_ROWS];
}

static void run_tables(void)
{
    uint64_t out[8] = {0};
    struct params params = {.out = out};

    launch("tables", 8, 32, &params);
    check_success(cuCtxSynchronize());
    check(out[0] == 1001822);
}

TEST(a_kernel_that_ran_long_enough_is_compiled_again)
{
    with_tiers("both");
    run_tables();
    struct cup_code *code = code_of("tables");
    check(code->tier == JIT_TIER_FIRST && compilations() == 1);
    check(atomic_load(&code->better) == NULL);
    atomic_store(&code->run_ns, cup_code_hot_ns(code));
    run_tables();
    struct cup_code *optimised = atomic_load(&code->better);
    check(optimised && optimised->tier == JIT_TIER_OPTIMISED && compilations() == 2);
    run_tables();
    check(atomic_load(&code->better) == optimised && compilations() == 2);
    remove_cache();
}

/* The launch is not hot when it begins, and is when its first blocks are taken. */
TEST(blocks_take_up_the_new_code_within_a_launch)
{
    with_tiers("both");
    run_tables();
    struct cup_code *code = code_of("tables");
    atomic_store(&code->run_ns, cup_code_hot_ns(code) - 1);
    run_tables();
    check(atomic_load(&code->better) != NULL && compilations() == 2);
    remove_cache();
}

TEST(a_kernel_with_barriers_changes_tiers_at_its_next_launch)
{
    uint64_t out[64] = {0};
    struct params params = {.out = out};

    with_tiers("both");
    launch("barrier_red", 4, 64, &params);
    check_success(cuCtxSynchronize());
    struct cup_code *code = code_of("barrier_red");
    atomic_store(&code->run_ns, cup_code_hot_ns(code));
    launch("barrier_red", 4, 64, &params);
    check_success(cuCtxSynchronize());
    check(atomic_load(&code->better) != NULL);
    remove_cache();
}

TEST(the_cache_prefers_the_optimised_tier)
{
    with_tiers("both");
    run_tables();
    struct cup_code *code = code_of("tables");
    atomic_store(&code->run_ns, cup_code_hot_ns(code));
    run_tables();
    cup_code_image_finish(&test_image);
    run_tables();
    check(code_of("tables")->tier == JIT_TIER_OPTIMISED && compilations() == 2);
    remove_cache();
}

TEST(a_large_kernel_is_compiled_twice_more)
{
    uint64_t out[2] = {0};
    struct params params = {.out = out};

    with_tiers("both");
    for (int tier = JIT_TIER_FIRST; tier <= JIT_TIER_HOT; tier++) {
        launch("large", 2, 32, &params);
        check_success(cuCtxSynchronize());
        struct cup_code *code = code_of("large");
        for (int i = JIT_TIER_FIRST; i < tier; i++)
            code = atomic_load(&code->better);
        check(code && code->tier == (enum jit_tier)tier && compilations() == tier + 1);
        check(cup_code_may_improve(code) == (tier != JIT_TIER_HOT));
        atomic_store(&code->run_ns, cup_code_hot_ns(code));
    }
    launch("large", 2, 32, &params);
    check_success(cuCtxSynchronize());
    check(compilations() == 3);
    cup_code_image_finish(&test_image);
    launch("large", 2, 32, &params);
    check_success(cuCtxSynchronize());
    check(code_of("large")->tier == JIT_TIER_HOT && compilations() == 3);
    remove_cache();
}

static void check_only(const char *jit, enum jit_tier tier)
{
    with_tiers(jit);
    run_tables();
    struct cup_code *code = code_of("tables");
    check(code->tier == tier);
    atomic_store(&code->run_ns, cup_code_hot_ns(code));
    run_tables();
    check(atomic_load(&code->better) == NULL && compilations() == 1);
    remove_cache();
}

TEST(first_is_never_compiled_again)
{
    check_only("first", JIT_TIER_FIRST);
}

TEST(optimised_is_compiled_at_once)
{
    check_only("optimised", JIT_TIER_OPTIMISED);
}

TEST(hot_is_compiled_at_once)
{
    check_only("hot", JIT_TIER_HOT);
}
