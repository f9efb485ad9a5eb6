/* SPDX-License-Identifier: Apache-2.0 */
/* linkage flex: options, source and output. */
#include "flex.h"
#include "commands.h"
#include "linkage/document.h"
#include "model/model.h"
#include "solid.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MODES     20
#define MODES_MAX 4000
#define SECOND    24
#define MARK      "# linkage flex"

/* struct options - the command line. @line: its words, for the comment of the mode file */
struct options {
    const char *path;
    const char *beam;
    struct flex_files files;
    struct flex_wish wish;
    double damping;
    bool has_all_nodes;
    const char *output;
    bool is_json;
    char line[256];
};

/* Copy the options to @o->line. Folders are omitted. */
static void keep_line(int argc, char *argv[], struct options *o)
{
    size_t used = 0;

    for (int i = 1; i < argc; i++) {
        const char *slash = argv[i][0] == '-' ? NULL : strrchr(argv[i], '/');
        const char *word = slash != NULL ? slash + 1 : argv[i];
        size_t size = strcspn(word, "\n\r");

        if (used + size + 2 > sizeof(o->line))
            break;
        used += (size_t)snprintf(o->line + used, sizeof(o->line) - used, "%s%.*s",
                                 used > 0 ? " " : "", (int)size, word);
    }
}

/* Return whether @path ends with @end. */
static bool ends(const char *path, const char *end)
{
    size_t size = strlen(path), of_end = strlen(end);

    return size > of_end && strcasecmp(path + size - of_end, end) == 0;
}

/* Check that the options name one source. */
static int check_source(struct options *o, int n_files)
{
    struct flex_files *f = &o->files;
    bool is_matrices = f->mass != NULL || f->stiffness != NULL || f->nodes != NULL;

    if (is_matrices && (f->mass == NULL || f->stiffness == NULL || f->nodes == NULL || n_files > 0))
        return usage_error("flex takes --mass, --stiffness and --nodes together, without a model");
    if (!is_matrices && n_files != 1)
        return usage_error("flex takes one model with --beam NAME, one JOB.inp of CalculiX, or "
                           "--mass, --stiffness and --nodes");
    if (!is_matrices && ends(o->path, ".mnf")) {
        file_error("%s: modal neutral files are a closed format, expected mass and stiffness as "
                   "Matrix Market files",
                   o->path);
        return EXIT_REFUSED;
    }
    if (!is_matrices && ends(o->path, ".inp"))
        f->job = o->path;
    if ((is_matrices || f->job != NULL) == (o->beam != NULL))
        return usage_error(o->beam != NULL ? "--beam is for models"
                                           : "flex needs --beam NAME, a beam of the model");
    if (o->beam == NULL && f->n_interfaces == 0 && (!o->wish.is_free || o->output != NULL))
        return usage_error("flex of matrices needs --interface NAME=NODE[,NODE...]");
    if (o->beam != NULL && f->n_interfaces > 0)
        return usage_error("--interface is for matrices; the nodes of a beam are in the model");
    if (o->beam != NULL && f->n_recoveries + f->n_gauges + f->n_stresses + (f->units != NULL) > 0)
        return usage_error("--recovery, --gauge, --stress and --units are for matrices");
    if (f->units != NULL && strcmp(f->units, "m-kg") != 0 && strcmp(f->units, "mm-t") != 0)
        return usage_error("--units %s: expected m-kg, or mm-t for mm, t and N", f->units);
    return EXIT_DONE;
}

static int parse_options(int argc, char *argv[], struct options *o)
{
    const struct option_row rows[] = {
        {"param", 'p', .take = take_param},
        {"beam", 'b', .text = &o->beam},
        {"mass", .text = &o->files.mass},
        {"stiffness", .text = &o->files.stiffness},
        {"nodes", .text = &o->files.nodes},
        {"units", .text = &o->files.units},
        {"interface", 'i', .list = o->files.interface, .n = &o->files.n_interfaces},
        {"recovery", .list = o->files.recovery, .n = &o->files.n_recoveries},
        {"gauge", .list = o->files.gauge, .n = &o->files.n_gauges},
        {"stress", .list = o->files.stress, .n = &o->files.n_stresses},
        {"modes", 'm', .integer = &o->wish.n, .low = 1, .high = MODES_MAX},
        {"to", .number = &o->wish.to_hz, .low = OPTIONS_ABOVE_0, .high = 1e9, .unit = "Hz"},
        {"free", .flag = &o->wish.is_free},
        {"second", .integer = &o->wish.second, .low = 0, .high = MODES_MAX},
        {"damping", .number = &o->damping, .low = 0, .high = 10},
        {"all-nodes", .flag = &o->has_all_nodes},
        {"output", 'o', .text = &o->output},
        {"json", 'j', .flag = &o->is_json},
        OUTPUT_FORCE_ROW,
        {"help", 'h', .end = print_help},
        {NULL},
    };
    int code;

    keep_line(argc, argv, o);
    code = options_parse(argc, argv, &(struct option_table){.rows = rows, .refuse = refuse_value});
    if (code != EXIT_DONE)
        return code;
    o->path = argv[optind];
    code = check_source(o, argc - optind);
    if (code == EXIT_DONE && o->output != NULL && strcmp(o->output, "-") == 0 && o->is_json)
        return usage_error("--json and --output - both write to the standard output");
    return code;
}

