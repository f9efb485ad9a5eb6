/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the laws of compliant rows from force elements and from compliances of joints. */
#include "compile/fill.h"
#include "maths/vec.h"
#include "step/elements/elements.h"
#include "step/one/evaluate.h"
#include <math.h>
#include <string.h>

#define DAMPED 0.5 /* largest fraction of the speed that a stop's damper removes per step */
/* largest ratio of a mobility during a run to the mobility at the start */
#define POSE_MARGIN    4
#define LEAST_MOBILITY 0.05 /* least mobility, relative to that without joints */
/* largest (w h)^2 of a stop that the step can follow: ten steps per contact */
#define RESOLVED 0.1

/** struct counts - sizes of the memory for laws. @points: points of all tables, counted for every
 * term that uses one */
struct counts {
    int laws;
    int terms;
    int points;
};

static int points_of(const struct lk_model *m, int table)
{
    return table >= 0 ? m->tables[table].n : 0;
}

/* Return the number of levels of a map plus the number of points at all levels. */
static int points_of_map(const struct lk_model *m, int map)
{
    return m->tables[map].n * (1 + m->tables[map + 1].n);
}

/* Return the number of terms of one force element. */
static int terms_of(const struct lk_force_def *f)
{
    return 1 + (f->stiffness_table >= 0) + (f->damping_table >= 0) + (f->type == LK_FORCE_LINE);
}

static struct counts count(const struct lk_draft *d)
{
    const struct lk_model *m = d->model;
    struct counts c = {0};

    for (int i = 0; i < d->n_blocks; i++) {
        const struct lk_draft_block *b = &d->blocks[i];

        if (b->kind < LK_ROWS_COMPLIANT)
            continue;
        c.laws += b->n_rows;
        if (b->force < 0 && b->type != LK_JOINT_COORDINATE)
            c.terms += b->n_rows;
    }
    for (int i = 0; i < m->n_forces; i++) {
        const struct lk_force_def *f = &m->forces[i];

        if (f->type == LK_FORCE_BUSHING) {
            c.terms += 6;
        } else if (f->type == LK_FORCE_CREEP) {
            c.terms += 2;
        } else if (f->type == LK_FORCE_DRAG) {
            c.terms += 3;
        } else if (f->type == LK_FORCE_MAP) {
            c.terms++;
            c.points += points_of_map(m, f->map);
        } else if (f->type <= LK_FORCE_STOP) {
            c.terms += terms_of(f);
            c.points += points_of(m, f->stiffness_table) + points_of(m, f->damping_table);
        }
    }
    return c;
}

void lk_fill_laws_layout(struct lk_system *sys, const struct lk_draft *d, struct lk_arena *arena)
{
    struct counts c = count(d);
    struct lk_law_now *law_now;
    struct lk_term_now *term_now;

    sys->law = lk_arena_take(arena, (size_t)c.laws, sizeof(*sys->law));
    law_now = lk_arena_take(arena, (size_t)c.laws, sizeof(*law_now));
    sys->term = lk_arena_take(arena, (size_t)c.terms, sizeof(*sys->term));
    term_now = lk_arena_take(arena, (size_t)c.terms, sizeof(*term_now));
    for (int i = 0; i < c.laws && arena->base; i++)
        sys->law[i].now = &law_now[i];
    for (int i = 0; i < c.terms && arena->base; i++)
        sys->term[i].now = &term_now[i];
    sys->sway = lk_arena_take(arena, (size_t)d->n_sways, sizeof(*sys->sway));
    sys->tables = lk_arena_take(arena, 4 * (size_t)c.points, sizeof(double));
}

static struct lk_term *add_term(struct lk_system *sys, struct lk_law *law, int force,
                                enum lk_term_kind kind)
{
    struct lk_term *t = &sys->term[sys->n_terms++];

    *t->now = (struct lk_term_now){.scale = 1};
    *t = (struct lk_term){.kind = kind, .force = force, .now = t->now, .input = -1, .wind = -1};
    for (int i = 0; i < LK_PORT_VALUES; i++)
        t->port[i] = -1;
    law->n_terms++;
    return t;
}

