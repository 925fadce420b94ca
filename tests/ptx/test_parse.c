/* SPDX-License-Identifier: MIT */
/* Parsing valid PTX: instructions, operands, scopes, variables, functions. */
#include "ptx_test.h"

#include "ptx/forms.h"

/* A program of one kernel with this body, and registers of every type. */
#define HEAD_9_4 ".version 9.4\n.target sm_90a\n.address_size 64\n"

static struct ptx_program *parse_body_for(const char *head, const char *body)
{
    static char text[1 << 16];

    snprintf(text, sizeof(text),
             "%s.global .align 16 .b8 gv[64];\n.shared .align 16 .b8 sh[64];\n"
             ".global .texref tx;\n.global .surfref sf;\n"
             ".visible .entry k(.param .u64 pp, .param .f32 pf)\n{\n"
             ".reg .pred %%p<9>; .reg .b16 %%h<9>; .reg .b32 %%r<9>; .reg .f32 %%f<9>;\n"
             ".reg .b64 %%rd<9>; .reg .f64 %%d<9>; .reg .b128 %%q<3>; .reg .b8 %%b<3>;\n%s\n"
             "ret;\n}\n",
             head, body);
    return parse(text);
}

static struct ptx_program *parse_body(const char *body)
{
    return parse_body_for(HEAD, body);
}

static const struct ptx_function *kernel_of(const struct ptx_program *program)
{
    for (uint32_t i = 0; i < program->function_count; i++)
        if (program->functions[i].is_kernel)
            return &program->functions[i];
    return NULL;
}

static const char *register_name(const struct ptx_function *function,
                                 const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_REGISTER ? function->registers[operand->index].name : "";
}

TEST(table_of_forms_compiles)
{
    check(ptx_forms_broken() == NULL);
}

TEST(instruction_is_taken_apart)
{
    struct ptx_program *program = parse_body("@!%p1 ld.global.nc.v2.f32 {%f1, %f2}, [%rd1+8];");
    const struct ptx_function *kernel = kernel_of(program);
    const struct ptx_instruction *load = kernel->instructions;

    check(load->op == PTX_OP_ld && load->space == PTX_GLOBAL && load->width == 2);
    check(load->type_count == 1 && load->types[0] == PTX_F32 && ptx_has(load, PTX_MOD_NC));
    check(load->guard_negated && !strcmp(kernel->registers[load->guard].name, "%p1"));
    check(load->dst[0].kind == PTX_OPERAND_VECTOR && load->dst[0].count == 2);
    check(!strcmp(register_name(kernel, &kernel->elements[load->dst[0].index + 1]), "%f2"));
    check(load->src[0].kind == PTX_OPERAND_ADDRESS && load->src[0].base == PTX_BASE_REGISTER);
    check(load->src[0].value == 8 && load->source_count == 1);
    check(kernel->instructions[kernel->instruction_count - 1].op == PTX_OP_ret);
    ptx_program_free(program);
}

