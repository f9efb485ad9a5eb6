/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of a run as SVG: crank angle and torque over time, and latencies in logarithmic
 * classes. It is drawn without a plotting program, because such a program would be a third of all
 * packages that the demo needs on a bare machine. */
#include "demo.h"
#include "output.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH      1180
#define HEIGHT     1010
#define LEFT       100 /* left border of all plots, like RIGHT */
#define RIGHT      1140
#define POINTS     1000 /* points of a line, about one per pixel */
#define TICKS_MOST 8
/* Lower end of the logarithmic axis for the share of a class [%]. */
#define SHARE_MIN 0.005

/** struct axis - maps values to pixels.
 * @title:      text beside the axis, "" for none
 * @has_labels: the ticks have numbers */
struct axis {
    double value[2];
    double pixel[2];
    bool is_logarithmic;
    bool has_labels;
    const char *title;
};

/** struct plot - a rectangle with axes. */
struct plot {
    const char *title;
    struct axis x;
    struct axis y;
};

/** struct curve - a line: the value of each received sample @i over its time. */
struct curve {
    const char *colour;
    double (*value)(const struct demo_record *record, const struct demo_layout *layout, size_t i);
};

static double pixel_of(const struct axis *a, double value)
{
    double from = a->value[0], to = a->value[1], part;

    part = a->is_logarithmic ? log(value / from) / log(to / from) : (value - from) / (to - from);
    return a->pixel[0] + part * (a->pixel[1] - a->pixel[0]);
}

/* ---- axes ---- */

/* Return the distance of ticks: 1, 2 or 5 times a power of ten, so that @length has at most
 * TICKS_MOST of them. */
static double tick_step(double length)
{
    double raw = fmax(length, 1e-9) / TICKS_MOST;
    double power = pow(10, floor(log10(raw))), part = raw / power;

    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static void draw_text(FILE *f, double x, double y, const char *anchor, const char *text)
{
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, text);
}

