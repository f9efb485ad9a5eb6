/* SPDX-License-Identifier: Apache-2.0 */
/* linkage road: converts an OpenCRG file to a height field for the roads of a model. The reference
 * line may be curved, so the heights are evaluated at the nodes of a grid along x and y. */
#include "commands.h"
#include "linkage/file.h"
#include "model/crg.h"
#include "model/road_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN_MAX 100 /* [m] */

/** struct road_options - options of the command.
 * @step:   distance of the nodes [m], 0: as fine as the file
 * @margin: see lk_crg_surface_new() */
struct road_options {
    const char *path;
    const char *output;
    double step;
    double margin;
};

static int parse_road_options(int argc, char *argv[], struct road_options *o)
{
    static const char expected[] = "road: expected one OpenCRG file, and -o FILE.road";
    const struct option_row rows[] = {
        {"output", 'o', .text = &o->output},
        OUTPUT_FORCE_ROW,
        {"step", 's', .number = &o->step, .low = 1e-3, .high = 1e3, .unit = "m"},
        {"margin", 'm', .number = &o->margin, .low = 0, .high = MARGIN_MAX, .unit = "m"},
        {"help", 'h', .end = print_help},
        {NULL},
    };
    int code = parse_command(argc, argv, rows, expected, &o->path);

    return code == EXIT_DONE && o->output == NULL ? usage_error("%s", expected) : code;
}

/* Return the finest spacing in the file, in both directions [m]. */
static double finest(const struct lk_crg *crg)
{
    double step = crg->step;

    for (int i = 1; i < crg->n_v; i++)
        step = fmin(step, crg->v[i] - crg->v[i - 1]);
    return fmax(step, 1e-3);
}

/* Choose a grid that covers the road, with nodes at multiples of the step. */
static bool choose_grid(const struct road_options *o, const struct lk_crg *crg,
                        const struct lk_crg_surface *surface, struct lk_road_grid *ret)
{
    double low[2], high[2], z[2], step = o->step > 0 ? o->step : finest(crg);

    lk_crg_surface_box(surface, low, high, z);
    for (int k = 0; k < 2; k++) {
        double first = floor(low[k] / step + 1e-6), last = ceil(high[k] / step - 1e-6);

        if (!(last - first <= LK_ROAD_CELLS_MAX)) {
            complain(
                "%s: a road of %g by %g m has too many cells of %g m, expected a larger --step",
                o->path, high[0] - low[0], high[1] - low[1], step);
            return false;
        }
        ret->origin[k] = first * step;
        ret->step[k] = step;
        ret->cells[k] = (int)fmax(last - first, 1);
    }
    ret->base = rint(0.5 * (z[0] + z[1]));
    ret->quantum = ldexp(1, -24);
    while (ret->quantum * 1e9 < z[1] - z[0] + 100)
        ret->quantum *= 2;
    return true;
}

static bool write_road(const char *path, const struct lk_road_grid *grid)
{
    size_t size;
    void *bytes;
    int code;

    if (lk_road_file_bytes(grid, &bytes, &size) != 0) {
        complain("out of memory");
        return false;
    }
    code = write_output(path, "LKROAD", bytes, size);
    free(bytes);
    return code == EXIT_DONE;
}

static void describe(const struct road_options *o, const struct lk_crg *crg,
                     const struct lk_crg_surface *surface, const struct lk_road_grid *g, double gap)
{
    double crossing[2];
    int n = lk_crg_surface_crossings(surface, crossing);

    printf("%s: %d rows of %d sections over %g m; grid of %d by %d cells of %g m from x %g, y %g, "
           "%d of %d tiles, %.1f MiB\n",
           o->output, crg->n, crg->n_v, crg->step * (crg->n - 1), g->cells[0], g->cells[1],
           g->step[0], g->origin[0], g->origin[1], g->n_tiles, lk_road_grid_places(g),
           (double)g->n_tiles * sizeof(struct lk_road_tile) / (1 << 20));
    if (gap > 1e-3)
        printf("its line ends %.3g m beside REFERENCE_LINE_END; that is spread over its length\n",
               gap);
    if (n > 0)
        printf("it crosses itself at %d nodes, first at x %g, y %g: there the nearer line counts\n",
               n, crossing[0], crossing[1]);
}

/* Check the number of tiles that the road needs against the limit of the file. */
static bool fits(const struct road_options *o, struct lk_crg_surface *surface,
                 const struct lk_road_grid *g)
{
    double side = LK_ROAD_TILE * g->step[0], area = lk_crg_surface_area(surface, side);
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
    struct lk_crg_surface *surface;
    struct progress progress;
    double done;
    double n;
};

static bool take_patch(void *context, const struct lk_road_patch *patch, double *z)
{
    struct work *w = context;

    progress_show(&w->progress, now_s(), w->done++ / w->n);
    return lk_crg_surface_patch(w->surface, patch, z);
}

static int build_road(struct lk_crg_surface *surface, const struct lk_road_grid *like,
                      struct lk_road_file *ret, struct lk_error *error)
{
    struct work work = {.surface = surface, .n = lk_road_grid_places(like)};
    int result;

    progress_start(&work.progress);
    result = lk_road_file_fill(like, take_patch, &work, ret, error);
    progress_hide();
    return result;
}

static int convert_crg(const struct road_options *o, const struct lk_crg *crg)
{
    struct lk_crg_surface *surface = NULL;
    struct lk_road_grid like = {.n_tiles = 0};
    struct lk_road_file road;
    struct lk_error error;
    double gap;
    int code = EXIT_REFUSED, result;

    if (lk_crg_surface_new(crg, o->margin, &surface, &gap) != 0) {
        complain("out of memory");
        return code;
    }
    if (choose_grid(o, crg, surface, &like) && fits(o, surface, &like)) {
        result = build_road(surface, &like, &road, &error);
        if (result != 0) {
            complain("%s: %s", o->path, result > 0 ? error.text : strerror(-result));
        } else {
            if (write_road(o->output, &road.grid)) {
                describe(o, crg, surface, &road.grid, gap);
                code = EXIT_DONE;
            }
            lk_road_file_free(&road);
        }
    }
    lk_crg_surface_free(surface);
    return code;
}

static int read_and_convert(const struct road_options *o, const char *bytes, size_t size)
{
    struct lk_errors errors;
    struct lk_crg crg;
    int result = lk_crg_read(o->path, bytes, size, &crg, &errors);

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

int command_road(int argc, char *argv[])
{
    struct road_options o = {.margin = 1};
    size_t size;
    char *bytes;
    int code = parse_road_options(argc, argv, &o), result;

    if (code != EXIT_DONE)
        return code;
    result = lk_file_read(o.path, LK_CRG_SIZE_MAX + 1, &bytes, &size);
    if (result == 0 && size > LK_CRG_SIZE_MAX) {
        free(bytes);
        result = -EFBIG;
    }
    if (result != 0) {
        complain("%s: %s", o.path, lk_file_error(result));
        return EXIT_REFUSED;
    }
    code = read_and_convert(&o, bytes, size);
    free(bytes);
    return code;
}
