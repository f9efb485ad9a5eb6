/* SPDX-License-Identifier: Apache-2.0 */
/* The report as HTML, without anything from outside the file. */
#include "commands.h"
#include "linkage/file.h"
#include "linkage/text.h"
#include "plot/plot.h"
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ATTACHED_MAX_SIZE (8u << 20)
#define CLASSES_A_DECADE  12  /* of the histogram */
#define SMALLEST_US       0.1 /* shorter durations are in the first class */
#define CLASSES           (8 * CLASSES_A_DECADE)
#define PARTS             400 /* of the run, whose longest responses are drawn */
#define MISSES_SHOWN      200
#define EVENTS_SHOWN      500

static const char style[] =
    "body{font:15px/1.45 'DejaVu Sans',sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "color:#222;background:#fff}h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem;"
    "border-bottom:1px solid #ccc}table{border-collapse:collapse;font-size:.9rem}"
    "td:first-child{white-space:nowrap}td,th{padding:.15rem .8rem .15rem "
    "0;text-align:left;vertical-align:top}"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}"
    ".verdict{border:2px solid;padding:.6rem 1rem;margin:1rem 0}.met{border-color:#2a7a3b}"
    ".not{border-color:#b3261e}pre{font-size:.75rem;overflow-x:auto;background:#f6f6f6;padding:."
    "6rem}"
    "img,svg{max-width:100%;height:auto}.sign td{border-bottom:1px solid #222;height:2.6rem;"
    "min-width:14rem}@media print{h2{break-after:avoid}tr,svg,img,.verdict{break-inside:avoid}}";

/* ---- text ---- */

static void put_text(FILE *to, const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '&')
            fputs("&amp;", to);
        else if (c == '<')
            fputs("&lt;", to);
        else if (c == '>')
            fputs("&gt;", to);
        else if (c == '"')
            fputs("&quot;", to);
        else
            putc(c < ' ' && c != '\n' && c != '\t' ? ' ' : c, to);
    }
}

static void put_fact(FILE *to, const char *name, const char *value)
{
    fputs("<tr><td>", to);
    put_text(to, name);
    fputs("</td><td>", to);
    put_text(to, *value ? value : "-");
    fputs("</td></tr>\n", to);
}

static void format_utc(uint64_t ns, char ret[64])
{
    time_t seconds = (time_t)(ns / 1000000000u);
    struct tm parts;

    gmtime_r(&seconds, &parts);
    strftime(ret, 64, "%Y-%m-%d %H:%M:%S UTC", &parts);
}

/* ---- head ---- */

static void put_verdict(FILE *to, const struct gathered *g, const struct verdict *v)
{
    fprintf(
        to,
        "<div class=\"verdict %s\"><strong>%s</strong>\n<p>%zu cycles of %.6g us, %.6g s.</p>\n",
        v->is_met ? "met" : "not",
        v->is_met ? "Every deadline was met." : "It is not shown that every deadline was met.",
        g->n, g->period_us, g->time[g->n - 1]);
    if (v->n_against + v->n_reserved > 0)
        fputs("<ul>\n", to);
    for (int i = 0; i < v->n_against; i++) {
        fputs("<li>", to);
        put_text(to, v->against[i]);
        fputs("</li>\n", to);
    }
    for (int i = 0; i < v->n_reserved; i++) {
        fputs("<li>reservation: ", to);
        put_text(to, v->reserved[i]);
        fputs("</li>\n", to);
    }
    fputs(v->n_against + v->n_reserved > 0 ? "</ul></div>\n" : "</div>\n", to);
}