/* What ptxas takes, though the manual of today does not have it. */
TEST(old_forms_are_read)
{
    static const char *const texts[] = {
        ".version 1.4\n.target sm_10\n.entry k() { .reg .f32 %f<5>;\n"
        "mad.f32 %f1, %f2, %f3, %f4; mad.ftz.sat.f32 %f1, %f2, %f3, %f4; exit; }",
        ".version 3.1\n.target sm_35\n.entry k() { .reg .f32 %f<5>;\n"
        "mad.f32 %f1, %f2, %f3, %f4; exit; }",
        ".version 9.0\n.target sm_13\n.entry k() { .reg .f32 %f<5>;\n"
        "mad.f32 %f1, %f2, %f3, %f4; exit; }",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        ptx_program_free(parse(texts[i]));
    ptx_program_free(
        parse_body("mov.u16 %h1, %gridid; mov.s32 %r1, %gridid; mov.b64 %rd1, %gridid;"
                   "cvt.u32.u64 %r1, %clock64; cvt.u16.u32 %h1, %globaltimer;"
                   "cp.async.bulk.prefetch.L2.global [%rd1], 16;"
                   "cp.async.bulk.prefetch.L2.global.L2::cache_hint [%rd1], %r1, %rd2;"));
}

TEST(some_words_may_be_repeated)
{
    struct ptx_program *program = parse_body(
        "cvt.rn.relu.satfinite.relu.satfinite.e4m3x2.f32 %h1, %f1, %f2; add.sat.sat.s32 %r1, %r2, "
        "%r3; shfl.sync.sync.idx.b32 %r1, %r2, 0, 31, -1; add.cc.cc.u32 %r1, %r2, %r3; "
        "ex2.approx.f32.approx %f1, %f2; bfind.shiftamt.shiftamt.u32 %r1, %r2; "
        "min.NaN.NaN.f32 %f1, %f2, %f3;");
    const struct ptx_instruction *i = kernel_of(program)->instructions;

    check(i[0].type_count == 2 && ptx_has(&i[0], PTX_MOD_RELU) &&
          ptx_has(&i[0], PTX_MOD_SATFINITE));
    check(i[1].op == PTX_OP_add && ptx_has(&i[1], PTX_MOD_SAT));
    ptx_program_free(program);
}

/* GCC writes the last of them: the second point ends the number. */
TEST(heads_of_modules)
{
    static const char *const heads[] = {".version 9.00\n.target sm_90\n",
                                        ".version 9.4\n.target sm_107f\n",
                                        ".version 8.08\n.target compute_90, texmode_unified\n",
                                        ".version 8.0\n.target compute_90a\n.address_size 64\n",
                                        ".version 7.3.target sm_52.file 1 \"x\""};
    char text[200];

    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        snprintf(text, sizeof text, "%s.entry k() .local_maxnreg 32 { ret; }", heads[i]);
        ptx_program_free(parse(text));
    }
}

/* The address of x[r+2] is computed before the instruction. */
TEST(registers_are_indexes_of_arrays)
{
    struct ptx_program *program =
        parse_body(".shared .u64 x[8]; ld.u64 %rd1, x[%r2+2]; mov.u32 %r1, x[%rd3]; "
                   "st.global.u8 gv[%h1], %r1;");
    const struct ptx_function *kernel = kernel_of(program);
    const struct ptx_instruction *i = kernel->instructions;

    check(i[0].op == PTX_OP_mov && i[0].src[0].kind == PTX_OPERAND_SYMBOL &&
          i[0].src[0].value == 16);
    check(i[1].op == PTX_OP_cvt && i[1].types[0] == PTX_U64 && i[1].types[1] == PTX_U32);
    check(i[2].op == PTX_OP_mad && i[2].src[1].value == 8 && ptx_has(&i[2], PTX_MOD_LO));
    check(i[3].op == PTX_OP_ld && i[3].space == PTX_SHARED &&
          i[3].src[0].base == PTX_BASE_REGISTER && i[3].src[0].index == i[2].dst[0].index);
    check(i[6].op == PTX_OP_cvt && i[7].op == PTX_OP_mov && i[7].src[0].index == i[6].dst[0].index);
    check(i[11].op == PTX_OP_st && i[11].space == PTX_GLOBAL);
    ptx_program_free(program);
}

TEST(sums_of_addresses_are_sources)
{
    struct ptx_program *program =
        parse_body("add.u32 %r1, sh+8, %r2; setp.eq.u64 %p1, gv+4, %rd1; mov.u32 %r1, gv+4; "
                   "mov.u64 %rd1, gv+4; st.shared.u16 [sh], sh+2;");
    const struct ptx_instruction *i = kernel_of(program)->instructions;

    check(i[0].op == PTX_OP_mov && i[0].src[0].value == 8 && i[1].op == PTX_OP_cvt);
    check(i[2].op == PTX_OP_add && i[2].src[0].index == i[1].dst[0].index);
    check(i[3].op == PTX_OP_mov && i[4].op == PTX_OP_setp);
    check(i[5].op == PTX_OP_mov && i[6].op == PTX_OP_cvt && i[7].op == PTX_OP_mov);
    check(i[8].op == PTX_OP_mov && i[8].src[0].kind == PTX_OPERAND_SYMBOL &&
          i[8].src[0].value == 4);
    check(i[10].op == PTX_OP_cvt && i[10].types[0] == PTX_U16 && i[11].op == PTX_OP_st);
    ptx_program_free(program);
}

