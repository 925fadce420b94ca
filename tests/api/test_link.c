/* SPDX-License-Identifier: MIT */
/* Linking: what the logs say, in the form of NVIDIA's driver, and host objects and archives as
 * inputs. */
#include "test.h"

#include <ar.h>
#include <elf.h>

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"
#define DECLARED ".extern .func (.param .b32 r) zork(.param .b32 x);\n"
#define DEFINED                                                                                    \
    ".visible .func (.param .b32 r) zork(.param .b32 x)\n"                                         \
    "{\n.reg .b32 %a;\nld.param.b32 %a, [x];\nadd.s32 %a, %a, 1;\nst.param.b32 [r], "              \
    "%a;\nret;\n}\n"
#define CALLER                                                                                     \
    ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %p;\n.reg .b32 %a;\nld.param.u64 %p, [p];\n"   \
    "{\n.param .b32 x;\n.param .b32 r;\nst.param.b32 [x], 6;\ncall (r), zork, (x);\n"              \
    "ld.param.b32 %a, [r];\n}\nst.global.b32 [%p], %a;\nret;\n}\n"

static char error_log[4096], info_log[4096];

static CUlinkState begin_with(CUjit_option option, size_t value)
{
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, option};
    /* the driver writes sizes here until the link is destroyed */
    static void *values[5];
    static CUjit_option kept[5];
    CUlinkState link;

    memcpy(kept, options, sizeof kept);
    values[0] = error_log;
    values[1] = (void *)sizeof error_log;
    values[2] = info_log;
    values[3] = (void *)sizeof info_log;
    values[4] = (void *)value;
    check_success(cuLinkCreate(5, kept, values, &link));
    return link;
}

static CUlinkState begin(void)
{
    return begin_with(CU_JIT_LOG_VERBOSE, 0);
}

static CUresult add(CUlinkState link, const char *text, const char *name)
{
    return cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)text, strlen(text) + 1, name, 0, NULL,
                         NULL);
}

static CUmodule complete(CUlinkState link)
{
    void *image;
    size_t bytes;
    CUmodule module;

    check_success(cuLinkComplete(link, &image, &bytes));
    check_success(cuModuleLoadData(&module, image));
    check_success(cuLinkDestroy(link));
    return module;
}