static void put_facts(FILE *to, const struct recorded *file, const struct gathered *g)
{
    static const char *const names[][2] = {
        {"model", "model"},
        {"model_crc32", "checksum of the model"},
        {"parameters", "parameters from outside"},
        {"version", "linkaged"},
        {"build", "build"},
        {"compiler", "compiler"},
        {"compiler_flags", "compiler flags"},
        {"libm", "mathematical library"},
        {"engine", "engine"},
        {"workers", "threads that share a step"},
        {"step_s", "step [s]"},
        {"mode", "mode"},
        {"host_kernel", "kernel"},
        {"host_realtime", "real-time kernel"},
        {"host_processor", "processor"},
        {"host_virtual_machine", "virtual machine"},
        {"host_isolated", "isolated cores"},
        {"host_clocksource", "clock"},
    };
    const char *slash = strrchr(file->path, '/');
    char text[256];

    fputs("<h2>Run and machine</h2>\n<table>\n", to);
    put_fact(to, "recording", slash != NULL ? slash + 1 : file->path);
    format_utc(g->first_utc_ns, text);
    put_fact(to, "begin", text);
    format_utc(g->last_utc_ns, text);
    put_fact(to, "end", text);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        recorded_fact(file, names[i][0], text, sizeof(text));
        if (*text)
            put_fact(to, names[i][1], text);
    }
    fputs("</table>\n", to);
}

/* ---- timing ---- */

static const char *const kinds[GATHERED_KINDS] = {"wake-up", "computation", "response"};

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static bool put_quantiles(FILE *to, const struct gathered *g)
{
    static const double quantiles[] = {0.5, 0.99, 0.999, 0.9999};
    double *sorted = malloc(g->n * sizeof(double));

    fputs("<h2>Timing</h2>\n<p>Times from the grid point of a cycle, in us; computation: from the "
          "wake-up until the outputs are computed; response: both.</p>\n<table>\n<tr><th></th>"
          "<th class=\"n\">p50</th><th class=\"n\">p99</th><th class=\"n\">p99.9</th>"
          "<th class=\"n\">p99.99</th><th class=\"n\">largest</th><th class=\"n\">of the "
          "period</th></tr>\n",
          to);
    for (int k = 0; k < GATHERED_KINDS && sorted != NULL; k++) {
        memcpy(sorted, g->value[k], g->n * sizeof(double));
        qsort(sorted, g->n, sizeof(double), compare);
        fprintf(to, "<tr><td>%s</td>", kinds[k]);
        for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++)
            fprintf(to, "<td class=\"n\">%.1f</td>",
                    sorted[(size_t)ceil(quantiles[i] * (double)g->n) - 1]);
        fprintf(to, "<td class=\"n\">%.1f</td><td class=\"n\">%.1f %%</td></tr>\n",
                sorted[g->n - 1], 100 * sorted[g->n - 1] / g->period_us);
    }
    fputs("</table>\n", to);
    free(sorted);
    return sorted != NULL;
}

static int class_of(double us)
{
    int i = us > SMALLEST_US ? (int)floor(CLASSES_A_DECADE * log10(us / SMALLEST_US)) : 0;

    return i < CLASSES ? i : CLASSES - 1;
}

static double bound_of(int class)
{
    return SMALLEST_US * pow(10, (double)class / CLASSES_A_DECADE);
}

/* Draw the period as a line from the bottom of the panel to its top. */
static bool add_limit(struct plot_panel *panel, double x0, double y0, double x1, double y1)
{
    struct plot_curve *c = plot_add_curve(panel, "period", 2);

    if (c == NULL)
        return false;
    c->x[0] = x0;
    c->y[0] = y0;
    c->x[1] = x1;
    c->y[1] = y1;
    return true;
}

static bool add_histogram(const struct gathered *g, struct plot_page *page)
{
    struct plot_panel *panel = plot_add_panel(page, "time from the grid point [us]", "cycles");

    panel->is_log_x = panel->is_log_y = true;
    for (int k = 0; k < GATHERED_KINDS; k++) {
        struct plot_curve *c = plot_add_curve(panel, kinds[k], 2 * CLASSES);
        size_t count[CLASSES] = {0};

        if (c == NULL)
            return false;
        for (size_t i = 0; i < g->n; i++)
            count[class_of(g->value[k][i])]++;
        for (int i = 0; i < CLASSES; i++)
            for (int side = 0; side < 2; side++) {
                c->x[2 * i + side] = bound_of(i + side);
                c->y[2 * i + side] = count[i] > 0 ? (double)count[i] : NAN;
            }
    }
    return add_limit(panel, g->period_us, 1, g->period_us, (double)g->n);
}

