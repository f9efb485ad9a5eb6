/* SPDX-License-Identifier: Apache-2.0 */
/* A page by gnuplot, which reads script and data from a pipe and writes the picture to its standard
 * output. */
#include "linkage/text.h"
#include "message.h"
#include "output.h"
#include "plot_page.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define WIDTH     1100
#define HEAD      50  /* pixels of the title */
#define PANEL     210 /* least of a panel */
#define AXIS      60  /* of a panel besides the rows of its legend */
#define KEY_ROW   18  /* of a row of a legend */
#define KEY_LEAST 24  /* characters of the margin for legends */
#define KEY_MOST  70
#define COLUMNS                                                                                    \
    2000 /* a longer curve is reduced to the least and largest value of so many parts              \
          */

/* Colours that stay apart for the colour-blind and in grey (M. Okabe, K. Ito, Color universal
 * design, 2008). */
static const char *const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                     "#56b4e9", "#e69f00", "#404040", "#882255"};

#define N_COLORS (int)(sizeof(colors) / sizeof(colors[0]))

/* ---- pages ---- */

struct plot_panel *plot_add_panel(struct plot_page *page, const char *x_label, const char *y_label)
{
    struct plot_panel *p = &page->panel[page->n_panels];

    if (page->n_panels == PLOT_PANELS_MAX) {
        complain("a picture has at most %d panels", PLOT_PANELS_MAX);
        return NULL;
    }
    page->n_panels++;
    *p = (struct plot_panel){0};
    snprintf(p->x_label, sizeof(p->x_label), "%s", x_label);
    snprintf(p->y_label, sizeof(p->y_label), "%s", y_label);
    return p;
}

struct plot_curve *plot_add_curve(struct plot_panel *panel, const char *title, size_t n)
{
    struct plot_curve *more =
        realloc(panel->curve, ((size_t)panel->n_curves + 1) * sizeof(*panel->curve));
    struct plot_curve *c = more == NULL ? NULL : &more[panel->n_curves];

    if (c != NULL) {
        panel->curve = more;
        *c = (struct plot_curve){.n = n};
        snprintf(c->title, sizeof(c->title), "%s", title);
        c->x = calloc(n + 1, sizeof(double));
        c->y = calloc(n + 1, sizeof(double));
        panel->n_curves++;
        if (c->x != NULL && c->y != NULL)
            return c;
    }
    complain("out of memory");
    return NULL;
}

void plot_page_fini(struct plot_page *page)
{
    for (int i = 0; i < page->n_panels; i++) {
        struct plot_panel *p = &page->panel[i];

        for (int k = 0; k < p->n_curves; k++) {
            free(p->curve[k].x);
            free(p->curve[k].y);
            free(p->curve[k].shade);
        }
        free(p->curve);
    }
    *page = (struct plot_page){0};
}

/* ---- the script ---- */

/* Return the length of the character at @text, 0: it is none of XML 1.0, section 2.2, or no UTF-8.
 * Names of columns come from any file, and a title may be cut off within a character. */
static int xml_sequence(const char *text)
{
    bool is_noncharacter =
        strncmp(text, "\xef\xbf\xbe", 3) == 0 || strncmp(text, "\xef\xbf\xbf", 3) == 0;

    return (unsigned char)*text < ' ' || is_noncharacter ? 0 : lk_text_sequence(text);
}

/* Write text in single quotes, which are doubled within. A byte that is no text becomes U+FFFD, a
 * control character a space. */
static void put_text(FILE *to, const char *text)
{
    putc('\'', to);
    while (*text != '\0') {
        int n = xml_sequence(text);

        if (*text == '\'')
            putc('\'', to);
        if (n > 0)
            fwrite(text, 1, (size_t)n, to);
        else
            fputs((unsigned char)*text < ' ' ? " " : "\xef\xbf\xbd", to);
        text += n > 0 ? n : 1;
    }
    putc('\'', to);
}

static void put_point(FILE *to, double x, double y)
{
    if (isfinite(x) && isfinite(y))
        fprintf(to, "%.9g %.9g\n", x, y);
    else
        fputc('\n', to); /* an empty line ends a line of the curve */
}

/* Write the least and the largest value of points @from to @end - 1, in their order. */
static void put_extremes(FILE *to, const struct plot_curve *c, size_t from, size_t end)
{
    size_t least = from, largest = from;

    for (size_t i = from; i < end; i++) {
        least = c->y[i] < c->y[least] ? i : least;
        largest = c->y[i] > c->y[largest] ? i : largest;
    }
    put_point(to, c->x[least < largest ? least : largest], c->y[least < largest ? least : largest]);
    put_point(to, c->x[least < largest ? largest : least], c->y[least < largest ? largest : least]);
}