TEST(ranges_declare_variables)
{
    struct ptx_program *program = parse(HEAD ".global .align 8 .u32 x<3>, y;\n"
                                             ".entry k() { .shared .u16 s<12>;\n"
                                             "st.shared.u16 [s11], 1; st.global.u32 [x2], 2; }");

    check(program->variable_count == 4 && !strcmp(program->variables[2].name, "x2") &&
          program->variables[2].align == 8 && !strcmp(program->variables[3].name, "y"));
    check(program->functions[0].variable_count == 12);
    ptx_program_free(program);
}

TEST(only_registers_that_are_named_exist)
{
    struct ptx_program *program = parse_body(".reg .b32 %many<4000000000>; mov.b32 %many7, %r1;");

    check(kernel_of(program)->register_count == 2);
    ptx_program_free(program);
}

TEST(numbers_have_the_bits_of_their_type)
{
    static const struct {
        const char *statement;
        uint64_t value;
    } cases[] = {
        {"add.s32 %r1, %r1, -1;", 0xffffffff},
        {"add.s32 %r1, %r1, 0x80000000;", 0x80000000},
        {"add.u16 %h1, %h1, 70000;", 4464},
        {"add.s64 %rd1, %rd1, -2;", 0xfffffffffffffffe},
        {"add.u32 %r1, %r1, 017;", 15},
        {"add.u32 %r1, %r1, 0b101;", 5},
        {"add.u32 %r1, %r1, 7U;", 7},
        {"add.u32 %r1, %r1, (1+2)*3 << 1;", 18},
        {"add.u32 %r1, %r1, 5 > 3 ? 7 : 9;", 7},
        {"add.u32 %r1, %r1, WARP_SZ;", 32},
        {"add.f32 %f1, %f1, 1.5;", 0x3fc00000},
        {"add.f32 %f1, %f1, 0f3F800000;", 0x3f800000},
        {"add.f32 %f1, %f1, 0d3FF0000000000000;", 0x3f800000},
        {"add.f64 %d1, %d1, 0f3F800000;", 0x3ff0000000000000},
        {"add.f64 %d1, %d1, -2.0;", 0xc000000000000000},
        {"and.b32 %r1, %r1, 0f3F800000;", 0x3f800000},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ptx_program *program = parse_body(cases[i].statement);
        const struct ptx_operand *number = &kernel_of(program)->instructions[0].src[1];

        if (number->kind != PTX_OPERAND_IMMEDIATE || number->value != cases[i].value) {
            printf("# %s: %llx\n", cases[i].statement, (unsigned long long)number->value);
            check(false);
        }
        ptx_program_free(program);
    }
}

TEST(scopes_hide_registers_and_labels)
{
    struct ptx_program *program =
        parse_body("mov.b32 %r1, 1; { .reg .b32 %r1; mov.b32 %r1, 2; bra L; L: }\n"
                   "{ .reg .b32 %r<4>; mov.b32 %r1, 3; bra L; } mov.b32 %r1, 4; L:");
    const struct ptx_function *kernel = kernel_of(program);
    const struct ptx_instruction *i = kernel->instructions;

    check(i[0].dst[0].index == i[5].dst[0].index);
    check(i[0].dst[0].index != i[1].dst[0].index && i[1].dst[0].index != i[3].dst[0].index);
    check(i[2].op == PTX_OP_bra && i[2].src[0].kind == PTX_OPERAND_LABEL && i[2].src[0].index == 3);
    check(i[4].op == PTX_OP_bra && i[4].src[0].index == 6);
    ptx_program_free(program);
}

