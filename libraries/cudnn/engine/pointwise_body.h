/* SPDX-License-Identifier: MIT */
/* The loops of pointwise operations for one number type. The file that includes this defines REAL,
 * M(function), the C library's function for it, and LINE_OF, the function to define. */
#include "pointwise.h"

#include <math.h>

static inline REAL sigmoid(REAL x)
{
    return 1 / (1 + M(exp)(-x));
}

static inline REAL relu(const struct dnn_pointwise_factors *f, REAL x)
{
    REAL lower = (REAL)f->lower, upper = (REAL)f->upper;

    return x <= lower ? lower + (REAL)f->slope * (x - lower) : x >= upper ? upper : x;
}

static inline REAL relu_slope(const struct dnn_pointwise_factors *f, REAL x)
{
    return x <= (REAL)f->lower ? (REAL)f->slope : x > (REAL)f->upper ? 0 : 1;
}

static inline REAL softplus(REAL x, REAL beta)
{
    REAL z = beta * x;

    return (z > 0 ? z + M(log1p)(M(exp)(-z)) : M(log1p)(M(exp)(z))) / beta;
}

static inline REAL swish_slope(REAL x, REAL beta)
{
    REAL s = sigmoid(beta * x);

    return s + beta * x * s * (1 - s);
}

static inline REAL gelu_slope(REAL x)
{
    return (REAL)0.5 * (1 + M(erf)(x * (REAL)M_SQRT1_2)) +
           x * M(exp)((REAL)-0.5 * x * x) * (REAL)0.3989422804014327;
}

static const REAL tanh_factor = (REAL)0.7978845608028654, cube_factor = (REAL)0.044715;

static inline REAL gelu_tanh(REAL x)
{
    return (REAL)0.5 * x * (1 + M(tanh)(tanh_factor * (x + cube_factor * x * x * x)));
}

static inline REAL gelu_tanh_slope(REAL x)
{
    REAL t = M(tanh)(tanh_factor * (x + cube_factor * x * x * x));

    return (REAL)0.5 * (1 + t) +
           (REAL)0.5 * x * (1 - t * t) * tanh_factor * (1 + 3 * cube_factor * x * x);
}

/* A NaN of either operand is the answer. */
static inline REAL larger(REAL a, REAL b)
{
    return a > b || isnan(a) ? a : b;
}

static inline REAL smaller(REAL a, REAL b)
{
    return a < b || isnan(a) ? a : b;
}

/* A function with the loop of one mode. A is the first operand, B the second or dy, T the
 * predicate. */
#define LINE(name, expression)                                                                     \
    static void name(const struct dnn_pointwise_factors *f, void *y, const void *x, const void *b, \
                     const void *t, size_t count)                                                  \
    {                                                                                              \
        (void)f, (void)b, (void)t;                                                                 \
        for (size_t i = 0; i < count; i++)                                                         \
            ((REAL *)y)[i] = (REAL)(expression);                                                   \
    }
#define A (((const REAL *)x)[i])
#define B (((const REAL *)b)[i])
#define T (((const REAL *)t)[i])

LINE(add, A + B)
LINE(add_square, A + B * B)
LINE(divide, A / B)
LINE(maximum, larger(A, B))
LINE(minimum, smaller(A, B))
LINE(modulo, M(fmod)(A, B))
LINE(multiply, A *B)
LINE(power, M(pow)(A, B))
LINE(subtract, A - B)
LINE(absolute, M(fabs)(A))
LINE(ceiling, M(ceil)(A))
LINE(cosine, M(cos)(A))
LINE(exponential, M(exp)(A))
LINE(flooring, M(floor)(A))
LINE(logarithm, M(log)(A))
LINE(negate, -A)
LINE(inverse_root, 1 / M(sqrt)(A))
LINE(sine, M(sin)(A))
LINE(root, M(sqrt)(A))
LINE(tangent, M(tan)(A))
LINE(error_function, M(erf)(A))
LINE(identity, A)
LINE(reciprocal, 1 / A)
LINE(arc_tangent, M(atan2)(A, B))
LINE(relu_forward, relu(f, A))
LINE(tanh_forward, M(tanh)(A))
LINE(sigmoid_forward, sigmoid(A))
LINE(elu_forward, A > 0 ? A : (REAL)f->elu_alpha * M(expm1)(A))
LINE(gelu_forward, (REAL)0.5 * A * (1 + M(erf)(A * (REAL)M_SQRT1_2)))
LINE(softplus_forward, softplus(A, (REAL)f->softplus_beta))
LINE(swish_forward, A *sigmoid((REAL)f->swish_beta *A))
LINE(gelu_tanh_forward, gelu_tanh(A))
LINE(relu_backward, B *relu_slope(f, A))
LINE(tanh_backward, B *(1 - M(tanh)(A) * M(tanh)(A)))
LINE(sigmoid_backward, B *sigmoid(A) * (1 - sigmoid(A)))
LINE(elu_backward, A > 0 ? B : B * (REAL)f->elu_alpha * M(exp)(A))
LINE(gelu_backward, B *gelu_slope(A))
LINE(softplus_backward, B *sigmoid((REAL)f->softplus_beta *A))
LINE(swish_backward, B *swish_slope(A, (REAL)f->swish_beta))
LINE(gelu_tanh_backward, B *gelu_tanh_slope(A))
LINE(equal, A == B)
LINE(not_equal, A != B)
LINE(greater, A > B)
LINE(greater_or_equal, A >= B)
LINE(less, A < B)
LINE(less_or_equal, A <= B)
LINE(logical_and, A != 0 && B != 0)
LINE(logical_or, A != 0 || B != 0)
LINE(logical_not, A == 0)
LINE(tanh_from_y, B *(1 - A * A))
LINE(sigmoid_from_y, B *A *(1 - A))
LINE(elu_from_y, A >= 0 ? B : B * (A + (REAL)f->elu_alpha))
LINE(select_by, T != 0 ? A : B)

