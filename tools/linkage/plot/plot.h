/* SPDX-License-Identifier: Apache-2.0 */
/* linkage plot: curves of a table, a recording or a model, as a picture. Data flow:
 *
 *     table.c     CSV, MCAP        -> struct plot_table: columns over time
 *     choose.c    words            -> struct plot_page: a panel for each word
 *     study.c     table of a sweep -> struct plot_page: each result over each varied quantity
 *     analysis.c  a model          -> struct plot_page: frequency responses, root loci
 *     plot_draw.c struct plot_page -> SVG or PNG, by gnuplot (tools/common)
 *     offline.c   a table          -> a page for a browser, with all its columns
 *     plot.c      options, calls of these steps */
#ifndef TOOLS_LINKAGE_PLOT_H
#define TOOLS_LINKAGE_PLOT_H

#include "csv.h"
#include "plot_page.h"
#include <stdbool.h>
#include <stddef.h>

/** struct plot_window - rows @first to @end - 1 of a table */
struct plot_window {
    int first;
    int end;
};

/** plot_read() - Read a CSV file or a recording.
 * @topic: of a recording
 * Return: false after an error message. Release with lk_csv_table_release(). */
bool plot_read(const char *path, const char *topic, struct lk_csv_table *ret_table);

/** plot_find_window() - Find the rows between two times [s]. Return: false after an error message:
 * there are none. */
bool plot_find_window(const struct lk_csv_table *table, const char *path, double from, double to,
                      struct plot_window *ret_window);
/** plot_is_after_gap() - Return whether rows are missing before row @i: the time before it is
 * longer than the times beside that one. Where the step only changes, one of these is as long. */
bool plot_is_after_gap(const struct lk_csv_table *table, const struct plot_window *window, int i);

/** plot_choose() - Make a panel for each of @n words, "CHANNEL", "CHANNEL.COMPONENT", or several
 * separated by commas; without words a panel for each channel and unit that changes, as many as
 * there is room for.
 * Return: false after an error message. */
bool plot_choose(const struct lk_csv_table *table, const struct plot_window *window,
                 const char *path, char *const *words, int n, struct plot_page *page);

/** plot_is_study() - Return whether a file is the table of linkage sweep. */
bool plot_is_study(const char *path);
/** plot_study() - Add a panel for each of @n words, "RESULT:QUANTITY" or "RESULT"; without words
 * for each result over each quantity. Return: false after an error message. */
bool plot_study(const char *path, char *const *words, int n, struct plot_page *page);

/** plot_bode() - Add gain and phase of the channels "INPUT:OUTPUT" of a model about its static
 * equilibrium, or about its initial configuration if @pose. Components are named as in a CSV.
 * Return: false after an error message. */
bool plot_bode(const char *path, bool pose, const char *const *pairs, int n,
               struct plot_page *page);
/** plot_locus() - Add the eigenvalues of a model while a parameter goes from one value to another:
 * "PATH=FROM:TO" or "PATH=FROM:TO:VALUES". Return: false after an error message. */
bool plot_locus(const char *path, bool pose, const char *range, struct plot_page *page);

/** struct plot_request - what to draw of a table. @topic: of a recording;  @title: of the page
 * @words, @n_words: see plot_choose();  @from, @to: window of time [s] */
struct plot_request {
    const char *path;
    const char *topic;
    const char *title;
    char *const *words;
    int n_words;
    double from;
    double to;
};

/** plot_can_draw() - Return whether a picture can be written to @path later. Return: false after an
 * error message. */
bool plot_can_draw(const char *path);
/** plot_table() - Draw a CSV file or a recording into the file @output, .svg, .png or .html.
 * @page: receives the panels; with the size of the picture
 * Return: false after an error message. */
bool plot_table(const struct plot_request *request, const char *output, struct plot_page *page);
/** plot_file() - Draw every channel that changes of a CSV file or a recording into the file @path.
 * Return: number of panels; 0 after an error message. */
int plot_file(const char *table, const char *title, const char *path);
/** plot_is_page() - Return whether @path is the name of a page for a browser, .html. */
bool plot_is_page(const char *path);
/** plot_can_make_page() - Return whether this program has what a page consists of. Return: false
 * after an error message. */
bool plot_can_make_page(const char *path);
/** plot_make_page() - Write the rows of a table as a page for a browser: the panels of @page at
 * first, all other columns for the search. Return: false after an error message. */
bool plot_make_page(const struct lk_csv_table *table, const struct plot_window *window,
                    const struct plot_page *page, const char *path);

#endif