TEST(vector_registers_are_their_parts)
{
    struct ptx_program *program =
        parse_body(".reg .v4 .f32 v; ld.global.v4.f32 v, [gv]; mov.f32 %f1, v.z;");
    const struct ptx_function *kernel = kernel_of(program);
    const struct ptx_instruction *i = kernel->instructions;

    check(i[0].dst[0].kind == PTX_OPERAND_VECTOR && i[0].dst[0].count == 4);
    check(kernel->elements[i[0].dst[0].index + 2].index == i[1].src[0].index);
    ptx_program_free(program);
}

TEST(special_registers)
{
    struct ptx_program *program = parse_body("mov.u32 %r1, %ctaid.y; mov.u32 %r1, %envreg12;\n"
                                             "mov.v4.u32 {%r1,%r2,%r3,%r4}, %tid;\n"
                                             "mov.u32 %r1, %tid.w; mov.u64 %rd1, %clock64;");
    const struct ptx_instruction *i = kernel_of(program)->instructions;

    check(i[0].src[0].kind == PTX_OPERAND_SPECIAL && i[0].src[0].index == PTX_SR_CTAID_Y);
    check(i[1].src[0].index == PTX_SR_ENVREG && i[1].src[0].value == 12);
    check(i[2].src[0].index == PTX_SR_TID_X && i[2].src[0].special_component == 4);
    check(i[3].src[0].kind == PTX_OPERAND_IMMEDIATE && i[3].src[0].value == 0);
    check(i[4].src[0].index == PTX_SR_CLOCK64);
    ptx_program_free(program);
}

TEST(video_selectors)
{
    struct ptx_program *program =
        parse_body("vadd.s32.u32.u32 %r1.b1, %r2.h0, %r3.b2, %r4;\n"
                   "vadd4.u32.u32.u32 %r1.b30, %r2.b3210, %r3.b7654, %r4;\n"
                   "vmad.s32.s32.s32 %r1, -%r2.h1, %r3, %r4;");
    const struct ptx_instruction *i = kernel_of(program)->instructions;

    check(i[0].dst[0].selector == 2 && i[0].src[0].selector == 5 && i[0].src[1].selector == 3);
    check(i[1].dst[0].selector == 7 && i[1].dst[0].value == 9);
    check(i[1].src[0].value == 0x3210 && i[1].src[1].value == 0x7654);
    check(i[2].src[0].negated && i[2].src[0].selector == 6);
    ptx_program_free(program);
}

TEST(textures_have_their_places)
{
    struct ptx_program *program =
        parse_body("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [tx, {%f1,%f2}];\n"
                   "tex.level.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1}], %f2;\n"
                   "sust.b.2d.v2.b32.trap [sf, {%r1,%r2}], {%r3,%r4};\n"
                   "suld.b.1d.b32.zero {%r1}, [sf, {%r2}];\n"
                   "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [tx, {%f1,%f2,%f3,%f4}];");
    const struct ptx_instruction *i = kernel_of(program)->instructions;

    check(i[0].src[0].kind == PTX_OPERAND_SYMBOL && i[0].src[1].kind == PTX_OPERAND_NONE);
    check(i[0].src[2].kind == PTX_OPERAND_VECTOR && i[0].source_count == 3);
    check(i[1].src[0].kind == PTX_OPERAND_REGISTER && i[1].source_count == 4);
    check(i[2].src[1].kind == PTX_OPERAND_VECTOR && i[2].src[2].count == 2);
    check(i[3].dst[0].kind == PTX_OPERAND_REGISTER);
    check(i[4].src[2].count == 2); /* more coordinates have no effect */
    ptx_program_free(program);
}

TEST(registers_of_integers_hold_floats_of_textures)
{
    ptx_program_free(parse_body(
        ".reg .u32 u<4>; .reg .s16 h<4>;\n"
        "tex.2d.v4.f32.f32 {u0,u1,u2,u3}, [tx, {u0,u1}]; tex.2d.v4.f16.f32 {h0,h1,h2,h3}, [tx, "
        "{%f1,%f2}]; tex.a1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [tx, {u0,u1}];\n"
        "set.lt.bf16.f32 h0, %f1, %f2; set.lt.bf16x2.bf16x2 u0, %r1, %r2; "
        "shfl.sync.idx.b32 u0, u1, %f1, %f2, -1;"));
}

