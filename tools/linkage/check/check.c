/* SPDX-License-Identifier: Apache-2.0 */
/* linkage check: elements of a model, degrees of freedom, and cost of a step. */
#include "check.h"
#include "commands.h"
#include "model/model.h"
#include "tone.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define JOINTS_SHOWN      20
#define COORDINATES_SHOWN 20
#define SHARES_SHOWN      6
#define CLOSE             1e-3 /* near a singular pose [rad, or share of a length] */

/* Print a list of joints, at most @most names, such as ", in a, b and 3 more". */
static void print_in(const struct findings *f, const int *joints, int n, int most)
{
    char text[LK_TEXT_SIZE];

    for (int i = 0; i < n && i < most; i++)
        printf("%s %s", i == 0 ? ", in" : ",",
               lk_joint_text(f->system, joints[i], text, sizeof(text)));
    if (n > most)
        printf(" and %d more", n - most);
}

/* Print one line per joint with those of its rows that are linearly dependent on others. */
static void print_redundant_rows(const struct findings *f)
{
    const struct lk_mobility *m = &f->mobility;
    char text[LK_TEXT_SIZE];
    int shown = 0;

    printf("redundant rows      %d", m->n_redundant);
    print_in(f, m->joints, m->n_joints, JOINTS_SHOWN);
    putchar('\n');
    for (int i = 0; i < m->n_rows; i++) {
        bool is_first = i == 0 || m->rows[i].joint != m->rows[i - 1].joint;

        if (is_first && shown++ == JOINTS_SHOWN)
            break;
        if (is_first)
            printf("  %-18s", lk_joint_text(f->system, m->rows[i].joint, text, sizeof(text)));
        printf("%s%s", is_first ? "" : ", ",
               lk_row_text(f->system, m->rows[i], text, sizeof(text)));
        if (i == m->n_rows - 1 || m->rows[i + 1].joint != m->rows[i].joint)
            putchar('\n');
    }
    if (m->n_redundant > 0)
        printf("                    these rows depend on each other; of all reactions that fit, a "
               "run\n                    gives those of smallest norm\n");
}

/* Print one possible set of independent coordinates. */
static void print_coordinates(const struct findings *f)
{
    const struct lk_mobility *m = &f->mobility;
    char text[LK_TEXT_SIZE];

    if (m->coordinates == NULL) {
        printf("free coordinates    not listed: the loops leave too many motions\n");
        return;
    }
    printf("free coordinates    %s\n", m->dof == 0 ? "none" : "one choice of several:");
    for (int i = 0; i < m->n_coordinates && i < COORDINATES_SHOWN; i++)
        printf("  %s\n", lk_free_coordinate_text(f->system, m->coordinates[i], text, sizeof(text)));
    if (m->n_coordinates > COORDINATES_SHOWN)
        printf("  and %d more, see --json\n", m->n_coordinates - COORDINATES_SHOWN);
    if (f->has_pose && f->pose.kind == LK_POSE_SINGULAR)
        printf(
            "                    here; beside this singular pose %d of them depend on the others\n",
            f->pose.n_extra);
    if (f->has_pose && f->pose.kind == LK_POSE_STUCK)
        printf("                    at first; no pose beside the one as drawn was found\n");
}

static void print_mobility(const struct findings *f)
{
    if (!f->has_mobility) {
        printf("degrees of freedom  not computed: the loops have too many rows\n");
        return;
    }
    printf("degrees of freedom  %d, in the initial configuration", f->mobility.dof);
    if (f->mobility.n_driven > 0)
        printf("; %d driven beside them", f->mobility.n_driven);
    putchar('\n');
    print_coordinates(f);
    print_redundant_rows(f);
}

static void print_movers(const struct findings *f)
{
    char text[LK_TEXT_SIZE];

    printf("                    most of that motion is in");
    for (int i = 0; i < f->pose.n_bodies && i < SHARES_SHOWN; i++)
        printf("%s %s", i == 0 ? "" : ",",
               lk_body_text(f->system, f->pose.bodies[i], text, sizeof(text)));
    putchar('\n');
}

static void print_pose(const struct findings *f)
{
    const struct lk_pose_check *p = &f->pose;

    if (!f->has_pose) {
        printf("pose                not examined: bodies with modes close loops, or the loops have "
               "too many rows\n");
        return;
    }
    if (p->n_loop_rows == 0) {
        printf("pose                no loops, hence no singular poses\n");
        return;
    }
    if (p->kind == LK_POSE_REGULAR) {
        printf("pose                %s\n",
               p->smallest < CLOSE ? "close to a singular pose" : "regular");
    } else if (p->kind == LK_POSE_SINGULAR) {
        printf("pose                singular pose: %d degree%s of freedom here, %d beside it\n",
               f->mobility.dof, f->mobility.dof == 1 ? "" : "s", f->mobility.dof - p->n_extra);
        print_movers(f);
    } else {
        printf("pose                singular pose: it may move at first, but no pose beside it was "
               "found\n                    that the joints allow\n");
        print_movers(f);
    }
    printf("condition           smallest singular value %.2g (largest %.2g)", p->smallest,
           p->largest);
    print_in(f, p->joints, p->n_joints, SHARES_SHOWN);
    putchar('\n');
}

