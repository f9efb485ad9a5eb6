/* SPDX-License-Identifier: Apache-2.0 */
/* A table as a page for a browser: offline.html with the script made of offline.js, and the numbers
 * of the table as base64 of doubles, so that the page has their bits. Rows of NaN mark gaps. A
 * table with too many numbers is reduced to the least and largest value of groups of rows. */
#include "commands.h"
#include "linkage/json.h"
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS_MAX 6e6 /* limit of the numbers on a page, which have 11 bytes each */
#define NOTE_SIZE   200

/* Parts of the page before and after the data; empty if the build had none of its libraries. */
extern const unsigned char plot_page_head[], plot_page_tail[];
extern const size_t plot_page_head_size, plot_page_tail_size;

/* struct group - rows of the table that become one or two rows of the page; a gap has none */
struct group {
    int first;
    int end;
};

struct groups {
    struct group *list;
    int n;
};

/* ---- groups ---- */

/* Divide the rows of the window into groups of @size rows, separated at gaps. Return: false if
 * memory is exhausted. */
static bool divide(const struct lk_csv_table *t, const struct plot_window *w, int size,
                   struct groups *ret)
{
    ret->n = 0;
    ret->list = calloc(2 * (size_t)(w->end - w->first), sizeof(*ret->list));
    for (int i = w->first; i < w->end && ret->list != NULL; i++) {
        struct group *g = ret->n > 0 ? &ret->list[ret->n - 1] : NULL;
        bool is_after_gap = plot_is_after_gap(t, w, i);

        if (g != NULL && !is_after_gap && i - g->first < size) {
            g->end = i + 1;
            continue;
        }
        if (is_after_gap)
            ret->list[ret->n++] = (struct group){i, i};
        ret->list[ret->n++] = (struct group){i, i + 1};
    }
    return ret->list != NULL;
}

/* Return the number of rows that a group has on the page. */
static int rows_of(const struct group *g)
{
    return g->end - g->first > 1 ? 2 : 1;
}

static void find_times(const struct lk_csv_table *t, const struct groups *groups, double *ret)
{
    for (int i = 0; i < groups->n; i++) {
        const struct group *g = &groups->list[i];

        *ret++ = t->time[g->first == g->end ? g->first - 1 : g->first];
        if (rows_of(g) == 2)
            *ret++ = t->time[g->first + (g->end - g->first) / 2];
    }
}

/* Find the least and the largest value of a group, in their order. */
static void find_extremes(const double *column, int stride, const struct group *g, double *ret)
{
    int least = -1, largest = -1;

    for (int i = g->first; i < g->end; i++) {
        double value = column[(size_t)i * (size_t)stride];

        if (!isfinite(value))
            continue;
        if (least < 0 || value < column[(size_t)least * (size_t)stride])
            least = i;
        if (largest < 0 || value > column[(size_t)largest * (size_t)stride])
            largest = i;
    }
    if (least < 0) {
        ret[0] = ret[1] = NAN;
        return;
    }
    ret[least > largest] = column[(size_t)least * (size_t)stride];
    ret[least <= largest] = column[(size_t)largest * (size_t)stride];
}

static void find_values(const struct lk_csv_table *t, const struct groups *groups, int c,
                        double *ret)
{
    for (int i = 0; i < groups->n; ret += rows_of(&groups->list[i++])) {
        const struct group *g = &groups->list[i];

        if (rows_of(g) == 2)
            find_extremes(t->value + c, t->n, g, ret);
        else
            *ret = g->first == g->end ? NAN : t->value[(size_t)g->first * (size_t)t->n + (size_t)c];
    }
}

/* ---- the data ---- */

/* Write numbers as base64 (RFC 4648) of their bytes. @text: memory for text_size() characters */
static void put_list(struct lk_json *json, const char *key, const double *numbers, size_t n,
                     char *text)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *bytes = (const unsigned char *)numbers;
    size_t size = n * sizeof(*numbers);
    char *at = text;

    for (size_t i = 0; i < size; i += 3) {
        unsigned a = bytes[i], b = i + 1 < size ? bytes[i + 1] : 0;
        unsigned c = i + 2 < size ? bytes[i + 2] : 0;

        *at++ = digit[a >> 2];
        *at++ = digit[(a & 3) << 4 | b >> 4];
        *at++ = i + 1 < size ? digit[(b & 15) << 2 | c >> 6] : '=';
        *at++ = i + 2 < size ? digit[c & 63] : '=';
    }
    *at = '\0';
    lk_json_text(json, key, text);
}