/* Write points @from to @end - 1 by their extremes between gaps. */
static void put_part(FILE *to, const struct plot_curve *c, size_t from, size_t end)
{
    while (from < end) {
        size_t gap = from;

        while (gap < end && isfinite(c->y[gap]))
            gap++;
        if (gap > from)
            put_extremes(to, c, from, gap);
        if (gap < end)
            put_point(to, c->x[gap], c->y[gap]);
        from = gap + 1;
    }
}

static void put_data(FILE *to, const struct plot_curve *c, int panel, int curve)
{
    fprintf(to, "$d%d_%d << EOD\n", panel, curve);
    if (c->shade != NULL || c->style == PLOT_DOTS)
        for (size_t i = 0; i < c->n; i++)
            fprintf(to, "%.9g %.9g %.9g\n", c->x[i], c->y[i], c->shade != NULL ? c->shade[i] : 0);
    else if (c->style == PLOT_STEPS)
        for (size_t i = 0; i + 1 < c->n; i++) {
            put_point(to, c->x[i], c->y[i]);
            put_point(to, c->x[i + 1], c->y[i]);
        }
    else if (c->n <= 2 * COLUMNS)
        for (size_t i = 0; i < c->n; i++)
            put_point(to, c->x[i], c->y[i]);
    else
        for (size_t part = 0; part < COLUMNS; part++)
            put_part(to, c, part * c->n / COLUMNS, (part + 1) * c->n / COLUMNS);
    fputs("EOD\n", to);
}

/* Return whether any point of a curve has a place on the axes. */
static bool has_points(const struct plot_panel *p, const struct plot_curve *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (isfinite(c->x[i]) && isfinite(c->y[i]) && (!p->is_log_x || c->x[i] > 0) &&
            (!p->is_log_y || c->y[i] > 0))
            return true;
    return false;
}

/* Axes without a point, of which gnuplot finds no ranges, get ranges. */
static void put_ranges(FILE *to, const struct plot_panel *p)
{
    for (int k = 0; k < p->n_curves; k++)
        if (has_points(p, &p->curve[k])) {
            fputs("set autoscale\n", to);
            return;
        }
    fprintf(to, "set xrange [1:10]\nset yrange %s\n", p->is_log_y ? "[1e-18:1e-12]" : "[0:1]");
}

static void put_axes(FILE *to, const struct plot_panel *p)
{
    fputs(p->is_log_x ? "set logscale x\n" : "unset logscale x\n", to);
    fputs(p->is_log_y ? "set logscale y\n" : "unset logscale y\n", to);
    fputs(p->is_plane ? "set xzeroaxis\nset yzeroaxis\n" : "unset xzeroaxis\nunset yzeroaxis\n",
          to);
    put_ranges(to, p);
    fputs("set xlabel ", to);
    put_text(to, p->x_label);
    fputs("\nset ylabel ", to);
    put_text(to, p->y_label);
    fputc('\n', to);
}

/* Write how curve @k of a panel is drawn. After all colours come other marks and dashes. */
static void put_look(FILE *to, const struct plot_curve *c, int k)
{
    if (c->shade != NULL) {
        fputs("with points pointtype 7 pointsize 0.4 palette", to);
        return;
    }
    if (c->style == PLOT_DOTS)
        fputs("with points pointtype 7 pointsize 0.5", to);
    else
        fprintf(to, "with %s dashtype %d", c->style == PLOT_MARKED_LINES ? "linespoints" : "lines",
                1 + k / N_COLORS % 4);
    if (c->style == PLOT_MARKED_LINES)
        fprintf(to, " pointtype %d", 4 + k % 9);
    fprintf(to, " linecolor rgb '%s'", colors[k % N_COLORS]);
}

static void put_panel(FILE *to, const struct plot_panel *p, int panel)
{
    for (int k = 0; k < p->n_curves; k++)
        put_data(to, &p->curve[k], panel, k);
    put_axes(to, p);
    fputs(p->n_curves == 0 ? "plot NaN notitle" : "plot", to);
    for (int k = 0; k < p->n_curves; k++) {
        const struct plot_curve *c = &p->curve[k];

        fputs(k > 0 ? ", " : " ", to);
        if (!has_points(p, c))
            fputs("NaN ", to); /* in the legend all the same */
        else
            fprintf(to, "$d%d_%d using %s ", panel, k, c->shade != NULL ? "1:2:3" : "1:2");
        put_look(to, has_points(p, c) ? c : &(struct plot_curve){.style = PLOT_LINES}, k);
        fputs(" title ", to);
        put_text(to, c->title);
    }
    fputc('\n', to);
}

/* Return the height of a page that its panels and legends need. */
static int find_height(const struct plot_page *page)
{
    int most = 0;

    for (int i = 0; i < page->n_panels; i++)
        most = page->panel[i].n_curves > most ? page->panel[i].n_curves : most;
    most = AXIS + KEY_ROW * most > PANEL ? AXIS + KEY_ROW * most : PANEL;
    if (page->n_panels == 1)
        return most > WIDTH / 2 ? most : WIDTH / 2;
    return HEAD + most * page->n_panels;
}

