/* SPDX-License-Identifier: Apache-2.0 */
/* linkage road: converts an OpenCRG or OpenDRIVE file to a height field for the roads of a model.
 * Lines of roads may be curved, so the heights are evaluated at the nodes of a grid along x and y.
 */
#include "commands.h"
#include "linkage/file.h"
#include "model/crg.h"
#include "model/road_file.h"
#include "xodr.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN_MAX 100  /* [m] */
#define XODR_STEP  0.25 /* distance of the nodes of an OpenDRIVE file, unless given [m] */

/** struct road_options - options of the command.
 * @step:   distance of the nodes [m], 0: as fine as the file
 * @margin: see lk_crg_surface_new()
 * @ground: see xodr_surface_new() */
struct road_options {
    const char *path;
    const char *output;
    double step;
    double margin;
    double ground;
};

/** struct source - the surface of a file. @heights: its heights, with @surface
 * @low, @high: corners of its area;  @z: its lowest and highest height
 * @step: distance of nodes that is fine enough [m]
 * @crossings: see lk_crg_surface_crossings()
 * @grips: coefficients of friction; NULL: there are none
 * @line: @n_points points of lines for pictures */
struct source {
    void *surface;
    lk_road_patches *heights;
    double low[2];
    double high[2];
    double z[2];
    double step;
    int (*crossings)(const void *surface, double ret_place[2]);
    lk_road_patches *grips;
    int n_points;
    struct lk_road_point *line;
};

static int parse_road_options(int argc, char *argv[], struct road_options *o)
{
    static const char expected[] = "road: expected one OpenCRG or OpenDRIVE file, and -o FILE.road";
    const struct option_row rows[] = {
        {"output", 'o', .text = &o->output},
        OUTPUT_FORCE_ROW,
        {"step", 's', .number = &o->step, .low = 1e-3, .high = 1e3, .unit = "m"},
        {"margin", 'm', .number = &o->margin, .low = 0, .high = MARGIN_MAX, .unit = "m"},
        {"ground", 'g', .number = &o->ground, .low = -1e4, .high = 1e4, .unit = "m"},
        {"help", 'h', .end = print_help},
        {NULL},
    };
    int code = parse_command(argc, argv, rows, expected, &o->path);

    return code == EXIT_DONE && o->output == NULL ? usage_error("%s", expected) : code;
}

/* ---- the grid ---- */

/* Choose a grid that covers the road, with nodes at multiples of the step. */
static bool choose_grid(const struct road_options *o, const struct source *src,
                        struct lk_road_grid *ret)
{
    double step = o->step > 0 ? o->step : src->step;

    for (int k = 0; k < 2; k++) {
        double first = floor(src->low[k] / step + 1e-6), last = ceil(src->high[k] / step - 1e-6);

        if (!(last - first <= LK_ROAD_CELLS_MAX)) {
            complain(
                "%s: a road of %g by %g m has too many cells of %g m, expected a larger --step",
                o->path, src->high[0] - src->low[0], src->high[1] - src->low[1], step);
            return false;
        }
        ret->origin[k] = first * step;
        ret->step[k] = step;
        ret->cells[k] = (int)fmax(last - first, 1);
    }
    ret->base = rint(0.5 * (src->z[0] + src->z[1]));
    ret->quantum = ldexp(1, -24);
    while (ret->quantum * 1e9 < src->z[1] - src->z[0] + 100)
        ret->quantum *= 2;
    return true;
}

/* Check the number of tiles that the road needs against the limit of the file. */
static bool fits(const struct road_options *o, const struct source *src,
                 const struct lk_road_grid *g)
{
    double side = LK_ROAD_TILE * g->step[0];
    double area = lk_road_area(src->heights, src->surface, src->low, src->high, side);
    double bytes = area / (side * side) * sizeof(struct lk_road_tile);

    if (bytes <= LK_ROAD_FILE_MAX)
        return true;
    complain("%s: %.3g m2 of road with a node each %g m need %.0f MiB or more, expected at most "
             "%u MiB: try --step %.2g",
             o->path, area, g->step[0], bytes / (1 << 20), LK_ROAD_FILE_MAX >> 20,
             1.1 * g->step[0] * sqrt(bytes / LK_ROAD_FILE_MAX));
    return false;
}

/** struct work - progress of the conversion.
 * @done: number of completed tiles of @n */
struct work {
    const struct source *src;
    struct progress progress;
    double done;
    double n;
};