/* Print limits, rate limit and timing of an input. */
static void print_limits(const struct lk_system *sys, int input)
{
    int n;
    const struct lk_channel *c = &lk_system_input_channels(sys, &n)[input];

    if (isfinite(c->low) || isfinite(c->high))
        printf(", %g to %g", c->low, c->high);
    if (isfinite(c->rate))
        printf(", at most %g a second", c->rate);
    if (lk_system_input_period(sys, input) > 0)
        printf(", a sample every %g ms, %g ms behind", 1e3 * lk_system_input_period(sys, input),
               1e3 * lk_system_input_delay(sys, input));
}

/* Print channels in the form " name x y z [m] qw qx qy qz [1]". Consecutive components with the
 * same unit share one unit text.
 * @inputs_of: system whose inputs these are, or NULL */
static void print_channels(const char *title, const struct lk_channel *channels, int n,
                           const struct lk_system *inputs_of)
{
    printf("%s%s\n", title, n == 0 ? "              none" : "");
    for (int i = 0; i < n; i++) {
        const struct lk_channel *c = &channels[i];

        printf("  %-18s", c->name);
        for (int k = 0; k < c->size; k++) {
            bool last = k == c->size - 1 || strcmp(c->unit[k], c->unit[k + 1]) != 0;

            printf("%s%s", c->component[k][0] != '\0' ? " " : "", c->component[k]);
            if (last)
                printf(" [%s]%s", c->unit[k], k < c->size - 1 ? " " : "");
        }
        if (inputs_of != NULL)
            print_limits(inputs_of, i);
        putchar('\n');
    }
}

static void print_warnings(const struct lk_findings *warnings)
{
    if (warnings->n == 0)
        printf("warnings            none\n");
    else
        printf("warnings            %d%s\n", warnings->n,
               warnings->n == LK_FINDINGS_MAX ? ", the first of more" : "");
    for (int i = 0; i < warnings->n; i++)
        printf("  %s[%s]%s %s: %s\n", tone_begin(stdout, TONE_WARNING), warnings->list[i].id,
               tone_end(stdout), warnings->list[i].where, warnings->list[i].text);
}

/* Print the hubs, bodies with many joints, see struct lk_tree_front. */
static void print_hubs(const struct lk_system *system)
{
    struct lk_tree_view view;
    char text[LK_TEXT_SIZE];
    int n = 0;

    if (lk_tree_view_init(system, &view) != 0)
        return;
    for (int i = 0; i < view.n_fronts; i++)
        if (view.fronts[i].hub >= 0)
            printf("%s%s", n++ == 0 ? "                    to save work what hangs on " : ", ",
                   lk_body_text(system, view.fronts[i].hub, text, sizeof(text)));
    if (n > 0)
        printf(" is solved for branch by branch\n");
    lk_tree_view_fini(&view);
}

