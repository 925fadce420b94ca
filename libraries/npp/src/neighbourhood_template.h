/* SPDX-License-Identifier: MIT */
/* Bands of neighbourhoods in NUMBERs, for neighbourhood.c; VERSION() makes the names. Rows of the
 * source are converted once and stay for all windows that reach them. */

/* A row of the source from the left edge of the first window to the right edge of the last. */
static void VERSION(fill_row)(const struct pass *pass, int y, NUMBER *row)
{
    const struct npp_window *window = pass->window;
    unsigned channels = pass->function->channels;
    int first = -window->anchor.x, count = pass->size.width + window->size.width - 1;
    int from = first, to = first + count;

    if (pass->has_border) {
        y = inside(y, pass->least_y, pass->most_y, pass->mirrors);
        from = from < pass->least_x ? pass->least_x : from;
        to = to > pass->most_x + 1 ? pass->most_x + 1 : to;
    }
    if (to > from)
        LOAD(pass->function->type, npp_view_at(&pass->source, from, y, 0),
             row + (from - first) * (int)channels, (size_t)(to - from) * channels);
    for (int x = first; x < first + count; x++) {
        if (x >= from && x < to) {
            x = to - 1;
            continue;
        }
        LOAD(
            pass->function->type,
            npp_view_at(&pass->source, inside(x, pass->least_x, pass->most_x, pass->mirrors), y, 0),
            row + (x - first) * (int)channels, channels);
    }
}

NPP_VECTOR static void VERSION(add_products)(NUMBER *restrict sum, const NUMBER *restrict row,
                                             NUMBER weight, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum[i] = FUSED(row[i], weight, sum[i]);
}

NPP_VECTOR static void VERSION(take_least)(NUMBER *restrict least, const NUMBER *restrict row,
                                           size_t count)
{
    for (size_t i = 0; i < count; i++)
        least[i] = row[i] < least[i] ? row[i] : least[i];
}

NPP_VECTOR static void VERSION(take_most)(NUMBER *restrict most, const NUMBER *restrict row,
                                          size_t count)
{
    for (size_t i = 0; i < count; i++)
        most[i] = row[i] > most[i] ? row[i] : most[i];
}

/* Puts the smaller of two numbers first, for every pair of two rows. */
NPP_VECTOR static void VERSION(exchange)(NUMBER *restrict a, NUMBER *restrict b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        NUMBER least = a[i] < b[i] ? a[i] : b[i], most = a[i] < b[i] ? b[i] : a[i];

        a[i] = least;
        b[i] = most;
    }
}

/* Divides sums, as integers if asked for. */
NPP_VECTOR static void VERSION(divide)(NUMBER *sum, NUMBER divisor, NUMBER half, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum[i] = (sum[i] + half) / divisor;
}

/* Medians of a piece of a row: the pixels of all windows, sorted up to the middle. */
static void VERSION(take_medians)(const struct npp_window *window, NUMBER *const *rows,
                                  size_t offset, unsigned channels, NUMBER *result, size_t count,
                                  NUMBER *sorted)
{
    size_t places = (size_t)(window->size.width * window->size.height);

    for (size_t k = 0; k < places; k++)
        memcpy(sorted + k * PIECE,
               rows[k / (size_t)window->size.width] + offset +
                   k % (size_t)window->size.width * channels,
               count * sizeof(NUMBER));
    for (size_t k = 0; k <= places / 2; k++) {
        for (size_t j = k + 1; j < places; j++)
            VERSION(exchange)(sorted + k * PIECE, sorted + j * PIECE, count);
    }
    memcpy(result, sorted + places / 2 * PIECE, count * sizeof(NUMBER));
}

NPP_VECTOR static void VERSION(add)(NUMBER *restrict sum, const NUMBER *restrict row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum[i] += row[i];
}

/* Sums of whole windows, in any order: first the columns, then those beside each other. */
static void VERSION(sum_box)(const struct npp_window *window, NUMBER *const *rows, size_t offset,
                             unsigned channels, NUMBER *result, size_t count, NUMBER *columns)
{
    size_t reach = count + (size_t)(window->size.width - 1) * channels;

    memcpy(columns, rows[0] + offset, reach * sizeof(NUMBER));
    for (int j = 1; j < window->size.height; j++)
        VERSION(add)(columns, rows[j] + offset, reach);
    memcpy(result, columns, count * sizeof(NUMBER));
    for (int i = 1; i < window->size.width; i++)
        VERSION(add)(result, columns + (unsigned)i * channels, count);
}