static bool take_patch(void *context, const struct lk_road_patch *patch, double *z)
{
    struct work *w = context;

    progress_show(&w->progress, now_s(), w->done++ / w->n);
    return w->src->heights(w->src->surface, patch, z);
}

static int build_road(const struct source *src, const struct lk_road_grid *like,
                      struct lk_road_file *ret, struct lk_error *error)
{
    struct work work = {.src = src, .n = lk_road_grid_places(like)};
    int result;

    progress_start(&work.progress);
    result = lk_road_file_fill(like, take_patch, &work, ret, error);
    if (result == 0 && src->grips != NULL)
        result = lk_road_file_rub(ret, src->grips, src->surface);
    progress_hide();
    return result;
}

static bool write_road(const char *path, const struct lk_road_grid *grid, const struct source *src)
{
    size_t size;
    void *bytes;
    int code;

    if (lk_road_file_bytes(grid, src->n_points, src->line, &bytes, &size) != 0) {
        complain("out of memory");
        return false;
    }
    code = write_output(path, "LKROAD", bytes, size);
    free(bytes);
    return code == EXIT_DONE;
}

/* Print what the file has, after @what of the source. */
static void describe(const struct road_options *o, const char *what, const struct source *src,
                     const struct lk_road_grid *g, int before)
{
    double crossing[2];
    int n = src->crossings(src->surface, crossing) - before;

    printf("%s: %s; grid of %d by %d cells of %g m from x %g, y %g, %d of %d tiles, %.1f MiB\n",
           o->output, what, g->cells[0], g->cells[1], g->step[0], g->origin[0], g->origin[1],
           g->n_tiles, lk_road_grid_places(g),
           (double)g->n_tiles * sizeof(struct lk_road_tile) / (1 << 20));
    if (n > 0)
        printf("it crosses itself at %d nodes, first at x %g, y %g: there the nearer line counts\n",
               n, crossing[0], crossing[1]);
}

/* Make and write the height field of @src, whose content @what describes. Frees the lines. */
static int convert(const struct road_options *o, const char *what, struct source *src)
{
    struct lk_road_grid like = {.n_tiles = 0};
    struct lk_road_file road;
    struct lk_error error;
    int code = EXIT_REFUSED, result, before;
    double crossing[2];

    if (src->n_points < 0) {
        complain("out of memory");
        return EXIT_REFUSED;
    }
    if (choose_grid(o, src, &like) && fits(o, src, &like)) {
        before = src->crossings(src->surface, crossing);
        result = build_road(src, &like, &road, &error);
        if (result != 0) {
            complain("%s: %s", o->path, result > 0 ? error.text : strerror(-result));
        } else {
            if (write_road(o->output, &road.grid, src)) {
                describe(o, what, src, &road.grid, before);
                code = EXIT_DONE;
            }
            lk_road_file_free(&road);
        }
    }
    free(src->line);
    return code;
}

/* ---- OpenCRG ---- */

/* Return the finest spacing in the file, in both directions [m]. */
static double finest(const struct lk_crg *crg)
{
    double step = crg->step;

    for (int i = 1; i < crg->n_v; i++)
        step = fmin(step, crg->v[i] - crg->v[i - 1]);
    return fmax(step, 1e-3);
}

static int crg_crossings(const void *surface, double place[2])
{
    return lk_crg_surface_crossings(surface, place);
}

static int convert_crg(const struct road_options *o, const struct lk_crg *crg)
{
    struct lk_crg_surface *surface = NULL;
    struct source src = {
        .heights = lk_crg_surface_patch, .step = finest(crg), .crossings = crg_crossings};
    char what[128];
    double gap;
    int code;

    if (lk_crg_surface_new(crg, o->margin, &surface, &gap) != 0) {
        complain("out of memory");
        return EXIT_REFUSED;
    }
    snprintf(what, sizeof(what), "%d rows of %d sections over %g m", crg->n, crg->n_v,
             crg->step * (crg->n - 1));
    src.surface = surface;
    lk_crg_surface_box(surface, src.low, src.high, src.z);
    src.n_points = lk_crg_surface_lines(surface, &src.line);
    code = convert(o, what, &src);
    if (code == EXIT_DONE && gap > 1e-3)
        printf("its line ends %.3g m beside REFERENCE_LINE_END; that is spread over its length\n",
               gap);
    lk_crg_surface_free(surface);
    return code;
}

