/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of curves, and their pictures by gnuplot: what all tools draw with. Thread: main. */
#ifndef TOOLS_COMMON_PLOT_PAGE_H
#define TOOLS_COMMON_PLOT_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#define PLOT_PANELS_MAX 12 /* panels of a picture */
#define PLOT_TITLE_SIZE 160
#define PLOT_MARK_SVG                                                                              \
    "<?xml version=\"1.0\" encoding=\"utf-8\"  standalone=\"no\"?>" /* of gnuplot */

/** enum plot_style - lines; points; both; a level from each point to the next one */
enum plot_style { PLOT_LINES, PLOT_DOTS, PLOT_MARKED_LINES, PLOT_STEPS };

/** struct plot_curve - points of a curve, owned by the page. A point that is not finite ends a
 * line.
 * @column: column of the table that the curve shows, if it is of a table
 * @shade: value of each point that gives its colour, and no line; NULL: one colour
 * @style: of a curve without @shade */
struct plot_curve {
    char title[PLOT_TITLE_SIZE];
    double *x;
    double *y;
    double *shade;
    size_t n;
    int column;
    enum plot_style style;
};

/** struct plot_panel - axes with curves.
 * @is_log_x, @is_log_y: logarithmic axes, which omit values that are not positive;  @is_plane: the
 * complex plane, with lines through 0 */
struct plot_panel {
    char x_label[PLOT_TITLE_SIZE];
    char y_label[PLOT_TITLE_SIZE];
    bool is_log_x;
    bool is_log_y;
    bool is_plane;
    int n_curves;
    struct plot_curve *curve;
};

/** struct plot_page - panels below each other.
 * @width, @height: of the picture [pixels]; 0: as panels and legends need */
struct plot_page {
    char title[PLOT_TITLE_SIZE];
    int width;
    int height;
    int n_panels;
    struct plot_panel panel[PLOT_PANELS_MAX];
};

/** plot_add_panel() - Begin a panel. Return: NULL after an error message: too many. */
struct plot_panel *plot_add_panel(struct plot_page *page, const char *x_label, const char *y_label);
/** plot_add_curve() - Begin a curve of @n points, all 0. Return: NULL after an error message. */
struct plot_curve *plot_add_curve(struct plot_panel *panel, const char *title, size_t n);
void plot_page_fini(struct plot_page *page);

/** plot_mark() - Return the first bytes of a picture of the name @path, see output_check(); NULL:
 * it ends with neither .svg nor .png. */
const char *plot_mark(const char *path);
/** plot_draw() - Draw a page by gnuplot into the file @path, .svg or .png. Return: false after an
 * error message. */
bool plot_draw(const struct plot_page *page, const char *path);
/** plot_svg() - Draw a page as an element <svg> of HTML. Return: NULL after an error message;
 * free() it. */
char *plot_svg(const struct plot_page *page);

#endif