/* ---- source ---- */

/* Warn if the modes cannot represent all static deflections. */
static void warn_static(const struct options *o, const bool *interface, int n_nodes)
{
    int n = -FLEX_RIGID;

    for (int i = 0; i < n_nodes; i++)
        n += interface[i] ? 6 : 0;
    if (!o->wish.is_free && !(o->wish.to_hz > 0) && o->wish.n < n)
        file_warning("%s: --modes %d omits static modes, so that loads at the nodes deflect beam "
                     "'%s' too little; expected at least %d",
                     o->path, o->wish.n, o->beam, n);
}

static int reduce_beam(const struct options *o, const struct flex_beam *beam, bool *interface,
                       struct flex_body *body)
{
    int result = flex_beam_places(beam, o->beam, o->has_all_nodes, interface, body);

    if (result != 0)
        return result;
    warn_static(o, interface, beam->n);
    result = flex_beam_modes(beam, &body->mass, interface, &o->wish, &body->modes);
    if (result != 0)
        return result;
    body->pairs.n = o->wish.second < body->modes.n ? o->wish.second : body->modes.n;
    if (body->pairs.n < body->modes.n)
        file_warning("%s: geometric stiffening by modes %d to %d is not contained, expected "
                     "--second %d where the body turns fast or is under load",
                     o->path, body->pairs.n + 1, body->modes.n, body->modes.n);
    result = flex_bend(beam, &body->mass, &body->modes, &body->pairs);
    snprintf(body->note, sizeof(body->note),
             "# Beam of %d elements. The data of second order contain geometric stiffening.\n",
             beam->n - 1);
    return result == 0 ? flex_integrate(body) : result;
}

/* Return: 0, -EINVAL after a message, or another negative errno. */
static int read_beam(const struct options *o, struct flex_body *body)
{
    struct lk_model *model = load_model(o->path);
    struct flex_beam beam = {0};
    bool *interface = NULL;
    int result =
        model != NULL ? flex_beam_read(model, o->path, o->beam, &beam, &body->mass) : -EINVAL;

    if (result == 0) {
        interface = calloc((size_t)beam.n, sizeof(*interface));
        result = interface != NULL ? reduce_beam(o, &beam, interface, body) : -ENOMEM;
    }
    free(interface);
    flex_beam_free(&beam);
    lk_model_free(model);
    return result;
}

/* Warn if the modes cannot represent all motions of the interface. */
static void warn_static_of_solid(const struct options *o)
{
    int n = 6 * o->files.n_interfaces - FLEX_RIGID;

    if (!o->wish.is_free && !(o->wish.to_hz > 0) && o->wish.n < n)
        caution("--modes %d omits static modes, so that loads at the interface deflect the body "
                "too little; expected at least %d",
                o->wish.n, n);
}

