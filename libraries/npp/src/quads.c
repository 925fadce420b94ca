/* SPDX-License-Identifier: MIT */
/* Quadrangles: matrices that map a rectangle to one, where a matrix or a rotation takes the corners
 * of a rectangle, and warps from one quadrangle to another. What the functions without an image
 * answer is what NVIDIA's answered, its slips included. */
#include "geometry.h"
#include "handlers.h"

#include <math.h>
#include <nppi_geometry_transforms.h>
#include <string.h>

/* Corners in the order of quadrangles: along the upper edge, then back along the lower one. */
static void corners_of(NppiRect rect, double extent, double corners[4][2])
{
    double right = rect.x + rect.width - extent, bottom = rect.y + rect.height - extent;
    const double places[4][2] = {
        {rect.x, rect.y}, {right, rect.y}, {right, bottom}, {rect.x, bottom}};

    memcpy(corners, places, sizeof(places));
}

static void map_corners(const double matrix[3][3], NppiRect rect, double quad[4][2])
{
    double corners[4][2];

    corners_of(rect, 1, corners);
    for (int i = 0; i < 4; i++) {
        double x = corners[i][0], y = corners[i][1];
        double w = matrix[2][0] * x + matrix[2][1] * y + matrix[2][2];

        for (int j = 0; j < 2; j++)
            quad[i][j] = (matrix[j][0] * x + matrix[j][1] * y + matrix[j][2]) / w;
    }
}

static void bound_quad(const double quad[4][2], double bound[2][2])
{
    for (int j = 0; j < 2; j++) {
        bound[0][j] = bound[1][j] = quad[0][j];
        for (int i = 1; i < 4; i++) {
            bound[0][j] = quad[i][j] < bound[0][j] ? quad[i][j] : bound[0][j];
            bound[1][j] = quad[i][j] > bound[1][j] ? quad[i][j] : bound[1][j];
        }
    }
}

static bool is_empty(NppiRect rect)
{
    return rect.width <= 0 || rect.height <= 0;
}

static void affine_matrix(const double coeffs[2][3], double matrix[3][3])
{
    const double last[3] = {0, 0, 1};

    memcpy(matrix, coeffs, 2 * sizeof(*coeffs));
    memcpy(matrix[2], last, sizeof(last));
}

static NppStatus quad_of(const double matrix[3][3], NppiRect rect, double quad[4][2])
{
    if (is_empty(rect))
        return NPP_SIZE_ERROR;
    map_corners(matrix, rect, quad);
    return NPP_SUCCESS;
}

static NppStatus bound_of(const double matrix[3][3], NppiRect rect, double bound[2][2])
{
    double quad[4][2];

    if (is_empty(rect))
        return NPP_SIZE_ERROR;
    map_corners(matrix, rect, quad);
    bound_quad((const double(*)[2])quad, bound);
    return NPP_SUCCESS;
}

NppStatus nppiGetAffineQuad(NppiRect src_rect, double quad[4][2], const double coeffs[2][3])
{
    double matrix[3][3];

    affine_matrix(coeffs, matrix);
    return quad_of((const double(*)[3])matrix, src_rect, quad);
}

NppStatus nppiGetAffineBound(NppiRect src_rect, double bound[2][2], const double coeffs[2][3])
{
    double matrix[3][3];

    affine_matrix(coeffs, matrix);
    return bound_of((const double(*)[3])matrix, src_rect, bound);
}

NppStatus nppiGetPerspectiveQuad(NppiRect src_rect, double quad[4][2], const double coeffs[3][3])
{
    return quad_of(coeffs, src_rect, quad);
}

NppStatus nppiGetPerspectiveBound(NppiRect src_rect, double bound[2][2], const double coeffs[3][3])
{
    return bound_of(coeffs, src_rect, bound);
}

static void rotation(double angle, double shift_x, double shift_y, double matrix[3][3])
{
    double c = cos(angle * M_PI / 180), s = sin(angle * M_PI / 180);
    const double rows[3][3] = {{c, s, shift_x}, {-s, c, shift_y}, {0, 0, 1}};

    memcpy(matrix, rows, sizeof(rows));
}

