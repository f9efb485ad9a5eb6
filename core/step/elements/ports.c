/* SPDX-License-Identifier: Apache-2.0 */
/* What benches say of force elements, the work that they do, and how easily what they push moves.
 *
 * An impedance is a spring and damper of the bench's own: push - k (x - rest) - c v on a
 * coordinate, or on the distance of two points, with values that hold over the step. It is a
 * compliant row like other springs, solved with the constraints, so that no stiffness is too large
 * for the step; only its constants are the inputs'. All of its work is done by them: over the way
 * from x0 to x1 in a step,
 *
 *     (push - k ((x0 + x1) / 2 - rest) - c (x1 - x0) / h) (x1 - x0)
 *
 * which a bench that sees x finds as well, to round-off. */
#include "step/elements/ports.h"
#include "maths/vec.h"
#include "step/elements/elements.h"
#include "step/elements/loads.h"
#include "step/kinematics.h"
#include "step/one/evaluate.h"
#include <math.h>
#include <string.h>

static void take_port(struct lk_term *t, const double *inputs)
{
    double *const values[LK_PORT_VALUES] = {
        [LK_PORT_FORCE] = &t->push,
        [LK_PORT_STIFFNESS] = &t->stiffness,
        [LK_PORT_DAMPING] = &t->damping,
        [LK_PORT_REST] = &t->rest,
    };

    for (int i = 0; i < LK_PORT_VALUES; i++)
        if (t->port[i] >= 0)
            *values[i] = inputs[t->port[i]];
    t->stiffness = fmax(t->stiffness, 0);
    t->damping = fmax(t->damping, 0);
}

void lk_signals_take(struct lk_system *sys, const double *inputs)
{
    for (int i = 0; i < sys->n_terms && sys->n_signals + sys->n_ports > 0; i++) {
        struct lk_term *t = &sys->term[i];

        if (t->input >= 0)
            t->scale = t->kind <= LK_TERM_FRICTION ? fmax(inputs[t->input], 0) : inputs[t->input];
        if (t->kind == LK_TERM_IMPEDANCE || t->kind == LK_TERM_LINEAR)
            take_port(t, inputs);
    }
    for (int i = 0; i < 3; i++)
        if (sys->gravity_input[i] >= 0)
            sys->gravity[i] = inputs[sys->gravity_input[i]];
}

/* ---- what a change of values stores ---- */

/* of all springs that follow inputs, and of gravity, at the values that they have */
static double stored(const struct lk_system *sys)
{
    double sum = 0;

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

/* the work of inputs that become @inputs at the present poses: by so much a spring that gets
 * stiffer, or gravity, stores more at once */
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

/* of an impedance or a map over the way of its coordinate to @after */
static double work_over(const struct lk_term *t, double after, double h)
{
    double way = after - t->from;
    struct lk_law_value f = {0};

    if (t->kind == LK_TERM_IMPEDANCE)
        lk_impedance_step(t, 0.5 * (t->from + after), way / h, &f);
    else
        lk_term_evaluate(t, 0.5 * (t->from + after), way / h, &f);
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
    return t->kind == LK_TERM_IMPEDANCE || t->kind == LK_TERM_MAP;
}

static void note_places(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_laws && sys->n_ports > 0; i++) {
        const struct lk_law *law = &sys->law[i];
        double rate;

        for (int k = law->first_term; k < law->first_term + law->n_terms; k++)
            if (does_work_of_inputs(&sys->term[k]))
                sys->term[k].from = lk_loads_law_place(sys, &sys->now, law, &rate);
    }
}

/* powers of shown inputs as a step begins, at the present poses */
static void begin(struct lk_system *sys, const double *inputs)
{
    note_places(sys);
    for (int i = 0; i < sys->n_shown_ports; i++) {
        struct lk_port *p = &sys->port[i];

        if (p->type == LK_OUTPUT_PORT_WORK && p->law < 0)
            p->power = lk_loads_input_power(sys, &p->place, inputs + p->place.offset, sys->twist);
    }
}

