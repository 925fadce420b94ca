/* SPDX-License-Identifier: MIT */
/* On x86_64 the upper parts of vector registers follow the first 512 bytes of the saved state, at
 * offsets that the processor tells (CPUID leaf 13); they are absent if the kernel did not save
 * them. */
#include "os/registers.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#if defined(__x86_64__)
enum {
    SOFTWARE_OFFSET = 464, /* what the kernel says of the state: a magic number, its size */
    FEATURES_OFFSET = 512, /* a bit for each part that is there */
    SOFTWARE_MAGIC = 0x46505853,
    PART_LEAF = 13,
    PART_AVX = 2,      /* bytes 16 to 31 of the first 16 registers */
    PART_AVX512 = 6,   /* bytes 32 to 63 of them */
    PART_AVX512_HI = 7 /* the other 16 registers */
};

static const char *const general_names[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi",
                                            "rbp", "rsp", "r8",  "r9",  "r10", "r11",
                                            "r12", "r13", "r14", "r15", "rip"};
static const int general_slots[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
                                    REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                    REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
enum { GENERAL = sizeof(general_slots) / sizeof(general_slots[0]), LOW_VECTORS = 16 };

/* Copies `bytes` of each of 16 registers from a part of the state. */
static bool copy_part(struct cup_registers *registers, const char *state, uint32_t size,
                      unsigned part, unsigned first, unsigned at, unsigned bytes)
{
    unsigned part_bytes, offset, c, d;
    uint64_t features;

    memcpy(&features, state + FEATURES_OFFSET, sizeof(features));
    if (!(features >> part & 1) ||
        !__get_cpuid_count(PART_LEAF, part, &part_bytes, &offset, &c, &d))
        return false;
    if (offset + LOW_VECTORS * bytes > size)
        return false;
    for (unsigned i = 0; i < LOW_VECTORS; i++)
        memcpy(registers->vectors[first + i] + at, state + offset + i * bytes, bytes);
    return true;
}

static void capture_vectors(struct cup_registers *registers, const char *state)
{
    uint32_t software[2];

    for (unsigned i = 0; i < LOW_VECTORS; i++)
        memcpy(registers->vectors[i],
               ((const struct _libc_fpstate *)(const void *)state)->_xmm[i].element, 16);
    registers->vector_count = LOW_VECTORS;
    registers->vector_bytes = 16;
    memcpy(software, state + SOFTWARE_OFFSET, sizeof(software));
    if (software[0] != SOFTWARE_MAGIC)
        return;
    if (copy_part(registers, state, software[1], PART_AVX, 0, 16, 16))
        registers->vector_bytes = 32;
    if (copy_part(registers, state, software[1], PART_AVX512, 0, 32, 32))
        registers->vector_bytes = 64;
    if (copy_part(registers, state, software[1], PART_AVX512_HI, LOW_VECTORS, 0, 64)) {
        registers->vector_count = CUP_REGISTERS_VECTORS;
        registers->vector_bytes = 64;
    }
}

void cup_registers_capture(struct cup_registers *registers, const void *context)
{
    const ucontext_t *from = context;

    memset(registers, 0, sizeof(*registers));
    registers->general_count = GENERAL;
    for (unsigned i = 0; i < GENERAL; i++)
        registers->general[i] = (uint64_t)from->uc_mcontext.gregs[general_slots[i]];
    if (from->uc_mcontext.fpregs)
        capture_vectors(registers, (const char *)from->uc_mcontext.fpregs);
}

static void general_name(unsigned i, char *name, size_t size)
{
    snprintf(name, size, "%s", general_names[i]);
}
#elif defined(__aarch64__)
enum { X_REGISTERS = 31 };

/* The vector registers are in a record behind the general ones. */
static void capture_vectors(struct cup_registers *registers, const ucontext_t *from)
{
    const struct _aarch64_ctx *record = (const void *)from->uc_mcontext.__reserved;
    const char *end = (const char *)record + sizeof(from->uc_mcontext.__reserved);

    while ((const char *)record + sizeof(struct fpsimd_context) <= end && record->size >= 16) {
        if (record->magic == FPSIMD_MAGIC) {
            const struct fpsimd_context *vectors = (const void *)record;
            registers->vector_count = CUP_REGISTERS_VECTORS;
            registers->vector_bytes = sizeof(vectors->vregs[0]);
            for (unsigned i = 0; i < CUP_REGISTERS_VECTORS; i++)
                memcpy(registers->vectors[i], &vectors->vregs[i], sizeof(vectors->vregs[i]));
            return;
        }
        record = (const void *)((const char *)record + record->size);
    }
}

void cup_registers_capture(struct cup_registers *registers, const void *context)
{
    const ucontext_t *from = context;

    memset(registers, 0, sizeof(*registers));
    registers->general_count = X_REGISTERS + 2;
    for (unsigned i = 0; i < X_REGISTERS; i++)
        registers->general[i] = from->uc_mcontext.regs[i];
    registers->general[X_REGISTERS] = from->uc_mcontext.sp;
    registers->general[X_REGISTERS + 1] = from->uc_mcontext.pc;
    capture_vectors(registers, from);
}

static void general_name(unsigned i, char *name, size_t size)
{
    if (i < X_REGISTERS)
        snprintf(name, size, "x%u", i);
    else
        snprintf(name, size, "%s", i == X_REGISTERS ? "sp" : "pc");
}
#else
void cup_registers_capture(struct cup_registers *registers, const void *context)
{
    (void)context;
    memset(registers, 0, sizeof(*registers));
}

static void general_name(unsigned i, char *name, size_t size)
{
    snprintf(name, size, "r%u", i);
}
#endif

static size_t print_vector(const struct cup_registers *registers, unsigned i, char *text,
                           size_t size)
{
    size_t length = (size_t)snprintf(text, size, "v%-4u", i);

    for (uint32_t at = 0; at < registers->vector_bytes && length < size; at += 4) {
        uint32_t word;

        memcpy(&word, registers->vectors[i] + at, sizeof(word));
        length += (size_t)snprintf(text + length, size - length, " %08x", word);
    }
    if (length < size)
        length += (size_t)snprintf(text + length, size - length, "\n");
    return length;
}

size_t cup_registers_print(const struct cup_registers *registers, char *text, size_t size)
{
    size_t length = 0;

    for (unsigned i = 0; i < registers->general_count && length < size; i++) {
        char name[8];

        general_name(i, name, sizeof(name));
        length += (size_t)snprintf(text + length, size - length, "%-5s 0x%016llx\n", name,
                                   (unsigned long long)registers->general[i]);
    }
    for (unsigned i = 0; i < registers->vector_count && length < size; i++)
        length += print_vector(registers, i, text + length, size - length);
    return length < size ? length : size - 1;
}
