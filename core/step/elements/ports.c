/* SPDX-License-Identifier: Apache-2.0 */
/* Force elements whose values inputs set, and the work of these inputs.
 *
 * An impedance is a spring and damper whose constants a bench sets: push - k (x - rest) - c v on a
 * coordinate, or on the distance of two points, with values that are constant over the step. It is
 * a compliant row like other springs, solved with the constraints, so that no stiffness is too
 * large for the step. All of its work counts as work of the inputs. In a step from x0 to x1, this
 * work is
 *
 *     (push - k ((x0 + x1) / 2 - rest) - c (x1 - x0) / h) (x1 - x0)
 *
 * A bench that measures x can compute the same work to round-off. */
#include "step/elements/ports.h"
#include "maths/vec.h"
#include "step/elements/elements.h"
#include "step/elements/loads.h"
#include "step/elements/tyres.h"
#include "step/kinematics.h"
#include <math.h>
#include <string.h>

static void take_port(const struct lk_term *t, const double *inputs)
{
    double *const values[LK_PORT_VALUES] = {
        [LK_PORT_FORCE] = &t->now->push,
        [LK_PORT_STIFFNESS] = &t->now->stiffness,
        [LK_PORT_DAMPING] = &t->now->damping,
        [LK_PORT_REST] = &t->now->rest,
    };

    for (int i = 0; i < LK_PORT_VALUES; i++)
        if (t->port[i] >= 0)
            *values[i] = inputs[t->port[i]];
    t->now->stiffness = fmax(t->now->stiffness, 0);
    t->now->damping = fmax(t->now->damping, 0);
}

void lk_signals_take(struct lk_system *sys, const double *inputs)
{
    for (int i = 0; i < sys->n_terms && sys->n_signals + sys->n_ports > 0; i++) {
        const struct lk_term *t = &sys->term[i];

        if (t->input >= 0)
            t->now->scale =
                t->kind <= LK_TERM_FRICTION ? fmax(inputs[t->input], 0) : inputs[t->input];
        if (t->kind == LK_TERM_IMPEDANCE || t->kind == LK_TERM_LINEAR)
            take_port(t, inputs);
    }
    for (int i = 0; i < 3; i++)
        if (sys->gravity_input[i] >= 0)
            sys->gravity[i] = inputs[sys->gravity_input[i]];
    lk_tyres_ground(sys, inputs);
}

/* ---- energy stored by a change of values ---- */

/* return the energy of gravity, of all springs whose values inputs set, and of tyres on ground that
 * they set, with the present values */
static double stored(struct lk_system *sys)
{
    double sum = lk_tyres_stored(sys);

    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_law *law = &sys->law[i];
        struct lk_law_value f = {0};
        double rate, x;

        if (!law->is_tuned)
            continue;
        x = lk_loads_law_place(sys, &sys->now, law, &rate);
        for (int k = law->first_term; k < law->first_term + law->n_terms; k++)
            if (sys->term[k].kind < LK_TERM_FRICTION)
                lk_term_evaluate(&sys->term[k], x, 0, &f);
        sum += f.potential;
    }
    for (int b = 0; b < sys->n_bodies && sys->is_gravity_tuned; b++)
        sum -= sys->body[b].mass * lk_dot(sys->gravity, sys->now.motion[b].x);
    return sum;
}

/* return the work of a change of the inputs to @inputs at the present poses: the resulting
 * change of the energy of springs, gravity and tyres */
static double work_of_change(struct lk_system *sys, const double *inputs)
{
    double before;

    if (!sys->is_tuned)
        return 0;
    lk_signals_take(sys, sys->now.inputs);
    before = stored(sys);
    lk_signals_take(sys, inputs);
    return stored(sys) - before;
}

/* ---- work ---- */

/* return the work of an impedance or a map when its coordinate moves to @after */
static double work_over(const struct lk_term *t, double after, double h)
{
    double way = after - t->now->from;
    struct lk_law_value f = {0};

    if (t->kind == LK_TERM_IMPEDANCE)
        lk_impedance_step(t, 0.5 * (t->now->from + after), way / h, &f);
    else
        lk_term_evaluate(t, 0.5 * (t->now->from + after), way / h, &f);
    return -f.elastic * way;
}