static struct lk_law *add_law(struct lk_system *sys, int joint, int row)
{
    struct lk_law *law = &sys->law[sys->n_laws++];

    *law->now = (struct lk_law_now){.stop.counts = 1};
    *law = (struct lk_law){.joint = joint, .row = row, .first_term = sys->n_terms, .now = law->now};
    if (row == 0)
        sys->joint[joint].law = sys->n_laws - 1;
    return law;
}

static struct lk_term *add_linear(struct lk_system *sys, struct lk_law *law, int force,
                                  double stiffness, double damping, double rest)
{
    struct lk_term *t = add_term(sys, law, force, LK_TERM_LINEAR);

    t->now->stiffness = stiffness;
    t->now->damping = damping;
    t->now->rest = rest;
    return t;
}

/* connect the values of term @t that inputs set; the tangent of the law then changes with these
 * inputs */
static void follow_inputs(struct lk_system *sys, struct lk_law *law, const struct lk_force_def *f,
                          struct lk_term *t)
{
    for (int k = 0; k < LK_PORT_VALUES; k++)
        if (f->port_input[k] >= 0) {
            t->port[k] = lk_fill_signal(sys, f->port_input[k]);
            law->is_nonlinear = law->is_tuned = sys->is_tuned = 1;
            sys->n_signals++;
        }
}

static void add_table(struct lk_system *sys, struct lk_law *law, const struct lk_table *table,
                      int force, enum lk_term_kind kind, double rest, int *used)
{
    struct lk_term *t = add_term(sys, law, force, kind);
    int n = table->n;
    double *x = sys->tables + *used, *y = x + n, *slope = y + n, *area = slope + n;

    memcpy(x, table->x, (size_t)n * sizeof(double));
    memcpy(y, table->y, (size_t)n * sizeof(double));
    lk_table_slopes(n, x, y, slope, area);
    t->now->rest = rest;
    t->n_points = n;
    t->x = x;
    t->y = y;
    t->slope = slope;
    t->area = area;
    law->is_nonlinear = 1;
    *used += 4 * n;
}

/* shift the potential of a stiffness table so that it is 0 at deflection 0 */
static void zero_area(struct lk_term *t)
{
    struct lk_law_value f = {0};
    double *area = (double *)t->area, shift;

    lk_term_evaluate(t, t->now->rest, 0, &f);
    shift = f.potential;
    for (int i = 0; i < t->n_points; i++)
        area[i] -= shift;
}

static void scale_table(struct lk_system *sys, struct lk_law *law, const struct lk_force_def *f,
                        struct lk_term *t)
{
    t->now->scale = f->scale;
    if (f->scale_input < 0)
        return;
    t->input = lk_fill_signal(sys, f->scale_input);
    law->is_tuned = sys->is_tuned = 1;
    sys->n_signals++;
}

static void add_spring(struct lk_system *sys, struct lk_law *law, const struct lk_model *m, int i,
                       double rest, int *used)
{
    const struct lk_force_def *f = &m->forces[i];

    int first = sys->n_terms + 1;

    follow_inputs(sys, law, f, add_linear(sys, law, i, f->stiffness, f->damping, rest));
    if (f->stiffness_table >= 0) {
        add_table(sys, law, &m->tables[f->stiffness_table], i, LK_TERM_TABLE_STIFFNESS, rest, used);
        zero_area(&sys->term[sys->n_terms - 1]);
    }
    if (f->damping_table >= 0)
        add_table(sys, law, &m->tables[f->damping_table], i, LK_TERM_TABLE_DAMPING, 0, used);
    for (; first < sys->n_terms; first++)
        scale_table(sys, law, f, &sys->term[first]);
}