TEST(branch_tables)
{
    struct ptx_program *program =
        parse_body("T: .branchtargets A, B, A;\nbrx.idx %r1, T;\nA: mov.b32 %r1, 1;\nB:");
    const struct ptx_instruction *jump = kernel_of(program)->instructions;

    check(jump->op == PTX_OP_brx && jump->call && jump->call->target_count == 3);
    check(jump->call->targets[0] == 1 && jump->call->targets[1] == 2);
    ptx_program_free(program);
    program = parse_body("T: .branchtargets B, L<2>, L<1>; brx.idx %r1, T;\nL0: B: ret;\nL1:");
    jump = kernel_of(program)->instructions;
    check(jump->call->target_count == 4 && jump->call->targets[0] == 1 &&
          jump->call->targets[1] == 1 && jump->call->targets[2] == 2 &&
          jump->call->targets[3] == 1);
    ptx_program_free(program);
}

TEST(old_shuffles_are_of_all_lanes)
{
    struct ptx_program *program = parse(".version 6.0\n.target sm_60\n.address_size 64\n"
                                        ".entry k() { .reg .b32 r; .reg .pred p;\n"
                                        "shfl.down.b32 r, r, 1, 31; vote.all.pred p, p; }");
    const struct ptx_instruction *i = program->functions[0].instructions;

    check(ptx_has(&i[0], PTX_MOD_SYNC) && i[0].source_count == 4 &&
          i[0].src[3].value == 0xffffffff);
    check(ptx_has(&i[1], PTX_MOD_SYNC) && i[1].source_count == 2);
    ptx_program_free(program);
}

TEST(variables_and_initialisers)
{
    struct ptx_program *program = parse(HEAD ".const .align 4 .f32 c[3] = {1.0, 0f40000000};\n"
                                             ".visible .global .u16 m[2][2] = {{1}, {2, 3}};\n"
                                             ".global .u32 open[] = {7, 8, 9};\n"
                                             ".global .u64 p = generic(m)+4;\n.func f() { ret; }\n"
                                             ".global .u64 t[2] = {f, m};\n"
                                             ".global .b8 bytes[3] = {0xFF00(m), 0x41, -1};\n"
                                             ".global .attribute(.managed) .align 8 .u32 managed;\n"
                                             ".extern .shared .align 16 .b8 dynamic[];\n"
                                             ".global .b32 b[2] = {1.5, 0f3FC00000};\n"
                                             ".global .b64 w[2] = {1.5, 0f3FC00000};\n");
    const struct ptx_variable *v = program->variables;
    float two;

    memcpy(&two, v[0].init + 4, 4);
    check(v[0].space == PTX_CONST && v[0].size_bytes == 12 && two == 2.0f);
    check(v[1].size_bytes == 8 && v[1].init[0] == 1 && v[1].init[2] == 0 && v[1].init[4] == 2 &&
          v[1].init[6] == 3 && v[1].linkage == PTX_LINK_VISIBLE);
    check(v[2].size_bytes == 12 && !v[2].unsized && v[2].init[8] == 9);
    check(v[3].relocation_count == 1 && v[3].relocations[0].generic &&
          v[3].relocations[0].addend == 4 && v[3].relocations[0].index == 1);
    check(v[4].relocation_count == 2 && v[4].relocations[0].is_function &&
          v[4].relocations[1].at == 8 && !v[4].relocations[1].generic);
    check(v[5].relocation_count == 1 && v[5].relocations[0].byte == 1 && v[5].init[1] == 0x41 &&
          v[5].init[2] == 0xff);
    check(v[6].managed && v[6].align == 8 && v[6].init == NULL);
    check(v[7].unsized && v[7].linkage == PTX_LINK_EXTERN && v[7].align == 16);
    check(!memcmp(v[8].init, (uint32_t[]){0x3fc00000, 0x3fc00000}, 8));
    check(!memcmp(v[9].init, (uint64_t[]){0x3ff8000000000000, 0x3fc00000}, 16));
    ptx_program_free(program);
}