/* Return: 0, -EINVAL after a message, or another negative errno. */
static int read_solid(const struct options *o, struct flex_body *body)
{
    static const char limit[] = "geometric stiffening is not contained: the mode file has no "
                                "quadratic displacements";
    static const char contained[] = "geometric stiffening by loads at the nodes and by rotation is "
                                    "contained";
    static const char reduced[] = "a reduced model has no mass distribution: inertia does not "
                                  "change as the body bends, which is for slow rotations alone";
    int result;

    if (!flex_has_solver) {
        complain("flex of matrices is not in this build, expected one with "
                 "libarpack2-dev and libsuitesparse-dev installed");
        return -EINVAL;
    }
    warn_static_of_solid(o);
    result = flex_solid(&o->files, &o->wish, body);
    if (result != 0)
        return result;
    if (!(o->wish.to_hz > 0) && body->modes.n < o->wish.n)
        caution("there are only %d modes", body->modes.n);
    if (body->pairs.stiffening == NULL)
        caution("%s", limit);
    if (body->mass.is_unknown)
        caution("%s", reduced);
    if (body->pairs.stiffening != NULL && body->pairs.n < body->modes.n)
        caution("geometric stiffening by modes %d to %d is not contained, expected --second %d "
                "where the body turns fast or is under load",
                body->pairs.n + 1, body->modes.n, body->modes.n);
    snprintf(
        body->note, sizeof(body->note),
        "# Finite-element model of %d nodes. Of second order is the inertia of displacements;\n"
        "# %s.\n%s%s%s",
        body->mass.n, body->pairs.stiffening != NULL ? contained : limit,
        body->mass.is_unknown ? "# " : "", body->mass.is_unknown ? reduced : "",
        body->mass.is_unknown ? ".\n" : "");
    return flex_integrate(body);
}

/* ---- output ---- */

/* Replace the damping of the elements by --damping. */
static int set_damping(const struct options *o, struct flex_modes *modes)
{
    double *ratio;

    if (o->damping < 0)
        return 0;
    ratio = calloc((size_t)modes->n + 1, sizeof(*ratio));
    if (ratio == NULL)
        return -ENOMEM;
    for (int k = 0; k < modes->n; k++)
        ratio[k] = o->damping;
    free(modes->damping);
    modes->damping = ratio;
    return 0;
}

/* Write the mode file. Return: 0, or a fault of output.h. */
static int write_file(const struct options *o, const struct flex_body *body)
{
    struct output *output = NULL;
    int fault = output_open(o->output, MARK, &output);

    if (fault != 0)
        return fault;
    flex_write(output_file(output), body, o->line);
    if (ftell(output_file(output)) > (long)LK_DOCUMENT_SIZE_MAX)
        caution("%s is larger than %u MiB, which no model can read: use fewer modes, a smaller "
                "--second%s",
                o->output, LK_DOCUMENT_SIZE_MAX >> 20,
                o->has_all_nodes ? ", or no --all-nodes" : "");
    return output_close(output, true);
}

static int write_all(const struct options *o, const struct flex_body *body)
{
    int fault = o->output != NULL ? write_file(o, body) : 0;

    if (told_output(o->output, fault) != EXIT_DONE)
        return EXIT_REFUSED;
    if (o->is_json)
        flex_print_json(body);
    else
        flex_print(body, o->output != NULL && strcmp(o->output, "-") == 0 ? stderr : stdout);
    return EXIT_DONE;
}

/* Print the error message about @result, unless there was one. */
static void report(const struct options *o, int result)
{
    const char *path = o->path != NULL ? o->path : o->files.stiffness;

    if (result == -EDOM && o->beam != NULL)
        file_error("%s: beam '%s' is not held together, expected a stiffness above 0 along and "
                   "about all axes of each element",
                   path, o->beam);
    else if (result == -EDOM)
        file_error("%s: no modes with the interface fixed, expected one connected body whose "
                   "interface holds it, and fewer modes than degrees of freedom with mass",
                   path);
    else if (result != -EINVAL)
        file_error("%s: %s", path, strerror(-result));
}

static int reduce(const struct options *o)
{
    struct flex_body body = {0};
    int result = o->beam != NULL ? read_beam(o, &body) : read_solid(o, &body), code;

    if (result == 0)
        result = set_damping(o, &body.modes);
    if (result != 0)
        report(o, result);
    code = result == 0 ? write_all(o, &body) : EXIT_REFUSED;
    flex_body_free(&body);
    return code;
}

int command_flex(int argc, char *argv[])
{
    struct options o = {.wish = {.n = MODES, .second = SECOND}, .damping = -1};
    int code;

    o.files.interface = calloc(4 * (size_t)argc, sizeof(*o.files.interface));
    if (o.files.interface == NULL)
        return EXIT_REFUSED;
    o.files.recovery = o.files.interface + argc;
    o.files.gauge = o.files.recovery + argc;
    o.files.stress = o.files.gauge + argc;
    code = parse_options(argc, argv, &o);
    if (code == EXIT_DONE)
        code = reduce(&o);
    free(o.files.interface);
    return code;
}