static void add_friction(struct lk_system *sys, struct lk_law *law, const struct lk_force_def *f,
                         int i)
{
    struct lk_term *t = add_term(sys, law, i, LK_TERM_FRICTION);

    t->coulomb = f->coulomb;
    t->stick = f->stick;
    t->stribeck = f->stribeck;
    t->creep = f->creep > 0 ? f->creep : 1;
    t->contact = -1;
    if (f->has_mu) {
        t->contact = f->joint;
        t->mu = f->mu;
        t->mu_stick = f->mu_stick;
        t->radius = f->radius;
        t->reach = f->length > 0 ? 2 / f->length : 0;
        law->by_load = true;
        sys->n_by_load++;
        sys->has_bearings = true;
    }
    t->now->damping = f->damping;
    t->now->scale = f->scale;
    if (f->scale_input >= 0) {
        t->input = lk_fill_signal(sys, f->scale_input);
        sys->n_signals++;
    }
    if (f->has_wind_up) {
        t->wind = sys->n_winds++;
        t->now->stiffness = t->give = t->yield = 1; /* until the mobility is known */
    }
    law->is_nonlinear = 1;
}

/* Add an impedance. The tangent of the law then changes with the inputs of the impedance. */
static void add_impedance(struct lk_system *sys, struct lk_law *law, const struct lk_force_def *f,
                          int i)
{
    struct lk_term *t = add_term(sys, law, i, LK_TERM_IMPEDANCE);

    t->now->push = f->port[LK_PORT_FORCE];
    t->now->stiffness = f->port[LK_PORT_STIFFNESS];
    t->now->damping = f->port[LK_PORT_DAMPING];
    t->now->rest = f->port[LK_PORT_REST];
    for (int k = 0; k < LK_PORT_VALUES; k++) {
        if (k == LK_PORT_FORCE && f->port_input[k] >= sys->n_inputs)
            lk_fill_push(sys, law, f->port_input[k] - sys->n_inputs);
        else if (f->port_input[k] >= 0)
            t->port[k] = lk_fill_signal(sys, f->port_input[k]);
    }
    sys->n_ports++;
    law->is_nonlinear = 1;
}

/* Add a map, and copy its tables: the levels, then rates, forces and slopes for each level */
static void add_map(struct lk_system *sys, struct lk_law *law, const struct lk_model *m, int i,
                    int *used)
{
    const struct lk_force_def *f = &m->forces[i];
    const struct lk_table *levels = &m->tables[f->map], *at = levels + 1;
    struct lk_term *t = add_term(sys, law, i, LK_TERM_MAP);
    double *level = sys->tables + *used, *x = level + levels->n;

    memcpy(level, levels->x, (size_t)levels->n * sizeof(double));
    *used += levels->n;
    for (int k = 0; k < levels->n; k++, x += 4 * at->n) {
        memcpy(x, at[k].x, (size_t)at->n * sizeof(double));
        memcpy(x + at->n, at[k].y, (size_t)at->n * sizeof(double));
        lk_table_slopes(at->n, x, x + at->n, x + 2 * at->n, x + 3 * at->n);
        *used += 4 * at->n;
    }
    t->level = level;
    t->n_levels = levels->n;
    t->x = level + levels->n;
    t->n_points = at->n;
    t->now->scale = f->scale;
    if (f->scale_input >= 0)
        t->input = lk_fill_signal(sys, f->scale_input);
    sys->n_ports++;
    law->is_nonlinear = 1;
}

static void add_callback(struct lk_system *sys, struct lk_law *law, const struct lk_callback *all,
                         const struct lk_force_def *f, int i)
{
    struct lk_term *t = add_term(sys, law, i, LK_TERM_CALLBACK);

    t->callback = *lk_draft_callback(all, f->name);
    sys->n_ports++;
    law->is_nonlinear = 1;
}

static void add_drag(struct lk_system *sys, struct lk_law *law, const struct lk_force_def *f, int i)
{
    struct lk_term *t = add_term(sys, law, i, LK_TERM_AIR);

    t->now->damping = f->coefficient[law->row];
    memcpy(t->wind_velocity, f->vector, sizeof(t->wind_velocity));
    t->now->scale = f->scale;
    if (f->scale_input >= 0) {
        t->input = lk_fill_signal(sys, f->scale_input);
        sys->n_signals++;
    }
    law->is_nonlinear = 1;
}

/* return the index of a force among the transmission lines of the model */
static int line_of(const struct lk_model *m, int force)
{
    int line = 0;

    for (int i = 0; i < force; i++)
        line += m->forces[i].type == LK_FORCE_LINE;
    return line;
}