static int read_crg(const struct road_options *o, const char *bytes, size_t size)
{
    struct lk_errors errors;
    struct lk_crg crg;
    int result;

    if (!isnan(o->ground)) /* how far a margin reaches is not known here */
        return usage_error("road: --ground is for OpenDRIVE, and '%s' is not", o->path);
    result = lk_crg_read(o->path, bytes, size, &crg, &errors);
    for (int i = 0; i < crg.notes.n; i++)
        file_error("%s", crg.notes.line[i].text);
    for (int i = 0; i < errors.n; i++)
        file_error("%s", errors.line[i].text);
    if (result < 0)
        complain("%s: %s", o->path, strerror(-result));
    if (result != 0)
        return EXIT_REFUSED;
    result = convert_crg(o, &crg);
    lk_crg_free(&crg);
    return result;
}

/* ---- OpenDRIVE ---- */

static int xodr_crossings(const void *surface, double place[2])
{
    return xodr_surface_crossings(surface, place);
}

/* Find whether a lane has a coefficient of friction, and the sums over all roads. */
static bool sum_roads(const struct xodr *xodr, double *ret_length, double *ret_step)
{
    bool rubs = false;

    *ret_length = 0;
    *ret_step = XODR_STEP;
    for (int i = 0; i < xodr->n; i++) {
        const struct xodr_road *r = &xodr->road[i];

        *ret_length += r->length;
        for (int k = 0; k < r->n_crgs; k++)
            *ret_step = fmin(*ret_step, finest(&r->crg[k].crg));
        for (int k = 0; k < r->n_sections; k++)
            for (int lane = 0; lane < r->section[k].n[0] + r->section[k].n[1]; lane++) {
                int side = lane < r->section[k].n[0] ? 0 : 1;

                rubs |= r->section[k]
                            .lane[side][side == 0 ? lane : lane - r->section[k].n[0]]
                            .n_frictions > 0;
            }
    }
    return rubs;
}

static int convert_xodr(const struct road_options *o, const struct xodr *xodr)
{
    struct source src = {.heights = xodr_surface_patch, .crossings = xodr_crossings};
    struct xodr_surface *surface = xodr_surface_new(xodr, o->margin, o->ground);
    double length;
    bool rubs = sum_roads(xodr, &length, &src.step);
    char what[128];
    int code;

    if (surface == NULL) {
        complain("out of memory");
        return EXIT_REFUSED;
    }
    snprintf(what, sizeof(what), "%d road%s of %g m%s", xodr->n, xodr->n == 1 ? "" : "s", length,
             rubs ? ", with friction of lanes" : "");
    src.surface = surface;
    src.grips = rubs ? xodr_surface_frictions : NULL;
    xodr_surface_box(surface, src.low, src.high, src.z);
    src.n_points = xodr_lines(xodr, &src.line);
    code = convert(o, what, &src);
    xodr_surface_free(surface);
    return code;
}

static int read_xodr(const struct road_options *o, const char *bytes, size_t size)
{
    struct notes notes = {.path = o->path};
    struct xodr xodr;
    bool is_good = xodr_read(bytes, size, &xodr, &notes);
    int code = EXIT_REFUSED;

    notes_print(&notes, stderr);
    if (is_good)
        code = convert_xodr(o, &xodr);
    notes_free(&notes);
    xodr_free(&xodr);
    return code;
}

/* Return whether a file begins like XML, after white space and a mark of UTF-8. */
static bool is_xml(const char *bytes, size_t size)
{
    size_t at = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

    while (at < size && strchr(" \t\r\n", bytes[at]) != NULL)
        at++;
    return at < size && bytes[at] == '<';
}

int command_road(int argc, char *argv[])
{
    struct road_options o = {.margin = 1, .ground = NAN};
    size_t size;
    char *bytes;
    int code = parse_road_options(argc, argv, &o), result;
    bool is_drive;

    if (code != EXIT_DONE)
        return code;
    result = lk_file_read(o.path, LK_CRG_SIZE_MAX + 1, &bytes, &size);
    is_drive = result == 0 && is_xml(bytes, size);
    if (result == 0 && size > (is_drive ? XODR_SIZE_MAX : LK_CRG_SIZE_MAX)) {
        free(bytes);
        result = -EFBIG;
    }
    if (result != 0) {
        complain("%s: %s", o.path, lk_file_error(result));
        return EXIT_REFUSED;
    }
    code = is_drive ? read_xodr(&o, bytes, size) : read_crg(&o, bytes, size);
    free(bytes);
    return code;
}
