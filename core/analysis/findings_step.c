/* SPDX-License-Identifier: Apache-2.0 */
/* Findings on motions too fast for the step: springs, rotors, bodies that swing under tension. */
#include "analysis/findings.h"
#include "compile/fill.h"
#include "compile/hanging.h"
#include "maths/vec.h"
#include "model/reader.h"
#include "step/elements/tension.h"
#include "step/kinematics.h"
#include "step/one/evaluate.h"
#include "step/scripts/step.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SWING_MAX 1.0 /* largest w h of an oscillation [rad]: six steps per period */
/* largest rotation of a body in a step [rad]; for rattle see LK_TURN_MAX */
#define TURN_MAX 0.1
/* largest rotation of a body with a hard stop, which may accelerate other bodies more */
#define STOP_MAX    0.2
#define TENSION_MAX 0.1 /* largest s times the square of the swing under tension, s = h^2 / 4 */

/* Return the law of a row in the present pose, with springs and dampers only. Stops and friction
 * are excluded, because they are adapted to the step. */
static struct lk_law_value springs_of(const struct lk_system *sys, const struct lk_law *law)
{
    struct lk_law_value f = {0};
    double phi[LK_ROWS_MAX];

    lk_evaluate_violation(sys, law->joint, phi);
    for (int k = law->first_term; k < law->first_term + law->n_terms; k++)
        if (sys->term[k].kind < LK_TERM_FRICTION)
            lk_term_evaluate(&sys->term[k], phi[law->row], 0, &f);
    return f;
}

/* Return whether the bounds allow one more factorisation, whose work is less than that of half a
 * step. */
static bool may_factor(struct lk_inspection *in)
{
    return lk_inspection_may(in, 0.5 * in->sys->summary.step_flops);
}

/* An element of a beam may swing by so much a step [rad], or must have a damping of this fraction
 * of the step: above and below, the axial modes of a beam that turns fast gain energy. The warning
 * states BEAM_ENOUGH: at 0.01 and 0.03 rad a step, beams gain energy with less, none with it. */
#define BEAM_SWING   10
#define BEAM_DAMPING 0.02
#define BEAM_ENOUGH  0.1

/* Inspect a beam, for which the first row of its first element speaks: the modes of a beam that are
 * faster than the step follow, as a rule. */
static void inspect_beam(struct lk_inspection *in, const struct lk_law *law,
                         const struct lk_force_def *element)
{
    struct lk_system *sys = in->sys;
    struct lk_law_value f = springs_of(sys, law);
    const char *dot = strrchr(element->name, '.');
    struct lk_finding *finding;
    char where[LK_TEXT_SIZE];
    double w;

    if (law->row != 0 || dot == NULL || strcmp(dot, ".1") != 0 ||
        f.damping >= BEAM_DAMPING * sys->h * f.stiffness || sys->formulation->is_explicit ||
        !may_factor(in))
        return;
    w = sqrt(f.stiffness * lk_fill_mobility(sys, law));
    if (!(w * sys->h > BEAM_SWING))
        return;
    snprintf(where, sizeof(where), "beam %.*s", (int)(dot - element->name), element->name);
    finding =
        lk_finding_add(in, "beam-undamped", where,
                       "its elements stretch at %.3g Hz, %.2g rad a step, and nothing damps "
                       "them: where it turns fast this may gain energy; expected a damping of "
                       "%.1g s or more, or a step of at most %.2g s",
                       w / (2 * M_PI), w * sys->h, BEAM_ENOUGH * sys->h, BEAM_SWING / w);
    lk_finding_number(finding, "frequency", "Hz", w / (2 * M_PI));
    lk_finding_number(finding, "angle_a_step", "rad", w * sys->h);
}

/* Return the element of a beam to which @law belongs, or NULL. */
static const struct lk_force_def *element_of(const struct lk_inspection *in,
                                             const struct lk_law *law)
{
    int force = law->n_terms > 0 ? in->sys->term[law->first_term].force : -1;

    return force >= 0 && in->model->forces[force].is_element ? &in->model->forces[force] : NULL;
}