static double work_of_impedance(const struct lk_system *sys, const struct lk_law *law,
                                const struct lk_term *t)
{
    double rate;

    return work_over(t, lk_loads_law_place(sys, &sys->next, law, &rate), sys->h);
}

static int does_work_of_inputs(const struct lk_term *t)
{
    return t->kind == LK_TERM_IMPEDANCE || t->kind == LK_TERM_MAP || t->kind == LK_TERM_CALLBACK;
}

static void note_places(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_laws && sys->n_ports > 0; i++) {
        const struct lk_law *law = &sys->law[i];
        double rate;

        for (int k = law->first_term; k < law->first_term + law->n_terms; k++)
            if (does_work_of_inputs(&sys->term[k]))
                sys->term[k].now->from = lk_loads_law_place(sys, &sys->now, law, &rate);
    }
}

/* store the power of each input whose work is an output, at the present poses, the start of a step
 */
static void begin(struct lk_system *sys, const double *inputs)
{
    note_places(sys);
    for (int i = 0; i < sys->n_shown_ports; i++) {
        const struct lk_port *p = &sys->port[i];

        if (p->type == LK_OUTPUT_PORT_WORK && p->law < 0)
            sys->elements->port_power[i] =
                lk_loads_input_power(sys, &p->place, inputs + p->place.offset, sys->twist);
    }
}

static double work_of_port(const struct lk_system *sys, const struct lk_port *p,
                           const double *inputs)
{
    if (p->law >= 0)
        return work_of_impedance(sys, &sys->law[p->law], &sys->term[p->term]);
    return 0.5 * sys->h *
           (sys->elements->port_power[p - sys->port] +
            lk_loads_input_power(sys, &p->place, inputs + p->place.offset, sys->twist));
}

/* book the work of impedances in the step, and the work of ports that are outputs */
static void book(struct lk_system *sys, const double *inputs)
{
    for (int i = 0; i < sys->n_laws && sys->n_ports > 0; i++) {
        const struct lk_law *law = &sys->law[i];

        for (int k = law->first_term; k < law->first_term + law->n_terms; k++)
            if (does_work_of_inputs(&sys->term[k]))
                sys->next.balance->work_input += work_of_impedance(sys, law, &sys->term[k]);
    }
    for (int i = 0; i < sys->n_shown_ports; i++) {
        const struct lk_port *p = &sys->port[i];

        if (p->type != LK_OUTPUT_PORT_WORK)
            continue;
        sys->next.shown[p->at] += work_of_port(sys, p, inputs);
        if (p->told >= 0) /* the report of the bench includes earlier steps only */
            sys->next.shown[p->at + 1] = sys->now.shown[p->at] - inputs[p->told];
    }
}

double lk_ports_gap(const struct lk_system *sys)
{
    double largest = 0;

    for (int i = 0; i < sys->n_shown_ports; i++)
        if (sys->port[i].type == LK_OUTPUT_PORT_WORK && sys->port[i].told >= 0)
            largest = lk_max(largest, fabs(sys->now.shown[sys->port[i].at + 1]));
    return largest;
}

static void refer(struct lk_system *sys, const struct lk_state *state)
{
    lk_signals_take(sys, state->inputs);
}

static void follow(struct lk_system *sys, const double *inputs)
{
    sys->next.balance->work_input += work_of_change(sys, inputs);
    lk_signals_take(sys, inputs);
}

static bool is_tuned(const struct lk_system *sys)
{
    return sys->n_signals + sys->n_ports > 0 || sys->is_tuned;
}

const struct lk_element_ops lk_signal_ops = {
    .is_in = is_tuned,
    .refer = refer,
    .follow = follow,
};

static bool is_in(const struct lk_system *sys)
{
    return sys->n_ports + sys->n_shown_ports > 0;
}

const struct lk_element_ops lk_port_ops = {
    .is_in = is_in,
    .begin = begin,
    .book = book,
};
