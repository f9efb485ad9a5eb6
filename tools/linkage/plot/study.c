/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a study: each result over each varied quantity, a point for each case. The columns
 * are the case, its outcome, the quantities, results such as max(CHANNEL), residual, energy error
 * and reason (sweep/plan.c). */
#include "commands.h"
#include "linkage/file.h"
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX    1024
#define TABLE_SIZE_MAX (256u << 20)

/* struct study_table - @name: with the unit;  @value: @n values for each row, NAN: no number
 * @n_varied: number of varied quantities, which are columns 2 to n_varied + 1;  @passed: of each
 * row */
struct study_table {
    char *text;
    char *name[COLUMNS_MAX];
    int n;
    int n_varied;
    int n_rows;
    double *value;
    bool *passed;
};

/* Return the next field of a line, terminated in place; NULL: no more. A field in quotes, which
 * only the reason may be, ends the line. */
static char *next_field(char **line)
{
    char *field = *line, *comma;

    if (field == NULL || *field == '"')
        return NULL;
    comma = strchr(field, ',');
    *line = comma == NULL ? NULL : comma + 1;
    if (comma != NULL)
        *comma = '\0';
    return field;
}

static bool read_header(struct study_table *t, char *line)
{
    char *field;

    while ((field = next_field(&line)) != NULL && t->n < COLUMNS_MAX)
        t->name[t->n++] = field;
    while (2 + t->n_varied < t->n && strchr(t->name[2 + t->n_varied], '(') == NULL &&
           strncmp(t->name[2 + t->n_varied], "residual", 8) != 0)
        t->n_varied++;
    return t->n > 2 && strcmp(t->name[0], "case") == 0 && strcmp(t->name[1], "outcome") == 0;
}

static void read_row(struct study_table *t, char *line)
{
    double *value = t->value + (size_t)t->n_rows * (size_t)t->n;
    char *field;

    for (int i = 0; i < t->n; i++)
        value[i] = NAN;
    for (int i = 0; i < t->n && (field = next_field(&line)) != NULL; i++) {
        if (i == 1)
            t->passed[t->n_rows] = strcmp(field, "passed") == 0;
        else if (!parse_number(field, &value[i]))
            value[i] = NAN;
    }
    t->n_rows++;
}

static bool read_table(const char *path, struct study_table *t)
{
    size_t size = 0, n_lines = 1;
    char *line, *rest;
    int fault = lk_file_read(path, TABLE_SIZE_MAX, &t->text, &size);

    if (fault != 0) {
        complain("%s: %s", path, lk_file_error(fault));
        return false;
    }
    for (const char *c = t->text; *c != '\0'; c++)
        n_lines += *c == '\n';
    rest = t->text;
    line = strsep(&rest, "\n");
    if (!read_header(t, line)) {
        complain("%s: expected the table of linkage sweep", path);
        return false;
    }
    t->value = calloc(n_lines * (size_t)t->n, sizeof(double));
    t->passed = calloc(n_lines, sizeof(bool));
    if (t->value == NULL || t->passed == NULL) {
        complain("out of memory");
        return false;
    }
    while ((line = strsep(&rest, "\n")) != NULL)
        if (*line != '\0')
            read_row(t, line);
    return true;
}

static bool add_cases(const struct study_table *t, int x, int y, bool passed,
                      struct plot_panel *panel)
{
    struct plot_curve *c =
        plot_add_curve(panel, passed ? "passed" : "not passed", (size_t)t->n_rows);

    if (c == NULL)
        return false;
    c->style = PLOT_DOTS;
    c->n = 0;
    for (int i = 0; i < t->n_rows; i++) {
        const double *value = t->value + (size_t)i * (size_t)t->n;

        if (t->passed[i] != passed || !isfinite(value[x]) || !isfinite(value[y]))
            continue;
        c->x[c->n] = value[x];
        c->y[c->n++] = value[y];
    }
    if (c->n == 0)
        panel->n_curves--;
    if (c->n == 0) {
        free(c->x);
        free(c->y);
    }
    return true;
}

/* Return whether a case has numbers of both columns. */
static bool has_numbers(const struct study_table *t, int x, int y)
{
    for (int i = 0; i < t->n_rows; i++)
        if (isfinite(t->value[i * t->n + x]) && isfinite(t->value[i * t->n + y]))
            return true;
    return false;
}

static bool add_panel(const struct study_table *t, int x, int y, struct plot_page *page)
{
    struct plot_panel *panel = plot_add_panel(page, t->name[x], t->name[y]);

    if (panel == NULL || !add_cases(t, x, y, true, panel) || !add_cases(t, x, y, false, panel))
        return false;
    if (panel->n_curves > 0)
        return true;
    complain("no case has numbers of %s and %s", t->name[x], t->name[y]);
    return false;
}

/* Find a column by its name, with or without its unit. Return: -1 after an error message. */
static int find_column(const struct study_table *t, const char *word, size_t size)
{
    for (int i = 2; i < t->n; i++) {
        size_t n = strcspn(t->name[i], " ");

        if (n == size && strncmp(t->name[i], word, size) == 0)
            return i;
    }
    fprintf(stderr, "linkage: no column '%.*s', expected", (int)size, word);
    for (int i = 2; i < t->n; i++)
        fprintf(stderr, "%s %.*s", i > 2 ? "," : "", (int)strcspn(t->name[i], " "), t->name[i]);
    fputc('\n', stderr);
    return -1;
}

/* Add the panel of "Y", over the first quantity, or of "Y:X". */
static bool add_word(const struct study_table *t, const char *word, struct plot_page *page)
{
    size_t size = strcspn(word, ":");
    int y = find_column(t, word, size);
    int x = word[size] == ':' ? find_column(t, word + size + 1, strlen(word + size + 1)) : 2;

    return x >= 0 && y >= 0 && add_panel(t, x, y, page);
}

static bool add_all(const struct study_table *t, struct plot_page *page)
{
    int left = 0;

    for (int y = 2 + t->n_varied; y < t->n; y++)
        for (int x = 2; x < 2 + t->n_varied && strchr(t->name[y], '(') != NULL; x++) {
            if (!has_numbers(t, x, y)) {
                fprintf(stderr, "linkage: left out: no case has numbers of %s and %s\n", t->name[x],
                        t->name[y]);
                continue;
            }
            left += page->n_panels == PLOT_PANELS_MAX;
            if (page->n_panels < PLOT_PANELS_MAX && !add_panel(t, x, y, page))
                return false;
        }
    if (left > 0)
        fprintf(stderr, "linkage: %d more panels; name those to draw as RESULT:QUANTITY\n", left);
    if (page->n_panels == 0)
        complain("nothing was varied or asked for, or has numbers; name what to draw as Y:X");
    return page->n_panels > 0;
}

bool plot_study(const char *path, char *const *words, int n, struct plot_page *page)
{
    struct study_table *t = calloc(1, sizeof(*t));
    bool good = t != NULL && read_table(path, t);

    for (int i = 0; i < n && good; i++)
        good = add_word(t, words[i], page);
    if (n == 0 && good)
        good = add_all(t, page);
    if (t != NULL) {
        free(t->text);
        free(t->value);
        free(t->passed);
    }
    free(t);
    return good;
}

bool plot_is_study(const char *path)
{
    static const char head[] = "case,outcome,";
    char bytes[sizeof(head)];
    int fd = lk_file_open(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
    bool is = file != NULL && fread(bytes, 1, sizeof(head) - 1, file) == sizeof(head) - 1 &&
              memcmp(bytes, head, sizeof(head) - 1) == 0;

    if (file != NULL)
        fclose(file);
    return is;
}
