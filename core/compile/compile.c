/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles a model into a system: options, draft, arena, start, higher orders. */
#include "compile/compile.h"
#include "compile/batch/batches.h"
#include "compile/batch/cost.h"
#include "compile/fill.h"
#include "compile/state.h"
#include "linkage/scene.h"
#include "maths/arithmetic.h"
#include "maths/vec.h"
#include "step/elements/stops.h"
#include "step/elements/tension.h"
#include "step/outputs/reactions.h"
#include "step/scripts/extrapolate.h"
#include "step/scripts/rattle.h"
#include "step/scripts/step.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRONTS_MAX (1 << 27) /* largest total size of the fronts [doubles]: 1 GiB */

/* Check that work and memory of a step are within their limits. @flops_max: largest number of
 * operations of a step, 0: no limit */
static int check_size(const struct lk_draft *d, double flops_max, struct lk_error *ret_error)
{
    double flops = lk_draft_flops(d);
    double size = 0;

    if (flops_max > 0 && flops > flops_max) {
        lk_error_set(ret_error,
                     "a step of '%s' takes %.2g floating point operations, expected at most %.2g; "
                     "use fewer joints, loops of them, or modes",
                     d->model->name, flops, flops_max);
        return LK_E_MODEL;
    }

    for (int i = 0; i < d->plan.n_fronts; i++)
        size += (double)d->plan.fronts[i].rows * d->plan.fronts[i].rows;
    if (size <= FRONTS_MAX)
        return 0;
    lk_error_set(ret_error,
                 "the loops of '%s' are too dense: its largest front has %d rows and all fronts "
                 "need %.0f MiB, expected at most %d MiB; use fewer joints at one body",
                 d->model->name, d->plan.largest, size / (1 << 17), FRONTS_MAX / (1 << 17));
    return LK_E_MODEL;
}

/* check that the reactions of the options name joints */
static int check_reactions(const struct lk_model *m, const struct lk_options *options,
                           struct lk_error *ret_error)
{
    for (int i = 0; options && options->reactions && options->reactions[i]; i++) {
        int joint = 0;

        while (joint < m->n_joints && strcmp(m->joints[joint].name, options->reactions[i]) != 0)
            joint++;
        if (joint == m->n_joints) {
            lk_error_set(ret_error,
                         "the reaction of '%.60s' is asked for, expected the name of a joint",
                         options->reactions[i]);
            return LK_E_MODEL;
        }
    }
    return 0;
}

/* check that each force of type callback has a function, and each function such a force */
static int check_callbacks(const struct lk_model *m, const struct lk_options *options,
                           struct lk_error *ret_error)
{
    const struct lk_callback *all = options ? options->callbacks : NULL;

    for (int i = 0; i < m->n_forces; i++)
        if (m->forces[i].type == LK_FORCE_CALLBACK && !lk_draft_callback(all, m->forces[i].name)) {
            lk_error_set(ret_error,
                         "force '%s' is a callback and has no function; expected one in "
                         "lk_options.callbacks: programs that call the library step such a model, "
                         "linkage and linkaged cannot",
                         m->forces[i].name);
            return LK_E_MODEL;
        }
    for (; all && all->force; all++) {
        int i = 0;

        while (i < m->n_forces && (m->forces[i].type != LK_FORCE_CALLBACK ||
                                   strcmp(m->forces[i].name, all->force) != 0))
            i++;
        if (i == m->n_forces || !all->evaluate) {
            lk_error_set(ret_error, "a function for '%.60s', expected %s", all->force,
                         i < m->n_forces ? "one that is not NULL"
                                         : "the name of a force of type callback");
            return LK_E_MODEL;
        }
    }
    return 0;
}

static int check_options(const struct lk_draft *d, struct lk_error *ret_error)
{
    if (!(d->h >= LK_STEP_MIN && d->h <= LK_STEP_MAX)) {
        lk_error_set(ret_error, "a step of %g s, expected %g to %g s", d->h, LK_STEP_MIN,
                     LK_STEP_MAX);
        return LK_E_MODEL;
    }
    if (d->iterations < 1 || d->iterations > LK_ITERATIONS_MAX) {
        lk_error_set(ret_error, "%d iterations, expected 1 to %d", d->iterations,
                     LK_ITERATIONS_MAX);
        return LK_E_MODEL;
    }
    return 0;
}