/* Add one end of a transmission line: a damper and the incoming wave. */
static void add_line_end(struct lk_system *sys, struct lk_law *law, const struct lk_model *m, int i,
                         int end)
{
    const struct lk_force_def *f = &m->forces[i];
    struct lk_term *t = add_term(sys, law, i, LK_TERM_LINE);
    struct lk_line *line = &sys->line[line_of(m, i)];

    t->now->damping = f->line.impedance * f->line.ratio[end] * f->line.ratio[end];
    line->law[end] = (int)(law - sys->law);
    line->term[end] = sys->n_terms - 1;
    law->is_nonlinear = 1; /* the force changes with the wave */
}

static void add_stop(struct lk_system *sys, struct lk_law *law, const struct lk_force_def *f, int i)
{
    struct lk_term *t = add_term(sys, law, i, LK_TERM_STOP);

    t->now->stiffness = f->stiffness;
    t->now->damping = f->damping;
    t->lower = f->lower;
    t->upper = f->upper;
    t->onset = f->onset;
    law->is_nonlinear = 1;
}

/* Add creep. For creep along a rail, the speed of the rail counts as slip too. */
static void add_creep(struct lk_system *sys, struct lk_law *law, const struct lk_force_def *f,
                      int i)
{
    struct lk_term *t = add_term(sys, law, i, LK_TERM_CREEP);

    t->now->damping = f->coefficient[law->row] / f->speed;
    t->now->limit = f->limit;
    t->now->scale = 1;
    t->contact = f->follows_load ? f->joint : -1;
    sys->n_by_load += f->follows_load;
    t->load = f->load;
    t->coulomb = t->now->damping;
    t->stick = f->limit;
    t->spin = f->coefficient[1] > 0 ? f->spin / f->coefficient[1] : 0;
    law->is_nonlinear = !isinf(f->limit) || f->follows_load;
    law->now->carry = law->row == 0 ? -f->rail_speed : 0;
}

/* Make the law of a coordinate row: all elements that act on this coordinate. */
static void fill_coordinate_law(struct lk_system *sys, const struct lk_draft *d, int block,
                                int *used)
{
    const struct lk_draft_block *b = &d->blocks[block];
    const struct lk_model *m = d->model;
    struct lk_law *law = add_law(sys, block, 0);

    for (int i = 0; i < m->n_forces; i++) {
        const struct lk_force_def *f = &m->forces[i];

        for (int k = 0; k < 2 && f->type == LK_FORCE_LINE; k++)
            if (f->line.joint[k] == b->joint && f->line.coordinate[k] == b->which)
                add_line_end(sys, law, m, i, k);
        if (f->type == LK_FORCE_SPRING_DAMPER || f->type > LK_FORCE_STOP ||
            f->type == LK_FORCE_LINE || f->type == LK_FORCE_BUSHING || f->type == LK_FORCE_CREEP ||
            f->joint != b->joint || f->coordinate != b->which)
            continue;
        if (f->type == LK_FORCE_JOINT_SPRING_DAMPER)
            add_spring(sys, law, m, i, f->rest, used);
        else if (f->type == LK_FORCE_FRICTION)
            add_friction(sys, law, f, i);
        else if (f->type == LK_FORCE_IMPEDANCE)
            add_impedance(sys, law, f, i);
        else if (f->type == LK_FORCE_MAP)
            add_map(sys, law, m, i, used);
        else if (f->type == LK_FORCE_CALLBACK)
            add_callback(sys, law, d->callbacks, f, i);
        else
            add_stop(sys, law, f, i);
    }
}

static double initial_distance(const struct lk_force_def *f)
{
    double sum = 0;

    for (int i = 0; i < 3; i++)
        sum += (f->point[1][i] - f->point[0][i]) * (f->point[1][i] - f->point[0][i]);
    return sqrt(sum);
}

static void fill_sway_laws(struct lk_system *sys, int block, int along)
{
    sys->sway[sys->n_sways++] = (struct lk_sway){block, along};
    for (int r = 0; r < sys->joint[block].n_rows; r++)
        add_term(sys, add_law(sys, block, r), -1, LK_TERM_SWAY);
}

/* Return the strain of an element of a beam for each unit of force of row @r: axial, or of the
 * outermost fibres of a rectangle with the same EI / EA. */