static const struct {
    int mode;
    dnn_pointwise_line *line;
} lines[] = {
    {CUDNN_POINTWISE_ADD, add},
    {CUDNN_POINTWISE_ADD_SQUARE, add_square},
    {CUDNN_POINTWISE_DIV, divide},
    {CUDNN_POINTWISE_MAX, maximum},
    {CUDNN_POINTWISE_MIN, minimum},
    {CUDNN_POINTWISE_MOD, modulo},
    {CUDNN_POINTWISE_MUL, multiply},
    {CUDNN_POINTWISE_POW, power},
    {CUDNN_POINTWISE_SUB, subtract},
    {CUDNN_POINTWISE_ABS, absolute},
    {CUDNN_POINTWISE_CEIL, ceiling},
    {CUDNN_POINTWISE_COS, cosine},
    {CUDNN_POINTWISE_EXP, exponential},
    {CUDNN_POINTWISE_FLOOR, flooring},
    {CUDNN_POINTWISE_LOG, logarithm},
    {CUDNN_POINTWISE_NEG, negate},
    {CUDNN_POINTWISE_RSQRT, inverse_root},
    {CUDNN_POINTWISE_SIN, sine},
    {CUDNN_POINTWISE_SQRT, root},
    {CUDNN_POINTWISE_TAN, tangent},
    {CUDNN_POINTWISE_ERF, error_function},
    {CUDNN_POINTWISE_IDENTITY, identity},
    {CUDNN_POINTWISE_RECIPROCAL, reciprocal},
    {CUDNN_POINTWISE_ATAN2, arc_tangent},
    {CUDNN_POINTWISE_RELU_FWD, relu_forward},
    {CUDNN_POINTWISE_TANH_FWD, tanh_forward},
    {CUDNN_POINTWISE_SIGMOID_FWD, sigmoid_forward},
    {CUDNN_POINTWISE_ELU_FWD, elu_forward},
    {CUDNN_POINTWISE_GELU_FWD, gelu_forward},
    {CUDNN_POINTWISE_SOFTPLUS_FWD, softplus_forward},
    {CUDNN_POINTWISE_SWISH_FWD, swish_forward},
    {CUDNN_POINTWISE_GELU_APPROX_TANH_FWD, gelu_tanh_forward},
    {CUDNN_POINTWISE_RELU_BWD, relu_backward},
    {CUDNN_POINTWISE_TANH_BWD, tanh_backward},
    {CUDNN_POINTWISE_SIGMOID_BWD, sigmoid_backward},
    {CUDNN_POINTWISE_ELU_BWD, elu_backward},
    {CUDNN_POINTWISE_GELU_BWD, gelu_backward},
    {CUDNN_POINTWISE_SOFTPLUS_BWD, softplus_backward},
    {CUDNN_POINTWISE_SWISH_BWD, swish_backward},
    {CUDNN_POINTWISE_GELU_APPROX_TANH_BWD, gelu_tanh_backward},
    {CUDNN_POINTWISE_CMP_EQ, equal},
    {CUDNN_POINTWISE_CMP_NEQ, not_equal},
    {CUDNN_POINTWISE_CMP_GT, greater},
    {CUDNN_POINTWISE_CMP_GE, greater_or_equal},
    {CUDNN_POINTWISE_CMP_LT, less},
    {CUDNN_POINTWISE_CMP_LE, less_or_equal},
    {CUDNN_POINTWISE_LOGICAL_AND, logical_and},
    {CUDNN_POINTWISE_LOGICAL_OR, logical_or},
    {CUDNN_POINTWISE_LOGICAL_NOT, logical_not},
    {CUDNN_POINTWISE_BINARY_SELECT, select_by},
    {CUDNN_POINTWISE_GEN_INDEX, identity},
    {DNN_POINTWISE_ELU_FROM_Y, elu_from_y},
    {DNN_POINTWISE_TANH_FROM_Y, tanh_from_y},
    {DNN_POINTWISE_SIGMOID_FROM_Y, sigmoid_from_y},
};

dnn_pointwise_line *LINE_OF(cudnnPointwiseMode_t mode)
{
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
        if (lines[i].mode == (int)mode)
            return lines[i].line;
    return NULL;
}
