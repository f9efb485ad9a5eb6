/* SPDX-License-Identifier: Apache-2.0 */
/* Picture (SVG) of the data of cueing_page.c: gain and phase of each axis over frequency. */
#include "config.h"
#include "cueing/transfer.h"
#include "linkage/file.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define WIDTH    1000.0
#define LEFT     80.0
#define RIGHT    760.0
#define LOWEST   0.05 /* frequency range [rad/s] */
#define HIGHEST  50.0
#define POINTS   400
#define HALF     180.0 /* degrees */
#define HIGH     1.4   /* largest drawn gain */
#define DEGREES  (180 / M_PI)
#define BACKDROP "#ffffff"

/** struct panel - one diagram of the picture.
 * @top, @bottom: vertical positions of the values @high and @low [px]
 * @tick:         distance of grid lines, in units of the value */
struct panel {
    const char *title;
    double top;
    double bottom;
    double low;
    double high;
    double tick;
};

static const struct panel gains = {"gain [1]", 50, 350, 0, HIGH, 0.2};
static const struct panel phases = {"phase [deg]", 400, 640, -HALF, HALF, 90};

/* lines are drawn from wide to narrow, so that coinciding lines remain visible */
static const struct {
    const char *name;
    const char *colour;
    double width;
} lines[LK_TRANSFER_AXES] = {
    {"surge", "#0060a8", 7}, {"sway", "#e8a040", 3},  {"heave", "#007a5a", 7},
    {"roll", "#803090", 5},  {"pitch", "#e070a0", 3}, {"yaw", "#404040", 1.2},
};

static double x_of(double omega)
{
    return LEFT + log(omega / LOWEST) / log(HIGHEST / LOWEST) * (RIGHT - LEFT);
}

static double y_of(const struct panel *p, double value)
{
    return p->bottom + (value - p->low) / (p->high - p->low) * (p->top - p->bottom);
}

static void put_text(FILE *f, double x, double y, const char *anchor, const char *text)
{
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, text);
}

static void draw_frame(FILE *f, const struct panel *p)
{
    static const double omegas[] = {0.1, 0.3, 1, 3, 10, 30};
    char label[32];

    put_text(f, LEFT, p->top - 12, "start", p->title);
    for (double value = p->low; value < p->high + p->tick / 2; value += p->tick) {
        fprintf(f, "<path class=\"grid\" d=\"M%g %.1fH%g\"/>\n", LEFT, y_of(p, value), RIGHT);
        snprintf(label, sizeof(label), "%.3g", fabs(value) < 1e-9 ? 0 : value);
        put_text(f, LEFT - 10, y_of(p, value) + 5, "end", label);
    }
    for (size_t i = 0; i < sizeof(omegas) / sizeof(omegas[0]); i++) {
        fprintf(f, "<path class=\"grid\" d=\"M%.1f %gV%g\"/>\n", x_of(omegas[i]), p->top,
                p->bottom);
        snprintf(label, sizeof(label), "%g", omegas[i]);
        put_text(f, x_of(omegas[i]), p->bottom + 20, "middle", label);
    }
}

/* Draw the gain or the phase of an axis. Where the phase wraps at half a turn, a new path begins at
 * the opposite edge. */
static void draw_line(FILE *f, const struct panel *p, const struct lk_washout_set *set, int axis)
{
    double before = 0;

    fprintf(f, "<path class=\"line\" stroke=\"%s\" stroke-width=\"%g\" d=\"", lines[axis].colour,
            lines[axis].width);
    for (int i = 0; i <= POINTS; i++) {
        double omega = LOWEST * pow(HIGHEST / LOWEST, (double)i / POINTS);
        struct lk_transfer felt = lk_transfer_at(set, axis, omega);
        double value = p == &gains ? fmin(felt.gain, HIGH) : felt.phase * DEGREES;

        fprintf(f, "%c%.1f %.1f", i == 0 || fabs(value - before) > HALF ? 'M' : 'L', x_of(omega),
                y_of(p, value));
        before = value;
    }
    fputs("\"/>\n", f);
}

static void draw_legend(FILE *f, const struct lk_washout_set *set, int axis)
{
    double y = gains.top + 40.0 * axis, at;
    char text[80];

    fprintf(f, "<path class=\"line\" stroke=\"%s\" stroke-width=\"%g\" d=\"M780 %gh30\"/>\n",
            lines[axis].colour, lines[axis].width, y - 5);
    put_text(f, 820, y, "start", lines[axis].name);
    if (axis < 2) {
        at = lk_transfer_sag(set, axis);
        snprintf(text, sizeof(text), "lowest %.2f at %.2f rad/s",
                 lk_transfer_at(set, axis, at).gain, at);
        fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"6\" fill=\"%s\"/>\n", x_of(at),
                y_of(&gains, lk_transfer_at(set, axis, at).gain), lines[axis].colour);
    } else {
        snprintf(text, sizeof(text), "0.71 at %.2f rad/s", lk_transfer_corner(set, axis));
    }
    put_text(f, 820, y + 17, "start", text);
}

static void draw(FILE *f, const struct lk_washout_set *set)
{
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g 690\">\n"
            "<style>text{font:14px 'DejaVu Sans',sans-serif}.line{fill:none}"
            ".grid{fill:none;stroke:#d0d0d0}</style>\n"
            "<rect width=\"%g\" height=\"690\" fill=\"" BACKDROP "\"/>\n",
            WIDTH, WIDTH);
    put_text(f, (LEFT + RIGHT) / 2, 24, "middle", "what is felt of a small cue, behind its scale");
    draw_frame(f, &gains);
    draw_frame(f, &phases);
    for (int axis = 0; axis < LK_TRANSFER_AXES; axis++) {
        draw_line(f, &gains, set, axis);
        draw_line(f, &phases, set, axis);
        draw_legend(f, set, axis);
    }
    put_text(f, (LEFT + RIGHT) / 2, 682, "middle", "rad/s");
    fputs("</svg>\n", f);
}

int lkd_config_draw_cueing(const struct lkd_cueing_config *cueing, const char *path,
                           struct lk_error *ret_error)
{
    FILE *f;
    int fd, failed;

    if (!cueing->present) {
        lk_error_set(ret_error, "%s: nothing to draw: the configuration has no section cueing",
                     path);
        return LK_E_TEXT;
    }
    fd = lk_file_create(path, 0644);
    f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f) {
        lk_error_set(ret_error, "%s: %s", path, strerror(fd < 0 ? -fd : errno));
        if (fd >= 0)
            close(fd);
        return LK_E_TEXT;
    }
    draw(f, &cueing->ride.set);
    failed = ferror(f);
    if (fclose(f) != 0 || failed) {
        lk_error_set(ret_error, "%s: cannot be written", path);
        return LK_E_TEXT;
    }
    return 0;
}