/* Draw the longest response in each part of the run. */
static bool add_course(const struct gathered *g, struct plot_page *page)
{
    struct plot_panel *panel = plot_add_panel(page, "cycle", "longest response [us]");
    struct plot_curve *c = plot_add_curve(panel, "response", PARTS);

    panel->is_log_y = true;
    if (c == NULL)
        return false;
    for (size_t part = 0; part < PARTS; part++) {
        size_t from = part * g->n / PARTS, end = (part + 1) * g->n / PARTS;
        double longest = 0;

        for (size_t i = from; i < end; i++)
            longest = fmax(longest, g->value[GATHERED_RESPONSE][i]);
        c->x[part] = (double)from;
        c->y[part] = longest > 0 ? longest : NAN;
    }
    return add_limit(panel, 0, g->period_us, (double)g->n, g->period_us);
}

static bool put_pictures(FILE *to, const struct gathered *g)
{
    struct plot_page page = {.width = 900, .height = 560};
    char *svg = NULL;
    bool good = add_histogram(g, &page) && add_course(g, &page);

    if (good)
        svg = plot_svg(&page);
    if (svg != NULL)
        fputs(svg, to);
    else
        fputs("<p>No pictures: gnuplot is not installed, or failed.</p>\n", to);
    free(svg);
    plot_page_fini(&page);
    return good;
}

/* Name the larger part of a response that was too long. */
static void put_cause(FILE *to, const struct gathered *g, const struct missed *m)
{
    double wakeup = (double)m->cycle.woken_ns * 1e-3;
    double rest = (double)(m->cycle.computed_ns - m->cycle.woken_ns) * 1e-3;

    if (m->behind)
        fputs("the cycle before was still running", to);
    else if ((double)m->cycle.computed_ns * 1e-3 <= g->period_us)
        fputs("what follows the computation: sending, recording", to);
    else
        fprintf(to,
                wakeup > rest ? "the machine woke the thread %.0f us late"
                              : "the computation took %.0f us",
                wakeup > rest ? wakeup : rest);
}

static void put_misses(FILE *to, const struct gathered *g)
{
    size_t n = g->n_missed < MISSES_SHOWN ? (size_t)g->n_missed : MISSES_SHOWN;

    fputs("<h2>Missed deadlines</h2>\n", to);
    if (g->n_missed == 0) {
        fputs("<p>None.</p>\n", to);
        return;
    }
    fputs("<table>\n<tr><th class=\"n\">cycle</th><th class=\"n\">time [s]</th><th "
          "class=\"n\">woken [us]"
          "</th><th class=\"n\">computed [us]</th><th>cause</th></tr>\n",
          to);
    for (size_t i = 0; i < n; i++) {
        const struct lk_recording_cycle *c = &g->missed[i].cycle;

        fprintf(to,
                "<tr><td class=\"n\">%" PRIu64
                "</td><td class=\"n\">%.6g</td><td class=\"n\">%.1f</td>"
                "<td class=\"n\">%.1f</td><td>",
                c->cycle, c->time_s, (double)c->woken_ns * 1e-3, (double)c->computed_ns * 1e-3);
        put_cause(to, g, &g->missed[i]);
        fputs("</td></tr>\n", to);
    }
    fputs("</table>\n", to);
    if (g->n_missed > n)
        fprintf(to, "<p>and %" PRIu64 " more.</p>\n", g->n_missed - n);
}

/* ---- events, attachments ---- */

