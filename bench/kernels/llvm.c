/* SPDX-License-Identifier: MIT */
/* Loads LLVM 19 and uses a few functions of its C interface. */
#include "llvm.h"

#include "../bench.h"

#include <dlfcn.h>

static void *library;
static void *(*context_create)(void);
static void (*context_dispose)(void *);
static int (*read_file)(const char *, void **, char **);
static int (*parse)(void *, void *, void **, char **);
static char *(*default_triple)(void);
static int (*target_from_triple)(const char *, void **, char **);
static void *(*machine_create)(void *, const char *, const char *, const char *, int, int, int);
static void *(*options_create)(void);
static void *(*run_passes)(void *, const char *, void *, void *);
static int (*emit)(void *, void *, int, char **, void **);
static void (*buffer_dispose)(void *);
static void (*module_dispose)(void *);

static int load(void)
{
#if defined(__aarch64__)
    static const char *const starts[] = {
        "LLVMInitializeAArch64TargetInfo", "LLVMInitializeAArch64Target",
        "LLVMInitializeAArch64TargetMC", "LLVMInitializeAArch64AsmPrinter"};
#else
    static const char *const starts[] = {"LLVMInitializeX86TargetInfo", "LLVMInitializeX86Target",
                                         "LLVMInitializeX86TargetMC",
                                         "LLVMInitializeX86AsmPrinter"};
#endif
    static const struct {
        const char *name;
        void *function;
    } names[] = {
        {"LLVMContextCreate", &context_create},
        {"LLVMContextDispose", &context_dispose},
        {"LLVMCreateMemoryBufferWithContentsOfFile", &read_file},
        {"LLVMParseIRInContext", &parse},
        {"LLVMGetDefaultTargetTriple", &default_triple},
        {"LLVMGetTargetFromTriple", &target_from_triple},
        {"LLVMCreateTargetMachine", &machine_create},
        {"LLVMCreatePassBuilderOptions", &options_create},
        {"LLVMRunPasses", &run_passes},
        {"LLVMTargetMachineEmitToMemoryBuffer", &emit},
        {"LLVMDisposeMemoryBuffer", &buffer_dispose},
        {"LLVMDisposeModule", &module_dispose},
    };

    if (library)
        return 1;
    library = dlopen("libLLVM.so.19.1", RTLD_NOW | RTLD_LOCAL);
    for (unsigned i = 0; library && i < sizeof names / sizeof names[0]; i++) {
        *(void **)names[i].function = dlsym(library, names[i].name);
        if (!*(void **)names[i].function)
            return 0;
    }
    for (unsigned i = 0; library && i < sizeof starts / sizeof starts[0]; i++) {
        void (*start)(void);
        *(void **)&start = dlsym(library, starts[i]);
        if (!start)
            return 0;
        start();
    }
    return library != NULL;
}

double llvm_compile_ns(const char *path, const char **why)
{
    enum { CODEGEN_DEFAULT = 2, RELOC_PIC = 2, CODE_MODEL_SMALL = 3, OBJECT_FILE = 1 };
    void *context, *buffer, *module, *target, *machine, *object;
    char *message = NULL;

    *why = "LLVM 19 is not here, or did not take the code";
    if (!load())
        return 0;
    context = context_create();
    if (read_file(path, &buffer, &message) || parse(context, buffer, &module, &message) ||
        target_from_triple(default_triple(), &target, &message))
        return 0;
    machine = machine_create(target, default_triple(), "generic", "", CODEGEN_DEFAULT, RELOC_PIC,
                             CODE_MODEL_SMALL);
    double start = bench_now_ns();
    if (run_passes(module, "default<O2>", machine, options_create()) ||
        emit(machine, module, OBJECT_FILE, &message, &object))
        return 0;
    double time = bench_now_ns() - start;
    buffer_dispose(object);
    module_dispose(module);
    context_dispose(context);
    return time;
}