static void draw_x_tick(FILE *f, const struct plot *p, double value, const char *label)
{
    double x = pixel_of(&p->x, value), bottom = p->y.pixel[0];

    fprintf(f, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>\n", x, bottom, p->y.pixel[1]);
    fprintf(f, "<path class=\"axis\" d=\"M%.1f %.1fv7\"/>\n", x, bottom);
    if (p->x.has_labels)
        draw_text(f, x, bottom + 26, "middle", label);
}

static void draw_y_tick(FILE *f, const struct plot *p, double value, const char *label)
{
    double y = pixel_of(&p->y, value);

    fprintf(f, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", LEFT, y, RIGHT);
    fprintf(f, "<path class=\"axis\" d=\"M%d %.1fh-7\"/>\n", LEFT, y);
    draw_text(f, LEFT - 14, y + 5, "end", label);
}

/** typedef tick_fn - draws a tick of one of the two axes. */
typedef void tick_fn(FILE *f, const struct plot *p, double value, const char *label);

static void draw_linear_ticks(FILE *f, const struct plot *p, const struct axis *a, tick_fn *draw)
{
    double step = tick_step(a->value[1] - a->value[0]);
    double first = ceil(a->value[0] / step - 1e-9), last = floor(a->value[1] / step + 1e-9);
    char label[32];

    for (double k = first; k <= last; k++) {
        snprintf(label, sizeof(label), "%g", k * step + 0.0);
        draw(f, p, k * step, label);
    }
}

static void draw_axes(FILE *f, const struct plot *p)
{
    double middle = (LEFT + RIGHT) / 2.0, y = (p->y.pixel[0] + p->y.pixel[1]) / 2;

    draw_text(f, middle, p->y.pixel[1] - (p->x.is_logarithmic ? 50 : 14), "middle", p->title);
    if (!p->x.is_logarithmic) {
        draw_linear_ticks(f, p, &p->x, draw_x_tick);
        draw_linear_ticks(f, p, &p->y, draw_y_tick);
    }
    fprintf(f, "<path class=\"axis\" d=\"M%d %.1fV%.1fH%d\"/>\n", LEFT, p->y.pixel[1],
            p->y.pixel[0], RIGHT);
    draw_text(f, middle, p->y.pixel[0] + 48, "middle", p->x.title);
    fprintf(f, "<g transform=\"translate(36 %.1f) rotate(-90)\">\n", y);
    draw_text(f, 0, 0, "middle", p->y.title);
    fputs("</g>\n", f);
}

/* ---- over time ---- */

static double angle_of(const struct demo_record *record, const struct demo_layout *layout, size_t i)
{
    return demo_record_values(record, layout, i)[layout->angle];
}

static double torque_of(const struct demo_record *record, const struct demo_layout *layout,
                        size_t i)
{
    (void)layout;
    return demo_record_torque(record, i);
}

/* Find the range of an axis: from the tick below the smallest value to the tick above the
 * largest. */
static void find_range(const struct demo_record *record, const struct demo_layout *layout,
                       const struct curve *curve, double ret_range[2])
{
    double least = 0, most = 0, step;

    for (size_t i = 0; i < record->n_received; i++) {
        least = fmin(least, curve->value(record, layout, i));
        most = fmax(most, curve->value(record, layout, i));
    }
    step = tick_step(most - least);
    ret_range[0] = step * floor(least / step);
    ret_range[1] = step * fmax(ceil(most / step), ret_range[0] / step + 1);
}

static void draw_curve(FILE *f, const struct plot *p, const struct demo_record *record,
                       const struct demo_layout *layout, const struct curve *curve)
{
    size_t stride = record->n_received / POINTS + 1;

    fprintf(f, "<polyline class=\"curve\" stroke=\"%s\" points=\"", curve->colour);
    for (size_t i = 0; i < record->n_received; i += stride)
        fprintf(f, "%.1f,%.1f ", pixel_of(&p->x, record->received[i].time_s),
                pixel_of(&p->y, curve->value(record, layout, i)));
    fputs("\"/>\n", f);
}

static void draw_motion(FILE *f, const struct demo_record *record, const struct demo_layout *layout)
{
    static const struct curve angle = {"#0060a8", angle_of}, torque = {"#d06000", torque_of};
    size_t n = record->n_received;
    double end = n > 0 ? fmax(record->received[n - 1].time_s, 1e-3) : 1;
    struct axis time = {.value = {0, end}, .pixel = {LEFT, RIGHT}, .title = ""};
    struct plot upper = {.title = "Crank angle", .x = time}, lower = {.x = time};

    upper.y = (struct axis){.pixel = {303, 46}, .title = "angle [rad]"};
    find_range(record, layout, &angle, upper.y.value);
    draw_axes(f, &upper);
    draw_curve(f, &upper, record, layout, &angle);

    lower.title = "Motor torque, as it acted in the daemon";
    lower.x.title = "simulated time [s]";
    lower.x.has_labels = true;
    lower.y = (struct axis){.pixel = {519, 359}, .title = "torque [N m]"};
    find_range(record, layout, &torque, lower.y.value);
    draw_axes(f, &lower);
    draw_curve(f, &lower, record, layout, &torque);
}

/* ---- latencies ---- */

static void draw_latency_ticks(FILE *f, const struct plot *p)
{
    static const char *const times[] = {"1 us", "10 us", "100 us", "1 ms", "10 ms", "100 ms"};
    static const char *const shares[] = {"0.01", "0.1", "1", "10", "100"};

    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        draw_x_tick(f, p, pow(10, (double)i), times[i]);
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
        draw_y_tick(f, p, pow(10, (double)i - 2), shares[i]);
}

static void draw_bars(FILE *f, const struct plot *p, const double share[DEMO_CLASSES],
                      const char *colour)
{
    for (size_t i = 0; i < DEMO_CLASSES; i++) {
        double left = fmax(demo_class_edge(i), p->x.value[0]);
        double right = fmin(demo_class_edge(i + 1), p->x.value[1]);
        double x = pixel_of(&p->x, left), y = pixel_of(&p->y, fmax(share[i], SHARE_MIN));

        if (share[i] > SHARE_MIN && right > left)
            fprintf(f,
                    "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                    "fill=\"%s\" stroke=\"%s\"/>\n",
                    x, y, pixel_of(&p->x, right) - x, p->y.pixel[0] - y, colour, colour);
    }
}

static void draw_latencies(FILE *f, const struct demo_latencies *latencies)
{
    static const char *const colours[] = {"#0060a8", "#d06000", "#007a5a"};
    static const char *const names[] = {"wake-up latency", "step time", "bench round trip"};
    const double *const shares[] = {latencies->wakeup, latencies->compute, latencies->round_trip};
    const struct plot p = {
        .title = "How long things take: share of cycles, of round trips",
        .x = {{0.3, 1e5}, {LEFT, RIGHT}, true, true, "time, logarithmic"},
        .y = {{SHARE_MIN, 150}, {932, 666}, true, true, "share in class [%], logarithmic"},
    };

    draw_latency_ticks(f, &p);
    draw_axes(f, &p);
    for (int i = 0; i < 3; i++) {
        double x = 330 + 220.0 * i, y = p.y.pixel[1] - 20;

        draw_bars(f, &p, shares[i], colours[i]);
        fprintf(f,
                "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"30\" height=\"10\" fill=\"%s\" "
                "stroke=\"%s\"/>\n",
                x, y - 10, colours[i], colours[i]);
        draw_text(f, x + 38, y, "start", names[i]);
    }
}

int demo_write_picture(const char *directory, const struct demo_record *record,
                       const struct demo_layout *layout, const struct demo_latencies *latencies)
{
    char path[DEMO_PATH_SIZE];
    int size = snprintf(path, sizeof(path), "%s/picture.svg", directory), fault;
    struct output *to = NULL;
    FILE *f;

    if (size >= (int)sizeof(path))
        return -ENAMETOOLONG;
    fault = output_open(path, OUTPUT_MARK_SVG, &to);
    if (fault != 0)
        return fault;
    f = output_file(to);
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\">\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    fputs("<style>text{font:16px 'DejaVu Sans',sans-serif}.axis{fill:none;stroke:#404040}"
          ".grid{fill:none;stroke:#e0e0e0;stroke-dasharray:2 3}"
          ".curve{fill:none;stroke-width:2}.bar{fill-opacity:.35}</style>\n"
          "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
          f);
    draw_motion(f, record, layout);
    draw_latencies(f, latencies);
    fputs("</svg>\n", f);
    return output_close(to, true);
}