static void put_events(FILE *to, const struct gathered *g)
{
    size_t n = g->n_events < EVENTS_SHOWN ? g->n_events : EVENTS_SHOWN;

    fputs("<h2>Events, and faults that were injected</h2>\n<table>\n<tr><th>time</th>"
          "<th class=\"n\">step</th><th>kind</th><th>event</th></tr>\n",
          to);
    for (size_t i = 0; i < n; i++) {
        struct gathered_event e = g->event[i];
        char utc[64];

        lk_text_clean(e.event.id);
        lk_text_clean(e.event.text);
        format_utc(e.utc_ns, utc);
        fprintf(to, "<tr><td>%s</td><td class=\"n\">%" PRIu64 "</td><td>", utc, e.event.step);
        put_text(to, e.event.id);
        fputs("</td><td>", to);
        put_text(to, e.event.text);
        fputs("</td></tr>\n", to);
    }
    fputs("</table>\n", to);
    if (g->n_events > n)
        fprintf(to, "<p>and %zu more.</p>\n", g->n_events - n);
}

static void put_base64(FILE *to, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < size; i += 3) {
        unsigned int word = (unsigned int)bytes[i] << 16;

        word |= i + 1 < size ? (unsigned int)bytes[i + 1] << 8 : 0;
        word |= i + 2 < size ? bytes[i + 2] : 0;
        putc(digits[word >> 18], to);
        putc(digits[word >> 12 & 63], to);
        putc(i + 1 < size ? digits[word >> 6 & 63] : '=', to);
        putc(i + 2 < size ? digits[word & 63] : '=', to);
    }
}

static bool put_attached(FILE *to, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *bytes = NULL;
    size_t size = 0;
    int fault = lk_file_read(path, ATTACHED_MAX_SIZE + 1, &bytes, &size);

    if (fault != 0 || size > ATTACHED_MAX_SIZE) {
        complain("%s: %s", path, fault != 0 ? lk_file_error(fault) : "more than 8 MiB to attach");
        free(bytes);
        return false;
    }
    if ((size <= 4 || memcmp(bytes, OUTPUT_MARK_PNG, 4) != 0) && memchr(bytes, 0, size) != NULL) {
        complain("%s: neither text nor PNG, which can be attached", path);
        free(bytes);
        return false;
    }
    fputs("<h2>Attached: ", to);
    put_text(to, slash != NULL ? slash + 1 : path);
    fputs("</h2>\n", to);
    if (size > 4 && memcmp(bytes, OUTPUT_MARK_PNG, 4) == 0) {
        fputs("<img alt=\"\" src=\"data:image/png;base64,", to);
        put_base64(to, (const unsigned char *)bytes, size);
        fputs("\">\n", to);
    } else {
        fputs("<pre>", to);
        put_text(to, bytes);
        fputs("</pre>\n", to);
    }
    free(bytes);
    return true;
}

bool write_page(FILE *to, const struct recorded *file, const struct gathered *g,
                const struct verdict *v, const char *const *attached, int n_attached)
{
    char model[256];
    bool good;

    recorded_fact(file, "model", model, sizeof(model));
    fputs(OUTPUT_MARK_HTML "-License-Identifier: CC0-1.0 -->\n<head>\n<meta charset=\"utf-8\">\n"
                           "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
          to);
    put_text(to, model);
    fprintf(to, ": timing of a run</title>\n<style>%s</style>\n</head>\n<body>\n<h1>", style);
    put_text(to, model);
    fputs(": timing of a run</h1>\n", to);
    put_verdict(to, g, v);
    put_facts(to, file, g);
    good = put_quantiles(to, g) && put_pictures(to, g);
    put_misses(to, g);
    put_events(to, g);
    for (int i = 0; i < n_attached && good; i++)
        good = put_attached(to, attached[i]);
    fputs("<h2>Signature</h2>\n<table "
          "class=\"sign\"><tr><th>Name</th><th>Date</th><th>Signature</th></tr>"
          "<tr><td></td><td></td><td></td></tr></table>\n</body>\n</html>\n",
          to);
    return good;
}