/* Return the strain of an element at the start. @law: of its first row */
static double strain_of(const struct lk_inspection *in, const struct lk_law *law,
                        const struct lk_force_def *element)
{
    double phi[LK_ROWS_MAX], strain = 0;

    lk_evaluate_violation(in->sys, law->joint, phi);
    for (int r = 0; r < 6; r++)
        strain += fabs(law[r].strain * element->compliance.stiffness[r] * phi[r]);
    return strain;
}

/* Report the element that is strained most. */
static void inspect_strain(struct lk_inspection *in)
{
    const struct lk_force_def *worst = NULL;
    struct lk_finding *finding;
    char where[LK_TEXT_SIZE];
    double most = LK_STRAIN_MAX;

    for (int i = 0; i < in->sys->n_laws; i++) {
        const struct lk_law *law = &in->sys->law[i];
        const struct lk_force_def *element = law->row == 0 ? element_of(in, law) : NULL;

        if (element == NULL || !(strain_of(in, law, element) > most))
            continue;
        most = strain_of(in, law, element);
        worst = element;
    }
    if (worst == NULL)
        return;
    snprintf(where, sizeof(where), "element %.63s", worst->name);
    finding = lk_finding_add(in, "beam-strain", where,
                             "is strained by %.2g %% at the start, for which its law is not made; "
                             "expected at most 2 %%, a stiffer beam or less load",
                             100 * most);
    lk_finding_number(finding, "strain", "1", most);
}

static void inspect_spring(struct lk_inspection *in, const struct lk_law *law)
{
    struct lk_system *sys = in->sys;
    struct lk_law_value f = springs_of(sys, law);
    double alone = sys->scale[sys->joint[law->joint].row + law->row] / sys->s, mobility, w;
    char where[LK_TEXT_SIZE];
    struct lk_finding *finding;

    if (element_of(in, law) != NULL) {
        inspect_beam(in, law, element_of(in, law));
        return;
    }
    /* the mobility with all joints is never larger than the mobility without joints */
    if (!(sqrt(f.stiffness * alone) * sys->h > SWING_MAX))
        return;
    if (f.damping * alone >= 2 * sqrt(f.stiffness * alone))
        return; /* overdamped: a light body that creeps */
    if (!sys->formulation->is_explicit && !may_factor(in))
        return;
    mobility = sys->formulation->is_explicit ? alone : lk_fill_mobility(sys, law);
    w = sqrt(f.stiffness * mobility);
    if (!(w * sys->h > SWING_MAX) || f.damping * mobility >= 2 * w)
        return;
    finding = lk_finding_add(in, "spring-too-stiff", lk_finding_joint(sys, law->joint, where),
                             "oscillates at %.3g Hz, %.2g steps a period: the step cannot follow "
                             "it; expected a step of at "
                             "most %.2g s, a softer spring, or a rigid joint",
                             w / (2 * M_PI), 2 * M_PI / (w * sys->h), SWING_MAX / w);
    lk_finding_number(finding, "frequency", "Hz", w / (2 * M_PI));
    lk_finding_number(finding, "angle_a_step", "rad", w * sys->h);
}

/* return whether a hard stop acts on body @b */
static bool has_hard_stop(const struct lk_system *sys, int b)
{
    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_joint *j = &sys->joint[sys->law[i].joint];

        for (int side = 0; side < j->n_sides && sys->law[i].is_hard; side++)
            if (j->body[side] == b)
                return true;
    }
    return false;
}

static void inspect_turn_into_stop(struct lk_inspection *in, int b)
{
    const struct lk_system *sys = in->sys;
    double w = lk_norm(sys->start.motion[b].v.w);
    char where[LK_TEXT_SIZE];
    struct lk_finding *f;

    if (!(w * sys->h > STOP_MAX) || !lk_fill_is_unbalanced(sys, &sys->start, b) ||
        !has_hard_stop(sys, b))
        return;
    snprintf(where, sizeof(where), "body %s", sys->body_name[b]);
    f = lk_finding_add(
        in, "stop-too-fast", where,
        "starts with %.4g rad/s, %.2g rad a step, and has a hard stop: what an impact "
        "makes whip turns several times as fast, and may gain or lose a tenth of its "
        "energy; expected a step of at most %.2g s",
        w, w * sys->h, STOP_MAX / w);
    lk_finding_number(f, "speed", "rad/s", w);
    lk_finding_number(f, "angle_a_step", "rad", w * sys->h);
}

