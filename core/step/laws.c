/* SPDX-License-Identifier: Apache-2.0 */
/* The terms of laws. Every term does the same work at any (x, v). */
#include "step/laws.h"
#include "maths/table.h"
#include "maths/vec.h"

#define WAY_MIN 1e-6 /* of a depth: over a shorter way a difference of potentials is round-off */
#define AT_REST 1e-3 /* acceleration on a stop, of that without it */

/* cubic Hermite polynomial inside the table, a straight line beyond its ends */
static double table_value(const struct lk_term *t, double x, double *ret_slope, double *ret_area)
{
    const struct lk_points points = {t->n_points, t->x, t->y, t->slope};
    double inside = fmin(fmax(x, t->x[0]), t->x[t->n_points - 1]), beyond = x - inside;
    struct lk_piece p = lk_points_piece(&points, inside);
    double value = lk_piece_value(&p), slope = lk_piece_slope(&p);

    *ret_slope = slope;
    *ret_area = t->area[p.i] +
                p.w * p.u * (p.y0 + p.u * (p.m0 / 2 + p.u * (p.b / 3 + p.u * p.c / 4))) +
                beyond * (value + 0.5 * slope * beyond);
    return value + slope * beyond;
}

void lk_table_slopes(int n, const double *x, const double *y, double *slope, double *area)
{
    for (int i = 1; i < n - 1; i++) {
        double w0 = x[i] - x[i - 1], w1 = x[i + 1] - x[i];
        double d0 = (y[i] - y[i - 1]) / w0, d1 = (y[i + 1] - y[i]) / w1;
        double a = 2 * w1 + w0, b = w1 + 2 * w0;

        /* the weighted harmonic mean of both secants keeps the curve monotone */
        slope[i] = d0 * d1 > 0 ? (a + b) / (a / d0 + b / d1) : 0;
    }
    slope[0] = (y[1] - y[0]) / (x[1] - x[0]);
    slope[n - 1] = (y[n - 1] - y[n - 2]) / (x[n - 1] - x[n - 2]);
    area[0] = 0;
    for (int i = 1; i < n; i++) {
        double w = x[i] - x[i - 1];

        area[i] =
            area[i - 1] + 0.5 * w * (y[i - 1] + y[i]) + w * w / 12 * (slope[i - 1] - slope[i]);
    }
}

/* Coulomb friction with the Stribeck effect, made a function of the rate by tanh(v / creep). Its
 * tangent is half the steepest slope: then the iteration contracts by 1/3 or better whether the
 * joint slips (true slope near 0) or sticks, as long as creep is what lk_friction_creep() asks for.
 */
static void friction(const struct lk_term *t, double v, struct lk_law_value *sum)
{
    double creep = t->creep * fmax(t->scale, 1); /* the slope at rest is what the step allows */

    sum->dissipative += lk_friction_level(t, v) * tanh(v / creep) + t->damping * v;
    sum->damping += 0.5 * t->scale * t->stick / creep + t->damping;
}

/* one limit: @depth beyond it, @speed at which the depth grows. The stiffness builds up over the
 * onset; the damper never pulls. Returns the force against the depth. */
static double stop_side(const struct lk_term *t, double depth, double speed,
                        struct lk_law_value *sum)
{
    double inside = fmax(depth, 0);
    double ramp = t->onset > 0 ? fmin(inside / t->onset, 1) : inside > 0;
    double soft = fmin(inside, t->onset);
    double elastic = t->stiffness * (0.5 * ramp * soft + (inside - soft));
    double damper = fmax(t->damping * ramp * speed, -elastic);

    sum->potential += t->stiffness * (ramp * soft * soft / 6 + 0.5 * (inside - soft) * inside);
    sum->stiffness += t->stiffness * fmax(ramp, inside > 0 ? 0.1 : 0);
    sum->damping += t->damping * ramp;
    return elastic + damper;
}

static void stop(const struct lk_term *t, double x, double v, struct lk_law_value *sum)
{
    double low = stop_side(t, t->lower - x, -v, sum);
    double high = stop_side(t, x - t->upper, v, sum);
    struct lk_law_value none = {0};
    struct lk_term stiff = *t;

    /* the elastic part; the rest counts as dissipated */
    stiff.damping = 0;
    double elastic =
        stop_side(&stiff, x - t->upper, 0, &none) - stop_side(&stiff, t->lower - x, 0, &none);
    sum->elastic += elastic;
    sum->dissipative += high - low - elastic;
}

/* one limit over a step from @before to @after beyond it: the mean of its spring is the difference
 * of what it stores over the way, so that a contact that begins or ends on the way gains nothing */
static double stop_side_step(const struct lk_term *t, double before, double after, double speed,
                             struct lk_law_value *sum)
{
    struct lk_law_value first = {0}, last = {0}, middle = {0};
    struct lk_term spring = *t;
    double way = after - before, mid = 0.5 * (before + after), end, force, damper, slope;