void print_findings(const struct findings *f)
{
    const struct lk_summary *s = &f->summary;
    const struct lk_solver_def *solver = &f->model->solver;
    const char *why;
    int n;
    const struct lk_channel *channels;

    printf("%s: %s is a good model\n", f->path, lk_model_name(f->model));
    printf("bodies              %d, %g kg in all\n", s->n_bodies, s->total_mass);
    if (s->n_split > 0)
        printf(
            "                    to save work %d of them %s split into %d parts welded together\n",
            s->n_split, s->n_split == 1 ? "is" : "are", s->n_parts);
    print_hubs(f->system);
    printf("joints              %d, %d rows\n", s->n_joints, s->n_rows_rigid);
    if (s->n_in_plane > 0)
        printf(
            "                    %d %s cannot tilt: rows that would hold %s upright are left out\n",
            s->n_in_plane, s->n_in_plane == 1 ? "body" : "bodies",
            s->n_in_plane == 1 ? "it" : "them");
    printf("compliant rows      %d, of springs, creep, friction, stops and contacts, solved with "
           "the joints\n",
           s->n_rows_compliant - 3 * s->n_sways);
    if (s->n_sways > 0)
        printf(
            "tension             of %d %s is in the matrix of the step, by %d rows across: what %s "
            "is light for the weight on it\n",
            s->n_sways, s->n_sways == 1 ? "rod or spring" : "rods and springs", 3 * s->n_sways,
            s->n_sways == 1 ? "it holds" : "they hold");
    if (s->n_blocks > 0)
        printf("blocks              %d with %d states\n", s->n_blocks, s->n_block_states);
    print_mobility(f);
    print_pose(f);
    if (lk_system_note(f->system)[0] != '\0')
        printf("note                %s\n", lk_system_note(f->system));
    printf("assembly            joints closed from a gap of %.3g m or rad, velocities changed by "
           "%.3g m/s or rad/s\n",
           s->assembly_gap, s->velocity_change);
    printf("tree                %d levels, %d fronts, the largest of %d rows\n", s->tree_depth,
           s->tree_fronts, s->largest_front);
    printf("solver              %s, %g ms, %d iterations, order %d\n",
           lk_formulation_choose(f->model, NULL, &why), 1e3 * solver->step, s->iterations,
           s->order);
    if (*why)
        printf("                    not rattle, for %s\n", why);
    printf("engine              %s\n", lk_system_engine(f->system));
    printf("a step              ");
    if (s->step_flops > 0)
        printf("%.3g kflop, ", 1e-3 * s->step_flops);
    printf("%.3g KiB of memory\n", (double)s->memory / 1024);
    print_pace(f);
    channels = lk_system_input_channels(f->system, &n);
    print_channels("inputs", channels, n, f->system);
    channels = lk_system_output_channels(f->system, &n);
    print_channels("outputs", channels, n, NULL);
    print_warnings(&f->warnings);
}

/** enum form - output format. */
enum form { FORM_TABLE, FORM_JSON, FORM_TREE, FORM_DOT };

#define RATES_MAX 16

/* struct check_options - options of the command, see the help */
struct check_options {
    const char *path;
    enum form form;
    bool strict;
    bool treatment;
    int n_rates;
    struct lk_pace_rate rate[RATES_MAX];
    char joint[RATES_MAX][LK_NAME_SIZE];
};

/* Compute mobility and singular poses, unless the loops are too large.
 * Return: 0, negative errno */
static int find_rank(struct findings *f)
{
    int result = lk_mobility_init(f->system, &f->mobility);

    f->has_mobility = result == 0;
    if (result < 0)
        return result;
    result = lk_pose_check_init(f->system, &f->pose);
    f->has_pose = result == 0;
    return result < 0 ? result : 0;
}

/* Fill all findings.
 * Return: 0 or a negative errno; @ret_error explains -ENOENT */
static int examine(struct findings *f, struct lk_system *system, struct lk_error *ret_error)
{
    int result = find_rank(f);

    if (result == 0)
        result = lk_findings_init(f->model, system, f->has_mobility ? &f->mobility : NULL,
                                  f->has_pose ? &f->pose : NULL, NULL, &f->warnings);
    if (result == 0)
        result =
            lk_pace_init(f->model, system, f->rates, f->n_rates, &f->warnings, &f->pace, ret_error);
    return result;
}

/* Report why every run would end at once: the last finding, or a stop that is violated at the
 * start. */
static int refuse_start(const struct findings *f)
{
    for (int i = 0; i < f->warnings.n; i++) {
        const struct lk_finding *why = &f->warnings.list[i];

        if (i == f->warnings.n - 1 || strcmp(why->id, "stop-violated") == 0)
            complain("%s: %s: %s", f->path, why->where, why->text);
    }
    return -EINVAL;
}

/* Print the findings. JSON always contains the treatment of elements. */
static void print_all(const struct check_options *o, enum form form, const struct findings *f)
{
    if (form == FORM_JSON) {
        print_findings_json(f);
        return;
    }
    print_findings(f);
    if (o->treatment)
        print_treatment(&f->treatment);
}

/* Examine a compiled model and print the findings.
 * @system:     system as it is stepped
 * @whole:      the same model with all rows, for the analyses
 * @ret_warned: there are warnings */
static int explain(const struct check_options *o, const struct lk_model *model,
                   struct lk_system *system, struct lk_system *whole, enum form form,
                   bool *ret_warned)
{
    struct findings findings = {
        .path = o->path, .model = model, .system = whole, .rates = o->rate, .n_rates = o->n_rates};
    struct lk_error error;
    int result;

    lk_system_summary(system, &findings.summary);
    result = lk_treatment_init(model, system, &findings.treatment);
    if (result == 0)
        result = examine(&findings, whole, &error);
    *ret_warned = findings.warnings.n > 0;
    if (result == 0 && o->n_rates == 0 && findings.pace.status != 0)
        result = refuse_start(&findings);
    else if (result == 0)
        print_all(o, form, &findings);
    else
        complain("%s: %s", o->path, result == -ENOENT ? error.text : strerror(-result));
    lk_mobility_fini(&findings.mobility);
    lk_pose_check_fini(&findings.pose);
    lk_findings_fini(&findings.warnings);
    lk_treatment_fini(&findings.treatment);
    return result;
}