/* Find bodies that turn by half a turn or more in a step. The sense of such a turn is undefined, so
 * the first step fails. */
static void inspect_half_turn(struct lk_inspection *in, int b)
{
    const struct lk_system *sys = in->sys;
    double w = lk_norm(sys->start.motion[b].v.w);
    char where[LK_TEXT_SIZE];
    struct lk_finding *f;

    snprintf(where, sizeof(where), "body %s", sys->body_name[b]);
    f = lk_finding_add(in, "rotor-too-fast", where,
                       "starts with %.4g rad/s, %.3g rad a step: a step of half a turn or more "
                       "fails; expected a step of at most %.2g s",
                       w, w * sys->h, 0.9 * M_PI / w);
    lk_finding_number(f, "speed", "rad/s", w);
    lk_finding_number(f, "angle_a_step", "rad", w * sys->h);
}

static void inspect_rotor(struct lk_inspection *in, int b)
{
    const struct lk_system *sys = in->sys;
    bool is_symmetric = lk_steps_by(sys, &lk_formulation_rattle);
    double w = lk_norm(sys->start.motion[b].v.w), most = is_symmetric ? LK_TURN_MAX : TURN_MAX;
    char where[LK_TEXT_SIZE];
    struct lk_finding *f;

    if (w * sys->h >= M_PI && !sys->formulation->is_explicit) {
        inspect_half_turn(in, b);
        return;
    }
    if (!(w * sys->h > most) || !lk_fill_is_unbalanced(sys, &sys->start, b)) {
        inspect_turn_into_stop(in, b);
        return;
    }
    snprintf(where, sizeof(where), "body %s", sys->body_name[b]);
    f = lk_finding_add(
        in, "rotor-too-fast", where,
        "starts with %.4g rad/s, %.2g rad a step: %s; expected a step of at most %.2g s%s", w,
        w * sys->h,
        is_symmetric ? "its energy swings by several per cent"
                     : "the step brakes what turns so fast",
        most / w, is_symmetric ? "" : ", or formulation: rattle");
    lk_finding_number(f, "speed", "rad/s", w);
    lk_finding_number(f, "angle_a_step", "rad", w * sys->h);
}

/* return whether the step includes the geometric stiffness of body @b, see step/elements/tension.h
 */
static bool follows_tension(const struct lk_system *sys, int b)
{
    return lk_steps_by(sys, &lk_formulation_rattle) && lk_tension_is_followed(sys, b);
}

/* Return the square of the frequency with which body @b swings across the weight that it will have
 * to support, see compile/hanging.h. */
static double hanging_swing(const struct lk_system *sys, int b)
{
    const double *J = sys->body[b].inertia;
    double lever = 0, moment = 0.5 * (J[0] + J[1] + J[2]); /* slender body: across its length */
    bool *scratch;

    if (!(2 * sys->body[b].tension > TENSION_MAX)) /* bound of s K / J for one lever */
        return 0;
    for (int i = 0; i < sys->n_joints; i++)
        for (int s = 0; s < 2; s++)
            if (sys->joint[i].body[s] == b && sys->joint[i].type == LK_JOINT_SPHERICAL)
                lever += lk_norm(sys->joint[i].p[s]);
    scratch = lever > 0 ? calloc((size_t)sys->n_bodies, sizeof(*scratch)) : NULL;
    if (!scratch)
        return 0;
    lever *= lk_hanging_weight(sys, b, scratch) / moment;
    free(scratch);
    return lever;
}