    spring.damping = 0;
    stop_side(&spring, before, 0, &first);
    end = stop_side(&spring, after, 0, &last);
    force = stop_side(&spring, mid, 0, &middle);
    slope = middle.stiffness;
    damper = stop_side(t, mid, speed, &middle) - force;
    if (fabs(way) > WAY_MIN * fmax(fabs(before), fabs(after))) {
        force = (last.potential - first.potential) / way;
        slope = 2 * (end - force) / way;
    }
    sum->stiffness += fmax(slope, after > 0 ? 0.1 * t->stiffness : 0);
    sum->damping += middle.damping;
    sum->dissipative += fmax(damper, -force);
    return force;
}

static void stop_step(const struct lk_term *t, double before, double after, double v,
                      struct lk_law_value *sum)
{
    struct lk_law_value low = {0}, high = {0};
    double pull = stop_side_step(t, t->lower - before, t->lower - after, -v, &low);
    double push = stop_side_step(t, before - t->upper, after - t->upper, v, &high);

    sum->elastic += push - pull;
    sum->dissipative += high.dissipative - low.dissipative;
    sum->stiffness += low.stiffness + high.stiffness;
    sum->damping += low.damping + high.damping;
}

/* the mean of a stiffness table over the way by Simpson's rule, exact within an interval */
static void table_step(const struct lk_term *t, double before, double after,
                       struct lk_law_value *sum)
{
    const double x[3] = {before, 0.5 * (before + after), after};
    static const double weight[3] = {1.0 / 6, 4.0 / 6, 1.0 / 6}, slopes[3] = {0, 2.0 / 3, 1.0 / 3};
    double stiffness = 0;

    for (int i = 0; i < 3; i++) {
        double slope, area;

        sum->elastic += weight[i] * t->scale * table_value(t, x[i] - t->rest, &slope, &area);
        stiffness += slopes[i] * t->scale * slope;
    }
    sum->stiffness += fmax(stiffness, 0);
}

/* T = limit tanh(c v / limit), as A. Jaschinski's smooth form of the saturation of creep forces; in
 * B. Simeon, C. Fuehrer, P. Rentrop, Differential-algebraic equations in vehicle system dynamics,
 * 1991, with the friction coefficient times the normal force as limit */
static void creep(const struct lk_term *t, double v, struct lk_law_value *sum)
{
    double slip = isinf(t->limit) ? 0 : tanh(t->damping * v / t->limit);

    sum->dissipative += isinf(t->limit) ? t->damping * v : t->limit * slip;
    sum->damping += t->damping * (1 - slip * slip);
}

/* the curve at level @k of a map; it holds its last values beyond its ends */
static double map_value(const struct lk_term *t, int k, double v, double *ret_slope)
{
    int n = t->n_points;
    const double *x = t->x + 4 * (long)k * n;
    const struct lk_points points = {n, x, x + n, x + 2 * n};
    double inside = fmin(fmax(v, x[0]), x[n - 1]);
    struct lk_piece p = lk_points_piece(&points, inside);

    *ret_slope = v == inside ? lk_piece_slope(&p) : 0;
    return lk_piece_value(&p);
}

/* a smooth curve over the rate at each level, straight between the levels: a level holds over the
 * step, so only the curve has a tangent */
static void map_force(const struct lk_term *t, double v, struct lk_law_value *sum)
{
    double level = fmin(fmax(t->scale, t->level[0]), t->level[t->n_levels - 1]);
    int k = 0;

    for (int i = 1; i < t->n_levels - 1; i++)
        k = level >= t->level[i] ? i : k;
    double part = (level - t->level[k]) / (t->level[k + 1] - t->level[k]), slope[2];
    double low = map_value(t, k, v, &slope[0]), high = map_value(t, k + 1, v, &slope[1]);

    sum->elastic -= low + part * (high - low);
    sum->damping += fmax(-(slope[0] + part * (slope[1] - slope[0])), 0);
}

static void air(const struct lk_term *t, double v, struct lk_law_value *sum)
{
    sum->dissipative += t->damping * t->speed * v;
    sum->damping += t->speed > 0 ? t->damping * (t->speed + v * v / t->speed) : 0;
}

static void impedance(const struct lk_term *t, const struct lk_answer *a, double x, double v,
                      struct lk_law_value *sum)
{
    sum->elastic += t->stiffness * (x - t->rest) + t->damping * v - t->push;
    sum->elastic -= a->value - a->stiffness * (x - a->place) - a->damping * (v - a->rate);
    sum->stiffness += t->stiffness + a->tangent;
    sum->damping += t->damping;
}

void lk_impedance_step(const struct lk_term *t, double x, double v, struct lk_law_value *sum)
{
    impedance(t, &t->over_step, x, v, sum);
}

