/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that a model is smooth enough for steps of a higher order, and prepares their sequences:
 * see step/scripts/extrapolate.c. */
#include "compile/batch/batches.h"
#include "compile/compile.h"
#include "compile/fastest.h"
#include "compile/fill.h"
#include "maths/vec.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* largest c h / m of a damped motion: critical damping at 1 rad per step */
#define DECAY_MAX 2.0

/* Largest phase [rad] of a mode in a step of `rk4`. At the limit a mode loses 0.6 % of its
 * amplitude per step; from 2.8 rad on it diverges. A spring is accepted up to 2 rad, with a note,
 * because its damper may remove more of the amplitude than the step does, and the mode may not be
 * excited. For extrapolation see struct lk_combination. With `ali3`, order 3 lets an undamped mode
 * grow by 1.2e-5 per step at the limit, by 6e-4 at 1; order 4 damps it up to 1.7 rad. Beyond these
 * limits both diverge: a stiff mode grows by a factor of 5/3 (order 3) and 3.7 (order 4) per step.
 */
#define SWING_MAX_RK4  1.0
#define SPRING_MAX_RK4 2.0

/* Largest rotation of an unbalanced rotor in a step of `rk4` [rad]. Unlike a mode, a rotor has a
 * large share of the energy. In a thousand steps of 0.5, 0.7 and 1 rad, `rk4` adds 0.3, 2 and 19 %
 * to its energy; order 4 of `rattle` adds 1.5 % at 0.5 rad, order 6 removes 0.9 % at 0.8 rad. */
#define TURN_MAX_RK4 0.7

/* return whether accelerations depend on the motion, so that sub-steps must make them consistent:
 * unequal moments of inertia, springs or dampers */
static int has_feedback(const struct lk_system *sys)
{
    int found = 0;

    for (int i = 0; i < sys->n_laws; i++)
        found |= lk_steepest_tangent(sys, i, 0) > 0 || lk_steepest_tangent(sys, i, 1) > 0;
    for (int b = 0; b < sys->n_bodies; b++) {
        const double *J = sys->body[b].inertia;

        found |= J[0] != J[1] || J[1] != J[2] || J[3] != 0 || J[4] != 0 || J[5] != 0;
    }
    return found;
}

void lk_extrapolate_adopt(const struct lk_system *sys, struct lk_system *seq)
{
    seq->unwrapping = 0.5 * seq->h;
    seq->is_part = 1;
    seq->settles = seq->formulation->extrapolation->settle && has_feedback(seq);
    for (int i = 0; i < sys->n_joints; i++) {
        memcpy(seq->joint[i].p, sys->joint[i].p, sizeof(sys->joint[i].p));
        memcpy(seq->joint[i].f, sys->joint[i].f, sizeof(sys->joint[i].f));
    }
    for (int r = 0; r < sys->n_rows; r++)
        seq->regular[r] = sys->regular[r] * (seq->s / sys->s);
    for (int i = 0; i < seq->n_laws; i++) {
        const struct lk_law *law = &seq->law[i];
        struct lk_law_value f;

        lk_law_evaluate(law, seq->term, 0, -law->now->carry, 1, &f);
        seq->now.tangent[i] = lk_law_regular(&f, seq->h);
        seq->regular[seq->joint[law->joint].row + law->row] = seq->now.tangent[i];
    }
    if (seq->batches)
        lk_batches_fill(seq);
    if (seq->formulation->begin) {
        memcpy(seq->now.block, sys->now.block, sys->state_size * sizeof(double));
        seq->formulation->begin(seq);
    }
}

/* return whether inputs set the values of a spring or damper: its modes have no known bound */
static int is_tuned(const struct lk_force_def *f)
{
    bool is_spring = f->type == LK_FORCE_JOINT_SPRING_DAMPER || f->type == LK_FORCE_SPRING_DAMPER;

    return f->port_input[LK_PORT_STIFFNESS] >= 0 || f->port_input[LK_PORT_DAMPING] >= 0 ||
           (is_spring && (f->scale_input >= 0 || f->port_input[LK_PORT_REST] >= 0));
}