static void check_answer(CUmodule module, int expected)
{
    CUfunction function;
    CUdeviceptr memory;
    void *arguments[] = {&memory};
    int answer = 0;

    check_success(cuModuleGetFunction(&function, module, "k"));
    check_success(cuMemAlloc(&memory, sizeof answer));
    check_success(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    check_success(cuMemcpyDtoH(&answer, memory, sizeof answer));
    check(answer == expected);
}

TEST(an_undefined_function_is_named_with_its_input)
{
    void *image;
    size_t bytes;
    CUlinkState link;

    with_context();
    link = begin();
    check_success(add(link, HEAD DECLARED CALLER, "CBA"));
    check(cuLinkComplete(link, &image, &bytes) != CUDA_SUCCESS);
    check(strcmp(error_log, "error   : Undefined reference to 'zork' in 'CBA'") == 0);
}

TEST(undefined_references_of_several_inputs_are_named)
{
    void *image;
    size_t bytes;
    CUlinkState link;

    with_context();
    link = begin();
    check_success(add(link, HEAD ".visible .entry other() { ret; }", "one"));
    check_success(add(link, HEAD DECLARED CALLER, "two"));
    check(cuLinkComplete(link, &image, &bytes) != CUDA_SUCCESS);
    check(strcmp(error_log, "error   : Undefined reference to 'zork' in 'two'") == 0);
}

TEST(a_second_definition_is_named_with_both_inputs)
{
    CUlinkState link;

    with_context();
    link = begin();
    check_success(add(link, HEAD DEFINED, "one.ptx"));
    check_result(add(link, HEAD DEFINED, "two.ptx"), CUDA_ERROR_INVALID_SOURCE);
    check(strcmp(error_log, "error   : Multiple definition of 'zork' in 'two.ptx', first defined "
                            "in 'one.ptx'") == 0);
}

TEST(errors_of_ptx_have_the_form_of_ptxas)
{
    CUlinkState link;

    with_context();
    link = begin();
    check_result(add(link, HEAD ".visible .entry k()\n{\nfrobnicate;\nret;\n}\n", "x"),
                 CUDA_ERROR_INVALID_PTX);
    check(strstr(error_log, "ptxas application ptx input, line 6; error   : ") == error_log);
    check(strstr(error_log, "\nptxas fatal   : Ptx assembly aborted due to errors"));
}

TEST(an_unresolved_function_of_a_module_is_named)
{
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {error_log, (void *)sizeof error_log};
    CUmodule module;

    with_context();
    check_result(cuModuleLoadDataEx(&module, HEAD DECLARED CALLER, 2, options, values),
                 CUDA_ERROR_INVALID_PTX);
    check(strcmp(error_log, "ptxas fatal   : Unresolved extern function 'zork'") == 0);
    check((size_t)values[1] == strlen(error_log));
}

TEST(a_verbose_log_tells_of_registers)
{
    CUlinkState link;

    with_context();
    link = begin_with(CU_JIT_LOG_VERBOSE, 1);
    check_success(add(link, HEAD DEFINED DECLARED CALLER, "x"));
    complete(link);
    check(strstr(info_log, "ptxas info    : Compiling entry function 'k' for 'sm_"));
    check(strstr(info_log, "ptxas info    : Used "));
    check(strstr(info_log, "ptxas info    : Compile time = "));
}

/* 64 values that live at the same time. */
static void write_pressure(char *text, size_t bytes, const char *directive)
{
    size_t used = (size_t)snprintf(text, bytes,
                                   HEAD ".visible .entry k(.param .u64 p)\n%s\n{\n.reg .b64 %%p;\n"
                                        ".reg .f32 %%f<64>;\nld.param.u64 %%p, [p];\n",
                                   directive);

    for (int i = 0; i < 64; i++)
        used += (size_t)snprintf(text + used, bytes - used,
                                 "ld.volatile.global.f32 %%f%d, [%%p+%d];\n", i, 4 * i);
    for (int i = 0; i < 64; i++)
        used += (size_t)snprintf(text + used, bytes - used,
                                 "st.volatile.global.f32 [%%p+%d], %%f%d;\n", 4 * i, 63 - i);
    snprintf(text + used, bytes - used, "ret;\n}\n");
}

static int registers_of(CUmodule module)
{
    CUfunction function;
    int registers;

    check_success(cuModuleGetFunction(&function, module, "k"));
    check_success(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
    return registers;
}

static int registers_with(const char *directive, unsigned limit)
{
    static char text[16384];
    CUjit_option option = CU_JIT_MAX_REGISTERS;
    void *value = (void *)(size_t)limit;
    CUmodule module;

    write_pressure(text, sizeof text, directive);
    check_success(cuModuleLoadDataEx(&module, text, limit != 0, &option, &value));
    return registers_of(module);
}

TEST(registers_are_limited_by_options_and_directives)
{
    with_context();
    check(registers_with("", 0) > 64);
    check(registers_with("", 38) == 38);
    check(registers_with("", 4) == 24);
    check(registers_with("", 300) > 64);
    check(registers_with(".maxnreg 40", 0) == 40);
    check(registers_with(".maxnreg 40", 30) == 40);
    check(registers_with(".maxntid 1024", 0) == 64);
    check(registers_with(".reqntid 512\n.minnctapersm 2", 0) == 64);
}

TEST(a_limit_of_registers_is_linked)
{
    static char text[16384];
    CUlinkState link;

    with_context();
    write_pressure(text, sizeof text, "");
    link = begin_with(CU_JIT_MAX_REGISTERS, 32);
    check_success(add(link, text, "x"));
    check(registers_of(complete(link)) == 32);
}

enum { FATBIN_HEADER_BYTES = 16 };

/* A host object with one section of `empty` fatbins without entries and a fatbin whose only entry
 * has PTX (kind 1) or machine code (kind 2). */
static size_t make_object_with(uint8_t *object, unsigned empty, unsigned kind, const char *content)
{
    static const char names[] = "\0__nv_relfatbin\0.shstrtab";
    size_t length = (strlen(content) + 8) & ~(size_t)7, first = sizeof(Elf64_Ehdr),
           fatbin = first + empty * FATBIN_HEADER_BYTES,
           strings = fatbin + FATBIN_HEADER_BYTES + 64 + length,
           table = (strings + sizeof names + 7) & ~(size_t)7;
    Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                         .e_type = ET_REL,
                         .e_machine = EM_X86_64,
                         .e_shoff = table,
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = 3,
                         .e_shstrndx = 2};
    Elf64_Shdr sections[3] = {
        {0},
        {.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = first, .sh_size = strings - first},
        {.sh_name = 16, .sh_type = SHT_STRTAB, .sh_offset = strings, .sh_size = sizeof names}};
    uint16_t nothing[8] = {0xed50, 0xba55, 1, FATBIN_HEADER_BYTES, 0};
    uint16_t container[8] = {0xed50, 0xba55, 1, FATBIN_HEADER_BYTES, (uint16_t)(64 + length)};
    uint32_t entry[16] = {kind | 0x101 << 16, 64, (uint32_t)length, 0, 0, 64, 0x90000, 75};

    entry[10] = 0x11;
    memset(object, 0, table);
    memcpy(object, &header, sizeof header);
    for (unsigned i = 0; i < empty; i++)
        memcpy(object + first + i * sizeof nothing, nothing, sizeof nothing);
    memcpy(object + fatbin, container, sizeof container);
    memcpy(object + fatbin + 16, entry, sizeof entry);
    memcpy(object + fatbin + 80, content, strlen(content));
    memcpy(object + strings, names, sizeof names);
    memcpy(object + table, sections, sizeof sections);
    return table + sizeof sections;
}

static size_t make_object(uint8_t *object, unsigned kind, const char *content)
{
    return make_object_with(object, 0, kind, content);
}

static size_t make_archive(uint8_t *archive, const uint8_t *object, size_t bytes)
{
    char member[128];

    /* As many characters as the header has: a larger number would need more than its field. */
    snprintf(member, sizeof member, "%-16s%-12d%-6d%-6d%-8s%-10zu`\n", "x.o/", 0, 0, 0, "644",
             bytes);
    memcpy(archive, ARMAG, SARMAG);
    memcpy(archive + SARMAG, member, sizeof(struct ar_hdr));
    memcpy(archive + SARMAG + sizeof(struct ar_hdr), object, bytes);
    return SARMAG + sizeof(struct ar_hdr) + bytes;
}

static uint8_t object[8192], archive[16384];

static CUresult add_object(CUlinkState link, size_t bytes)
{
    return cuLinkAddData(link, CU_JIT_INPUT_OBJECT, object, bytes, "x.o", 0, NULL, NULL);
}

static CUresult add_archive(CUlinkState link, size_t bytes)
{
    return cuLinkAddData(link, CU_JIT_INPUT_LIBRARY, archive, bytes, "libx.a", 0, NULL, NULL);
}

TEST(fatbins_without_entries_are_passed_over)
{
    CUlinkState link;

    with_context();
    only_cupipe(); /* the container is not whole enough for NVIDIA's driver */
    link = begin();
    check_success(add(link, HEAD DECLARED CALLER, "caller"));
    check_success(add_object(link, make_object_with(object, 2, 1, HEAD DEFINED)));
    check_answer(complete(link), 7);
}

TEST(ptx_of_objects_and_archives_is_linked)
{
    CUlinkState link;
    size_t bytes;

    with_context();
    only_cupipe(); /* the container is not whole enough for NVIDIA's driver */
    bytes = make_object(object, 1, HEAD DEFINED);
    link = begin();
    check_success(add(link, HEAD DECLARED CALLER, "caller"));
    check_success(add_object(link, bytes));
    check_answer(complete(link), 7);
    link = begin();
    check_success(add(link, HEAD DECLARED CALLER, "caller"));
    check_success(add_archive(link, make_archive(archive, object, bytes)));
    check_answer(complete(link), 7);
}

TEST(machine_code_is_taken_where_nothing_needs_it)
{
    CUlinkState link;
    void *image;
    size_t bytes;

    with_context();
    only_cupipe();
    bytes = make_archive(archive, object, make_object(object, 2, "no code of ours"));
    link = begin();
    check_success(add_archive(link, bytes));
    check_success(add(link, HEAD DEFINED CALLER, "caller"));
    check_answer(complete(link), 7);
    link = begin();
    check_success(add_archive(link, bytes));
    check_success(add(link, HEAD DECLARED CALLER, "caller"));
    check(cuLinkComplete(link, &image, &bytes) != CUDA_SUCCESS);
    check(strstr(error_log, "error   : Undefined reference to 'zork' in 'caller'"));
    check(strstr(error_log, "machine code only"));
}

/* NVIDIA's library of the device runtime has PTX for the newest devices only. */
TEST(ptx_for_other_devices_is_taken_where_nothing_needs_it)
{
    CUlinkState link;
    size_t bytes;

    with_context();
    only_cupipe();
    bytes = make_object(object, 1, HEAD DEFINED);
    object[sizeof(Elf64_Ehdr) + 16 + 28] = 200; /* the entry's compute capability */
    link = begin();
    check_success(add_archive(link, make_archive(archive, object, bytes)));
    check_success(add(link, HEAD DEFINED CALLER, "caller"));
    check_answer(complete(link), 7);
}

TEST(blocks_of_a_grid_meet_by_the_device_runtime)
{
    static const char text[] =
        HEAD ".extern .func (.param .b64 h) cudaCGGetIntrinsicHandle(.param .b32 s);\n"
             ".extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 h, .param .b32 f);\n"
             ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %p, %h;\n.reg .b32 %i, %n, %a;\n"
             ".reg .pred %q;\nld.param.u64 %p, [p];\nred.global.add.u32 [%p], 1;\n"
             "{\n.param .b32 s;\n.param .b64 h;\nst.param.b32 [s], 1;\n"
             "call (h), cudaCGGetIntrinsicHandle, (s);\nld.param.b64 %h, [h];\n}\n"
             "{\n.param .b64 h;\n.param .b32 f;\n.param .b32 r;\nst.param.b64 [h], %h;\n"
             "st.param.b32 [f], 0;\ncall (r), cudaCGSynchronize, (h, f);\n}\n"
             "ld.volatile.global.u32 %n, [%p];\nsetp.ne.u32 %q, %n, 256;\n"
             "@%q red.global.add.u32 [%p+4], 1;\nret;\n}\n";
    CUlinkState link;
    CUfunction function;
    CUdeviceptr memory;
    void *arguments[] = {&memory};
    int answers[2];

    with_context();
    only_cupipe();
    link = begin();
    check_success(add_archive(
        link, make_archive(archive, object, make_object(object, 2, "no code of ours"))));
    check_success(add(link, text, "kernel"));
    check_success(cuModuleGetFunction(&function, complete(link), "k"));
    check_success(cuMemAlloc(&memory, sizeof answers));
    check_success(cuMemsetD32(memory, 0, 2));
    check_success(cuLaunchCooperativeKernel(function, 4, 1, 1, 64, 1, 1, 0, NULL, arguments));
    check_success(cuMemcpyDtoH(answers, memory, sizeof answers));
    check(answers[0] == 256 && answers[1] == 0);
}

TEST(damaged_objects_and_archives_are_refused)
{
    CUlinkState link;
    size_t bytes;

    with_context();
    bytes = make_object(object, 1, HEAD DEFINED);
    object[sizeof(Elf64_Ehdr)] ^= 1; /* the fatbin's magic */
    link = begin();
    check_result(add_object(link, bytes), CUDA_ERROR_INVALID_IMAGE);
    bytes = make_archive(archive, object, make_object(object, 1, HEAD DEFINED));
    archive[0] ^= 1;
    check_result(add_archive(link, bytes), CUDA_ERROR_UNKNOWN);
    bytes = make_object(object, 1, HEAD DEFINED);
    for (size_t length = 1; length < bytes; length += 7) /* no length brings the process down */
        add_object(link, length);
    check_success(cuLinkDestroy(link));
}

#define STORES(name, number)                                                                       \
    " .func " name "(.param .u64 p)\n{\n.reg .b64 %p;\nld.param.u64 %p, [p];\n"                    \
    "st.u32 [%p], " number ";\nret;\n}\n"

/* Device functions that the linker keeps: a table and a kernel name some of them. */
static const char functions[] = HEAD ".visible" STORES("seen", "1") ".weak" STORES("soft", "2")
    STORES("own", "3") ".visible" STORES("unused", "4") DEFINED CALLER
    ".visible .global .align 8 .u64 table[3] = {seen, soft, own};\n";

/* libgomp asks for functions that a device calls on its host this way. */
TEST(device_functions_of_a_linked_image_are_found)
{
    static const char *const found[] = {"seen", "soft", "own", "zork"};
    CUlinkState link = (with_context(), begin());
    CUfunction function;
    unsigned count;
    int value = 0;
    size_t offset;
    CUdeviceptr memory;

    check_success(add(link, functions, "functions"));
    CUmodule module = complete(link);
    check_success(cuModuleGetFunctionCount(&count, module));
    check(count == 1);
    for (size_t i = 0; i < sizeof found / sizeof found[0]; i++) {
        check_success(cuModuleGetFunction(&function, module, found[i]));
        check_success(
            cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
        check(value == 1024);
        check_success(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
        check(value > 0);
        check_result(cuFuncGetParamInfo(function, 0, &offset, NULL), CUDA_ERROR_INVALID_VALUE);
    }
    check_result(cuModuleGetFunction(&function, module, "unused"), CUDA_ERROR_NOT_FOUND);
    check_result(cuModuleGetFunction(&function, module, "table"), CUDA_ERROR_NOT_FOUND);

    check_success(cuMemAlloc(&memory, 4));
    void *arguments[] = {&memory};
    check_success(cuModuleGetFunction(&function, module, "seen"));
    check_result(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL),
                 CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    check_success(cuCtxSynchronize());
}

TEST(device_functions_of_a_text_are_not_found)
{
    CUfunction function;
    CUmodule module;

    with_context();
    check_success(cuModuleLoadData(&module, functions));
    check_success(cuModuleGetFunction(&function, module, "k"));
    check_result(cuModuleGetFunction(&function, module, "seen"), CUDA_ERROR_NOT_FOUND);
    check_result(cuModuleGetFunction(&function, module, "zork"), CUDA_ERROR_NOT_FOUND);
}

TEST(versions_of_ptx_up_to_9_5_are_read)
{
    char text[] = ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n";
    CUmodule module;

    with_context();
    only_cupipe();
    for (char minor = '0'; minor <= '5'; minor++) {
        text[sizeof ".version 9." - 1] = minor;
        check_success(cuModuleLoadData(&module, text));
    }
}

/* As an H200 answers; CUPIPE_PTX=newer reads such texts. */
TEST(newer_versions_of_ptx_are_read_on_demand)
{
    static const char text[] = ".version 9.9\n.target sm_75\n.address_size 64\n"
                               ".visible .entry k() { ret; }\n",
                      unknown[] = ".version 9.9\n.target sm_75\n.address_size 64\n"
                                  ".visible .entry k() { frobnicate; ret; }\n";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {error_log, (void *)sizeof error_log};
    CUmodule module;

    setenv("CUPIPE_PTX", "newer", 1);
    with_context();
    only_cupipe();
    check_success(cuModuleLoadData(&module, text));
    check_result(cuModuleLoadDataEx(&module, unknown, 2, options, values), CUDA_ERROR_INVALID_PTX);
    check(strstr(error_log, "frobnicate"));
}

TEST(newer_versions_of_ptx_are_refused)
{
    CUmodule module;

    with_context();
    check_result(cuModuleLoadData(&module, ".version 9.9\n.target sm_75\n.address_size 64\n"
                                           ".visible .entry k() { ret; }\n"),
                 CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
}