NppStatus nppiGetRotateQuad(NppiRect src_rect, double quad[4][2], double angle, double shift_x,
                            double shift_y)
{
    double matrix[3][3];

    rotation(angle, shift_x, shift_y, matrix);
    return quad_of((const double(*)[3])matrix, src_rect, quad);
}

NppStatus nppiGetRotateBound(NppiRect src_rect, double bounding_box[2][2], double angle,
                             double shift_x, double shift_y)
{
    double matrix[3][3];

    rotation(angle, shift_x, shift_y, matrix);
    return bound_of((const double(*)[3])matrix, src_rect, bounding_box);
}

NppStatus nppiGetResizeRect(NppiRect src_rect, NppiRect *dst_rect, double x_factor, double y_factor,
                            double x_shift, double y_shift, int interpolation)
{
    if (is_empty(src_rect))
        return NPP_SIZE_ERROR;
    if (x_factor <= 0 || y_factor <= 0)
        return NPP_RESIZE_FACTOR_ERROR;
    if (interpolation != NPPI_INTER_NN && interpolation != NPPI_INTER_LINEAR &&
        interpolation != NPPI_INTER_CUBIC && interpolation != NPPI_INTER_SUPER &&
        interpolation != NPPI_INTER_LANCZOS)
        return NPP_INTERPOLATION_ERROR;
    *dst_rect = (NppiRect){
        (int)round(src_rect.x * x_factor + x_shift), (int)round(src_rect.y * y_factor + y_shift),
        (int)round(src_rect.width * x_factor), (int)round(src_rect.height * y_factor)};
    return dst_rect->width > 0 && dst_rect->height > 0 ? NPP_SUCCESS
                                                       : NPP_RESIZE_NO_OPERATION_ERROR;
}

/* True if a matrix takes the last corner elsewhere than to the last vertex. */
static bool misses(const double coeffs[2][3], const double corner[2], const double vertex[2])
{
    const double most = 1e-6;

    for (int j = 0; j < 2; j++)
        if (!(fabs(coeffs[j][0] * corner[0] + coeffs[j][1] * corner[1] + coeffs[j][2] - vertex[j]) <
              most))
            return true;
    return false;
}

/* Three vertices settle the matrix. NVIDIA's takes the wrong one of two coefficients for the shift
 * of y, and so does this. */
NppStatus nppiGetAffineTransform(NppiRect src_rect, const double quad[4][2], double coeffs[2][3])
{
    double corners[4][2], across = 1.0 / src_rect.width, down = 1.0 / src_rect.height;

    if (src_rect.width <= 1 || src_rect.height <= 1)
        return NPP_RECTANGLE_ERROR;
    for (int j = 0; j < 2; j++) {
        coeffs[j][0] = (quad[1][j] - quad[0][j]) * across;
        coeffs[j][1] = (quad[2][j] - quad[1][j]) * down;
    }
    coeffs[0][2] = quad[0][0] - coeffs[0][0] * src_rect.x - coeffs[0][1] * src_rect.y;
    coeffs[1][2] = quad[0][1] - coeffs[0][1] * src_rect.x - coeffs[1][1] * src_rect.y;
    if (coeffs[0][0] * coeffs[1][1] - coeffs[0][1] * coeffs[1][0] == 0)
        return NPP_COEFFICIENT_ERROR;
    corners_of(src_rect, 0, corners);
    return misses((const double(*)[3])coeffs, corners[3], quad[3])
               ? NPP_AFFINE_QUAD_INCORRECT_WARNING
               : NPP_SUCCESS;
}