TEST(functions_and_calls)
{
    struct ptx_program *program = parse(
        HEAD
        ".func (.param .b32 r) twice(.param .b32 a);\n"
        ".visible .entry k(.param .u8 a, .param .align 8 .b8 b[12], .param .u64 .ptr .global c)\n"
        ".maxntid 128, 2 .minnctapersm 3\n"
        "{ .reg .b32 %r; .reg .b64 %rd;\n"
        "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r; call.uni (y), twice, (x); }\n"
        "mov.u64 %rd, twice;\nP: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
        "call (%r), %rd, (5), P; }\n"
        ".func (.param .b32 r) twice(.param .b32 a) { .reg .b32 v;\n"
        "ld.param.b32 v, [a]; add.s32 v, v, v; st.param.b32 [r], v; ret; }\n");
    const struct ptx_function *twice = &program->functions[0], *kernel = &program->functions[1];
    const struct ptx_call *direct = kernel->instructions[1].call,
                          *indirect = kernel->instructions[3].call;

    check(program->function_count == 2 && !twice->is_prototype && twice->instruction_count == 5);
    check(kernel->parameters[1].offset == 8 && kernel->parameters[2].offset == 24);
    check(kernel->parameter_bytes == 32 && kernel->min_blocks == 3);
    check(kernel->max_threads[0] == 128 && kernel->max_threads[1] == 2 &&
          kernel->max_threads[2] == 1);
    check(direct->target.kind == PTX_OPERAND_FUNCTION && direct->target.index == 0);
    check(direct->arguments[0].kind == PTX_OPERAND_SYMBOL && direct->arguments[0].local);
    check(kernel->variables[direct->arguments[0].index].space == PTX_PARAM);
    check(indirect->target.kind == PTX_OPERAND_REGISTER && indirect->prototype == 0);
    check(indirect->arguments[0].value == 5 && kernel->prototypes[0].parameter_count == 1);
    ptx_program_free(program);
}

TEST(declarations_of_functions)
{
    struct ptx_program *program =
        parse(HEAD ".func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                   ".extern .func other(.param .b32 a)\n.visible .func free(.param .b64 a)\n"
                   ".extern .func last() .noreturn\n.global .u32 x;\n.entry k() { ret; }");
    const struct ptx_function *f = program->functions;

    check(program->function_count == 5 && f[0].linkage == PTX_LINK_EXTERN &&
          f[2].linkage == PTX_LINK_EXTERN && f[3].noreturn && f[4].is_kernel);
    ptx_program_free(program);
}

TEST(register_parameters_are_loaded_and_stored)
{
    struct ptx_program *program =
        parse(HEAD ".func (.reg .b32 r) f(.reg .b32 a) { mov.b32 r, a; ret; }\n");
    const struct ptx_instruction *i = program->functions[0].instructions;

    check(i[0].op == PTX_OP_ld && i[0].space == PTX_PARAM && i[1].op == PTX_OP_mov);
    check(i[2].op == PTX_OP_st && i[3].op == PTX_OP_ret);
    check(i[0].src[0].index == program->functions[0].parameters[0].variable);
    check(i[2].src[0].index == program->functions[0].results[0].variable);
    ptx_program_free(program);
}

TEST(what_debuggers_read_is_passed_over)
{
    struct ptx_program *program =
        parse(".version 9.0\n.target sm_90, debug\n.address_size 64\n.file 1 \"a.cu\", 1, 2\n"
              ".entry k() {\n.loc 1 2 3, function_name $L+4, inlined_at 1 2 3\n"
              ".pragma \"nounroll\";\n/* } */ ret; // }\n# 7 \"a.cu\" 2 3\n"
              "#line 8 \"a.cu\"\n}\n"
              ".section .debug_info\n{\n.b8 1\n.b32 $L+4\n}\n");

    check(program->debug && program->functions[0].instruction_count == 2);
    check(program->functions[0].instructions[0].line == 8);
    ptx_program_free(program);
}

