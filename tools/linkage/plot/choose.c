/* SPDX-License-Identifier: Apache-2.0 */
/* The curves of a table. */
#include "commands.h"
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CURVES_MAX 16 /* curves of a panel */
#define GAP        1.5 /* a time between rows that is this much longer than both beside it is a gap */

bool plot_is_after_gap(const struct lk_csv_table *t, const struct plot_window *w, int i)
{
    double around = 0;

    if (i == w->first)
        return false;
    if (i - 1 > w->first)
        around = t->time[i - 1] - t->time[i - 2];
    if (i + 1 < w->end)
        around = fmax(around, t->time[i + 1] - t->time[i]);
    return around > 0 && t->time[i] - t->time[i - 1] > GAP * around;
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

static bool add_curve(const struct lk_csv_table *t, const struct plot_window *w, int column,
                      const char *title, struct plot_panel *panel)
{
    size_t n = (size_t)(w->end - w->first), k = 0;
    struct plot_curve *c = plot_add_curve(panel, title, 2 * n);

    if (c == NULL)
        return false;
    for (int i = w->first; i < w->end; i++) {
        if (plot_is_after_gap(t, w, i)) {
            c->x[k] = t->time[i - 1];
            c->y[k++] = NAN;
        }
        c->x[k] = t->time[i];
        c->y[k++] = t->value[(size_t)i * (size_t)t->n + (size_t)column];
    }
    c->n = k;
    c->column = column;
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

/* Return whether the columns of all names in @word have one unit. */
static bool have_one_unit(const struct lk_csv_table *t, const char *word)
{
    const char *unit = NULL;

    for (size_t size = strcspn(word, ",");; word += size + 1, size = strcspn(word, ",")) {
        for (int c = 0; c < t->n; c++) {
            if (!is_of(t->name[c], word, size))
                continue;
            if (unit != NULL && strcmp(unit, t->unit[c]) != 0)
                return false;
            unit = t->unit[c];
        }
        if (word[size] == '\0')
            return true;
    }
}

/* Add the columns of one name to a panel. @is_common: all curves of the panel have one unit, which
 * the axis names; otherwise each curve names its own */
static bool add_name(const struct lk_csv_table *t, const struct plot_window *w, const char *path,
                     const char *name, size_t size, bool is_common, struct plot_panel *panel)
{
    bool found = false;

    for (int c = 0; c < t->n; c++) {
        char title[PLOT_TITLE_SIZE];

        if (!is_of(t->name[c], name, size))
            continue;
        if (panel->n_curves == CURVES_MAX) {
            complain("a panel has at most %d curves", CURVES_MAX);
            return false;
        }
        if (panel->n_curves == 0) /* of several names only the unit is common */
            label(panel->y_label, sizeof(panel->y_label), name, name[size] == '\0' ? size : 0,
                  is_common ? t->unit[c] : "");
        label(title, sizeof(title), t->name[c], strlen(t->name[c]), is_common ? "" : t->unit[c]);
        found = true;
        if (!add_curve(t, w, c, title, panel))
            return false;
    }
    if (!found)
        complain_of_word(t, path, name, size);
    return found;
}

static bool add_word(const struct lk_csv_table *t, const struct plot_window *w, const char *path,
                     const char *word, struct plot_page *page)
{
    struct plot_panel *panel = plot_add_panel(page, "", "");
    bool is_common = have_one_unit(t, word);

    while (panel != NULL) {
        size_t size = strcspn(word, ",");

        if (!add_name(t, w, path, word, size, is_common, panel))
            return false;
        if (word[size] == '\0')
            return true;
        word += size + 1;
    }
    return false;
}

/* ---- without words ---- */

static bool changes(const struct lk_csv_table *t, const struct plot_window *w, int column)
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
static bool begins_panel(const struct lk_csv_table *t, const struct plot_window *w, int c)
{
    bool moves = false;

    for (int k = 0; k < c; k++)
        if (shares_panel(t, c, k))
            return false;
    for (int k = c; k < t->n; k++)
        moves |= shares_panel(t, c, k) && changes(t, w, k);
    return moves;
}

static bool add_all(const struct lk_csv_table *t, const struct plot_window *w,
                    struct plot_page *page)
{
    int left = 0, hidden = 0;

    for (int c = 0; c < t->n; c++) {
        struct plot_panel *panel;

        if (!begins_panel(t, w, c))
            continue;
        if (page->n_panels == PLOT_PANELS_MAX) {
            left++;
            continue;
        }
        panel = plot_add_panel(page, "", "");
        label(panel->y_label, sizeof(panel->y_label), t->name[c], channel_size(t->name[c]),
              t->unit[c]);
        for (int k = c; k < t->n; k++) {
            if (!shares_panel(t, c, k))
                continue;
            if (panel->n_curves == CURVES_MAX)
                hidden++;
            else if (!add_curve(t, w, k, t->name[k], panel))
                return false;
        }
    }
    if (left > 0)
        fprintf(stderr, "linkage: %d more channels change; name those to draw behind the file\n",
                left);
    if (hidden > 0)
        fprintf(stderr,
                "linkage: %d more components of channels are not drawn; name those to draw behind "
                "the file\n",
                hidden);
    if (page->n_panels == 0)
        complain("no column changes; name those to draw behind the file");
    return page->n_panels > 0;
}

bool plot_find_window(const struct lk_csv_table *t, const char *path, double from, double to,
                      struct plot_window *ret)
{
    struct plot_window w = {0, t->n_rows};

    while (w.first < w.end && t->time[w.first] < from)
        w.first++;
    while (w.end > w.first && t->time[w.end - 1] > to)
        w.end--;
    *ret = w;
    if (w.first == w.end)
        complain("%s: no rows from %g to %g s", path, from, to);
    return w.first < w.end;
}

/* Frequencies and classes have logarithmic axes. The shares of classes do, too. */
static void set_axes(const struct lk_csv_table *t, struct plot_panel *panel)
{
    bool is_class = strncmp(t->axis, LK_CSV_CLASS " ", sizeof(LK_CSV_CLASS)) == 0;

    panel->is_log_y = is_class;
    panel->is_log_x =
        is_class || strncmp(t->axis, LK_CSV_FREQUENCY " ", sizeof(LK_CSV_FREQUENCY)) == 0;
    for (int k = 0; k < panel->n_curves && is_class; k++)
        panel->curve[k].style = PLOT_STEPS;
}

bool plot_choose(const struct lk_csv_table *t, const struct plot_window *w, const char *path,
                 char *const *words, int n, struct plot_page *page)
{
    bool good = true;

    for (int i = 0; i < n && good; i++)
        good = add_word(t, w, path, words[i], page);
    if (n == 0)
        good = add_all(t, w, page);
    for (int i = 0; i < page->n_panels && t->axis[0] != '\0'; i++)
        set_axes(t, &page->panel[i]);
    if (good)
        strcpy(page->panel[page->n_panels - 1].x_label, t->axis[0] != '\0' ? t->axis : "time [s]");
    return good;
}