static int order_of(const struct lk_model *model, const struct lk_options *options)
{
    return options && options->order != 0 ? options->order : model->solver.order;
}

/* Return the largest angle by which a body turns in a step, at the initial rates [rad] */
static double largest_turn(const struct lk_model *model, double h)
{
    double most = 0;

    for (int i = 0; i < model->n_bodies; i++)
        most = fmax(most, lk_norm(model->bodies[i].angular_velocity));
    return most * h;
}

/* Return the default number of Newton iterations of a formulation. The error of a matrix that is
 * constant during the step grows with the rotation of the bodies: a top that tumbles by 0.5, 1, 1.5
 * rad per step needs 6, 7, 9 iterations instead of 5. The passes of contacts need one more. */
static int own_iterations(const struct lk_formulation *f, const struct lk_model *model, int order,
                          double h)
{
    double turn = largest_turn(model, h);

    if (order > 2 && f->extrapolation && f->extrapolation->iterations != 0)
        return f->extrapolation->iterations;
    if (f == &lk_formulation_rattle)
        return f->iterations + (lk_model_points(model, model->n_forces) > 0) + (turn > 0.4) +
               (turn > 0.7) + 2 * (turn > 1.25);
    return f->iterations != 0 ? f->iterations : LK_ITERATIONS;
}

/** struct how - arguments of compile_model().
 * @holds_coordinates: whether rows fix the held coordinates at their start values
 * @reductions: allowed reductions, see struct lk_draft;  @parts: divisor of the requested step */
struct how {
    struct lk_compile_request request;
    int holds_coordinates;
    unsigned reductions;
    int parts;
};

/* reductions that need hubs, splits or lanes; switched off to get a tree of the bodies of the
 * model, stepped one by one */
#define TREE_REDUCTIONS ((unsigned)(LK_REDUCTION_HUBS | LK_REDUCTION_SPLITS | LK_REDUCTION_LANES))

/* Replace @d, the draft of a step one by one with hubs, with the draft of a step in lanes if the
 * latter costs less or its engine is named. If the step in lanes exceeds a limit, a model with a
 * named engine is refused; otherwise @d remains unchanged.
 * @lanes: memory for the draft in lanes; contains the fields that the caller of lk_draft_init()
 * sets */
static int take_lanes(struct lk_draft *d, struct lk_draft *lanes,
                      const struct lk_engine *const *engines, double flops_max,
                      struct lk_error *ret_error)
{
    bool is_named = strcmp(d->engine, "auto") != 0 && d->engine[0] != '\0';
    struct lk_error too_large;
    int r;

    lanes->reductions &= ~(unsigned)LK_REDUCTION_HUBS;
    r = lk_draft_init(lanes);
    if (r == 0)
        r = lk_batches_draft(lanes, engines, lk_classic_time(d));
    if (r == 0 && lanes->batches && check_size(lanes, flops_max, &too_large) == 0) {
        struct lk_draft hubs = *d;

        *d = *lanes;
        *lanes = hubs;
    } else if (r == 0 && lanes->batches && is_named) {
        *ret_error = too_large;
        r = LK_E_MODEL;
    }
    lk_draft_fini(lanes);
    return r;
}

/* Make the draft of a step one by one. If batches cost less or their engine is named, make the
 * draft of a step in lanes instead. Batches do not support hubs; if the draft has hubs, batches get
 * a draft without them.
 * @d: contains the fields that the caller of lk_draft_init() sets; the caller releases it */
static int draft_either(struct lk_draft *d, const struct lk_engine *const *engines,
                        double flops_max, struct lk_error *ret_error)
{
    struct lk_draft lanes = *d;
    int r = lk_draft_init(d);

    if (r == 0)
        r = check_size(d, flops_max, ret_error);
    if (r != 0 || !(d->reductions & LK_REDUCTION_LANES) || !lk_batches_may_be(d))
        return r;
    if (d->n_hubs == 0)
        return lk_batches_draft(d, engines, lk_classic_time(d));
    return take_lanes(d, &lanes, engines, flops_max, ret_error);
}

