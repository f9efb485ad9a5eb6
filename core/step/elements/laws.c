/* SPDX-License-Identifier: Apache-2.0 */
/* The terms of laws. Each term needs the same computing time at any (x, v). */
#include "step/elements/laws.h"
#include "maths/table.h"
#include "maths/vec.h"

#define WAY_MIN 1e-6 /* smallest relative change of a depth that exceeds round-off */
#define AT_REST 1e-3 /* largest acceleration of a row at rest, relative to that without stops */

/* evaluate a cubic Hermite polynomial inside the table, a straight line beyond its ends */
static double table_value(const struct lk_term *t, double x, double *ret_slope, double *ret_area)
{
    const struct lk_points points = {t->n_points, t->x, t->y, t->slope};
    double inside = lk_min(t->x[t->n_points - 1], lk_max(t->x[0], x)), beyond = x - inside;
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

/* return the creep rate; it grows with the level of the friction, so that the slope at rest stays
 * within the limit of the step */
static double friction_creep(const struct lk_term *t)
{
    if (t->contact >= 0) /* the model fixes this branch */
        return lk_max(t->creep, t->now->scale * lk_friction_stick(t) * t->load);
    return t->creep * lk_max(1, t->now->scale);
}

#define SLIDES_ON                                                                                  \
    16 /* rate, in multiples of the creep rate, from which a contact does not stop within one step \
        */

/* Return the friction level at the rate @v. If the step needs more creep than the model specifies,
 * the level begins to fall at the rate t->late instead of 0, so that the force reaches the stick
 * level first. */
static double risen_level(const struct lk_term *t, double v)
{
    double late = t->contact >= 0 ? LK_FRICTION_RISEN * (friction_creep(t) - t->creep)
                                  : t->late * lk_max(1, t->now->scale);

    return lk_friction_level(t, lk_max(0, fabs(v) - late));
}

/* Add Coulomb friction with the Stribeck effect, regularised by tanh(v / creep). The tangent is
 * half the steepest slope of all rates at which a step from @v may end. The iteration then
 * contracts by 1/3 or better whether the joint slips (true slope near 0) or sticks. For fast
 * sliding the tangent is zero: with half the slope at rest the first iterate would stick, and a few
 * iterations would not remove that error. */
static void friction(const struct lk_term *t, double v, struct lk_law_value *sum)
{
    double creep = friction_creep(t);
    double slowest = lk_max(0, fabs(v) - SLIDES_ON * creep), flat = tanh(slowest / creep);

    sum->dissipative += risen_level(t, v) * tanh(v / creep) + t->now->damping * v;
    sum->damping +=
        0.5 * t->now->scale * lk_friction_stick(t) / creep * (1 - flat * flat) + t->now->damping;
}

/* return the slope of the friction at the rate @v, without the change of the level */
static double friction_slope(const struct lk_term *t, double v)
{
    double creep = friction_creep(t), part = tanh(v / creep);

    return risen_level(t, v) * (1 - part * part) / creep + t->now->damping;
}

/* struct side - forces of a stop at one limit, as functions of the depth, with potential and
 * tangent */
struct side {
    double elastic;
    double damper;
    double potential;
    double stiffness;
    double damping;
};

/* evaluate a stop at one limit. @depth: distance beyond the limit;  @speed: its rate. The
 * stiffness increases over the onset; the damper never pulls. */
LK_INLINE struct side stop_side(const struct lk_term *t, double depth, double speed)
{
    double inside = lk_max(0, depth);
    double ramp = t->onset > 0 ? lk_min(1, inside / t->onset) : inside > 0;
    double soft = lk_min(t->onset, inside);
    double elastic = t->now->stiffness * (0.5 * ramp * soft + (inside - soft));

    return (struct side){
        .elastic = elastic,
        .damper = lk_max(t->now->damping * ramp * speed, -elastic),
        .potential = t->now->stiffness * (ramp * soft * soft / 6 + 0.5 * (inside - soft) * inside),
        .stiffness = t->now->stiffness * lk_max(ramp, inside > 0 ? 0.1 : 0),
        .damping = t->now->damping * ramp,
    };
}

/* add a stop; only its spring has a potential, its damper dissipates */
static void stop(const struct lk_term *t, double x, double v, struct lk_law_value *sum)
{
    struct side low = stop_side(t, t->lower - x, -v), high = stop_side(t, x - t->upper, v);

    sum->potential += low.potential + high.potential;
    sum->stiffness += low.stiffness + high.stiffness;
    sum->damping += low.damping + high.damping;
    sum->elastic += high.elastic - low.elastic;
    sum->dissipative += high.damper - low.damper;
}

/* evaluate a stop at one limit over a step from @before to @after beyond it. The mean force of the
 * stop's spring is the change of stored energy divided by the displacement, so that a contact that
 * begins or ends within the step creates no energy */
static struct side stop_side_step(const struct lk_term *t, double before, double after,
                                  double speed)
{
    double way = after - before, mid = 0.5 * (before + after);
    struct side first = stop_side(t, before, 0), last = stop_side(t, after, 0);
    struct side mean = stop_side(t, mid, speed);

    if (fabs(way) > WAY_MIN * lk_max(fabs(before), fabs(after))) {
        mean.elastic = (last.potential - first.potential) / way;
        mean.stiffness = 2 * (last.elastic - mean.elastic) / way;
    }
    mean.stiffness = lk_max(mean.stiffness, after > 0 ? 0.1 * t->now->stiffness : 0);
    mean.damper = lk_max(mean.damper, -mean.elastic);
    return mean;
}

static void stop_step(const struct lk_term *t, double before, double after, double v,
                      struct lk_law_value *sum)
{
    struct side pull = stop_side_step(t, t->lower - before, t->lower - after, -v);
    struct side push = stop_side_step(t, before - t->upper, after - t->upper, v);

    sum->elastic += push.elastic - pull.elastic;
    sum->dissipative += push.damper - pull.damper;
    sum->stiffness += pull.stiffness + push.stiffness;
    sum->damping += pull.damping + push.damping;
}

/* add the mean of a stiffness table over the displacement by Simpson's rule, exact within an
 * interval */
static void table_step(const struct lk_term *t, double before, double after,
                       struct lk_law_value *sum)
{
    const double x[3] = {before, 0.5 * (before + after), after};
    static const double weight[3] = {1.0 / 6, 4.0 / 6, 1.0 / 6}, slopes[3] = {0, 2.0 / 3, 1.0 / 3};
    double stiffness = 0;

    for (int i = 0; i < 3; i++) {
        double slope, area;

        sum->elastic +=
            weight[i] * t->now->scale * table_value(t, x[i] - t->now->rest, &slope, &area);
        stiffness += slopes[i] * t->now->scale * slope;
    }
    sum->stiffness += lk_max(0, stiffness);
}

/* Add creep: T = limit tanh(c v / limit), A. Jaschinski's smooth form of the saturation of creep
 * forces, in B. Simeon, C. Fuehrer, P. Rentrop, Differential-algebraic equations in vehicle system
 * dynamics, 1991. In that paper, the limit is the friction coefficient times the normal force */
static void creep(const struct lk_term *t, double v, struct lk_law_value *sum)
{
    double slip = isinf(t->now->limit) ? 0 : tanh(t->now->damping * v / t->now->limit);

    sum->dissipative += isinf(t->now->limit) ? t->now->damping * v : t->now->limit * slip;
    sum->damping += t->now->damping * (1 - slip * slip);
}

/* return the value of the curve at level @k of a map; constant beyond its ends */
static double map_value(const struct lk_term *t, int k, double v, double *ret_slope)
{
    int n = t->n_points;
    const double *x = t->x + 4 * (long)k * n;
    const struct lk_points points = {n, x, x + n, x + 2 * n};
    double inside = lk_min(x[n - 1], lk_max(x[0], v));
    struct lk_piece p = lk_points_piece(&points, inside);

    *ret_slope = v == inside ? lk_piece_slope(&p) : 0;
    return lk_piece_value(&p);
}

/* add the force of a map: a smooth curve over the rate at each level, with linear
 * interpolation between the levels. The level is constant over the step, so only the curve has a
 * tangent */
static void map_force(const struct lk_term *t, double v, struct lk_law_value *sum)
{
    double level = lk_min(t->level[t->n_levels - 1], lk_max(t->level[0], t->now->scale));
    int k = 0;

    for (int i = 1; i < t->n_levels - 1; i++)
        k = level >= t->level[i] ? i : k;
    double part = (level - t->level[k]) / (t->level[k + 1] - t->level[k]), slope[2];
    double low = map_value(t, k, v, &slope[0]), high = map_value(t, k + 1, v, &slope[1]);

    sum->elastic -= low + part * (high - low);
    sum->damping += lk_max(0, -(slope[0] + part * (slope[1] - slope[0])));
}

static void air(const struct lk_term *t, double v, struct lk_law_value *sum)
{
    sum->dissipative += t->now->damping * t->now->speed * v;
    sum->damping +=
        t->now->speed > 0 ? t->now->damping * (t->now->speed + v * v / t->now->speed) : 0;
}

static void impedance(const struct lk_term *t, const struct lk_answer *a, double x, double v,
                      struct lk_law_value *sum)
{
    sum->elastic += t->now->stiffness * (x - t->now->rest) + t->now->damping * v - t->now->push;
    sum->elastic -= a->value - a->stiffness * (x - a->place) - a->damping * (v - a->rate);
    sum->stiffness += t->now->stiffness + a->tangent;
    sum->damping += t->now->damping;
}

void lk_impedance_step(const struct lk_term *t, double x, double v, struct lk_law_value *sum)
{
    impedance(t, &t->now->over_step, x, v, sum);
}

static void callback(const struct lk_term *t, double x, double v, struct lk_law_value *sum)
{
    struct lk_callback_force f = {0};

    t->callback.evaluate(t->callback.context, x, v, &f);
    sum->elastic -= f.force;
    sum->stiffness += lk_max(0, f.stiffness);
    sum->damping += lk_max(0, f.damping);
}

void lk_term_evaluate(const struct lk_term *t, double x, double v, struct lk_law_value *sum)
{
    double slope, area, force;

    switch (t->kind) {
    case LK_TERM_LINEAR:
        sum->elastic += t->now->stiffness * (x - t->now->rest);
        sum->dissipative += t->now->damping * v;
        sum->potential += 0.5 * t->now->stiffness * (x - t->now->rest) * (x - t->now->rest);
        sum->stiffness += t->now->stiffness;
        sum->damping += t->now->damping;
        break;
    case LK_TERM_TABLE_STIFFNESS:
        sum->elastic += t->now->scale * table_value(t, x - t->now->rest, &slope, &area);
        sum->potential += t->now->scale * area;
        sum->stiffness += t->now->scale * lk_max(0, slope);
        break;
    case LK_TERM_TABLE_DAMPING:
        force = t->now->scale * table_value(t, v, &slope, &area);
        sum->dissipative += force;
        sum->damping += t->now->scale * lk_max(0, slope);
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
        impedance(t, &t->now->at_end, x, v, sum);
        break;
    case LK_TERM_MAP:
        map_force(t, v, sum);
        break;
    case LK_TERM_CALLBACK:
        callback(t, x, v, sum);
        break;
    case LK_TERM_AIR:
        air(t, v, sum);
        break;
    case LK_TERM_LINE:
        sum->elastic += t->now->damping * v - t->now->push;
        sum->damping += t->now->damping;
        break;
    case LK_TERM_SWAY:
        break;
    }
}

void lk_law_evaluate(const struct lk_law *law, const struct lk_term *terms, double x, double v,
                     int stops, struct lk_law_value *ret)
{
    *ret = (struct lk_law_value){0};
    for (int i = law->first_term; i < law->first_term + law->n_terms; i++)
        if (stops || terms[i].kind != LK_TERM_STOP)
            lk_term_evaluate(&terms[i], x, v + law->now->carry, ret);
}

static void add_tangent(const struct lk_law *law, const struct lk_term *t, double x, double v,
                        struct lk_law_value *ret)
{
    if (t->kind != LK_TERM_STOP)
        lk_term_evaluate(t, x, v + law->now->carry, ret);
    else if (law->now->stop.counts)
        lk_term_evaluate(t, law->now->stop.reach, v, ret);
}

void lk_law_tangent(const struct lk_law *law, const struct lk_term *terms, double x, double v,
                    struct lk_law_value *ret)
{
    *ret = (struct lk_law_value){0};
    for (int i = law->first_term; i < law->first_term + law->n_terms; i++)
        add_tangent(law, &terms[i], x, v, ret);
}

void lk_law_slope(const struct lk_law *law, const struct lk_term *terms, double x, double v,
                  struct lk_law_value *ret)
{
    *ret = (struct lk_law_value){0};
    for (int i = law->first_term; i < law->first_term + law->n_terms; i++)
        if (lk_term_creeps(&terms[i]))
            ret->damping += friction_slope(&terms[i], v + law->now->carry);
        else
            add_tangent(law, &terms[i], x, v, ret);
}

void lk_law_step(const struct lk_law *law, const struct lk_term *terms, double before, double after,
                 double v, struct lk_law_value *ret)
{
    *ret = (struct lk_law_value){0};
    for (int i = law->first_term; i < law->first_term + law->n_terms; i++) {
        const struct lk_term *t = &terms[i];

        if (t->kind == LK_TERM_SWAY)
            lk_sway_step(t, after - before, ret);
        else if (t->kind == LK_TERM_TABLE_STIFFNESS)
            table_step(t, before, after, ret);
        else if (t->kind == LK_TERM_FRICTION && t->wind >= 0)
            lk_wind_up_step(t, before, after, v, ret);
        else if (t->kind == LK_TERM_IMPEDANCE)
            lk_impedance_step(t, 0.5 * (before + after), v, ret);
        else if (t->kind != LK_TERM_STOP)
            lk_term_evaluate(t, 0.5 * (before + after), v + law->now->carry, ret);
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

/* Return the depth p to which a row penetrates a stop, if the row would pass the limit by @depth
 * without the stop: depth - yield f(p) = p, with f = k p^2 / (2 onset) over the onset, linear
 * beyond. */
static double resisted_depth(const struct lk_term *t, double depth, double yield)
{
    double stiff = yield * t->now->stiffness, inside = lk_max(0, depth);
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

/* Detect impacts: contacts with a stop too stiff for the step to resolve. The rate after the impact
 * is the inward rate, reversed and multiplied by the restitution. It is zero if the inward rate is
 * below the change of rate in two steps. @pushed: acceleration by the force of a stop on which the
 * row rests. */
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
        /* the step ends at the limit: include the deceleration before the limit, so that a body
         * does not return with more energy than it has */
        speed =
            v * v + lk_min(0, 2 * free_a * ((stop->reach < t->lower ? t->lower : t->upper) - x));
        stop->rate = inward > 2 * h * (fabs(free_a) + pushed)
                         ? -t->restitution * copysign(sqrt(lk_max(0, speed)), v)
                         : 0;
    }
}

/* return whether @x is beyond a limit whose stop pushes in the direction @way */
static int is_pressed(const struct lk_law *law, const struct lk_term *terms, double x, double way)
{
    int pressed = 0;

    for (int i = law->first_term; i < law->first_term + law->n_terms; i++)
        pressed |=
            terms[i].kind == LK_TERM_STOP && (way > 0 ? x < terms[i].lower : x > terms[i].upper);
    return pressed;
}

/* A contact ends within the step when the last force, if it continued, would return the row to
 * within its limits. The fraction @keep of this force does the work keep force (x1 - x) / 2 in a
 * trapezoidal step. Here x1 - x = D + keep C, where D is the displacement without the stops, and C
 * the displacement due to the whole force. This work equals the stored energy if keep (D + keep C)
 * = 2 stored / force. */
struct lk_stop lk_law_stop(const struct lk_law *law, const struct lk_term *terms, double h,
                           double x, double v, double a, double free_a, double force, double yield)
{
    double D = h * v + 0.5 * h * h * free_a, C = 0.25 * h * h * (a - free_a);
    struct lk_stop stop = {.reach = x + D};
    struct lk_law_value all, without;
    double stored, way;

    lk_law_evaluate(law, terms, x, v, 0, &without);
    lk_law_evaluate(law, terms, x, v, 1, &all);
    /* a stop can only push: a pulling force is round-off of a decoupled row */
    force = force * (all.elastic - without.elastic) > 0 ? force : 0;
    /* sign of the return motion, opposite to the force; D and C are then components along this
     * motion */
    way = force > 0 ? -1 : 1;
    stored = fabs(force) > 0 ? 2 * fmax(all.potential - without.potential, 0) / fabs(force) : 0;
    D *= way;
    C = fmax(C * way, 0);
    if (!law->is_hard && fabs(force) > 0 && !is_pressed(law, terms, x + way * (D + C), way))
        stop.keep = C > 0 ? fmin((sqrt(D * D + 4 * C * stored) - D) / (2 * C), 1) : 0;
    else
        stop.acts = is_beyond(law, terms, stop.reach) || (!law->is_hard && fabs(force) > 0);
    stop.ends = fabs(force) > 0 && !stop.acts;
    /* acceleration of the row due to this force only, because free_a is zero if other stops support
     * the row */
    double pushed = fabs(force) * law->mobility;
    int rests = fabs(a) <= AT_REST * (fabs(free_a) + pushed);
    if (law->is_hard) /* the force on a load at rest continues; the force of an impact does not */
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

double lk_law_drag(const struct lk_law *law, const struct lk_term *terms, double x, double v)
{
    struct lk_law_value f = {0};

    for (int i = law->first_term; i < law->first_term + law->n_terms; i++)
        if (lk_term_drags(&terms[i]))
            lk_term_evaluate(&terms[i], x, v + law->now->carry, &f);
    return f.damping;
}

double lk_law_closing(const struct lk_law *law, double c, double h)
{
    double a = 0.5 * h * c * law->free_mobility, b = lk_max(a - LK_RINGS_FROM, 0);
    double part = b * b / (1 + b * b);

    return part > 0 ? lk_min(0.5 * h / (c * part), LK_DECOUPLED) : LK_DECOUPLED;
}
