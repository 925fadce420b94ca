/* SPDX-License-Identifier: MIT */
/* The relocations that LLVM emits for position-independent code of the small code model. A value
 * that does not fit its field is an error and never truncated: a wrong jump would be worse than a
 * kernel that does not load. */
#include "exec/code/elf_relocate.h"

#include <stdbool.h>
#include <string.h>

static const char *const out_of_reach = "the target of a relocation is out of range";
static const char *const outside = "a relocation lies outside its section";

static bool fits(int64_t value, unsigned bits)
{
    int64_t limit = INT64_C(1) << (bits - 1);

    return value >= -limit && value < limit;
}

static const char *write32(uint8_t *at, int64_t value)
{
    int32_t word = (int32_t)value;

    if (!fits(value, 32))
        return out_of_reach;
    memcpy(at, &word, sizeof(word));
    return NULL;
}

static const char *write64(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, sizeof(value));
    return NULL;
}

static uint64_t fill_got(const struct cup_elf_relocation *relocation)
{
    *relocation->got = relocation->symbol;
    return (uint64_t)(uintptr_t)relocation->got;
}

#if defined(__aarch64__)

static const char *patch(uint8_t *at, uint32_t mask, uint32_t bits)
{
    uint32_t word;

    memcpy(&word, at, sizeof(word));
    word = (word & ~mask) | (bits & mask);
    memcpy(at, &word, sizeof(word));
    return NULL;
}

/* b, bl: a 26-bit word offset. */
static const char *patch_branch(uint8_t *at, uint64_t place, uint64_t target)
{
    int64_t distance = (int64_t)(target - place);

    if (distance % 4 || !fits(distance, 28))
        return out_of_reach;
    return patch(at, 0x03ffffff, (uint32_t)(distance >> 2));
}

/* Conditional branches with a 19-bit, tbz with a 14-bit word offset. */
static const char *patch_short(uint8_t *at, int64_t distance, unsigned bits)
{
    if (distance % 4 || !fits(distance, bits + 2))
        return out_of_reach;
    return patch(at, ((1u << bits) - 1) << 5, (uint32_t)(distance >> 2) << 5);
}

static const char *patch_adr(uint8_t *at, int64_t value)
{
    if (!fits(value, 21))
        return out_of_reach;
    uint32_t bits = (uint32_t)value;
    return patch(at, 0x60ffffe0, (bits & 3) << 29 | (bits >> 2 & 0x7ffff) << 5);
}

static const char *patch_page(uint8_t *at, uint64_t place, uint64_t target)
{
    return patch_adr(at, (int64_t)((target & ~UINT64_C(0xfff)) - (place & ~UINT64_C(0xfff))) >> 12);
}

/* The low 12 bits of an address, scaled by the access size. */
static const char *patch_low(uint8_t *at, uint64_t target, unsigned shift)
{
    uint32_t low = (uint32_t)target & 0xfff;

    if (low & ((1u << shift) - 1))
        return "a relocation is misaligned";
    return patch(at, 0xfff << 10, (low >> shift) << 10);
}

static unsigned field_bytes(uint32_t type)
{
    return type == R_AARCH64_ABS64 || type == R_AARCH64_PREL64   ? 8
           : type == R_AARCH64_ABS16 || type == R_AARCH64_PREL16 ? 2
                                                                 : 4;
}

static const char *apply(const struct cup_elf_relocation *relocation, uint8_t *at)
{
    uint64_t place = (uint64_t)(uintptr_t)at;
    uint64_t target = relocation->symbol + (uint64_t)relocation->addend;
    int64_t distance = (int64_t)(target - place);

    switch (relocation->type) {
    case R_AARCH64_NONE:
        return NULL;
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
        return patch_branch(
            at, place, relocation->stub ? relocation->stub + (uint64_t)relocation->addend : target);
    case R_AARCH64_CONDBR19:
    case R_AARCH64_LD_PREL_LO19:
        return patch_short(at, distance, 19);
    case R_AARCH64_TSTBR14:
        return patch_short(at, distance, 14);
    case R_AARCH64_ADR_PREL_LO21:
        return patch_adr(at, distance);
    case R_AARCH64_ADR_PREL_PG_HI21:
    case R_AARCH64_ADR_PREL_PG_HI21_NC:
        return patch_page(at, place, target);
    case R_AARCH64_ADR_GOT_PAGE:
        return patch_page(at, place, fill_got(relocation) + (uint64_t)relocation->addend);
    case R_AARCH64_LD64_GOT_LO12_NC:
        return patch_low(at, fill_got(relocation) + (uint64_t)relocation->addend, 3);
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
        return patch_low(at, target, 0);
    case R_AARCH64_LDST16_ABS_LO12_NC:
        return patch_low(at, target, 1);
    case R_AARCH64_LDST32_ABS_LO12_NC:
        return patch_low(at, target, 2);
    case R_AARCH64_LDST64_ABS_LO12_NC:
        return patch_low(at, target, 3);
    case R_AARCH64_LDST128_ABS_LO12_NC:
        return patch_low(at, target, 4);
    case R_AARCH64_PREL32:
        return write32(at, distance);
    case R_AARCH64_PREL64:
        return write64(at, (uint64_t)distance);
    case R_AARCH64_ABS64:
        return write64(at, target);
    default:
        return "a relocation has an unknown type";
    }
}

void cup_elf_write_stub(uint8_t *stub, uint64_t target)
{
    static const uint32_t code[2] = {
        0x58000050, /* ldr x16, .+8 */
        0xd61f0200, /* br x16 */
    };

    memcpy(stub, code, sizeof(code));
    memcpy(stub + sizeof(code), &target, sizeof(target));
}

#else

static unsigned field_bytes(uint32_t type)
{
    return type == R_X86_64_64 || type == R_X86_64_PC64 || type == R_X86_64_GOTOFF64 ||
                   type == R_X86_64_GOTPC64
               ? 8
               : 4;
}

static const char *apply(const struct cup_elf_relocation *relocation, uint8_t *at)
{
    uint64_t place = (uint64_t)(uintptr_t)at;
    uint64_t addend = (uint64_t)relocation->addend;
    uint64_t target = relocation->symbol + addend;

    switch (relocation->type) {
    case R_X86_64_NONE:
        return NULL;
    case R_X86_64_PLT32:
        target = relocation->stub ? relocation->stub + addend : target;
        return write32(at, (int64_t)(target - place));
    case R_X86_64_PC32:
        return write32(at, (int64_t)(target - place));
    case R_X86_64_PC64:
        return write64(at, target - place);
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        return write32(at, (int64_t)(fill_got(relocation) + addend - place));
    case R_X86_64_64:
        return write64(at, target);
    case R_X86_64_32S:
        return write32(at, (int64_t)target);
    default:
        return "a relocation has an unknown type";
    }
}

void cup_elf_write_stub(uint8_t *stub, uint64_t target)
{
    static const uint8_t code[8] = {0xff, 0x25, 2, 0, 0, 0, 0x0f, 0x0b}; /* jmp *2(%rip); ud2 */

    memcpy(stub, code, sizeof(code));
    memcpy(stub + sizeof(code), &target, sizeof(target));
}

#endif

const char *cup_elf_relocate(const struct cup_elf_relocation *relocation)
{
    uint64_t size = field_bytes(relocation->type);

    if (relocation->section_size < size || relocation->offset > relocation->section_size - size)
        return outside;
    return apply(relocation, relocation->section + relocation->offset);
}