/* Compiles the model; its initial configuration is not assembled yet. */
static int compile_model(const struct lk_model *model, const struct lk_options *options,
                         struct how how, struct lk_system **ret_system, struct lk_error *ret_error)
{
    bool is_plain_step = order_of(model, options) == 2;
    struct lk_draft d = {
        .model = model,
        .holds_coordinates = how.holds_coordinates,
        .reductions = how.reductions,
        .formulation = how.request.formulation,
        .may_close_dampers = is_plain_step && !how.request.is_bare,
        .follows_sway = how.request.formulation == &lk_formulation_rattle &&
                        !how.holds_coordinates && is_plain_step,
    };
    const struct lk_engine *engines[LK_ENGINES_MAX + 1];
    int r;

    lk_engines_here(engines);
    d.engine = options && options->engine ? options->engine : model->solver.engine;
    d.callbacks = options ? options->callbacks : NULL;
    d.h = options && options->step != 0 ? options->step : model->solver.step;
    d.iterations = options && options->iterations != 0 ? options->iterations
                   : model->solver.iterations != 0
                       ? model->solver.iterations
                       : own_iterations(d.formulation, model, order_of(model, options), d.h);
    r = check_options(&d, ret_error);
    if (r == 0)
        r = lk_engine_check(d.engine, ret_error);
    if (r != 0)
        return r;
    d.interval = d.h;
    d.h /= how.parts;
    r = draft_either(&d, engines, how.request.flops_max, ret_error);
    if (r == 0)
        r = lk_fill_create(&d, ret_system, ret_error);
    if (r == 0)
        (*ret_system)->contact_rounds = options ? options->contact_rounds : 0;
    lk_draft_fini(&d);
    if (r == -ENOMEM)
        lk_error_set(ret_error, "not enough memory to compile '%s'", model->name);
    return r;
}

/* Rotate the velocity with the body that the assembly has rotated. The angular velocity rotates
 * too, because it is stored in body axes. */
static void turn_velocity(struct lk_motion *m, const double q[4])
{
    double before[9], after[9], local[3];

    lk_quat_matrix(m->q, before);
    lk_quat_matrix(q, after);
    lk_rotate_back(before, m->v.v, local);
    lk_rotate(after, local, m->v.v);
}

/* Compile the system that assembles the initial configuration, always with the same formulation
 * and without options. A wide-open loop passes poses in which its rows depend on each other; in
 * these poses the round-off of the elimination decides which branch the assembly reaches.
 * Coordinates with a `start` have rows in this system. */
static int compile_assembly(const struct lk_model *model, struct lk_system **ret_system,
                            struct lk_error *ret_error)
{
    static const struct lk_options options = {.engine = "none"};
    struct how how = {{.formulation = &lk_formulation_rattle},
                      .holds_coordinates = 1,
                      .reductions = LK_REDUCTION_INDEPENDENT_ROWS,
                      .parts = 1};

    return compile_model(model, &options, how, ret_system, ret_error);
}

static int has_holds(const struct lk_model *model)
{
    unsigned hold = 0;

    for (int i = 0; i < model->n_joints; i++)
        hold |= model->joints[i].hold;
    return hold != 0;
}

/* Assemble held coordinates and wide-open loops in a separate system. The running system copies the
 * poses, so that its start does not depend on its formulation and options. */
static int assemble_apart(const struct lk_model *model, struct lk_system *sys, double *ret_gap,
                          struct lk_error *ret_error)
{
    struct lk_system *apart;
    int is_held = has_holds(model), r;

    if (!is_held && !lk_start_is_open(sys))
        return 0;
    r = compile_assembly(model, &apart, ret_error);
    if (r != 0)
        return r;
    r = lk_start_assemble(apart, ret_error);
    /* the two systems may split bodies differently, but all parts of a body have the same pose */
    for (int b = 0; b < sys->n_bodies && r == 0; b++) {
        const struct lk_motion *from = &apart->now.motion[sys->body[b].of];

        if (is_held)
            turn_velocity(&sys->now.motion[b], from->q);
        memcpy(sys->now.motion[b].x, from->x, sizeof(from->x));
        memcpy(sys->now.motion[b].q, from->q, sizeof(from->q));
    }
    memcpy(sys->start.block, sys->now.block, sys->state_size * sizeof(double));
    *ret_gap = apart->summary.assembly_gap;
    /* a gear may also have turned joints other than the held one: copy all coordinates */
    for (int i = 0; i < sys->n_coordinates && r == 0; i++)
        sys->now.coordinate[i] = apart->now.coordinate[i];
    lk_system_free(apart);
    return r;
}