/* name an element that no step of higher order can integrate, as "friction 'brake'", or "" */
static void find_kink(const struct lk_model *m, char *text, size_t room)
{
    for (int i = 0; i < m->n_forces && !text[0]; i++) {
        const struct lk_force_def *f = &m->forces[i];
        const char *kind = f->type == LK_FORCE_FRICTION                   ? "friction"
                           : f->type == LK_FORCE_CREEP && f->follows_load ? "the creep by load of"
                           : f->type == LK_FORCE_STOP                     ? "the stop"
                           : f->type == LK_FORCE_MAP                      ? "the map of"
                           : f->type == LK_FORCE_CALLBACK                 ? "the callback"
                           : is_tuned(f)                                  ? "the tuned"
                           : f->stiffness_table >= 0 || f->damping_table >= 0 ? "the table of"
                                                                              : NULL;

        if (kind && f->type <= LK_FORCE_STOP)
            snprintf(text, room, "%s '%s'", kind, f->name);
    }
    for (int i = 0; i < m->n_drives && !text[0]; i++)
        if (m->drives[i].type == LK_DRIVE_INPUT)
            snprintf(text, room, "a drive of '%s' from an input",
                     m->joints[m->drives[i].joint].name);
    if (!text[0] && m->solver.coordinates != LK_COORDINATES_LIE)
        snprintf(text, room, "coordinates: euler-parameters");
    if (!text[0] && m->solver.soft_redundancy)
        snprintf(text, room, "redundancy: soft");
}

/* Find a body without mass or inertia, whose acceleration the forces do not determine. Return: -1:
 * none */
static int find_massless(const struct lk_system *sys)
{
    for (int b = 0; b < sys->n_bodies; b++)
        if (lk_lacks_inertia(sys, b))
            return sys->body[b].of;
    return -1;
}

/* ---- the check ---- */

/** struct attempt - the requested solver.
 * @what: name of the solver in messages;  @instead: an alternative that accepts any model
 * @most: largest phase of a mode in a step [rad];  @most_of_springs: the same for modes of
 *        springs */
struct attempt {
    char what[LK_NAME_SIZE + 16];
    const char *instead;
    double most;
    double most_of_springs;
};

/* Check that @rate is slow enough for a step. Return: 0, LK_E_MODEL. @does: start of the message,
 * such as "'spring' oscillates at" */
static int check_rate(const struct lk_system *sys, const struct attempt *attempt, const char *does,
                      const char *unit, double rate, double most, struct lk_error *ret_error)
{
    double phase = rate * sys->h;

    if (phase <= most)
        return 0;
    lk_error_set(
        ret_error,
        "%s with a step of %g s, but %s %.3g %s/s, that is %.3g%s a step, expected at most "
        "%g; a step of %.2g s would do, or %s",
        attempt->what, sys->h, does, rate, unit, phase, strcmp(unit, "rad") == 0 ? " rad" : "",
        most, 0.95 * sys->h * most / phase, attempt->instead);
    return LK_E_MODEL;
}

/* return the amplification of an oscillation by `rk4` in a step, |R(i y)|, where R is the series
 * of exp up to y^4 */
static double swing_left(double y)
{
    double y2 = y * y;

    return hypot(1 - y2 / 2 + y2 * y2 / 24, y * (1 - y2 / 6));
}

/* Add a note on a spring whose oscillation the step accepts but damps. */
static void note_swing(struct lk_system *sys, const struct attempt *attempt, const char *does,
                       double rate)
{
    double phase = rate * sys->h;

    if (phase <= attempt->most || sys->note[0] != '\0')
        return;
    snprintf(sys->note, sizeof(sys->note),
             "%.80s %.3g rad/s, %.3g rad a step, in which %.40s loses %.2g %% of its swing; a "
             "step of %.2g s keeps it",
             does, rate, phase, attempt->what, 100 * (1 - swing_left(phase)),
             0.95 * sys->h * attempt->most / phase);
}