TEST(equal_texts_have_equal_hashes)
{
    struct ptx_program *a = parse(HEAD ".entry k() { ret; }"),
                       *b = parse(HEAD ".entry k() { ret; }"),
                       *c = parse(HEAD ".entry k() { ret;  }");

    check(!memcmp(a->hash, b->hash, sizeof(a->hash)) && memcmp(a->hash, c->hash, sizeof(a->hash)));
    ptx_program_free(a);
    ptx_program_free(b);
    ptx_program_free(c);
}

/* Prints the kernel of a program as a body that can be read again, without the two returns at its
 * end that parse_body and the parser add. */
static void print_body(const struct ptx_program *program, char *text, size_t size)
{
    const struct ptx_function *kernel = kernel_of(program);
    size_t length = 0;

    for (uint32_t i = 0; i + 2 < kernel->instruction_count; i++) {
        length += (size_t)snprintf(text + length, size - length, "$%u: ", i);
        length += ptx_print_instruction(program, kernel, &kernel->instructions[i], text + length,
                                        size - length);
        text[length++] = '\n';
    }
    snprintf(text + length, size - length, "$%u:", kernel->instruction_count - 2);
}

/* part: of what is printed. */
static void check_printed(const char *head, const char *body, const char *part)
{
    static char first[1 << 15], second[1 << 15];
    struct ptx_program *program = parse_body_for(head, body);

    print_body(program, first, sizeof(first));
    ptx_program_free(program);
    program = parse_body_for(head, first);
    print_body(program, second, sizeof(second));
    ptx_program_free(program);
    check(!strcmp(first, second));
    check(strstr(first, part));
}

TEST(what_is_printed_reads_back_the_same)
{
    static const char body[] =
        "add.sat.s32 %r1, %r2, -3; mad.wide.u32 %rd1, %r1, 5, %rd2; fma.rn.ftz.sat.f32 %f1, %f2, "
        "0f3F800000, %f3; setp.lt.and.f32 %p1|%p2, %f1, 1.0, !%p3; @%p1 bra END;\n"
        "ld.param.u64 %rd1, [pp]; ld.global.nc.L1::no_allocate.v4.f32 {%f1, _, %f3, %f4}, "
        "[%rd1+-16];\n"
        "st.shared.v2.b32 [sh+8], {%r1, 7}; atom.acq_rel.gpu.global.cas.b64 %rd1, [%rd2], %rd3, "
        "4;\n"
        "red.shared.add.u32 [sh], 1; cvt.rzi.ftz.s32.f32 %r1, %f1; cvt.rn.bf16x2.f32 %r1, %f1, "
        "%f2;\n"
        "mov.b64 {%r1, %r2}, %rd1; mov.b128 %q1, {%rd1, %rd2}; mov.u64 %rd1, gv+4;\n"
        "lop3.or.b32 %r1|%p1, %r1, %r2, %r3, 0x1f, !%p2; prmt.b32.f4e %r1, %r2, %r3, %r4;\n"
        "shfl.sync.idx.b32 %r1|%p1, %r2, 0, 31, -1; vote.sync.ballot.b32 %r1, !%p1, -1;\n"
        "match.all.sync.b32 %r1|%p1, %r2, -1; bar.red.popc.u32 %r1, 0, 64, %p1; bar.sync 0;\n"
        "barrier.cluster.arrive.release.aligned; fence.acq_rel.cluster; membar.gl; elect.sync "
        "_|%p1, -1;\n"
        "vadd.s32.u32.u32.sat %r1.h1, %r2.b3, %r3, %r4; vmad.s32.s32.s32.shr7 %r1, -%r2, %r3.h0, "
        "%r4;\n"
        "vadd2.u32.u32.u32.sat %r1.h10, %r2.h21, %r3.h03, %r4; dp4a.s32.u32 %r1, %r2, %r3, %r4;\n"
        "cp.async.ca.shared.global.L2::128B [sh], [%rd1], 8, 4; cp.async.wait_group 1;\n"
        "tex.grad.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}|%p1, [tx, {%f1,%f2}], {%f1,%f2}, {%f3,1.0}, "
        "{1,%r2};\n"
        "suld.b.a2d.v2.b32.clamp {%r1,%r2}, [%rd1, {%r1,%r2,%r3,%r4}]; txq.width.b32 %r1, [tx];\n"
        "isspacep.shared %p1, %rd1; cvta.to.global.u64 %rd1, %rd2; nanosleep.u32 %r1; mov.u32 %r1, "
        "%nctaid.z;\nslct.f32.s32 %f1, 1.0, %f2, -1; selp.b32 %r1, 1, %r2, !%p1; and.pred %p1, "
        "!%p2, 1;\n"
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], "
        "[%rd1, {%r2, 3}], [%r3]; cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group "
        "[%rd1, {%r2}], [%r1]; mapa.shared::cluster.u32 %r1, sh, 2;\n"
        "prefetch.global.L2 [gv]; griddepcontrol.wait; trap; exit; testp.finite.f64 %p1, %d1; "
        "END:";

    check_printed(HEAD, body, "@%p1 bra $");
}