static double strain_of_row(const struct lk_model *m, const struct lk_force_def *f, int r)
{
    const double *k = f->compliance.stiffness;
    double arm[3], length;

    if (f->body[0] < 0 || f->body[1] < 0 || (r > 0 && r < 4) || !(k[0] > 0) || !(k[r] > 0))
        return 0;
    lk_sub(m->bodies[f->body[1]].position, m->bodies[f->body[0]].position, arm);
    length = lk_norm(arm);
    if (!(length > 0))
        return 0;
    return r == 0 ? 1 / (k[0] * length) : sqrt(3 * k[r] / k[0]) / (k[r] * length);
}

static void fill_block_laws(struct lk_system *sys, const struct lk_draft *d, int block, int *used)
{
    const struct lk_draft_block *b = &d->blocks[block];
    const struct lk_force_def *f = b->force >= 0 ? &d->model->forces[b->force] : NULL;

    if (b->type == LK_JOINT_COORDINATE) {
        fill_coordinate_law(sys, d, block, used);
        return;
    }
    if (b->along >= 0) {
        fill_sway_laws(sys, block, b->along);
        return;
    }
    for (int r = 0; r < b->n_rows; r++) {
        struct lk_law *law = add_law(sys, block, r);
        const struct lk_compliance *c = f ? &f->compliance : &d->model->joints[b->joint].compliance;

        if (f && (f->type == LK_FORCE_TYRE || f->type == LK_FORCE_CONTACT))
            continue; /* one law covers all rows, see step/elements/tyres.h and contacts.h */
        if (f && f->type == LK_FORCE_CREEP)
            add_creep(sys, law, f, b->force);
        else if (f && f->type == LK_FORCE_IMPEDANCE)
            add_impedance(sys, law, f, b->force);
        else if (f && f->type == LK_FORCE_DRAG)
            add_drag(sys, law, f, b->force);
        else if (f && f->type == LK_FORCE_SPRING_DAMPER)
            add_spring(sys, law, d->model, b->force, isnan(f->rest) ? initial_distance(f) : f->rest,
                       used);
        else
            add_linear(sys, law, b->force, c->stiffness[r], c->damping[r], 0);
        if (f && f->is_element) {
            law->strain = strain_of_row(d->model, f, r);
            sys->has_elements = true;
        }
    }
}

void lk_fill_laws(struct lk_system *sys, const struct lk_draft *d)
{
    int used = 0;

    lk_fill_lines(sys, d->model);
    sys->n_laws = sys->n_winds = sys->n_ports = 0; /* counted again below */
    for (int i = 0; i < d->n_blocks; i++)
        if (d->blocks[i].kind >= LK_ROWS_COMPLIANT)
            fill_block_laws(sys, d, i, &used);
    lk_line_ops.refer(sys, &sys->now); /* at the start, the initial waves of lines act */
}

/* A stop too stiff for the step gets a restitution instead of its damper, because the damper
 * would drive the row deep into the stop. @largest: largest mobility in a run, used for the
 * decision */
static void find_restitution(struct lk_term *t, double mobility, double largest, double h)
{
    t->is_hard =
        t->now->stiffness * largest * h * h > RESOLVED || t->now->damping * largest * h > DAMPED;
    t->restitution = lk_law_restitution(t->now->stiffness, t->now->damping, mobility);
    t->loss = t->now->damping;
    t->now->damping = t->is_hard ? 0 : t->now->damping;
}

/* If E = e in the row of the law, and the right-hand side is 1 in this row, the solution in this
 * row is 1 / (e + s mobility). The function solves this for the mobility. */
double lk_fill_mobility(struct lk_system *sys, const struct lk_law *law)
{
    int row = sys->joint[law->joint].row + law->row;
    double scale = sys->scale[row], released = sys->regular[row], found;

    sys->regular[row] = scale;
    lk_evaluate_factor(sys);
    memset(sys->solution, 0, (size_t)sys->n_rows * sizeof(double));
    sys->solution[row] = 1;
    lk_fronts_solve(&sys->fronts, sys->solution);
    found = (1 / sys->solution[row] - scale) / sys->s;
    sys->regular[row] = released;
    return fmin(fmax(found, 0), scale / sys->s);
}