/* Return the extrapolation with which @formulation reaches @order, or NULL. */
static const struct lk_combination *find_combination(const struct lk_formulation *formulation,
                                                     int order)
{
    const struct lk_extrapolation *e = formulation->extrapolation;

    for (size_t i = 0; e && i < sizeof(e->by) / sizeof(*e->by); i++)
        if (e->by[i].order == order)
            return &e->by[i];
    return NULL;
}

/* Compile the systems that step the same interval in two and three steps, for a higher order. All
 * these systems have the same bodies and rows. If there are hubs, no system is in lanes, because
 * lanes do not support hubs. */
static int add_sequences(const struct lk_model *model, const struct lk_options *options,
                         struct how how, struct lk_system *sys, struct lk_error *ret_error)
{
    struct lk_summary *summary = &sys->summary;
    double flops = summary->step_flops;
    bool has_hubs = sys->fronts.n_motions > 0;
    int r = 0;

    how.reductions &= has_hubs ? ~(unsigned)LK_REDUCTION_LANES : ~(unsigned)LK_REDUCTION_HUBS;
    if (summary->n_in_plane == 0)
        how.reductions &= ~(unsigned)LK_REDUCTION_PLANAR;
    for (int k = 1; k < LK_SEQUENCES_MAX && sys->combination->weight[k] != 0 && r == 0; k++) {
        how = (struct how){
            {.formulation = how.request.formulation}, .reductions = how.reductions, .parts = k + 1};
        r = compile_model(model, options, how, &sys->sequence[k - 1], ret_error);
        if (r != 0)
            break;
        sys->n_sequences++;
        lk_extrapolate_adopt(sys, sys->sequence[k - 1]);
        summary->step_flops += (k + 1) * flops;
        summary->memory += sys->sequence[k - 1]->summary.memory;
    }
    sys->is_part = 1;
    if (sys->formulation->begin)
        sys->formulation->begin(sys);
    summary->step_flops += sys->project_flops;
    return r;
}

/* Raise the order of a system, which is at its start, to the requested order. */
static int raise_order(const struct lk_model *model, const struct lk_options *options,
                       struct how how, struct lk_system *sys, struct lk_error *ret_error)
{
    const struct lk_formulation *f = sys->formulation;
    int is_open = strcmp(model->solver.formulation, "auto") == 0;
    const char *name = is_open ? f->name : model->solver.formulation;
    int order = order_of(model, options), has_own = f->order != 0;
    int r = lk_solver_check_order(has_own ? name : f->name, order, ret_error);

    if (r != 0 || (!has_own && order == 2))
        return r;
    sys->order = order;
    sys->summary.order = has_own ? f->order : order;
    sys->combination = find_combination(f, order);
    r = f->prepare ? f->prepare(sys, name, ret_error) : 0;
    if (r == 0)
        r = lk_extrapolate_check(sys, model, ret_error);
    if (r == 0 &&
        (sys->batches || f->renew)) /* the check has used the memory of the step one by one */
        lk_start_resume(sys);
    return r == 0 && sys->combination ? add_sequences(model, options, how, sys, ret_error) : r;
}

/* Add a note for the user: `rattle` includes the geometric stiffness of light bodies under
 * tension, which needs one more factorisation. */
static void note_tension(struct lk_system *sys)
{
    int n = lk_steps_by(sys, &lk_formulation_rattle) ? lk_tension_count(sys) : 0;

    if (n > 0 && sys->note[0] == '\0')
        snprintf(sys->note, sizeof(sys->note),
                 "%d %s light for the weight that may hang on %s: %s tension is in the matrix of "
                 "the step",
                 n, n == 1 ? "body is" : "bodies are", n == 1 ? "it" : "them",
                 n == 1 ? "its" : "their");
}