TEST(recent_forms_are_printed_too)
{
    check_printed(
        HEAD_9_4,
        "clmad.hi.u64 %rd1, %rd2, %rd3, 5; ld.proxy::readonly.global.v2.u32 {%r1, %r2}, [%rd1];\n"
        "ld.mmio.acquire.sys.u32 %r1, [%rd1]; st.mmio.release.sys.global.u32 [%rd1], %r1;\n"
        "st.async.mbarrier::complete_tx::bytes.b128 [%rd1], %q1, [%rd2];\n"
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint.ignore_oob "
        "[%r1], [%rd1], %r2, 3, %r3, [%r4], %rd2;\n"
        "cp.async.bulk.relaxed.sys.shared::cluster.global.mbarrier::complete_tx::bytes."
        "multicast::cluster::16b.b128 [%r1], [%rd1], 32, [%r4], %h1;\n"
        "cp.reduce.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.add.noftz.f32 [%rd1], "
        "[%r1], 64;\n"
        "multimem.cp.async.bulk.weak.global.shared::cta.bulk_group [%rd1], [%r1], 64;\n"
        "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b64 [%rd1], [%r1], %r2;\n"
        "mbarrier.init.layout::v1.shared.b64 [sh], 2; mbarrier.check_layout.layout::v0.b64 %p1, "
        "[%rd1];\n"
        "mbarrier.pending_count.layout::v0.b64 %r1, %rd1;\n"
        "mbarrier.test_wait.phase_type::primary.shared.b64 %p1, [sh], %rd1;\n"
        "mbarrier.test_wait.phase_type::primary.shared.b64 %p1|_, [sh], %rd1;\n"
        "mbarrier.test_wait.phase_type::primary.shared.b64 %p1, %b1, [sh], %rd1;\n"
        "mbarrier.try_wait.phase_type::primary.shared.b64 %p1|%p2, [sh], %rd1, %r1;\n"
        "mbarrier.try_wait.phase_type::primary.shared.b64 %p1|%p2, %b1, [sh], %rd1;\n"
        "mbarrier.try_wait.parity.phase_type::primary.acquire.cluster.shared.b64 %p1|%p2, %b2, "
        "[sh], %r1, 9;\n"
        "mbarrier.try_wait.parity.phase_type::conditional.b64 %p1, [%rd1], %r1;\n"
        "ldmatrix.sync.aligned.m8n16.x2.shared.s8.s4 {%r1, %r2}, [sh];\n"
        "prefetch.L1::32B.valid_addr [%rd1]; fence.proxy.alias.release.sys;\n"
        "atom.global.add.noftz.f32 %f1, [%rd1], %f2; red.global.v2.f32.add.noftz [%rd1], {%f1, "
        "%f2}; ld.volatile.local.u32 %r1, [%rd1];",
        "%p1|%p2, %b2, [sh], %r1, 9;");
}

int main(void)
{
    return run_tests();
}