static size_t text_size(size_t n)
{
    return (n * sizeof(double) + 2) / 3 * 4 + 1;
}

static void put_panels(struct lk_json *json, const struct plot_page *page)
{
    lk_json_open(json, "panels", '[');
    for (int i = 0; i < page->n_panels; i++) {
        lk_json_open(json, NULL, '[');
        for (int k = 0; k < page->panel[i].n_curves; k++)
            lk_json_number(json, NULL, page->panel[i].curve[k].column);
        lk_json_close(json, ']');
    }
    lk_json_close(json, ']');
}

/* Write the data. @list: memory for @n numbers;  @text: memory for text_size(@n) characters */
static void put_data(struct lk_json *json, const struct lk_csv_table *t,
                     const struct groups *groups, const struct plot_page *page, const char *note,
                     double *list, size_t n, char *text)
{
    lk_json_open(json, NULL, '{');
    lk_json_text(json, "name", page->title);
    lk_json_text(json, "note", note);
    find_times(t, groups, list);
    put_list(json, "times", list, n, text);
    put_panels(json, page);
    lk_json_open(json, "channels", '[');
    for (int c = 0; c < t->n; c++) {
        lk_json_open(json, NULL, '{');
        lk_json_text(json, "name", t->name[c]);
        lk_json_text(json, "unit", strcmp(t->unit[c], "1") == 0 ? "" : t->unit[c]);
        find_values(t, groups, c, list);
        put_list(json, "values", list, n, text);
        lk_json_close(json, '}');
    }
    lk_json_close(json, ']');
    lk_json_close(json, '}');
}

/* Make the data as text, NULL: memory is exhausted. free() it. */
static char *make_data(const struct lk_csv_table *t, const struct groups *groups,
                       const struct plot_page *page, const char *note, size_t *ret_size)
{
    size_t n = 0;
    char *data = NULL, *text;
    double *list;
    struct lk_json json = {.file = open_memstream(&data, ret_size)};

    for (int i = 0; i < groups->n; i++)
        n += (size_t)rows_of(&groups->list[i]);
    list = malloc(n * sizeof(*list));
    text = malloc(text_size(n));
    if (json.file != NULL && list != NULL && text != NULL)
        put_data(&json, t, groups, page, note, list, n, text);
    if (json.file != NULL && (fclose(json.file) != 0 || list == NULL || text == NULL)) {
        free(data);
        data = NULL;
    }
    free(list);
    free(text);
    return data;
}

/* Return the number of rows of a group, and write a note on the page about it. */
static int choose_size(const struct lk_csv_table *t, const struct plot_window *w,
                       char note[NOTE_SIZE])
{
    double numbers = (double)(w->end - w->first) * (t->n + 1);
    int size = numbers > NUMBERS_MAX ? (int)ceil(2 * numbers / NUMBERS_MAX) : 1;

    note[0] = '\0';
    if (size > 1)
        snprintf(note, NOTE_SIZE,
                 "Each %d rows are drawn by their least and largest value; with fewer columns, or "
                 "with --from and --to, linkage plot draws every row.",
                 size);
    return size;
}

/* ---- the page ---- */

bool plot_can_make_page(const char *path)
{
    if (plot_page_tail_size > 0)
        return true;
    complain("%s: this program was built without esbuild and libjs-dygraphs (-Dpage); .svg and "
             ".png need neither",
             path);
    return false;
}

static int write_page(const char *path, const char *data, size_t size)
{
    struct output *to = NULL;
    int fault = output_open(path, OUTPUT_MARK_HTML, &to);

    if (fault != 0)
        return fault;
    fwrite(plot_page_head, 1, plot_page_head_size, output_file(to));
    put_in_script(output_file(to), data, size);
    fwrite(plot_page_tail, 1, plot_page_tail_size, output_file(to));
    return output_close(to, true);
}

bool plot_make_page(const struct lk_csv_table *t, const struct plot_window *w,
                    const struct plot_page *page, const char *path)
{
    struct groups groups = {0};
    char note[NOTE_SIZE], *data = NULL;
    size_t size = 0;
    bool good = false;

    if (!plot_can_make_page(path))
        return false;
    if (divide(t, w, choose_size(t, w, note), &groups))
        data = make_data(t, &groups, page, note, &size);
    if (data == NULL)
        complain("out of memory");
    else
        good = told_output(path, write_page(path, data, size)) == EXIT_DONE;
    if (good && note[0] != '\0')
        fprintf(stderr, "linkage: %s: %s\n", path, note);
    free(groups.list);
    free(data);
    return good;
}