/* Refuse a model with more hard stops than `rattle` has memory for. Other formulations have no
 * limit. */
static int check_stops(const struct lk_system *sys, struct lk_error *ret_error)
{
    int n = lk_steps_by(sys, &lk_formulation_rattle) ? lk_fill_hard_stops(sys) : 0;

    if (n > 0 && sys->n_modals > 0) {
        lk_error_set(ret_error,
                     "%d end stops are too stiff for a step of %g s and become impacts, which a "
                     "model with modal bodies does not have, expected softer stops or a shorter "
                     "step",
                     n, sys->h);
        return LK_E_MODEL;
    }
    if (n > 0 && sys->n_contacts > 0) {
        lk_error_set(
            ret_error,
            "%d end stops are too stiff for a step of %g s and become impacts, which a "
            "model with contacts does not have, expected contacts in place of them, softer "
            "stops or a shorter step",
            n, sys->h);
        return LK_E_MODEL;
    }
    if (n <= LK_HARD_STOPS_MAX)
        return 0;
    lk_error_set(
        ret_error,
        "%d end stops are too stiff for a step of %g s, so that rattle decides all of them "
        "together, expected at most %d; softer stops, a shorter step or formulation ali3 "
        "would do",
        n, sys->h, LK_HARD_STOPS_MAX);
    return LK_E_MODEL;
}

/* refuse a start whose numbers are not finite, and name the first body with such numbers */
static int check_start(const struct lk_system *sys, struct lk_error *ret_error)
{
    const struct lk_motion *m = sys->now.motion;
    int b = 0;

    if (lk_state_is_plausible(sys, &sys->now))
        return 0;
    while (b < sys->n_bodies - 1 && isfinite(lk_norm(m[b].a.v)) && isfinite(lk_norm(m[b].a.w)))
        b++;
    lk_error_set(ret_error,
                 "the motion of body '%s' is not finite at the start; expected finite forces "
                 "(callbacks, inputs), and masses, stiffnesses and velocities of a mechanism",
                 sys->body_name[b]);
    return LK_E_MODEL;
}

/* Return whether friction follows the reaction of a joint. */
static bool has_bearings(const struct lk_model *m)
{
    bool has = false;

    for (int i = 0; i < m->n_forces; i++)
        has |= m->forces[i].has_mu != 0;
    return has;
}

/* Refuse friction by the reaction of a joint in methods that know it only after the step. */
static int check_bearings(const struct lk_model *m, const char *formulation,
                          struct lk_error *ret_error)
{
    if (!has_bearings(m) || strcmp(formulation, "rattle") == 0 || strcmp(formulation, "ali3") == 0)
        return 0;
    lk_error_set(
        ret_error,
        "friction follows the reaction of a joint (mu), which formulation %s does not know "
        "within its step, expected rattle or ali3",
        formulation);
    return LK_E_MODEL;
}

/* Return whether the system must have all rows. An equilibrium needs all rows, because the search
 * for it uses the inertia of bodies in all directions; friction by the reaction of a joint needs
 * its multipliers. */
static bool wants_all_rows(const struct lk_model *model, const struct lk_options *options,
                           const struct lk_compile_request *request)
{
    return request->is_bare || !request->formulation->steps_in_plane || model->starts_balanced ||
           has_bearings(model) || (options && (options->all_rows || options->equilibrium));
}

/* return the reductions that the formulation allows and that are not switched off */
static unsigned reductions_of(const struct lk_model *model, const struct lk_options *options,
                              const struct lk_compile_request *request)
{
    unsigned without = request->without | (LK_REDUCTIONS_ALL & ~model->solver.reductions);

    if (request->is_bare || request->formulation->wants_plain)
        without |= TREE_REDUCTIONS;
    if (request->formulation->has_no_hubs)
        without |= LK_REDUCTION_HUBS;
    if (wants_all_rows(model, options, request))
        without |= LK_REDUCTION_PLANAR;
    return LK_DRAFT_REDUCTIONS_ALL & ~without;
}

/* Compile the model with order 2 and make its start consistent. @ret_gap: gap closed by
 * assemble_apart() */