static int draw(const struct lk_model *model, const struct lk_system *system, enum form form)
{
    struct lk_tree_view view;
    int result = lk_tree_view_init(system, &view);

    if (result < 0)
        return result;
    if (form == FORM_DOT)
        print_tree_dot(system, &view, lk_model_name(model));
    else
        print_tree(system, &view);
    lk_tree_view_fini(&view);
    return 0;
}

/* Return a system with all rows: @system itself, or the model compiled again if planar reduction
 * has removed rows from @system. NULL after an error message. */
static struct lk_system *compile_whole(const char *path, const struct lk_model *model,
                                       struct lk_system *system)
{
    struct lk_summary summary;

    lk_system_summary(system, &summary);
    if (summary.n_in_plane == 0)
        return system;
    return compile_model(path, model, &(struct lk_options){.all_rows = 1});
}

static int check_model(const struct check_options *o, const struct lk_model *model)
{
    struct lk_system *system = compile_model(o->path, model, NULL), *whole = NULL;
    bool warned = false;
    int result = 0;

    if (system != NULL)
        whole = compile_whole(o->path, model, system);
    if (whole == NULL) {
        lk_system_free(system);
        return EXIT_REFUSED;
    }
    if (o->form != FORM_DOT)
        result = explain(o, model, system, whole, o->form == FORM_JSON ? FORM_JSON : FORM_TABLE,
                         &warned);
    if (result == 0 && (o->form == FORM_TREE || o->form == FORM_DOT)) {
        result = draw(model, system, o->form);
        if (result < 0)
            complain("%s: %s", o->path, strerror(-result));
    }
    if (whole != system)
        lk_system_free(whole);
    lk_system_free(system);
    if (result < 0)
        return EXIT_REFUSED;
    return o->strict && warned ? EXIT_WARNED : EXIT_DONE;
}

/* Parse the option value "JOINT=VALUE". */
static int take_rate(const struct option_row *row, const char *text)
{
    struct check_options *o = row->data;
    const char *sign = strchr(text, '=');
    size_t length = sign == NULL ? 0 : (size_t)(sign - text);
    double rate;

    if (length == 0 || length >= LK_NAME_SIZE || !parse_number(sign + 1, &rate))
        return usage_error("--rate %s: expected JOINT=VALUE, in rad/s or m/s", text);
    if (o->n_rates == RATES_MAX)
        return usage_error("check takes at most %d rates", RATES_MAX);
    memcpy(o->joint[o->n_rates], text, length);
    o->rate[o->n_rates] = (struct lk_pace_rate){o->joint[o->n_rates], rate};
    o->n_rates++;
    return EXIT_DONE;
}

static int take_form(const struct option_row *row, const char *text)
{
    enum form *form = row->data;

    (void)text;
    if (*form != FORM_TABLE)
        return usage_error("check takes one of --json, --tree and --dot");
    *form = (enum form)row->mark;
    return EXIT_DONE;
}

/* Parse the command line.
 * Return: as options_parse(). */
static int parse_check(int argc, char *argv[], struct check_options *o)
{
    const struct option_row rows[] = {
        {"json", 'j', .bare = true, .take = take_form, .data = &o->form, .mark = FORM_JSON},
        {"tree", 't', .bare = true, .take = take_form, .data = &o->form, .mark = FORM_TREE},
        {"dot", 'd', .bare = true, .take = take_form, .data = &o->form, .mark = FORM_DOT},
        {"treatment", 'T', .flag = &o->treatment},
        {"strict", 's', .flag = &o->strict},
        {"param", 'p', .take = take_param},
        {"rate", 'r', .take = take_rate, .data = o},
        {"help", 'h', .end = print_help},
        {NULL},
    };
    int code = parse_command(argc, argv, rows, "check takes one model", &o->path);

    if (code == EXIT_DONE && (o->strict || o->treatment) && o->form == FORM_DOT)
        return usage_error("check --dot draws the tree alone, without --%s",
                           o->strict ? "strict" : "treatment");
    return code;
}

int command_check(int argc, char *argv[])
{
    struct check_options o = {.form = FORM_TABLE};
    struct lk_model *model;
    int code = parse_check(argc, argv, &o);

    if (code != EXIT_DONE)
        return code;
    model = load_model(o.path);
    if (model == NULL)
        return EXIT_REFUSED;
    code = check_model(&o, model);
    lk_model_free(model);
    return code;
}
