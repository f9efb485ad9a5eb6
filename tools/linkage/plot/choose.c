/* SPDX-License-Identifier: Apache-2.0 */
/* The curves of a table. */
#include "commands.h"
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CURVES_MAX 16  /* curves of a panel */
#define GAP        1.5 /* typical times between rows: a longer time is a gap in the curve */

/* struct window - rows of the table between two times. @gap: shortest time that is a gap [s] */
struct window {
    int first;
    int end;
    double gap;
};

static int compare_numbers(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Return the median of the times between rows. */
static double typical_time(const struct lk_csv_table *t)
{
    double *times = malloc(((size_t)t->n_rows + 1) * sizeof(double)), typical = INFINITY;

    for (int i = 1; i < t->n_rows && times != NULL; i++)
        times[i - 1] = t->time[i] - t->time[i - 1];
    if (t->n_rows > 1 && times != NULL) {
        qsort(times, (size_t)t->n_rows - 1, sizeof(double), compare_numbers);
        typical = times[(t->n_rows - 1) / 2];
    }
    free(times);
    return typical;
}

/* Return the number of characters of the channel in the name of a column. */
static size_t channel_size(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot == NULL ? strlen(name) : (size_t)(dot - name);
}

static bool is_of(const char *column, const char *word, size_t size)
{
    return (strlen(column) == size && strncmp(column, word, size) == 0) ||
           (channel_size(column) == size && strncmp(column, word, size) == 0);
}

static bool add_curve(const struct lk_csv_table *t, const struct window *w, int column,
                      struct plot_panel *panel)
{
    size_t n = (size_t)(w->end - w->first), k = 0;
    struct plot_curve *c = plot_add_curve(panel, t->name[column], 2 * n);

    if (c == NULL)
        return false;
    for (int i = w->first; i < w->end; i++) {
        if (i > w->first && t->time[i] - t->time[i - 1] > w->gap) {
            c->x[k] = t->time[i - 1];
            c->y[k++] = NAN;
        }
        c->x[k] = t->time[i];
        c->y[k++] = t->value[(size_t)i * (size_t)t->n + (size_t)column];
    }
    c->n = k;
    return true;
}

static void complain_of_word(const struct lk_csv_table *t, const char *path, const char *word,
                             size_t size)
{
    fprintf(stderr, "linkage: %s: no column '%.*s', expected", path, (int)size, word);
    for (int c = 0; c < t->n; c++)
        fprintf(stderr, "%s %s", c > 0 ? "," : "", t->name[c]);
    fputc('\n', stderr);
}

static void label(char *ret, size_t size, const char *name, size_t n, const char *unit)
{
    snprintf(ret, size, "%.*s%s%s%s", (int)n, name, *unit ? " [" : "", unit, *unit ? "]" : "");
}

/* Add the columns of one name to a panel, whose label then has their unit. */
static bool add_name(const struct lk_csv_table *t, const struct window *w, const char *path,
                     const char *name, size_t size, struct plot_panel *panel)
{
    bool found = false;

    for (int c = 0; c < t->n; c++) {
        if (!is_of(t->name[c], name, size))
            continue;
        if (panel->n_curves == CURVES_MAX) {
            complain("a panel has at most %d curves", CURVES_MAX);
            return false;
        }
        if (panel->n_curves == 0)
            label(panel->y_label, sizeof(panel->y_label), name, size, t->unit[c]);
        else if (!found && panel->n_curves > 0) /* of several names only the unit is common */
            label(panel->y_label, sizeof(panel->y_label), "", 0, t->unit[c]);
        found = true;
        if (!add_curve(t, w, c, panel))
            return false;
    }
    if (!found)
        complain_of_word(t, path, name, size);
    return found;
}

static bool add_word(const struct lk_csv_table *t, const struct window *w, const char *path,
                     const char *word, struct plot_page *page)
{
    struct plot_panel *panel = plot_add_panel(page, "", "");

    while (panel != NULL) {
        size_t size = strcspn(word, ",");

        if (!add_name(t, w, path, word, size, panel))
            return false;
        if (word[size] == '\0')
            return true;
        word += size + 1;
    }
    return false;
}

/* ---- without words ---- */

static bool changes(const struct lk_csv_table *t, const struct window *w, int column)
{
    for (int i = w->first; i + 1 < w->end; i++)
        if (t->value[(size_t)i * (size_t)t->n + (size_t)column] !=
            t->value[(size_t)(i + 1) * (size_t)t->n + (size_t)column])
            return true;
    return false;
}

/* Return whether column @c belongs to the panel that column @of begins. */
static bool shares_panel(const struct lk_csv_table *t, int of, int c)
{
    size_t size = channel_size(t->name[of]);

    return channel_size(t->name[c]) == size && strncmp(t->name[c], t->name[of], size) == 0 &&
           strcmp(t->unit[c], t->unit[of]) == 0;
}

/* Return whether @c is the first column of its channel and unit, and one of these changes. */
static bool begins_panel(const struct lk_csv_table *t, const struct window *w, int c)
{
    bool moves = false;

    for (int k = 0; k < c; k++)
        if (shares_panel(t, c, k))
            return false;
    for (int k = c; k < t->n; k++)
        moves |= shares_panel(t, c, k) && changes(t, w, k);
    return moves;
}

static bool add_all(const struct lk_csv_table *t, const struct window *w, struct plot_page *page)
{
    int left = 0;

    for (int c = 0; c < t->n; c++) {
        struct plot_panel *panel;
        int n = 0;

        if (!begins_panel(t, w, c))
            continue;
        if (page->n_panels == PLOT_PANELS_MAX) {
            left++;
            continue;
        }
        panel = plot_add_panel(page, "", "");
        label(panel->y_label, sizeof(panel->y_label), t->name[c], channel_size(t->name[c]),
              t->unit[c]);
        for (int k = c; k < t->n && n < CURVES_MAX; k++) {
            if (!shares_panel(t, c, k))
                continue;
            n++;
            if (!add_curve(t, w, k, panel))
                return false;
        }
    }
    if (left > 0)
        fprintf(stderr, "linkage: %d more channels change; name those to draw behind the file\n",
                left);
    if (page->n_panels == 0)
        complain("no column changes; name those to draw behind the file");
    return page->n_panels > 0;
}

bool plot_choose(const struct lk_csv_table *t, const char *path, char *const *words, int n,
                 double from, double to, struct plot_page *page)
{
    struct window w = {0, t->n_rows, GAP * typical_time(t)};
    bool good = true;

    while (w.first < w.end && t->time[w.first] < from)
        w.first++;
    while (w.end > w.first && t->time[w.end - 1] > to)
        w.end--;
    if (w.first == w.end) {
        complain("%s: no rows from %g to %g s", path, from, to);
        return false;
    }
    for (int i = 0; i < n && good; i++)
        good = add_word(t, &w, path, words[i], page);
    if (n == 0)
        good = add_all(t, &w, page);
    if (good)
        strcpy(page->panel[page->n_panels - 1].x_label, "time [s]");
    return good;
}