static void VERSION(compute_piece)(const struct pass *pass, NUMBER *const *rows, size_t offset,
                                   NUMBER *result, size_t count, NUMBER *sorted)
{
    const struct npp_window *window = pass->window;
    unsigned channels = pass->function->channels;
    int places = window->size.width * window->size.height;
    bool first = true;

    if (window->operation == NPP_WINDOW_MEDIAN) {
        VERSION(take_medians)(window, rows, offset, channels, result, count, sorted);
        return;
    }
    if (pass->is_box)
        VERSION(sum_box)(window, rows, offset, channels, result, count, sorted);
    else
        memset(result, 0, count * sizeof(NUMBER));
    for (int i = 0; i < places && !pass->is_box; i++) {
        int k = window->backward ? places - 1 - i : i;
        const NUMBER *row =
            rows[k / window->size.width] + offset + (unsigned)(k % window->size.width) * channels;
        NUMBER weight = window->weights ? (NUMBER)window->weights[k] : 1;

        if (window->operation == NPP_WINDOW_SUM)
            VERSION(add_products)(result, row, weight, count);
        else if (weight == 0)
            continue;
        else if (first)
            memcpy(result, row, count * sizeof(NUMBER));
        else if (window->operation == NPP_WINDOW_LEAST)
            VERSION(take_least)(result, row, count);
        else
            VERSION(take_most)(result, row, count);
        first = false;
    }
    if (window->operation == NPP_WINDOW_SUM && pass->divisor != 1)
        VERSION(divide)(result, (NUMBER)pass->divisor, (NUMBER)pass->half, count);
}

/* Stores a piece, but for the fourth channel where it is alpha. */
static void VERSION(store_piece)(const struct pass *pass, int y, size_t offset,
                                 const NUMBER *result, size_t count)
{
    const struct npp_function *function = pass->function;
    size_t bytes = npp_bytes(function->target_type);
    char *to = (char *)npp_view_at(&pass->target, 0, y, 0) + offset * bytes;

    if (!function->alpha) {
        STORE_ROUNDED(function->target_type, result, to, count, NPP_RND_ZERO);
        return;
    }
    for (size_t i = 0; i < count; i += 4)
        STORE_ROUNDED(function->target_type, result + i, to + i * bytes, 3, NPP_RND_ZERO);
}

static void VERSION(run_band)(void *arguments, int first, int last)
{
    struct pass *pass = arguments;
    const struct npp_window *window = pass->window;
    int height = window->size.height;
    unsigned channels = pass->function->channels;
    size_t width = (size_t)pass->size.width * channels;
    size_t row_count = ((size_t)pass->size.width + (size_t)window->size.width - 1) * channels;
    size_t sorted_count = window->operation == NPP_WINDOW_MEDIAN
                              ? (size_t)(window->size.width * height) * PIECE
                          : pass->is_box ? PIECE + (size_t)window->size.width * channels
                                         : 0;
    NUMBER *memory = malloc((row_count * (size_t)height + PIECE + sorted_count) * sizeof(NUMBER));
    NUMBER *rows[NPP_WINDOW_MOST];
    NUMBER *result = memory + row_count * (size_t)height;

    if (!memory) {
        atomic_store(&pass->failed, true);
        return;
    }
    for (int y = first; y < last; y++) {
        for (int j = y == first ? 0 : height - 1; j < height; j++)
            VERSION(fill_row)
        (pass, y + j - window->anchor.y, memory + row_count * (size_t)((y + j - first) % height));
        for (int j = 0; j < height; j++)
            rows[j] = memory + row_count * (size_t)((y + j - first) % height);
        for (size_t at = 0; at < width; at += PIECE) {
            size_t count = width - at < PIECE ? width - at : PIECE;

            VERSION(compute_piece)(pass, rows, at, result, count, result + PIECE);
            VERSION(store_piece)(pass, y, at, result, count);
        }
    }
    free(memory);
}
