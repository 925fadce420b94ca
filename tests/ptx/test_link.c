/* SPDX-License-Identifier: MIT */
/* Linking: resolution of names, errors, and that indices are translated correctly. */
#include "ptx_test.h"

static struct ptx_program *join(const char *first, const char *second, const char *message)
{
    struct ptx_program *parts[2] = {parse(first), parse(second)}, *whole;
    struct ptx_log log = {0};
    enum ptx_failure failure;

    whole = ptx_link(parts, 2, &log, &failure);
    ptx_program_free(parts[0]);
    ptx_program_free(parts[1]);
    if (message ? whole || !log.text || !strstr(log.text, message) : !whole) {
        printf("# failure %d: %s\n", failure, log.text ? log.text : "nothing");
        check(false);
    }
    ptx_log_free(&log);
    return whole;
}

static const struct ptx_function *function_of(const struct ptx_program *program, const char *name)
{
    for (uint32_t i = 0; i < program->function_count; i++)
        if (!strcmp(program->functions[i].name, name))
            return &program->functions[i];
    return NULL;
}

TEST(externs_find_their_definitions)
{
    struct ptx_program *whole =
        join(HEAD ".extern .func (.param .b32 r) f(.param .b32 a);\n.extern .global .u32 x;\n"
                  ".global .u64 pointer = generic(x);\n"
                  ".visible .entry k() { .reg .b32 v; call (v), f, (v); ld.global.b32 v, [x]; }",
             HEAD ".global .u32 before;\n.visible .global .u32 x = 7;\n.func g() { ret; }\n"
                  ".visible .func (.param .b32 r) f(.param .b32 a) { call g; ret; }",
             NULL);
    const struct ptx_function *kernel, *f;
    uint32_t x;

    if (!whole)
        return;
    kernel = function_of(whole, "k");
    f = function_of(whole, "f");
    check(!f->is_prototype && kernel->instructions[0].call->target.index == f - whole->functions);
    check(!strcmp(whole->functions[f->instructions[0].call->target.index].name, "g"));
    x = kernel->instructions[1].src[0].index;
    check(!strcmp(whole->variables[x].name, "x") && whole->variables[x].init[0] == 7);
    for (uint32_t i = 0; i < whole->variable_count; i++)
        if (!strcmp(whole->variables[i].name, "pointer"))
            check(whole->variables[i].relocations[0].index == x);
    ptx_program_free(whole);
}

TEST(local_names_stay_apart)
{
    struct ptx_program *whole = join(HEAD ".global .u32 x = 1;\n.func f() { ret; }",
                                     HEAD ".global .u32 x = 2;\n.func f() { ret; }", NULL);

    check(whole && whole->variable_count == 2 && whole->function_count == 2);
    ptx_program_free(whole);
}

TEST(weak_ones_give_way)
{
    struct ptx_program *whole =
        join(HEAD ".weak .global .u32 x = 1;\n.weak .func f() { ret; }",
             HEAD ".visible .global .u32 x = 2;\n.weak .func f() { trap; }", NULL);

    check(whole && whole->variable_count == 1 && whole->variables[0].init[0] == 2);
    check(whole && whole->function_count == 1 &&
          whole->functions[0].instructions[0].op == PTX_OP_ret);
    ptx_program_free(whole);
}

TEST(common_ones_are_one)
{
    struct ptx_program *whole =
        join(HEAD ".common .global .b8 x[4];", HEAD ".common .global .b8 x[16];", NULL);

    check(whole && whole->variable_count == 1 && whole->variables[0].size_bytes == 16);
    ptx_program_free(whole);
}

TEST(errors)
{
    join(HEAD ".visible .func f() { ret; }", HEAD ".visible .func f() { ret; }",
         "error   : Multiple definition of 'f' in");
    join(HEAD ".visible .global .u32 x;", HEAD ".visible .global .u32 x;",
         "error   : Multiple definition of 'x' in");
    join(HEAD ".extern .global .u32 x;", HEAD ".visible .global .u64 x;",
         "Prototype doesn't match for");
    join(HEAD ".extern .func f(.param .b32 a);", HEAD ".visible .func f(.param .b64 a) { ret; }",
         "Prototype doesn't match for");
    join(HEAD ".extern .func f();", HEAD ".global .u32 y;", "error   : Undefined reference to");
    join(HEAD ".extern .global .u32 x;", HEAD ".global .u32 y;",
         "error   : Undefined reference to");
}

TEST(what_the_driver_has_stays_extern)
{
    struct ptx_program *whole =
        join(HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                  ".extern .shared .b8 dynamic[];",
             HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);", NULL);

    check(whole && whole->function_count == 1 && whole->functions[0].linkage == PTX_LINK_EXTERN);
    ptx_program_free(whole);
}

int main(void)
{
    return run_tests();
}
