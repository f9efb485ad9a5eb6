/* SPDX-License-Identifier: Apache-2.0 */
/* linkage modes: modes of a mechanism about its equilibrium, and matrices of its linearised
 * motion. */
#include "linkage/modes.h"
#include "commands.h"
#include "linkage/file.h"
#include "modes_parts.h"
#include "modes_picture.h"
#include "view/offline.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMED  4    /* number of bodies named in the description of a mode */
#define UNREST 1e-6 /* largest acceleration at rest, as a share of the largest entry of A */

/** struct options - options of the command.
 * @pose:   linearise about the initial configuration instead of the equilibrium
 * @still:  linearise with zero velocities
 * @turning: body with whose angular velocity all turns, or NULL
 * @prefix: beginning of the file names of matrices, or NULL
 * @svg:    path of the picture of mode @mode, counted from 1, or NULL
 * @html:   path of a page that moves the mode, or NULL */
struct options {
    const char *path;
    const char *prefix;
    const char *svg;
    const char *html;
    int mode;
    bool pose;
    bool still;
    const char *turning;
    bool is_json;
};

static int parse_options(int argc, char *argv[], struct options *o)
{
    const struct option_row rows[] = {
        {"param", 'p', .take = take_param},
        {"pose", .flag = &o->pose},
        {"still", .flag = &o->still},
        {"turning", .text = &o->turning},
        {"output", 'o', .text = &o->prefix},
        OUTPUT_FORCE_ROW,
        {"mode", 'm', .integer = &o->mode, .low = 1, .high = INT_MAX,
         .expected = "its number in the table"},
        {"svg", 's', .text = &o->svg},
        {"html", .text = &o->html},
        {"json", 'j', .flag = &o->is_json},
        {"help", 'h', .end = print_help},
        {NULL},
    };
    int code = parse_command(argc, argv, rows, "modes takes one model", &o->path);

    if (code == EXIT_DONE && o->turning != NULL && (o->still || o->pose))
        return usage_error("--turning seeks rest in axes that turn, expected no --still or --pose");
    if (code == EXIT_DONE && (o->svg != NULL || o->html != NULL) != (o->mode > 0))
        return usage_error("a picture takes both --mode N and --svg FILE or --html FILE");
    if (code == EXIT_DONE && o->html != NULL && !offline_can_write(o->html))
        return EXIT_REFUSED;
    return code;
}

/* ---- the table ---- */

static double largest_of(const double *values, int n)
{
    double largest = 0;

    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(values[i]));
    return largest;
}

static bool rests(const struct lk_linear *l)
{
    return l->unrest <= UNREST * fmax(1, largest_of(l->A, l->n_states * l->n_states));
}

static void print_head(const struct options *o, const struct lk_system *system,
                       const struct lk_model *model, const struct lk_linear *l)
{
    struct lk_equilibrium e;

    lk_system_equilibrium(system, &e);
    printf("%s: %s, %d degrees of freedom, about %s\n", o->path, lk_model_name(model), l->n_rates,
           o->turning    ? "its steady rotation, in axes that turn with it"
           : e.is_sought ? "its static equilibrium"
                         : "the drawing");
    if (!rests(l))
        printf(
            "note: it does not rest there: a coordinate gains %.3g a second in each second; these "
            "are the modes of that moment\n",
            l->unrest);
}

static void print_shape(const struct lk_system *system, const struct lk_linear *l,
                        const struct lk_mode *mode, struct mode_part *part)
{
    modes_find_parts(l, mode, part);
    for (int i = 0; i < NAMED && i < l->n_bodies && part[i].share >= MODES_SHARE_MIN; i++)
        printf("%s%s %s %.0f %%", i > 0 ? ", " : "  ", lk_system_body_name(system, part[i].body),
               modes_way(part[i].way), 100 * part[i].share);
    putchar('\n');
}