/* Check the modes of springs and dampers. */
static int check_elements(struct lk_system *sys, const struct lk_model *m,
                          const struct attempt *attempt, struct lk_error *ret_error)
{
    char does[LK_NAME_SIZE + 40];
    int law = 0, r;
    double rate = lk_fastest_spring(sys, &law);

    snprintf(does, sizeof(does), "'%s' oscillates at",
             sys->n_laws > 0 ? lk_fastest_law_name(sys, m, law, 0) : "");
    r = check_rate(sys, attempt, does, "rad", rate, attempt->most_of_springs, ret_error);
    if (r != 0)
        return r;
    note_swing(sys, attempt, does, rate);
    rate = lk_fastest_decay(sys, &law);
    snprintf(does, sizeof(does), "'%s' decays at a rate of",
             sys->n_laws > 0 ? lk_fastest_law_name(sys, m, law, 1) : "");
    return check_rate(sys, attempt, does, "1", rate, DECAY_MAX, ret_error);
}

/* Check the rotation of unbalanced bodies. */
static int check_turns(struct lk_system *sys, const struct lk_model *m,
                       const struct attempt *attempt, struct lk_error *ret_error)
{
    double most = sys->formulation->is_explicit ? TURN_MAX_RK4 : attempt->most, fastest = 0;
    char does[LK_NAME_SIZE + 60];
    int found = 0;

    for (int b = 0; b < sys->n_bodies; b++) {
        double w = lk_norm(sys->now.motion[b].v.w);

        if (w > fastest && lk_fill_is_unbalanced(sys, &sys->now, b)) {
            fastest = w;
            found = sys->body[b].of;
        }
    }
    snprintf(does, sizeof(does), "body '%s' turns out of balance at", m->bodies[found].name);
    return check_rate(sys, attempt, does, "rad", fastest, most, ret_error);
}

/* Check rotors, and bodies that swing fast because they are light relative to the forces in
 * their joints. */
static int check_turning(struct lk_system *sys, const struct lk_model *m,
                         const struct attempt *attempt, struct lk_error *ret_error)
{
    char does[LK_NAME_SIZE + 80];
    int b = 0, r = check_turns(sys, m, attempt, ret_error);
    double rate;

    if (r != 0)
        return r;
    rate = lk_fastest_nutation(sys, &b);

    snprintf(does, sizeof(does), "body '%s' nutates at", m->bodies[b].name);
    r = check_rate(sys, attempt, does, "rad", rate, attempt->most, ret_error);
    if (r != 0)
        return r;
    r = lk_fastest_swing(sys, &rate, &b);
    if (r != 0)
        return r;
    snprintf(does, sizeof(does), "body '%s' swings across the tension in it at", m->bodies[b].name);
    r = check_rate(sys, attempt, does, "rad", rate, attempt->most, ret_error);
    if (r != 0)
        return r;
    r = lk_fastest_hanging(sys, &rate, &b);
    if (r != 0)
        return r;
    snprintf(does, sizeof(does), "body '%s' swings across the weight that will hang on it at",
             m->bodies[b].name);
    return check_rate(sys, attempt, does, "rad", rate, attempt->most, ret_error);
}

int lk_extrapolate_check(struct lk_system *sys, const struct lk_model *model,
                         struct lk_error *ret_error)
{
    int is_explicit = sys->formulation->is_explicit, takes_massless = sys->takes_massless, r;
    struct attempt attempt = {.instead = !is_explicit                    ? "order 2"
                                         : model->solver.soft_redundancy ? "formulation ali3"
                                                                         : "formulation rattle"};
    char kink[LK_NAME_SIZE + 40] = "";
    int massless = is_explicit || sys->formulation->begin ? find_massless(sys) : -1;

    if (is_explicit)
        snprintf(attempt.what, sizeof(attempt.what), "formulation %s", model->solver.formulation);
    else
        snprintf(attempt.what, sizeof(attempt.what), "order %d", sys->order);
    find_kink(model, kink, sizeof(kink));
    if (!kink[0] && massless >= 0 && !takes_massless)
        snprintf(kink, sizeof(kink), "body '%s', which lacks inertia",
                 model->bodies[massless].name);
    if (kink[0]) {
        lk_error_set(ret_error, "%s is for smooth motion, expected %s with %s", attempt.what,
                     attempt.instead, kink);
        return LK_E_MODEL;
    }
    attempt.most = is_explicit ? SWING_MAX_RK4 : sys->combination->swing_max;
    attempt.most_of_springs = is_explicit ? SPRING_MAX_RK4 : attempt.most;
    r = check_elements(sys, model, &attempt, ret_error);
    return r != 0 ? r : check_turning(sys, model, &attempt, ret_error);
}