static void multiply(const double a[3][3], const double b[3][3], double out[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
}

/* The matrix that maps the unit square to a quadrangle. */
static void from_square(const double q[4][2], double matrix[3][3])
{
    double ax = q[1][0] - q[2][0], ay = q[1][1] - q[2][1];
    double bx = q[3][0] - q[2][0], by = q[3][1] - q[2][1];
    double sx = q[0][0] - q[1][0] + q[2][0] - q[3][0], sy = q[0][1] - q[1][1] + q[2][1] - q[3][1];
    double determinant = ax * by - bx * ay;
    double g = (sx * by - bx * sy) / determinant, h = (ax * sy - sx * ay) / determinant;
    const double rows[3][3] = {
        {q[1][0] - q[0][0] + g * q[1][0], q[3][0] - q[0][0] + h * q[3][0], q[0][0]},
        {q[1][1] - q[0][1] + g * q[1][1], q[3][1] - q[0][1] + h * q[3][1], q[0][1]},
        {g, h, 1}};

    memcpy(matrix, rows, sizeof(rows));
}

NppStatus nppiGetPerspectiveTransform(NppiRect src_rect, const double quad[4][2],
                                      double coeffs[3][3])
{
    double across = 1.0 / src_rect.width, down = 1.0 / src_rect.height;
    const double to_square[3][3] = {
        {across, 0, -src_rect.x * across}, {0, down, -src_rect.y * down}, {0, 0, 1}};
    double square[3][3], product[3][3];

    if (src_rect.width <= 1 || src_rect.height <= 1)
        return NPP_RECTANGLE_ERROR;
    from_square(quad, square);
    multiply((const double(*)[3])square, to_square, product);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            coeffs[i][j] = product[i][j] / product[2][2];
    return NPP_SUCCESS;
}

/* False: it is not convex, or some of its vertices are on one line. */
static bool is_convex(const double q[4][2])
{
    int left = 0, right = 0;

    for (int i = 0; i < 4; i++) {
        const double *a = q[i], *b = q[(i + 1) % 4], *c = q[(i + 2) % 4];
        double turn = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);

        left += turn > 0;
        right += turn < 0;
    }
    return left == 4 || right == 4;
}

/* True if the box around a quadrangle and a rectangle have no pixel in common. */
static bool is_apart(const double quad[4][2], NppiRect rect)
{
    double bound[2][2];

    bound_quad(quad, bound);
    return bound[1][0] < rect.x || bound[0][0] > rect.x + rect.width - 1 || bound[1][1] < rect.y ||
           bound[0][1] > rect.y + rect.height - 1;
}

/* The first three vertices of both settle an affine matrix: the fourth ones are made to agree. */
static void complete(double quad[4][2])
{
    for (int j = 0; j < 2; j++)
        quad[3][j] = quad[0][j] + quad[2][j] - quad[1][j];
}

NppStatus npp_warp_quad(const struct npp_function *function, const struct npp_call *call,
                        bool checks)
{
    bool affine = strstr(function->name, "Affine") != NULL;
    double from[4][2], to[4][2], corners[2][3][3], back[3][3], forward[3][3], fourth[2];
    NppStatus status;

    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++) {
            from[i][j] = call->src_quad_v[2 * i + j];
            to[i][j] = call->dst_quad_v[2 * i + j];
        }
    if (!is_convex((const double(*)[2])from) || !is_convex((const double(*)[2])to))
        return NPP_QUADRANGLE_ERROR;
    if (is_apart((const double(*)[2])from, call->src_rect) ||
        is_apart((const double(*)[2])to, call->dst_rect))
        return NPP_WRONG_INTERSECTION_QUAD_WARNING;
    memcpy(fourth, from[3], sizeof(fourth));
    if (affine) {
        complete(from);
        complete(to);
    }
    from_square((const double(*)[2])from, corners[0]);
    from_square((const double(*)[2])to, corners[1]);
    if (!npp_invert((const double(*)[3])corners[0], back))
        return NPP_QUADRANGLE_ERROR;
    multiply((const double(*)[3])corners[1], (const double(*)[3])back, forward);
    status = npp_warp_by(function, call, checks, (const double(*)[3])forward);
    if (status == NPP_SUCCESS && affine &&
        misses((const double(*)[3])forward, fourth, call->dst_quad_v + 6))
        return NPP_AFFINE_QUAD_INCORRECT_WARNING;
    return status;
}