/* Return the mobility of the coordinate of @law, bounded from below because the mobility of a
 * driven coordinate is only round-off. */
static double effective_mobility(struct lk_system *sys, const struct lk_law *law)
{
    double alone = sys->scale[sys->joint[law->joint].row + law->row] / sys->s;

    return fmax(lk_fill_mobility(sys, law), 1e-9 * alone);
}

static void release_contacts(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_laws; i++) {
        struct lk_law_value f = {0};
        const struct lk_law *law = &sys->law[i];

        for (int k = law->first_term; k < law->first_term + law->n_terms; k++)
            if (sys->term[k].kind < LK_TERM_FRICTION)
                lk_term_evaluate(&sys->term[k], 0, 0, &f);
        sys->regular[sys->joint[law->joint].row + law->row] = lk_law_regular(&f, sys->h);
    }
}

/* Limit the presliding spring of friction to a stiffness that the step can follow, (w h)^2 <= 1. If
 * the model file gives no stiffness, use (w h)^2 = 1/4 with critical damping: a load that is
 * applied suddenly overshoots by less than a fifth. */
static void limit_wind_up(struct lk_term *t, const struct lk_force_def *f, double mobility,
                          double h)
{
    double stiffest = 1 / (mobility * h * h);

    t->now->stiffness =
        isnan(f->wind_stiffness) ? 0.25 * stiffest : fmin(f->wind_stiffness, stiffest);
    t->give = isnan(f->wind_damping) ? 2 * sqrt(t->now->stiffness / mobility) : f->wind_damping;
    t->give = fmin(t->give, stiffest * h);
    t->yield = 0.5 * h * t->now->stiffness + t->give;
}

#define LEAST_CREEP 1e-12 /* [m/s or rad/s], of a bearing without load */

static void limit_creep(struct lk_term *t, const struct lk_force_def *f, double mobility, double h)
{
    if (f->has_mu) { /* the creep rate follows the load */
        t->creep = fmax(f->creep, LEAST_CREEP);
        t->load = 0.5 * h * mobility;
        return;
    }
    t->creep = fmax(f->creep, t->stick * 0.5 * h * mobility);
    t->late = LK_FRICTION_RISEN * (t->creep - f->creep);
}

/* Set the creep rate of friction and the hard stops. The smallest creep rate that the step can
 * resolve is creep = stick A h/2, where A is the inverse mass of the coordinate. At this rate
 * the trapezoidal rule damps a creeping motion to zero in one step; steeper friction would
 * reverse the motion instead of stopping it. */
void lk_fill_contacts(struct lk_system *sys, const struct lk_draft *d)
{
    release_contacts(sys);
    for (int i = 0; i < sys->n_laws; i++)
        sys->law[i].mobility = sys->law[i].is_nonlinear ? effective_mobility(sys, &sys->law[i]) : 0;
    for (int i = 0; i < sys->n_laws; i++)
        sys->regular[sys->joint[sys->law[i].joint].row + sys->law[i].row] = 0;
    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_law *law = &sys->law[i];
        /* The mobility changes with the pose, but is never more than the mobility of the bodies
         * without joints. If it is almost zero, as for a driven coordinate, friction must not
         * amplify the noise of the rate. */
        double alone = lk_fill_inverse_mass(sys, d, law->joint, law->row);
        double mobility = fmin(alone, fmax(POSE_MARGIN * law->mobility, LEAST_MOBILITY * alone));

        for (int k = law->first_term; k < law->first_term + law->n_terms; k++) {
            struct lk_term *t = &sys->term[k];

            if (t->kind == LK_TERM_STOP)
                find_restitution(t, law->mobility,
                                 sys->formulation->stops_at_any_pose ? mobility : law->mobility,
                                 sys->h);
            sys->law[i].is_hard |= t->is_hard;
            if (t->kind == LK_TERM_FRICTION && t->wind >= 0)
                limit_wind_up(t, &d->model->forces[t->force], mobility, sys->h);
            else if (t->kind == LK_TERM_FRICTION)
                limit_creep(t, &d->model->forces[t->force], mobility, sys->h);
        }
    }
}
