/* SPDX-License-Identifier: Apache-2.0 */
#include "option_table.h"
#include "linkage/commit.h"
#include "numbers.h"

#include <assert.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>

#define ROW_0 256 /* value of row 0 for getopt_long() if it has no letter; above all letters */

static bool is_row(const struct option_row *row)
{
    return row->name != NULL || row->letter != 0;
}

static bool ends(const struct option_row *row)
{
    return row->print != NULL || row->program != NULL || row->end != NULL;
}

static int has_value(const struct option_row *row)
{
    if (row->bare || row->flag != NULL || ends(row))
        return no_argument;
    return row->optional ? optional_argument : required_argument;
}

/* Convert the rows to the form of getopt_long(). */
static void convert_rows(const struct option_row *rows, const char *order, char *letters,
                         struct option *longs)
{
    for (; order != NULL && *order != '\0'; order++)
        *letters++ = *order;
    for (int i = 0; is_row(&rows[i]); i++) {
        int value = rows[i].letter != 0 ? rows[i].letter : ROW_0 + i;

        assert(i < OPTIONS_MAX);
        if (rows[i].letter != 0)
            *letters++ = rows[i].letter;
        for (int k = has_value(&rows[i]); k > 0 && rows[i].letter != 0; k--)
            *letters++ = ':'; /* one colon: a value; two: an optional value */
        if (rows[i].name != NULL)
            *longs++ = (struct option){rows[i].name, has_value(&rows[i]), NULL, value};
    }
    *letters = '\0';
    *longs = (struct option){NULL};
}

static const struct option_row *find_row(const struct option_row *rows, int c)
{
    for (int i = 0; is_row(&rows[i]); i++)
        if (c == rows[i].letter || c == ROW_0 + i)
            return &rows[i];
    return NULL;
}

static int take_number(const struct option_table *table, const struct option_row *row,
                       const char *text)
{
    char range[128];
    double value;

    if (!parse_number(text, &value) || (row->number == NULL && value != floor(value)) ||
        (row->low != row->high && (value < row->low || value > row->high))) {
        snprintf(range, sizeof(range), "%.15g to %.15g%s%s", row->low, row->high,
                 row->unit != NULL ? " " : "", row->unit != NULL ? row->unit : "");
        return table->refuse(row, text, row->expected != NULL ? row->expected : range);
    }
    if (row->number != NULL)
        *row->number = value;
    else if (row->integer != NULL)
        *row->integer = (int)value;
    else if (row->whole != NULL)
        *row->whole = (long)value;
    else
        *row->count = (uint64_t)value;
    return 0;
}

static int take_option(const struct option_table *table, const struct option_row *row,
                       const char *text)
{
    if (table->given != NULL)
        *table->given |= row->mark;
    if (row->take != NULL)
        return row->take(row, text);
    if (ends(row)) {
        if (row->print != NULL)
            fputs(row->print, stdout);
        else if (row->program != NULL)
            printf("%s %s\n", row->program, lk_version_text());
        else
            row->end();
        return OPTIONS_END;
    }
    if (row->list != NULL) {
        if (row->most > 0 && *row->n >= row->most)
            return table->refuse(row, text, NULL);
        row->list[(*row->n)++] = text;
        return 0;
    }
    if (row->flag != NULL)
        *row->flag = true;
    else if (row->text != NULL)
        *row->text = text;
    else
        return take_number(table, row, text);
    return 0;
}

int options_parse(int argc, char *argv[], const struct option_table *table)
{
    struct option longs[OPTIONS_MAX + 1];
    char letters[3 * OPTIONS_MAX + 4];
    int c, code = 0;

    convert_rows(table->rows, table->order, letters, longs);
    while (code == 0 && (c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        const struct option_row *row = find_row(table->rows, c);

        if (row != NULL)
            code = take_option(table, row, optarg);
        else
            code = table->unknown != NULL ? table->unknown(c, argv[optind - 1]) : OPTIONS_USAGE;
    }
    return code;
}
