/* SPDX-License-Identifier: Apache-2.0 */
/* A page by gnuplot, which reads script and data from a pipe and writes the picture to its standard
 * output. */
#include "commands.h"
#include "linkage/text.h"
#include "plot.h"

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

#define WIDTH 1100
#define HEAD  50  /* pixels of the title */
#define PANEL 210 /* and of a panel */
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
    if (c->shade != NULL || c->is_dots)
        for (size_t i = 0; i < c->n; i++)
            fprintf(to, "%.9g %.9g %.9g\n", c->x[i], c->y[i], c->shade != NULL ? c->shade[i] : 0);
    else if (c->n <= 2 * COLUMNS)
        for (size_t i = 0; i < c->n; i++)
            put_point(to, c->x[i], c->y[i]);
    else
        for (size_t part = 0; part < COLUMNS; part++)
            put_part(to, c, part * c->n / COLUMNS, (part + 1) * c->n / COLUMNS);
    fputs("EOD\n", to);
}

static void put_axes(FILE *to, const struct plot_panel *p)
{
    fputs(p->is_log_x ? "set logscale x\n" : "unset logscale x\n", to);
    fputs(p->is_log_y ? "set logscale y\n" : "unset logscale y\n", to);
    fputs(p->is_plane ? "set xzeroaxis\nset yzeroaxis\n" : "unset xzeroaxis\nunset yzeroaxis\n",
          to);
    fputs("set xlabel ", to);
    put_text(to, p->x_label);
    fputs("\nset ylabel ", to);
    put_text(to, p->y_label);
    fputc('\n', to);
}

static void put_panel(FILE *to, const struct plot_panel *p, int panel)
{
    for (int k = 0; k < p->n_curves; k++)
        put_data(to, &p->curve[k], panel, k);
    put_axes(to, p);
    fputs("plot", to);
    for (int k = 0; k < p->n_curves; k++) {
        if (p->curve[k].shade != NULL)
            fprintf(to, "%s $d%d_%d using 1:2:3 with points pointtype 7 pointsize 0.4 palette",
                    k > 0 ? "," : "", panel, k);
        else
            fprintf(to, "%s $d%d_%d using 1:2 with %s linecolor rgb '%s'", k > 0 ? "," : "", panel,
                    k, p->curve[k].is_dots ? "points pointtype 7 pointsize 0.5" : "lines",
                    colors[k % N_COLORS]);
        fputs(" title ", to);
        put_text(to, p->curve[k].title);
    }
    fputc('\n', to);
}

static void put_script(FILE *to, const struct plot_page *page, bool is_svg)
{
    int height = page->height > 0 ? page->height : HEAD + PANEL * page->n_panels;

    if (page->height == 0 && page->n_panels == 1)
        height = WIDTH / 2;
    fprintf(to, "set terminal %s size %d,%d font 'DejaVu Sans,%d' background rgb 'white'%s\n",
            is_svg ? "svg" : "pngcairo", page->width > 0 ? page->width : WIDTH, height,
            is_svg ? 13 : 10, is_svg ? " dynamic" : "");
    fputs("set border 3 linecolor rgb '#404040'\nset tics nomirror out\n"
          "set grid linecolor rgb '#d8d8d8' linewidth 0.6\n"
          "set key outside right top Left reverse noenhanced samplen 1.5\n"
          "set lmargin 14\nset rmargin 24\nset xlabel noenhanced\nset ylabel noenhanced\n"
          "set title noenhanced\nset termoption noenhanced\nset palette defined (0 '#0072b2', 0.5 "
          "'#a05ca0', 1 '#d55e00')\n",
          to);
    fprintf(to, "set multiplot layout %d,1 title ", page->n_panels);
    put_text(to, page->title);
    fputs(" noenhanced\n", to);
    for (int i = 0; i < page->n_panels; i++)
        put_panel(to, &page->panel[i], i);
    fputs("unset multiplot\n", to);
}

/* ---- gnuplot ---- */

/* Run gnuplot on the script in @script.
 * Return: EXIT_DONE, EXIT_REFUSED after an error message. */
static int run_gnuplot(int script, int picture)
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
        return EXIT_REFUSED;
    }
    while (waitpid(pid, &status, 0) != pid)
        if (errno != EINTR)
            return EXIT_REFUSED;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return EXIT_DONE;
    complain("no picture: gnuplot failed, see above");
    return EXIT_REFUSED;
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
    good = good && run_gnuplot(script, picture) == EXIT_DONE;
    fclose(to);
    return good;
}

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), n = strlen(end);

    return size > n && strcmp(text + size - n, end) == 0;
}

bool plot_is_page(const char *path)
{
    return ends_with(path, ".html");
}

/* Return the first bytes of a picture or page @path, NULL after an error message. */
static const char *mark_of(const char *path)
{
    if (ends_with(path, ".svg"))
        return PLOT_MARK_SVG;
    if (ends_with(path, ".png"))
        return OUTPUT_MARK_PNG;
    if (plot_is_page(path))
        return plot_can_make_page(path) ? OUTPUT_MARK_HTML : NULL;
    complain("%s: expected a name that ends with .svg, .png or .html", path);
    return NULL;
}

bool plot_can_draw(const char *path)
{
    const char *mark = mark_of(path);

    return mark != NULL && told_output(path, output_check(path, mark)) == EXIT_DONE;
}

bool plot_draw(const struct plot_page *page, const char *path)
{
    const char *mark = mark_of(path);
    struct output *to = NULL;
    bool good;

    if (mark == NULL)
        return false;
    if (plot_is_page(path)) {
        complain("%s: a page is made of curves over time; expected .svg or .png", path);
        return false;
    }
    if (told_output(path, output_open(path, mark, &to)) != EXIT_DONE)
        return false;
    good = draw_to(page, ends_with(path, ".svg"), fileno(output_file(to)));
    return told_output(path, output_close(to, good)) == EXIT_DONE && good;
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