static double work_of_port(const struct lk_system *sys, const struct lk_port *p,
                           const double *inputs)
{
    if (p->law >= 0)
        return work_of_impedance(sys, &sys->law[p->law], &sys->term[p->term]);
    return 0.5 * sys->h *
           (p->power + lk_loads_input_power(sys, &p->place, inputs + p->place.offset, sys->twist));
}

/* the work that impedances did in the step, and that of shown ports */
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
        if (p->told >= 0) /* the bench knows of the steps before this one */
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

/* ---- mobility ---- */

/* accelerations of all bodies by forces @sum on them, which become them, less their gyroscopic
 * part: W Q - W Phi_q^T (Phi_q W Phi_q^T)^-1 Phi_q W Q */
static void respond(struct lk_system *sys, struct lk_twist *sum)
{
    lk_evaluate_weigh(sys, sys->W, sum);
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double rates[LK_ROWS_PAD];

        lk_evaluate_row_rates(sys, i, sum, rates);
        for (int r = 0; r < j->n_rows; r++)
            sys->solution[j->row + r] = r < lk_rigid_rows(j) ? rates[r] : 0;
    }
    lk_evaluate_refined(sys, sys->port_rows);
    for (int b = 0; b < sys->n_bodies; b++)
        for (int i = 0; i < 3; i++) {
            sum[b].v[i] -= sys->correction[b].v[i];
            sum[b].w[i] -= sys->correction[b].w[i];
        }
}

/* a unit of force between two points, into @sum */
static void pull_at_row(const struct lk_system *sys, const struct lk_law *law, struct lk_twist *sum)
{
    const struct lk_joint *j = &sys->joint[law->joint];

    for (int s = 0; s < 2; s++) {
        struct lk_twist *own = &sum[j->body[s]];
        double row[6];

        lk_jacobian_row(sys->jacobian[law->joint], s, law->row, row);
        for (int i = 0; i < 3; i++) {
            own->v[i] += row[i];
            own->w[i] += row[3 + i];
        }
    }
}

static double mobility_of_row(struct lk_system *sys, const struct lk_law *law)
{
    double rates[LK_ROWS_PAD];

    pull_at_row(sys, law, sys->residual);
    respond(sys, sys->residual);
    lk_evaluate_row_rates(sys, law->joint, sys->residual, rates);
    return rates[law->row];
}

static bool is_between_points(const struct lk_system *sys, const struct lk_port *p)
{
    return p->law >= 0 && !sys->joint[sys->law[p->law].joint].of[0];
}

static void show_mobility(struct lk_system *sys, const struct lk_port *p, double *ret)
{
    int n = p->place.type == LK_INPUT_BODY_FORCE || p->place.type == LK_INPUT_BODY_TORQUE ? 3 : 1;
    size_t places = (size_t)(sys->n_bodies + 1 + sys->n_frames);

    if (is_between_points(sys, p)) {
        memset(sys->residual, 0, places * sizeof(*sys->residual));
        ret[0] = mobility_of_row(sys, &sys->law[p->law]);
        return;
    }
    for (int k = 0; k < n; k++) {
        double unit[3] = {0};

        unit[k] = -1;
        memset(sys->residual, 0, places * sizeof(*sys->residual));
        lk_loads_subtract_input(sys, &p->place, unit, sys->residual);
        respond(sys, sys->residual);
        unit[k] = 0;
        for (int l = k; l < n; l++) {
            unit[l] = 1;
            ret[lk_sym_at(k, l)] = lk_loads_input_power(sys, &p->place, unit, sys->residual);
            unit[l] = 0;
        }
    }
}

void lk_ports_show(struct lk_system *sys, struct lk_state *state)
{
    for (int i = 0; i < sys->n_shown_ports; i++)
        if (sys->port[i].type == LK_OUTPUT_MOBILITY)
            show_mobility(sys, &sys->port[i], state->shown + sys->port[i].at);
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