static void print_modes(const struct lk_system *system, const struct lk_linear *l,
                        const struct lk_mode *mode, int n, double zero, struct mode_part *part)
{
    bool has_free = false;

    puts("mode       eigenvalue [1/s]         [Hz]  damping  what moves, by its kinetic energy");
    for (int i = 0; i < n; i++) {
        const struct lk_mode *m = &mode[i];
        enum mode_kind kind = modes_kind(m, zero);
        double damping = modes_damping(m);

        has_free |= kind == MODE_FREE;
        if (kind == MODE_FREE)
            printf("%4d  %12s %-14s %8s %8s", i + 1, "0", "", "free", "");
        else if (kind == MODE_SWINGS)
            printf("%4d  %12.6g +- %-11.6g %8.4g %8.4f", i + 1, damping == 0 ? 0 : m->re, m->im,
                   m->frequency, damping);
        else
            printf("%4d  %12.6g %-14s %8.4g %8s", i + 1, m->re, "", m->frequency,
                   modes_kind_name(kind));
        print_shape(system, l, m, part);
    }
    if (has_free && zero > 0)
        printf("free: not faster than %.3g 1/s, which finite differences cannot distinguish from "
               "zero\n",
               zero);
}

static void print_json(const struct options *o, const struct lk_system *system,
                       const struct lk_model *model, const struct lk_linear *l,
                       const struct lk_mode *mode, int n, double zero, struct mode_part *part)
{
    struct lk_json json = {.file = stdout, .spaced = true};
    struct lk_equilibrium e;

    lk_system_equilibrium(system, &e);
    lk_json_open(&json, NULL, '{');
    lk_json_text(&json, "model", lk_model_name(model));
    lk_json_number(&json, "degrees_of_freedom", l->n_rates);
    lk_json_text(&json, "about", e.is_sought ? "equilibrium" : "drawing");
    lk_json_bool(&json, "rests", rests(l));
    lk_json_number(&json, "unrest", l->unrest);
    lk_json_number(&json, "zero_per_s", zero);
    modes_put_json(&json, system, l, mode, n, zero, part);
    if (o->prefix != NULL)
        lk_json_text(&json, "matrices", o->prefix);
    lk_json_close(&json, '}');
    lk_json_end(&json);
}

/* ---- matrices as files ---- */

/** struct names - names of rows or columns of a matrix.
 * @states: states (coordinates, their rates, states of blocks) instead of channels */
struct names {
    const struct lk_system *system;
    const struct lk_linear *l;
    const struct lk_channel *channel;
    int n;
    bool states;
};

/* Print the name of a state without commas, so that every reader of CSV splits the line in the same
 * way. */
static void print_state(FILE *out, const struct names *names, int i)
{
    char text[LK_TEXT_SIZE];
    int m = names->l->n_motions, first_block = m + names->l->n_rates;

    if (i >= first_block) {
        fprintf(out, "block %s", names->l->block[i - first_block]);
        return;
    }
    lk_free_coordinate_text(names->system, names->l->coordinate[i % m], text, sizeof(text));
    for (char *c = text; *c; c++)
        if (*c == ',')
            *c = ';';
    fprintf(out, "%s%s", text, i < m ? "" : " rate");
}

static void print_name(FILE *out, const struct names *names, int i)
{
    if (names->states) {
        print_state(out, names, i);
        return;
    }
    for (int c = 0; c < names->n; c++) {
        const struct lk_channel *channel = &names->channel[c];
        int k = i - channel->offset;

        if (k < 0 || k >= channel->size)
            continue;
        fprintf(out, "%s%s%s [%s]", channel->name, *channel->component[k] ? "." : "",
                channel->component[k], channel->unit[k]);
    }
}

static bool write_matrix(const char *prefix, char which, const double *values, int n_rows,
                         int n_columns, const struct names *rows, const struct names *columns)
{
    char path[PATH_MAX];
    struct output *output = NULL;
    FILE *out;
    int fault;

    if (snprintf(path, sizeof(path), "%s-%c.csv", prefix, which) >= (int)sizeof(path)) {
        complain("%s: the name is too long", prefix);
        return false;
    }
    fault = output_open(path, ",", &output);
    if (told_output(path, fault) != EXIT_DONE)
        return false;
    out = output_file(output);
    for (int c = 0; c < n_columns; c++) {
        fputc(',', out);
        print_name(out, columns, c);
    }
    for (int r = 0; r < n_rows; r++) {
        fputc('\n', out);
        print_name(out, rows, r);
        for (int c = 0; c < n_columns; c++)
            fprintf(out, ",%.17g", values[(size_t)r * (size_t)n_columns + (size_t)c]);
    }
    fputc('\n', out);
    return told_output(path, output_close(output, true)) == EXIT_DONE;
}