/* Return the characters that the legends need. */
static int find_margin(const struct plot_page *page)
{
    size_t most = KEY_LEAST;

    for (int i = 0; i < page->n_panels; i++)
        for (int k = 0; k < page->panel[i].n_curves; k++) {
            size_t size = strlen(page->panel[i].curve[k].title) + 7;

            most = size > most ? size : most;
        }
    return (int)(most < KEY_MOST ? most : KEY_MOST);
}

static void put_script(FILE *to, const struct plot_page *page, bool is_svg)
{
    fprintf(to, "set terminal %s size %d,%d font 'DejaVu Sans,%d' background rgb 'white'%s\n",
            is_svg ? "svg" : "pngcairo", page->width > 0 ? page->width : WIDTH,
            page->height > 0 ? page->height : find_height(page), is_svg ? 13 : 10,
            is_svg ? " dynamic" : "");
    fputs("set border 3 linecolor rgb '#404040'\nset tics nomirror out\n"
          "set grid linecolor rgb '#d8d8d8' linewidth 0.6\n"
          "set key outside right top Left reverse noenhanced samplen 1.5\n"
          "set lmargin 14\nset xlabel noenhanced\nset ylabel noenhanced\n"
          "set title noenhanced\nset termoption noenhanced\nset palette defined (0 '#0072b2', 0.5 "
          "'#a05ca0', 1 '#d55e00')\n",
          to);
    fprintf(to, "set rmargin %d\nset multiplot layout %d,1 title ", find_margin(page),
            page->n_panels);
    put_text(to, page->title);
    fputs(" noenhanced\n", to);
    for (int i = 0; i < page->n_panels; i++)
        put_panel(to, &page->panel[i], i);
    fputs("unset multiplot\n", to);
}

/* ---- gnuplot ---- */

/* Run gnuplot on the script in @script. Return: false after an error message. */
static bool run_gnuplot(int script, int picture)
{
    char program[] = "gnuplot", input[] = "-";
    char *arguments[] = {program, input, NULL};
    posix_spawn_file_actions_t actions;
    int status, result;
    pid_t pid;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, script, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, picture, STDOUT_FILENO);
    result = posix_spawnp(&pid, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (result != 0) {
        complain("no picture: gnuplot: %s; expected the package gnuplot-nox", strerror(result));
        return false;
    }
    while (waitpid(pid, &status, 0) != pid)
        if (errno != EINTR)
            return false;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    complain("no picture: gnuplot failed, see above");
    return false;
}

static bool draw_to(const struct plot_page *page, bool is_svg, int picture)
{
    int script = memfd_create("plot", MFD_CLOEXEC);
    FILE *to = script < 0 ? NULL : fdopen(script, "w");
    bool good;

    if (to == NULL) {
        complain("no picture: %s", strerror(errno));
        return false;
    }
    put_script(to, page, is_svg);
    good = fflush(to) == 0 && lseek(script, 0, SEEK_SET) == 0;
    if (!good)
        complain("no picture: %s", strerror(errno));
    good = good && run_gnuplot(script, picture);
    fclose(to);
    return good;
}

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), n = strlen(end);

    return size > n && strcmp(text + size - n, end) == 0;
}

const char *plot_mark(const char *path)
{
    return ends_with(path, ".svg")   ? PLOT_MARK_SVG
           : ends_with(path, ".png") ? OUTPUT_MARK_PNG
                                     : NULL;
}

bool plot_draw(const struct plot_page *page, const char *path)
{
    const char *mark = plot_mark(path);
    struct output *to = NULL;
    bool good = false;
    int fault;

    if (mark == NULL) {
        complain("%s: expected a name that ends with .svg or .png", path);
        return false;
    }
    fault = output_open(path, mark, &to);
    if (fault == 0) {
        good = draw_to(page, ends_with(path, ".svg"), fileno(output_file(to)));
        fault = output_close(to, good);
    }
    if (fault != 0)
        complain("%s: %s", path, output_error(fault));
    return good && fault == 0;
}

char *plot_svg(const struct plot_page *page)
{
    int picture = memfd_create("picture", MFD_CLOEXEC);
    off_t size = picture >= 0 && draw_to(page, true, picture) ? lseek(picture, 0, SEEK_END) : -1;
    char *text = size > 0 ? malloc((size_t)size + 1) : NULL, *svg;

    if (text != NULL && pread(picture, text, (size_t)size, 0) == size) {
        text[size] = '\0';
        svg = strstr(text, "<svg"); /* without the declaration of XML */
        memmove(text, svg != NULL ? svg : "", svg != NULL ? strlen(svg) + 1 : 1);
    } else {
        free(text);
        text = NULL;
    }
    if (picture >= 0)
        close(picture);
    return text;
}