static int start_model(const struct lk_model *model, const struct lk_options *options,
                       struct how how, struct lk_system **ret_system, double *ret_gap,
                       struct lk_error *ret_error)
{
    struct lk_system *sys = NULL;
    int r = compile_model(model, options, how, &sys, ret_error);

    *ret_system = sys;
    if (r != 0)
        return r;
    sys->starts_balanced |= options && options->equilibrium;
    *ret_gap = 0;
    r = assemble_apart(model, sys, ret_gap, ret_error);
    if (r == 0)
        r = lk_start_consistent(sys, ret_error);
    sys->order = sys->summary.order = 2;
    sys->n_sequences = 1;
    return r;
}

/* Return whether the rows determine all reactions that are outputs or that the caller names. */
static bool knows_reactions(const struct lk_system *sys, const struct lk_options *options)
{
    bool knows = true;

    for (int i = 0; options && options->reactions && options->reactions[i]; i++)
        knows &= lk_reaction_is_known(sys, lk_system_joint_index(sys, options->reactions[i]));
    for (int i = 0; i < sys->n_outputs; i++) {
        const struct lk_output *out = &sys->output[i];
        bool is_by_rows = out->type == LK_OUTPUT_JOINT_REACTION ||
                          (out->type == LK_OUTPUT_DRIVE_FORCE && lk_is_on_frame(sys, out->joint));

        knows &= !is_by_rows || lk_reaction_is_known(sys, out->joint);
    }
    return knows;
}

/* If rows are redundant, or bodies with planar reduction form a loop, only the complete set of rows
 * determines the reactions. If such reactions are outputs, the model is compiled again with all
 * rows. */
int lk_compile(const struct lk_model *model, const struct lk_options *options,
               struct lk_compile_request request, struct lk_system **ret_system,
               struct lk_error *ret_error)
{
    struct how how = {
        .request = request,
        .reductions = reductions_of(model, options, &request),
        .parts = 1,
    };
    struct lk_system *sys = NULL;
    double gap = 0;
    int r = check_reactions(model, options, ret_error);

    if (r == 0)
        r = check_callbacks(model, options, ret_error);
    if (r == 0)
        r = lk_fill_modal_check(model, request.formulation->name, order_of(model, options),
                                options && options->engine ? options->engine : model->solver.engine,
                                ret_error);
    if (r == 0)
        r = check_bearings(model, request.formulation->name, ret_error);
    if (r == 0)
        r = start_model(model, options, how, &sys, &gap, ret_error);
    if (r == 0 && !knows_reactions(sys, options)) {
        lk_system_free(sys);
        how.reductions &= ~(unsigned)LK_REDUCTION_LOADED;
        r = start_model(model, options, how, &sys, &gap, ret_error);
    }
    if (r == 0 && !request.is_bare)
        r = check_stops(sys, ret_error);
    if (r == 0 && !request.is_bare)
        r = raise_order(model, options, how, sys, ret_error);
    if (r == 0)
        r = check_start(sys, ret_error);
    if (r == 0 && !request.is_bare)
        r = lk_fill_check_contacts(sys, model, ret_error);
    if (r != 0) {
        lk_system_free(sys);
        return r;
    }
    note_tension(sys);
    sys->summary.assembly_gap = fmax(sys->summary.assembly_gap, gap);
    memcpy(sys->start.block, sys->now.block, sys->state_size * sizeof(double));
    *ret_system = sys;
    return 0;
}

int lk_scene_assemble(const struct lk_model *model, double *poses, struct lk_error *ret_error)
{
    LK_ARITHMETIC;
    struct lk_system *sys = NULL;
    int r = compile_assembly(model, &sys, ret_error);

    if (r != 0)
        return r;
    r = lk_start_assemble(sys, ret_error);
    lk_system_poses(sys, poses);
    lk_system_free(sys);
    return r;
}

void lk_system_free(struct lk_system *system)
{
    if (system && system->formulation->close)
        system->formulation->close(system);
    for (int k = 0; k < LK_SEQUENCES_MAX - 1 && system; k++)
        lk_system_free(system->sequence[k]);
    free(system);
}
