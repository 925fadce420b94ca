/* SPDX-License-Identifier: MIT */
/* The processor that code is generated for: the host, by the features that the system reports. Its
 * name is not used, because a virtual machine may hide features that the name implies. */
#include "jit/codegen/target.h"

#include "jit/unit.h"

#include <llvm-c/Core.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#ifdef __aarch64__
#include <sys/auxv.h>

#endif

/* Leaf mutex: guards initialising LLVM and its target. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool found; /* guarded by lock; the variables below do not change once it is set */
static char features[1024];
static LLVMTargetRef target;
static char *triple;

static void add(const char *name, int is_there)
{
    size_t length = strlen(features);

    snprintf(features + length, sizeof(features) - length, "%s%c%s", length ? "," : "",
             is_there ? '+' : '-', name);
}

#if defined(__aarch64__)
static void find_features(void)
{
    unsigned long caps = getauxval(AT_HWCAP), caps2 = getauxval(AT_HWCAP2);

    add("neon", caps >> 1 & 1);
    add("fp-armv8", caps & 1);
    add("lse", caps >> 8 & 1);
    add("fullfp16", caps >> 10 & 1);
    add("rdm", caps >> 12 & 1);
    add("jsconv", caps >> 13 & 1);
    add("dotprod", caps >> 20 & 1);
    add("lse2", caps >> 25 & 1);
    add("i8mm", caps2 >> 13 & 1);
    add("bf16", caps2 >> 14 & 1);
    add("sve", 0);
}
#elif defined(__x86_64__)
static void find_features(void)
{
    __builtin_cpu_init();
    add("sse3", __builtin_cpu_supports("sse3"));
    add("ssse3", __builtin_cpu_supports("ssse3"));
    add("sse4.1", __builtin_cpu_supports("sse4.1"));
    add("sse4.2", __builtin_cpu_supports("sse4.2"));
    add("popcnt", __builtin_cpu_supports("popcnt"));
    add("avx", __builtin_cpu_supports("avx"));
    add("avx2", __builtin_cpu_supports("avx2"));
    add("fma", __builtin_cpu_supports("fma"));
    add("bmi", __builtin_cpu_supports("bmi"));
    add("bmi2", __builtin_cpu_supports("bmi2"));
    add("avx512f", __builtin_cpu_supports("avx512f"));
    add("avx512vl", __builtin_cpu_supports("avx512vl"));
    add("avx512bw", __builtin_cpu_supports("avx512bw"));
    add("avx512dq", __builtin_cpu_supports("avx512dq"));
    add("avx512cd", __builtin_cpu_supports("avx512cd"));
    add("avx512vbmi", __builtin_cpu_supports("avx512vbmi"));
    add("avx512vnni", __builtin_cpu_supports("avx512vnni"));
    /* Every processor with AVX2 has these. Compilers do not agree on their names. */
    add("lzcnt", __builtin_cpu_supports("avx2"));
    add("f16c", __builtin_cpu_supports("avx2"));
    add("cx16", __builtin_cpu_supports("sse3"));
}
#else
static void find_features(void)
{
}
#endif

/* What takes more than linear time in kernels of thousands of instructions:
 *
 * - A pass that moves integers to mask registers takes time by the square of their number, and
 *   masks are integers.
 * - Value numbering looks for what a load may have been given in up to 200 blocks, of which each
 *   node has several, but masks and registers that are worth it were written nearby.
 * - The register allocator weighs borders of split ranges, each by all blocks.
 *
 * An LLVM that is a shared library may serve others in the process, such as Mesa, so its options
 * are left alone. */
static void set_options(void)
{
#if defined(JIT_LLVM_IS_OURS)
    static const char *const options[] = {
        "cupipe",
#if defined(__x86_64__)
        "-disable-x86-domain-reassignment",
#endif
        "-memdep-block-number-limit=30",
        "-memdep-block-scan-limit=30",
        "-grow-region-complexity-budget=500",
    };

    LLVMParseCommandLineOptions(sizeof(options) / sizeof(options[0]), options, NULL);
#endif
}

static void find_target(void)
{
    char *message = NULL;

    set_options();
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser();
    triple = LLVMGetDefaultTargetTriple();
    if (LLVMGetTargetFromTriple(triple, &target, &message)) {
        LLVMDisposeMessage(message);
        target = NULL;
    }
    features[0] = '\0';
    find_features();
    found = true;
}

static bool has_feature(const char *list, const char *name)
{
    const char *at = strstr(list, name);

    return at && at > list && at[-1] == '+';
}

void jit_target_give_up(struct jit_unit *unit)
{
    if (unit->finding)
        pthread_mutex_unlock(&lock);
    unit->finding = false;
}

/* A mutex and not pthread_once: if LLVM runs out of memory and is left by longjmp, pthread_once
 * would block every later caller. */
static void ensure_found(struct jit_unit *unit)
{
    pthread_mutex_lock(&lock);
    unit->finding = true;
    if (!found)
        find_target();
    jit_target_give_up(unit);
}

LLVMTargetMachineRef jit_target_make(struct jit_unit *unit)
{
    const char *list;
    bool first = unit->request->tier == JIT_TIER_FIRST && !unit->outlined.is_library;
    LLVMTargetMachineRef machine;

    ensure_found(unit);
    if (!target)
        return NULL;
    list = unit->request->cpu_features ? unit->request->cpu_features : features;
    unit->arm = strncmp(triple, "aarch64", 7) == 0;
    unit->mask_registers = has_feature(list, "avx512f");
    unit->natural = unit->mask_registers ? 16 : 8;
    unit->byte_products = has_feature(list, "avx512vbmi") && has_feature(list, "avx512vnni") &&
                          has_feature(list, "avx512bw") && has_feature(list, "avx512dq");
    unit->width = 16;
    LLVMSetTarget(unit->module, triple);
    machine = LLVMCreateTargetMachine(target, triple, "generic", list,
                                      first ? LLVMCodeGenLevelNone : LLVMCodeGenLevelDefault,
                                      LLVMRelocPIC, LLVMCodeModelSmall);
    /* Without optimisation LLVM would choose GlobalISel on aarch64, which has no patterns for most
     * of our vectors. */
    if (machine && first)
        LLVMSetTargetMachineGlobalISel(machine, false);
    return machine;
}
