/* SPDX-License-Identifier: MIT */
/* Numbers and constant expressions. Integers are 64 bits wide, signed unless one of them is
 * unsigned; floats are f64, except that 0f… alone keeps its 32 bits. */
#include "ptx/constant.h"

#include "ptx/parser.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NESTING = 64, MAX_NUMBER = 120 };

static bool parse_expression(struct ptx_parser *parser, struct ptx_constant *result, int level,
                             unsigned nesting);

static double as_double(const struct ptx_constant *constant)
{
    double value;
    float single;
    uint32_t bits = (uint32_t)constant->value;

    if (!constant->is_float)
        return constant->is_unsigned ? (double)constant->value : (double)(int64_t)constant->value;
    if (constant->is_single) {
        memcpy(&single, &bits, 4);
        return (double)single;
    }
    memcpy(&value, &constant->value, 8);
    return value;
}

static struct ptx_constant from_double(double value)
{
    struct ptx_constant constant = {.is_float = true};

    memcpy(&constant.value, &value, 8);
    return constant;
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

/* Parses digits up to the end, or up to a final U. A number that needs more than 64 bits becomes
 * UINT64_MAX. */
static bool parse_digits(const char *text, size_t length, int base, struct ptx_constant *result)
{
    uint64_t value = 0;
    bool overflow = false;

    if (length && (text[length - 1] == 'U' || text[length - 1] == 'u')) {
        result->is_unsigned = true;
        length--;
    }
    if (length == 0)
        return false;
    for (size_t i = 0; i < length; i++) {
        int digit = digit_value(text[i]);

        if (digit >= base)
            return false;
        overflow = overflow || __builtin_mul_overflow(value, (uint64_t)base, &value) ||
                   __builtin_add_overflow(value, (uint64_t)digit, &value);
    }
    if (overflow)
        value = UINT64_MAX;
    if (value >> 63)
        result->is_unsigned = true;
    result->value = value;
    return true;
}

static bool parse_float_bits(const char *text, size_t length, struct ptx_constant *result)
{
    bool single = text[1] == 'f' || text[1] == 'F';

    if (length != (single ? 10 : 18) || !parse_digits(text + 2, length - 2, 16, result))
        return false;
    result->is_unsigned = false;
    result->is_float = true;
    result->is_single = single;
    return true;
}

static bool parse_decimal_float(const char *text, size_t length, struct ptx_constant *result)
{
    char copy[MAX_NUMBER + 2], *end;

    if (length > MAX_NUMBER)
        return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    *result = from_double(strtod(copy, &end));
    return *end == 0 && !memchr(copy, 'x', length) && !memchr(copy, 'X', length);
}

static bool parse_number(const char *text, size_t length, struct ptx_constant *result)
{
    *result = (struct ptx_constant){0};
    if (length > 2 && text[0] == '0') {
        switch (text[1]) {
        case 'x':
        case 'X':
            return parse_digits(text + 2, length - 2, 16, result);
        case 'b':
        case 'B':
            return parse_digits(text + 2, length - 2, 2, result);
        case 'f':
        case 'F':
        case 'd':
        case 'D':
            return parse_float_bits(text, length, result);
        }
    }
    if (memchr(text, '.', length) || memchr(text, 'e', length) || memchr(text, 'E', length))
        return parse_decimal_float(text, length, result);
    if (length > 1 && text[0] == '0' && text[1] != 'U')
        return parse_digits(text + 1, length - 1, 8, result);
    return parse_digits(text, length, 10, result);
}

static bool parse_cast(struct ptx_parser *parser, struct ptx_constant *result, unsigned nesting)
{
    bool to_unsigned = ptx_token_is(ptx_current_token(parser), PTX_TOKEN_DOT, "u64");

    ptx_next(parser);
    if (!ptx_expect(parser, ')', "after a cast") || !parse_expression(parser, result, 10, nesting))
        return false;
    if (result->is_float)
        return ptx_fail(parser, "a float cannot be cast to an integer");
    result->is_unsigned = to_unsigned;
    return true;
}

static bool parse_primary(struct ptx_parser *parser, struct ptx_constant *result, unsigned nesting)
{
    struct ptx_token *token = ptx_current_token(parser);
    int length;
    const char *text;

    if (token->kind == '(') {
        ptx_next(parser);
        if (ptx_token_is(token, PTX_TOKEN_DOT, "s64") || ptx_token_is(token, PTX_TOKEN_DOT, "u64"))
            return parse_cast(parser, result, nesting);
        return parse_expression(parser, result, 0, nesting) &&
               ptx_expect(parser, ')', "after an expression");
    }
    if (ptx_token_is(token, PTX_TOKEN_WORD, "WARP_SZ")) {
        *result = (struct ptx_constant){.value = 32};
        ptx_next(parser);
        return true;
    }
    text = ptx_token_text(parser, &length);
    if (token->kind == PTX_TOKEN_DOT && token->text[0] >= '0' && token->text[0] <= '9') {
        if (!parse_decimal_float(token->text - 1, token->length + 1, result))
            return ptx_fail(parser, "'%.*s' is not a number", length, text);
    } else if (token->kind != PTX_TOKEN_NUMBER) {
        return ptx_fail(parser, "a number is expected, not '%.*s'", length, text);
    } else if (!parse_number(token->text, token->length, result)) {
        return ptx_fail(parser, "'%.*s' is not a number", length, text);
    }
    ptx_next(parser);
    return true;
}

static bool apply_unary(struct ptx_parser *parser, int sign, struct ptx_constant *result)
{
    switch (sign) {
    case '-':
        if (result->is_single)
            result->value ^= 0x80000000;
        else if (result->is_float)
            result->value ^= (uint64_t)1 << 63;
        else
            result->value = -result->value;
        return true;
    case '!':
        if (result->is_float)
            break;
        *result = (struct ptx_constant){.value = result->value == 0};
        return true;
    case '~':
        if (result->is_float)
            break;
        result->value = ~result->value;
        return true;
    default:
        return true;
    }
    return ptx_fail(parser, "'%c' is not allowed for floats", sign);
}

static bool parse_unary(struct ptx_parser *parser, struct ptx_constant *result, unsigned nesting)
{
    int sign = ptx_current_token(parser)->kind;

    if (nesting > MAX_NESTING)
        return ptx_fail(parser, "the expression is nested too deeply");
    if (sign != '-' && sign != '+' && sign != '!' && sign != '~')
        return parse_primary(parser, result, nesting + 1);
    ptx_next(parser);
    return parse_unary(parser, result, nesting + 1) && apply_unary(parser, sign, result);
}

/* The precedence of a binary operator; -1 if the token is not one. */
static int level_of(int sign)
{
    switch (sign) {
    case '?':
        return 0;
    case PTX_TOKEN_OR_OR:
        return 1;
    case PTX_TOKEN_AND_AND:
        return 2;
    case '|':
        return 3;
    case '^':
        return 4;
    case '&':
        return 5;
    case PTX_TOKEN_EQUAL:
    case PTX_TOKEN_NOT_EQUAL:
        return 6;
    case '<':
    case '>':
    case PTX_TOKEN_LESS_EQUAL:
    case PTX_TOKEN_GREATER_EQUAL:
        return 7;
    case PTX_TOKEN_SHIFT_LEFT:
    case PTX_TOKEN_SHIFT_RIGHT:
        return 8;
    case '+':
    case '-':
        return 9;
    case '*':
    case '/':
    case '%':
        return 10;
    default:
        return -1;
    }
}

static bool apply_float(struct ptx_parser *parser, int sign, double a, double b,
                        struct ptx_constant *result)
{
    switch (sign) {
    case '+':
        *result = from_double(a + b);
        return true;
    case '-':
        *result = from_double(a - b);
        return true;
    case '*':
        *result = from_double(a * b);
        return true;
    case '/':
        *result = from_double(a / b);
        return true;
    default:
        return ptx_fail(parser, "an operator of the expression is not allowed for floats");
    }
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_unsigned, bool remainder)
{
    if (is_unsigned)
        return remainder ? a % b : a / b;
    if (b == UINT64_MAX) /* INT64_MIN / -1 would overflow */
        return remainder ? 0 : -a;
    return (uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static uint64_t shift_right(uint64_t a, uint64_t b, bool is_unsigned)
{
    if (b > 63)
        return is_unsigned || !(a >> 63) ? 0 : UINT64_MAX;
    return is_unsigned ? a >> b : (uint64_t)((int64_t)a >> b);
}

static uint64_t compare(int sign, uint64_t a, uint64_t b, bool is_unsigned)
{
    bool less = is_unsigned ? a < b : (int64_t)a < (int64_t)b;

    switch (sign) {
    case '<':
        return less;
    case '>':
        return !less && a != b;
    case PTX_TOKEN_LESS_EQUAL:
        return less || a == b;
    case PTX_TOKEN_GREATER_EQUAL:
        return !less;
    case PTX_TOKEN_EQUAL:
        return a == b;
    default:
        return a != b;
    }
}

static bool apply_integer(struct ptx_parser *parser, int sign, uint64_t a, uint64_t b,
                          struct ptx_constant *result)
{
    bool is_unsigned = result->is_unsigned;

    switch (sign) {
    case '+':
        result->value = a + b;
        return true;
    case '-':
        result->value = a - b;
        return true;
    case '*':
        result->value = a * b;
        return true;
    case '/':
    case '%':
        if (b == 0)
            return ptx_fail(parser, "the expression divides by zero");
        result->value = divide(a, b, is_unsigned, sign == '%');
        return true;
    case '|':
        result->value = a | b;
        return true;
    case '^':
        result->value = a ^ b;
        return true;
    case '&':
        result->value = a & b;
        return true;
    case PTX_TOKEN_SHIFT_LEFT:
        result->value = b > 63 ? 0 : a << b;
        return true;
    case PTX_TOKEN_SHIFT_RIGHT:
        result->value = shift_right(a, b, is_unsigned);
        return true;
    case PTX_TOKEN_OR_OR:
        *result = (struct ptx_constant){.value = a || b};
        return true;
    case PTX_TOKEN_AND_AND:
        *result = (struct ptx_constant){.value = a && b};
        return true;
    default:
        *result = (struct ptx_constant){.value = compare(sign, a, b, is_unsigned)};
        return true;
    }
}

static bool parse_choice(struct ptx_parser *parser, struct ptx_constant *result, unsigned nesting)
{
    struct ptx_constant yes, no;

    if (!parse_expression(parser, &yes, 0, nesting + 1) ||
        !ptx_expect(parser, ':', "in a ?: expression") ||
        !parse_expression(parser, &no, 0, nesting + 1))
        return false;
    *result = result->value ? yes : no;
    return true;
}

static bool parse_expression(struct ptx_parser *parser, struct ptx_constant *result, int level,
                             unsigned nesting)
{
    struct ptx_constant right;

    if (!parse_unary(parser, result, nesting + 1))
        return false;
    for (;;) {
        int sign = ptx_current_token(parser)->kind, binds = level_of(sign);

        if (binds < level || binds < 0)
            return true;
        ptx_next(parser);
        if (sign == '?') {
            if (!parse_choice(parser, result, nesting + 1))
                return false;
            continue;
        }
        if (!parse_expression(parser, &right, binds + 1, nesting + 1))
            return false;
        if (result->is_float || right.is_float) {
            if (!apply_float(parser, sign, as_double(result), as_double(&right), result))
                return false;
        } else {
            result->is_unsigned |= right.is_unsigned && binds != 8;
            if (!apply_integer(parser, sign, result->value, right.value, result))
                return false;
        }
    }
}

bool ptx_parse_constant(struct ptx_parser *parser, struct ptx_constant *constant)
{
    const struct ptx_token *token = ptx_current_token(parser);

    /* Fast path: most constants are a single digit. */
    if (token->kind == PTX_TOKEN_NUMBER && token->length == 1) {
        int next = ptx_lexer_peek(&parser->lexer);

        if (next == ',' || next == ';' || next == ']' || next == '}') {
            *constant = (struct ptx_constant){.value = (uint64_t)(token->text[0] - '0')};
            ptx_next(parser);
            return true;
        }
    }
    return parse_expression(parser, constant, 0, 0);
}

bool ptx_parse_integer(struct ptx_parser *parser, uint64_t *value)
{
    struct ptx_constant constant;

    if (!ptx_parse_constant(parser, &constant))
        return false;
    if (constant.is_float)
        return ptx_fail(parser, "an integer is expected, not a float");
    *value = constant.value;
    return true;
}

bool ptx_parse_count(struct ptx_parser *parser, uint64_t largest, uint64_t *value)
{
    if (!ptx_parse_integer(parser, value))
        return false;
    if (*value > largest)
        return ptx_fail(parser, "%llu is too large: at most %llu", (unsigned long long)*value,
                        (unsigned long long)largest);
    return true;
}

bool ptx_constant_bits(const struct ptx_constant *constant, enum ptx_type type, uint64_t *bits)
{
    unsigned width = ptx_type_bits(type);
    double value;
    float single;
    uint32_t single_bits;

    *bits = constant->value;
    if (constant->is_float && type == PTX_F32) {
        if (constant->is_single)
            return true;
        single = (float)as_double(constant);
        memcpy(&single_bits, &single, 4);
        *bits = single_bits;
        return true;
    }
    if (constant->is_float && type == PTX_F64) {
        value = as_double(constant);
        memcpy(bits, &value, 8);
        return true;
    }
    if (constant->is_float)
        return type == (constant->is_single ? PTX_B32 : PTX_B64);
    if (type == PTX_PRED) {
        *bits = constant->value != 0;
        return true;
    }
    if (ptx_type_is_float(type))
        return false;
    if (width < 64)
        *bits &= ((uint64_t)1 << width) - 1;
    return true;
}