static void inspect_tension(struct lk_inspection *in, int b)
{
    const struct lk_system *sys = in->sys;
    double K[6], root[6], now, square, h;
    char where[LK_TEXT_SIZE];
    struct lk_finding *f;

    if (follows_tension(sys, b) || !lk_tension_root(sys->body[b].inertia, root))
        return;
    lk_tension_of(sys, b, K);
    now = lk_tension_stiffest(root, K);
    square = fmax(now, hanging_swing(sys, b));
    if (!(sys->s * square > TENSION_MAX))
        return;
    h = 2 * sqrt(TENSION_MAX / square);
    snprintf(where, sizeof(where), "body %s", sys->body_name[b]);
    f = lk_finding_add(in, "tension-too-fast", where,
                       "is light for the %s and swings across it at %.3g Hz; expected a step of at "
                       "most %.2g s, a heavier body, or one body in place of several",
                       square > now ? "weight that will hang on it" : "tension in it",
                       sqrt(square) / (2 * M_PI), h);
    lk_finding_number(f, "frequency", "Hz", sqrt(square) / (2 * M_PI));
    lk_finding_number(f, "angle_a_step", "rad", sqrt(square) * sys->h);
}

static bool follows_sway(const struct lk_system *sys, int along)
{
    for (int i = 0; i < sys->n_sways; i++)
        if (sys->sway[i].along == along)
            return true;
    return false;
}

/* Return the inverse masses of the bodies at both ends of block @i that have mass [1/kg]. */
static double lightness(const struct lk_system *sys, int i)
{
    double sum = 0;

    for (int s = 0; s < 2; s++) {
        int b = sys->joint[i].body[s];

        sum += b < sys->n_bodies && sys->body[b].mass > 0 ? sys->W[b].mass : 0;
    }
    return sum;
}

/* Return s times the square of the swing across the initial tension of a rod, or of a spring
 * between two points. In a rope the swing is twice as fast as for a single rod. The result is 0
 * if the step includes this geometric stiffness. */
static double sway_across(const struct lk_system *sys, int i)
{
    const struct lk_joint *j = &sys->joint[i];
    double phi;

    if (j->type != LK_JOINT_DISTANCE || follows_sway(sys, i))
        return 0;
    lk_evaluate_violation(sys, i, &phi);
    if (!(j->length + phi > 0))
        return 0;
    return 2 * sys->s * sys->now.lambda[j->row] / (j->length + phi) * lightness(sys, i);
}

/* Report only the fastest sway, because a rope may have hundreds. */
static void inspect_sway(struct lk_inspection *in)
{
    const struct lk_system *sys = in->sys;
    char where[LK_TEXT_SIZE];
    struct lk_finding *f;
    bool may_follow = lk_steps_by(sys, &lk_formulation_rattle) && sys->order == 2;
    double fastest = TENSION_MAX, w;
    int worst = -1;

    for (int i = 0; i < sys->n_joints; i++) {
        double square = sway_across(sys, i);

        if (square > fastest) {
            fastest = square;
            worst = i;
        }
    }
    if (worst < 0)
        return;
    w = 2 / sys->h * sqrt(fastest);
    f = lk_finding_add(in, "tension-too-fast", lk_finding_joint(sys, worst, where),
                       "what it holds is light for the tension in it and swings across it at %.3g "
                       "Hz; expected a step of at most %.2g s, heavier bodies%s",
                       w / (2 * M_PI), 2 * sqrt(TENSION_MAX) / w,
                       may_follow ? "" : ", or formulation rattle of order 2, which follows it");
    lk_finding_number(f, "frequency", "Hz", w / (2 * M_PI));
    lk_finding_number(f, "angle_a_step", "rad", w * sys->h);
}

void lk_inspect_step(struct lk_inspection *in)
{
    struct lk_system *sys = in->sys;

    for (int b = 0; b < sys->n_named_bodies; b++) {
        inspect_rotor(in, b);
        inspect_tension(in, b);
    }
    lk_start_renew(sys);
    inspect_strain(in);
    inspect_sway(in);
    for (int i = 0; i < sys->n_laws; i++)
        inspect_spring(in, &sys->law[i]);
    lk_system_reset(sys);
}