void lk_term_evaluate(const struct lk_term *t, double x, double v, struct lk_law_value *sum)
{
    double slope, area, force;

    switch (t->kind) {
    case LK_TERM_LINEAR:
        sum->elastic += t->stiffness * (x - t->rest);
        sum->dissipative += t->damping * v;
        sum->potential += 0.5 * t->stiffness * (x - t->rest) * (x - t->rest);
        sum->stiffness += t->stiffness;
        sum->damping += t->damping;
        break;
    case LK_TERM_TABLE_STIFFNESS:
        sum->elastic += t->scale * table_value(t, x - t->rest, &slope, &area);
        sum->potential += t->scale * area;
        sum->stiffness += t->scale * fmax(slope, 0);
        break;
    case LK_TERM_TABLE_DAMPING:
        force = t->scale * table_value(t, v, &slope, &area);
        sum->dissipative += force;
        sum->damping += t->scale * fmax(slope, 0);
        break;
    case LK_TERM_FRICTION:
        if (t->wind >= 0)
            lk_wind_up_evaluate(t, x, v, sum);
        else
            friction(t, v, sum);
        break;
    case LK_TERM_STOP:
        stop(t, x, v, sum);
        break;
    case LK_TERM_CREEP:
        creep(t, v, sum);
        break;
    case LK_TERM_IMPEDANCE:
        impedance(t, &t->at_end, x, v, sum);
        break;
    case LK_TERM_MAP:
        map_force(t, v, sum);
        break;
    case LK_TERM_AIR:
        air(t, v, sum);
        break;
    case LK_TERM_LINE:
        sum->elastic += t->damping * v - t->push;
        sum->damping += t->damping;
        break;
    }
}

void lk_law_evaluate(const struct lk_law *law, const struct lk_term *terms, double x, double v,
                     int stops, struct lk_law_value *ret)
{
    *ret = (struct lk_law_value){0};
    for (int i = law->first_term; i < law->first_term + law->n_terms; i++)
        if (stops || terms[i].kind != LK_TERM_STOP)
            lk_term_evaluate(&terms[i], x, v + law->carry, ret);
}

void lk_law_tangent(const struct lk_law *law, const struct lk_term *terms, double x, double v,
                    struct lk_law_value *ret)
{
    *ret = (struct lk_law_value){0};
    for (int i = law->first_term; i < law->first_term + law->n_terms; i++)
        if (terms[i].kind != LK_TERM_STOP)
            lk_term_evaluate(&terms[i], x, v + law->carry, ret);
        else if (law->stops_act)
            lk_term_evaluate(&terms[i], law->stop.reach, v, ret);
}

void lk_law_step(const struct lk_law *law, const struct lk_term *terms, double before, double after,
                 double v, struct lk_law_value *ret)
{
    *ret = (struct lk_law_value){0};
    for (int i = law->first_term; i < law->first_term + law->n_terms; i++) {
        const struct lk_term *t = &terms[i];

        if (t->kind == LK_TERM_TABLE_STIFFNESS)
            table_step(t, before, after, ret);
        else if (t->kind == LK_TERM_FRICTION && t->wind >= 0)
            lk_wind_up_step(t, before, after, v, ret);
        else if (t->kind == LK_TERM_IMPEDANCE)
            lk_impedance_step(t, 0.5 * (before + after), v, ret);
        else if (t->kind != LK_TERM_STOP)
            lk_term_evaluate(t, 0.5 * (before + after), v + law->carry, ret);
        else if (!law->is_hard)
            stop_step(t, before, after, v, ret);
    }
}

static int is_beyond(const struct lk_law *law, const struct lk_term *terms, double x)
{
    int beyond = 0;

    for (int i = law->first_term; i < law->first_term + law->n_terms; i++)
        beyond |= terms[i].kind == LK_TERM_STOP && (x < terms[i].lower || x > terms[i].upper);
    return beyond;
}

/* Depth p of a stop that the row would pass by @depth without it: depth - yield f(p) = p, with
 * f = k p^2 / (2 onset) over the onset, linear beyond. */
static double resisted_depth(const struct lk_term *t, double depth, double yield)
{
    double stiff = yield * t->stiffness, inside = fmax(depth, 0);
    double soft =
        t->onset > 0 ? t->onset / stiff * (sqrt(1 + 2 * stiff * inside / t->onset) - 1) : 0;
    double hard = (inside + 0.5 * stiff * t->onset) / (1 + stiff);

    return depth > 0 ? (soft < t->onset ? soft : hard) : depth;
}

