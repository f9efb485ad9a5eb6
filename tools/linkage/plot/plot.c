/* SPDX-License-Identifier: Apache-2.0 */
/* linkage plot: options, and calls of the steps in plot.h. */
#include "plot.h"
#include "commands.h"

#include <float.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS_MAX 8

/** struct options - options of the command.
 * @words: panels of a table or a recording, see plot_choose();  @bode, @locus: of a model */
struct options {
    const char *path;
    const char *output;
    const char *topic;
    const char *bode[PAIRS_MAX];
    int n_bode;
    const char *locus;
    bool pose;
    double from;
    double to;
    int width;
    int height;
    char **words;
    int n_words;
};

static int take_size(const struct option_row *row, const char *text)
{
    struct options *o = row->data;
    char rest;

    if (sscanf(text, "%5dx%5d%c", &o->width, &o->height, &rest) == 2 && o->width >= 200 &&
        o->height >= 100 && o->width <= 20000 && o->height <= 20000)
        return EXIT_DONE;
    return refuse_value(row, text, "WIDTHxHEIGHT in pixels, 200x100 to 20000x20000");
}

static int parse_options(int argc, char *argv[], struct options *o)
{
    const struct option_row rows[] = {
        {"output", 'o', .text = &o->output},
        OUTPUT_FORCE_ROW,
        {"topic", 't', .text = &o->topic},
        {"from", .number = &o->from, .low = -DBL_MAX, .high = DBL_MAX, .unit = "s"},
        {"to", .number = &o->to, .low = -DBL_MAX, .high = DBL_MAX, .unit = "s"},
        {"bode", .list = o->bode, .n = &o->n_bode, .most = PAIRS_MAX},
        {"locus", .text = &o->locus},
        {"pose", .flag = &o->pose},
        {"param", 'p', .take = take_param},
        {"size", .take = take_size, .data = o},
        {"help", 'h', .end = print_help},
        {NULL},
    };
    int code = options_parse(argc, argv, &(struct option_table){rows, .refuse = refuse_value});

    if (code != EXIT_DONE)
        return code;
    if (optind == argc)
        return usage_error("plot takes a file, and the channels to draw");
    o->path = argv[optind];
    o->words = argv + optind + 1;
    o->n_words = argc - optind - 1;
    if (o->locus != NULL && o->n_bode > 0)
        return usage_error("expected one of --bode, --locus");
    if ((o->locus != NULL || o->n_bode > 0) && o->n_words > 0)
        return usage_error("--bode and --locus take a model alone");
    return EXIT_DONE;
}

/* Draw responses, a root locus or the table of a sweep. */
static bool draw_picture(const struct options *o, struct plot_page *page)
{
    bool good;

    if (plot_is_page(o->output)) {
        complain("%s: a page is made of curves over time; expected .svg or .png", o->output);
        return false;
    }
    if (o->n_bode > 0)
        good = plot_bode(o->path, o->pose, o->bode, o->n_bode, page);
    else if (o->locus != NULL)
        good = plot_locus(o->path, o->pose, o->locus, page);
    else
        good = plot_study(o->path, o->words, o->n_words, page);
    return good && plot_draw(page, o->output);
}

static bool draw(const struct options *o, struct plot_page *page)
{
    const char *slash = strrchr(o->path, '/');
    const struct plot_request request = {.path = o->path,
                                         .topic = o->topic,
                                         .title = slash != NULL ? slash + 1 : o->path,
                                         .words = o->words,
                                         .n_words = o->n_words,
                                         .from = o->from,
                                         .to = o->to};

    if (!plot_can_draw(o->output))
        return false;
    snprintf(page->title, sizeof(page->title), "%s", request.title);
    if (o->n_bode > 0 || o->locus != NULL || plot_is_study(o->path))
        return draw_picture(o, page);
    return plot_table(&request, o->output, page);
}

int command_plot(int argc, char *argv[])
{
    struct options o = {.output = "plot.svg", .topic = "outputs", .from = -DBL_MAX, .to = DBL_MAX};
    struct plot_page page = {0};
    int code = parse_options(argc, argv, &o);

    if (code != EXIT_DONE)
        return code;
    page.width = o.width;
    page.height = o.height;
    code = draw(&o, &page) ? EXIT_DONE : EXIT_REFUSED;
    if (code == EXIT_DONE)
        printf("%s: %d panel%s of %s\n", o.output, page.n_panels, page.n_panels == 1 ? "" : "s",
               o.path);
    plot_page_fini(&page);
    return code;
}