static bool write_matrices(const char *prefix, const struct lk_system *system,
                           const struct lk_linear *l)
{
    struct names states = {.system = system, .l = l, .states = true}, inputs = {0}, outputs = {0};

    inputs.channel = lk_system_input_channels(system, &inputs.n);
    outputs.channel = lk_system_output_channels(system, &outputs.n);
    if (!write_matrix(prefix, 'A', l->A, l->n_states, l->n_states, &states, &states) ||
        !write_matrix(prefix, 'B', l->B, l->n_states, l->n_inputs, &states, &inputs) ||
        !write_matrix(prefix, 'C', l->C, l->n_outputs, l->n_states, &outputs, &states) ||
        !write_matrix(prefix, 'D', l->D, l->n_outputs, l->n_inputs, &outputs, &inputs))
        return false;
    return true;
}

/* ---- the whole ---- */

static bool draw(const struct options *o, const struct lk_system *system,
                 const struct lk_model *model, const struct lk_linear *l,
                 const struct lk_mode *modes, int n)
{
    if (o->mode == 0)
        return true;
    if (o->mode > n) {
        complain("mode is %d, expected 1 to %d, its number in the table", o->mode, n);
        return false;
    }
    return draw_mode(model, system, l, &modes[o->mode - 1], o->mode, o->svg, o->html);
}

/* Return the eigenvalue up to which modes are free. Without a second set, all doubtful modes are.
 */
static double find_zero(const struct options *o, struct lk_system *system,
                        const struct lk_mode *modes, int n)
{
    struct lk_linear other;
    struct lk_mode *again = NULL;
    struct lk_error error;
    const struct lk_linear_options nudged = {o->still, MODES_NUDGE, o->turning};
    double zero;
    int n_again = 0;

    if (modes_have_doubtful(modes, n) &&
        lk_linear_init_with(system, &nudged, &other, &error) == 0) {
        n_again = lk_modes_find(&other, &again);
        lk_linear_fini(&other);
    }
    zero = modes_zero(modes, n, again, n_again);
    if (n_again > 0)
        lk_modes_free(again, n_again);
    return zero;
}

static bool print_all(const struct options *o, struct lk_system *system,
                      const struct lk_model *model, const struct lk_linear *l)
{
    struct mode_part *part = calloc((size_t)l->n_bodies + 1, sizeof(*part));
    struct lk_mode *modes = NULL;
    int n = part != NULL ? lk_modes_find(l, &modes) : -ENOMEM;
    bool good = n >= 0;

    if (n < 0) {
        complain("%s: no eigenvalues were found: %s", o->path,
                 n == -EDOM ? "motions do not satisfy A v = w v, as numbers of A are too far apart"
                            : strerror(-n));
    } else {
        double zero = find_zero(o, system, modes, n);

        if (o->is_json) {
            print_json(o, system, model, l, modes, n, zero, part);
        } else {
            print_head(o, system, model, l);
            print_modes(system, l, modes, n, zero, part);
        }
        good = draw(o, system, model, l, modes, n);
        lk_modes_free(modes, n);
    }
    free(part);
    return good;
}

static int show(const struct options *o, struct lk_system *system, const struct lk_model *model)
{
    const struct lk_linear_options how = {.at_rest = o->still, .turning = o->turning};
    struct lk_linear l;
    struct lk_error error;
    bool good;
    int r;

    error.text[0] = '\0';
    r = lk_linear_init_with(system, &how, &l, &error);
    if (r != 0) {
        complain("%s: %s", o->path, error.text[0] ? error.text : strerror(-r));
        return EXIT_REFUSED;
    }
    good = print_all(o, system, model, &l) &&
           (o->prefix == NULL || write_matrices(o->prefix, system, &l));
    if (good && o->prefix != NULL && !o->is_json)
        printf("A, B, C and D of x' = A x + B u, y = C x + D u are in %s-A.csv to %s-D.csv\n",
               o->prefix, o->prefix);
    lk_linear_fini(&l);
    return good ? EXIT_DONE : EXIT_REFUSED;
}

int command_modes(int argc, char *argv[])
{
    struct options o = {0};
    struct lk_options how = {.all_rows = 1};
    struct lk_system *system;
    struct lk_model *model;
    int code = parse_options(argc, argv, &o);

    if (code != EXIT_DONE)
        return code;
    how.equilibrium = !o.pose && o.turning == NULL;
    model = load_model(o.path);
    system = model != NULL ? compile_model(o.path, model, &how) : NULL;
    code = system != NULL ? show(&o, system, model) : EXIT_REFUSED;
    lk_system_free(system);
    lk_model_free(model);
    return code;
}