static double resisted_reach(const struct lk_law *law, const struct lk_term *terms, double reach,
                             double yield)
{
    for (int i = law->first_term; i < law->first_term + law->n_terms; i++) {
        const struct lk_term *t = &terms[i];

        if (t->kind == LK_TERM_STOP && reach < t->lower)
            reach = t->lower - resisted_depth(t, t->lower - reach, yield);
        else if (t->kind == LK_TERM_STOP && reach > t->upper)
            reach = t->upper + resisted_depth(t, reach - t->upper, yield);
    }
    return reach;
}

/* A stop too stiff for the step to resolve is an impact: the inward rate is reversed times the
 * restitution, or zero if no faster than two steps of the acceleration give. @pushed: acceleration
 * by the force of a stop that the row rests on. */
static void find_impact(const struct lk_law *law, const struct lk_term *terms, double h, double x,
                        double v, double free_a, double pushed, struct lk_stop *stop)
{
    for (int i = law->first_term; i < law->first_term + law->n_terms; i++) {
        const struct lk_term *t = &terms[i];
        double inward = t->kind != LK_TERM_STOP  ? 0
                        : stop->reach < t->lower ? -v
                        : stop->reach > t->upper ? v
                                                 : -INFINITY;
        double speed;

        if (t->kind != LK_TERM_STOP || !stop->acts || !t->is_hard || isinf(inward))
            continue;
        stop->is_impact = 1;
        /* the step ends at the limit: a body that a force has not slowed down on the way there must
         * not return with more energy than it has */
        speed = v * v + fmin(2 * free_a * ((stop->reach < t->lower ? t->lower : t->upper) - x), 0);
        stop->rate = inward > 2 * h * (fabs(free_a) + pushed)
                         ? -t->restitution * copysign(sqrt(fmax(speed, 0)), v)
                         : 0;
    }
}

/* whether @x lies beyond the limits that push along @way */
static int is_pressed(const struct lk_law *law, const struct lk_term *terms, double x, double way)
{
    int pressed = 0;

    for (int i = law->first_term; i < law->first_term + law->n_terms; i++)
        pressed |=
            terms[i].kind == LK_TERM_STOP && (way > 0 ? x < terms[i].lower : x > terms[i].upper);
    return pressed;
}

/* A contact ends within the step when the last force, if it continued, would carry the row back
 * inside. The fraction @keep of it does the work keep force (x1 - x) / 2 in a trapezoidal step,
 * with x1 - x = D + keep C, D the displacement without the stops, C that by the whole force. This
 * equals the stored energy when keep (D + keep C) = 2 stored / force. */
struct lk_stop lk_law_stop(const struct lk_law *law, const struct lk_term *terms, double h,
                           double x, double v, double a, double free_a, double force, double yield)
{
    double D = h * v + 0.5 * h * h * free_a, C = 0.25 * h * h * (a - free_a);
    struct lk_stop stop = {.reach = x + D};
    struct lk_law_value all, without;
    double stored, way;

    lk_law_evaluate(law, terms, x, v, 0, &without);
    lk_law_evaluate(law, terms, x, v, 1, &all);
    /* a stop pushes or is inactive: the remainder is round-off of a decoupled row */
    force = force * (all.elastic - without.elastic) > 0 ? force : 0;
    /* along the push, so that D and C have the sign of the return motion */
    way = force > 0 ? -1 : 1;
    stored = fabs(force) > 0 ? 2 * fmax(all.potential - without.potential, 0) / fabs(force) : 0;
    D *= way;
    C = fmax(C * way, 0);
    if (!law->is_hard && fabs(force) > 0 && !is_pressed(law, terms, x + way * (D + C), way))
        stop.keep = C > 0 ? fmin((sqrt(D * D + 4 * C * stored) - D) / (2 * C), 1) : 0;
    else
        stop.acts = is_beyond(law, terms, stop.reach) || (!law->is_hard && fabs(force) > 0);
    stop.ends = fabs(force) > 0 && !stop.acts;
    /* acceleration of the row by this force alone: if other stops support the row, free_a is zero
     */
    double pushed = fabs(force) * law->mobility;
    int rests = fabs(a) <= AT_REST * (fabs(free_a) + pushed);
    if (law->is_hard) /* a resting load, without acceleration, continues; an impact is over */
        stop.keep = stop.acts && rests;
    else
        stop.keep = stop.acts ? 1 : stop.keep;
    find_impact(law, terms, h, x, v, free_a, rests ? pushed : 0, &stop);
    stop.reach = resisted_reach(law, terms, stop.reach, yield);
    return stop;
}

double lk_law_restitution(double stiffness, double damping, double mobility)
{
    double ratio = 0.5 * damping * sqrt(mobility / stiffness);

    return ratio < 1 ? exp(-M_PI * ratio / sqrt(1 - ratio * ratio)) : 0;
}

double lk_law_regular(const struct lk_law_value *value, double h)
{
    return fmin(1 / (value->stiffness + 2 * value->damping / h), LK_DECOUPLED);
}
