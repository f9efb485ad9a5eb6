/* SPDX-License-Identifier: Apache-2.0 */
/* CSV files and recordings as tables over time. */
#include "commands.h"
#include "linkage/file.h"
#include "plot.h"
#include "recordings/rows.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool plot_is_page(const char *path)
{
    const char *end = strrchr(path, '.');

    return end != NULL && strcmp(end, ".html") == 0;
}

bool plot_can_draw(const char *path)
{
    const char *mark = plot_is_page(path) ? OUTPUT_MARK_HTML : plot_mark(path);

    if (plot_is_page(path) && !plot_can_make_page(path))
        return false;
    if (mark != NULL)
        return told_output(path, output_check(path, mark)) == EXIT_DONE;
    complain("%s: expected a name that ends with .svg, .png or .html", path);
    return false;
}

static bool is_recording(const char *path)
{
    static const unsigned char magic[] = {0x89, 'M', 'C', 'A', 'P'};
    unsigned char head[sizeof(magic)];
    int fd = lk_file_open(path);
    bool is = fd >= 0 && read(fd, head, sizeof(head)) == (ssize_t)sizeof(head) &&
              memcmp(head, magic, sizeof(magic)) == 0;

    if (fd >= 0)
        close(fd);
    return is;
}

static bool name_columns(const struct rows *rows, struct lk_csv_table *t)
{
    t->name = calloc(rows->n + 1, sizeof(*t->name));
    t->unit = calloc(rows->n + 1, sizeof(*t->unit));
    if (t->name == NULL || t->unit == NULL)
        return false;
    for (size_t i = 0; i < rows->n; i++) {
        struct rows_name name;
        int n = t->n;

        if (i == rows->time_at)
            continue;
        t->n++;
        rows_name(rows, i, &name);
        t->unit[n] = strdup(name.unit);
        if (asprintf(&t->name[n], "%s%s%s", name.channel, *name.component ? "." : "",
                     name.component) < 0)
            t->name[n] = NULL;
        if (t->unit[n] == NULL || t->name[n] == NULL)
            return false;
    }
    return true;
}

static bool take_rows(struct rows *rows, struct lk_csv_table *t)
{
    int result;

    if (!name_columns(rows, t)) {
        complain("out of memory");
        return false;
    }
    while ((result = rows_next(rows)) == 1) {
        if (!lk_csv_table_grow(t)) {
            complain("out of memory");
            return false;
        }
        t->time[t->n_rows] = rows->values[rows->time_at];
        for (size_t i = 0, k = (size_t)t->n_rows * (size_t)t->n; i < rows->n; i++)
            if (i != rows->time_at)
                t->value[k++] = rows->values[i];
        t->n_rows++;
    }
    return result == 0;
}

static bool read_recording(const char *path, const char *topic, struct lk_csv_table *t)
{
    struct recorded file;
    struct rows rows = {0};
    bool good;

    if (!recorded_open(path, &file))
        return false;
    good = rows_begin(&file, topic, &rows) && take_rows(&rows, t);
    rows_end(&rows);
    recorded_close(&file);
    return good;
}

bool plot_read(const char *path, const char *topic, struct lk_csv_table *t)
{
    struct lk_error error;

    if (is_recording(path))
        return read_recording(path, topic, t);
    if (lk_csv_read_curves(path, t, &error) == 0)
        return true;
    complain("%s", error.text);
    return false;
}

bool plot_table(const struct plot_request *r, const char *output, struct plot_page *page)
{
    struct lk_csv_table table = {0};
    struct plot_window window;
    bool good;

    snprintf(page->title, sizeof(page->title), "%s", r->title);
    good = plot_read(r->path, r->topic, &table) &&
           plot_find_window(&table, r->title, r->from, r->to, &window) &&
           plot_choose(&table, &window, r->title, r->words, r->n_words, page) &&
           (plot_is_page(output) ? plot_make_page(&table, &window, page, output)
                                 : plot_draw(page, output));
    lk_csv_table_release(&table);
    return good;
}

int plot_file(const char *table, const char *title, const char *path)
{
    const struct plot_request request = {
        .path = table, .topic = "outputs", .title = title, .from = -DBL_MAX, .to = DBL_MAX};
    struct plot_page page = {0};
    int n = plot_table(&request, path, &page) ? page.n_panels : 0;

    plot_page_fini(&page);
    return n;
}
