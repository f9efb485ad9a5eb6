/* SPDX-License-Identifier: Apache-2.0 */
#include "step/elements/contacts.h"
#include "maths/vec.h"
#include "step/elements/elements.h"
#include "step/elements/loads.h"
#include "step/kinematics.h"
#include "step/rattle_state.h"
#include <string.h>

#define TOUCHES  1e-30 /* least normal force of a point that touches [N] */
#define RECOVERY 0.1   /* speed at which a penetration is corrected [m/s] */
#define FREE     2     /* first passes, in which a point may stick again after it has slid */

/** struct task - the rows of one point in a pass. @lambda: multipliers;  @reference: lambda_0
 * @d: half of the error of each row without its compliance;  @soft: E;  @w: inverse mass of a row
 * @is_open: the point cannot touch */
struct task {
    double lambda[3];
    double reference[3];
    double d[3];
    const double *soft;
    const double *w;
    double mu;
    bool is_open;
};

static const struct lk_joint *joint_of(const struct lk_system *sys,
                                       const struct lk_contact_point *c)
{
    return &sys->joint[c->joint];
}

/* return the multiplier of row @i that would remove its error, were it the only row */
static double augmented(const struct task *t, int i)
{
    return t->lambda[i] + (t->d[i] - t->soft[i] * (t->lambda[i] - t->reference[i])) / t->w[i];
}

/* Project the augmented multipliers on the cone. @f: multipliers that the law gives, @E: compliance
 * of each row in the case found. Return: the largest change of a multiplier by the projection [N].
 * Sliding has the derivative g (1 - u u^T) along the tangents, with the direction u; E of both
 * tangents is that of its diagonal. The work is the same in all cases. */
static double project(const struct task *t, double f[3], double E[3])
{
    double y[3] = {augmented(t, 0), augmented(t, 1), augmented(t, 2)};
    bool closes = !t->is_open && y[2] < 0;
    double limit = closes ? -t->mu * y[2] : 0, size = lk_root(y[0] * y[0] + y[1] * y[1]);
    bool sticks = closes && size <= limit;
    double part = size > limit ? limit / size : 1, error;
    double g = part / lk_max((1 - part) * t->w[0], 1e-300);

    f[2] = closes ? t->reference[2] + t->d[2] / t->soft[2] : 0;
    E[2] = closes ? t->soft[2] : LK_DECOUPLED;
    error = fabs(t->lambda[2] - (closes ? y[2] : 0));
    for (int i = 0; i < 2; i++) {
        double u = y[i] / lk_max(size, 1e-300);
        double slides = lk_max(g * (1 - u * u), 1 / LK_DECOUPLED);

        f[i] = sticks ? t->reference[i] + t->d[i] / t->soft[i] : part * y[i];
        E[i] = sticks ? t->soft[i] : lk_max(1 / slides, t->soft[i]);
        error = lk_max(error, fabs(t->lambda[i] - part * y[i]));
    }
    return error;
}

static void begin_passes(struct lk_contact_now *now)
{
    now->pass = 0;
    now->has_slid = now->has_opened = false;
}

/* Do project() in a pass. Exact steps between two cases may repeat each other, because each pass
 * changes the limit of friction. So after the first passes a point that has slid returns to
 * sticking by steps of half the change, and so does a point that was open to touching: both
 * approach the cone from within, and no impulse is left outside of it. A point that did not touch
 * in the last step has no friction in the first pass, which finds its normal force. */
static void project_pass(const struct lk_contact_point *c, const struct task *t, double f[3],
                         double E[3])
{
    struct lk_contact_now *now = c->now;
    const double *soft = t->soft;
    bool closes, sticks, halves[3];

    project(t, f, E);
    closes = E[2] < LK_DECOUPLED;
    sticks = (E[0] == soft[0]) & (E[1] == soft[1]) & closes;
    halves[0] = halves[1] = now->has_slid & sticks;
    halves[2] = now->has_opened & closes;
    for (int i = 0; i < 3; i++) { /* the same work in all cases */
        double y = augmented(t, i), none = now->is_new & (i < 2);

        f[i] = (1 - none) * (halves[i] ? y : f[i]);
        E[i] = halves[i] ? t->w[i] : E[i];
        E[i] = none > 0 ? LK_DECOUPLED : E[i];
    }
    now->has_opened |= (now->pass >= FREE) & !closes;
    now->has_slid |= (now->pass >= FREE) & !sticks;
    now->pass++;
    now->is_new = false;
}

/* ---- positions ---- */

double lk_contacts_friction(const struct lk_contact_point *c, const double *inputs)
{
    return c->input >= 0 ? lk_max(0, inputs[c->input]) : c->mu;
}

/* compute the axes of the rows at q_n in the axes of side 0, the multipliers that the force of the
 * last step has along them, and its gap without their compliance */
static void set_references(const struct lk_system *sys, const struct lk_contact_point *c,
                           const struct lk_contact_state *state)
{
    const struct lk_joint *j = joint_of(sys, c);
    const struct lk_pose *const pose[2] = LK_TWO_SIDES(sys->pose, j);
    struct lk_contact_place place;

    lk_contact_place(&c->pair, pose, &place);
    for (int r = 0; r < 3; r++) {
        lk_rotate_back(pose[0]->R, place.axes[r], c->now->axes[r]);
        c->now->reference[r] = -lk_dot(c->now->axes[r], state->force);
    }
    c->now->gap = place.gap - 2 * c->soft[2] * lk_min(c->now->reference[2], 0);
    c->now->touched = c->now->reference[2] < -TOUCHES;
}

static void start(struct lk_system *sys, const double *inputs)
{
    for (int i = 0; i < sys->n_contacts; i++) {
        const struct lk_contact_point *c = &sys->contact[i];
        double rates[LK_ROWS_PAD];

        c->now->mu = lk_contacts_friction(c, inputs);
        c->now->residual = 0;
        begin_passes(c->now);
        lk_evaluate_row_rates(sys, c->joint, sys->twist, rates);
        memcpy(c->now->before, rates, sizeof(c->now->before));
        c->now->rebound = c->restitution * lk_max(-rates[2], 0);
        set_references(sys, c, &sys->now.contact[i]);
        memcpy(sys->next.lambda + joint_of(sys, c)->row, c->now->reference,
               sizeof(c->now->reference));
        c->now->is_new = !c->now->touched;
        c->now->reference[2] = 0; /* the normal compliance refers to a gap of 0 */
    }
}

/* return the mean velocity of body @b over the step to the present iterate */
static struct lk_twist mean_twist(const struct lk_system *sys, int b)
{
    struct lk_twist t = sys->twist[b];

    for (int i = 0; i < 3 && b < sys->n_bodies; i++) {
        t.v[i] = 0.5 * (t.v[i] + sys->now.motion[b].v.v[i]);
        t.w[i] = 0.5 * (t.w[i] + sys->now.motion[b].v.w[i]);
    }
    return t;
}

/* Return the gap that the step aims at. It is 0, except for a point that came below the surface
 * sideways, such as a corner that moves under an edge: this penetration is corrected at the speed
 * RECOVERY. Such a point did not touch in the last step, and its gap changes by more than its
 * displacement along the normal. @shift: this shift;  @gap: at the present iterate [m] */
static double target_of(const struct lk_system *sys, const struct lk_contact_now *now, double shift,
                        double gap)
{
    double from = now->touched ? now->gap : gap - shift;

    return lk_min(0, from + sys->h * RECOVERY);
}

/* Return the task of point @c at the present iterate. The displacement of the step is the mean of
 * the Jacobians at both ends times the mean of the velocities. @shift: displacements of the rows
 * [m]
 */
static struct task task_of_positions(const struct lk_system *sys, const struct lk_contact_point *c,
                                     double shift[3])
{
    struct task t = {.soft = c->soft, .w = c->inverse, .mu = c->now->mu};
    const struct lk_joint *j = joint_of(sys, c);
    const struct lk_pose *const pose[2] = LK_TWO_SIDES(sys->pose, j);
    struct lk_twist mean[2];
    const struct lk_twist *const twist[2] = {&mean[0], &mean[1]};
    struct lk_contact_place place;
    double first[LK_ROWS_PAD], last[3];

    for (int s = 0; s < 2; s++)
        mean[s] = mean_twist(sys, j->body[s]);
    lk_evaluate_row_rates(sys, c->joint, sys->twist, first); /* with the Jacobian of q_n */
    lk_contact_place(&c->pair, pose, &place);
    lk_contact_rates(&place, pose, twist, last);
    memcpy(t.lambda, sys->next.lambda + joint_of(sys, c)->row, sizeof(t.lambda));
    memcpy(t.reference, c->now->reference, sizeof(t.reference));
    for (int i = 0; i < 3; i++) {
        shift[i] = 0.5 * sys->h * (0.5 * (first[i] + c->now->before[i]) + last[i]);
        t.d[i] = 0.5 * (i < 2 ? shift[i] : place.gap - target_of(sys, c->now, shift[2], place.gap));
    }
    return t;
}

void lk_contacts_follow(struct lk_system *sys, int i)
{
    const struct lk_joint *j = &sys->joint[i];
    double f[3], shift[3];
    const struct lk_contact_point *c = &sys->contact[j->contact];
    struct task t = task_of_positions(sys, c, shift);

    project_pass(c, &t, f, sys->regular + j->row);
    for (int r = 0; r < 3; r++)
        sys->solution[j->row + r] = (f[r] - t.lambda[r]) * sys->regular[j->row + r];
}

void lk_contacts_release(struct lk_system *sys, int i)
{
    const struct lk_contact_point *c = &sys->contact[sys->joint[i].contact];
    double f[3], E[3];
    struct task t = task_of_positions(sys, c, c->now->shift);

    c->now->residual = project(&t, f, E);
    c->now->touches = E[2] < LK_DECOUPLED;
    memcpy(c->now->first, t.lambda, sizeof(t.lambda));
}

/* ---- velocities ---- */

/* return the task of point @c at the present twists: for the sum of both multipliers */
static struct task task_of_velocities(const struct lk_system *sys, const struct lk_contact_point *c)
{
    struct task t = {
        .soft = c->soft_rate, .w = c->inverse, .mu = c->now->mu, .is_open = !c->now->touches};
    double rates[LK_ROWS_PAD];

    lk_evaluate_row_rates(sys, c->joint, sys->twist, rates);
    for (int i = 0; i < 3; i++) {
        t.lambda[i] = c->now->first[i] + c->now->second[i];
        t.reference[i] = 2 * c->now->first[i];
        t.d[i] = 0.5 * sys->h * (rates[i] - (i == 2 ? c->now->rebound : 0));
    }
    return t;
}

void lk_contacts_touch(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_contacts; i++) {
        const struct lk_contact_point *c = &sys->contact[i];
        int row = joint_of(sys, c)->row;
        double f[3];
        struct task t = task_of_velocities(sys, c);

        project_pass(c, &t, f, sys->regular + row);
        for (int r = 0; r < 3; r++)
            sys->solution[row + r] = 2 / sys->h * (f[r] - t.lambda[r]) * sys->regular[row + r];
    }
}

/* Book the work of the drives in a half kick, with the mean of the rates before and after it. The
 * rates in the middle of the step are the mean of those at its ends. @lambda, @scale: its
 * multipliers;  @before: share of the rates at the start of the step */
static void book_drives(struct lk_system *sys, const double *lambda, double scale, double before)
{
    sys->next.balance->work_drive +=
        0.5 * sys->h * scale * lk_loads_drive_power(sys, lambda, before);
}

/* begin the passes of the velocities with the multipliers of the positions */
static void close_gaps(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_contacts; i++) {
        struct lk_contact_now *now = sys->contact[i].now;

        memcpy(now->second, now->first, sizeof(now->second));
        begin_passes(now);
    }
    memset(sys->elements->impulse, 0, (size_t)sys->n_rows * sizeof(double));
    book_drives(sys, sys->next.lambda, 1, 0.75);
}

void lk_contacts_add(struct lk_system *sys)
{
    for (int row = 0; row < sys->n_rows; row++)
        sys->elements->impulse[row] += sys->solution[row];
    for (int i = 0; i < sys->n_contacts; i++) {
        const struct lk_contact_point *c = &sys->contact[i];
        int row = joint_of(sys, c)->row;

        for (int r = 0; r < 3; r++)
            c->now->second[r] += 0.5 * sys->h * sys->solution[row + r];
    }
}

void lk_contacts_decouple(struct lk_system *sys)
{
    memcpy(sys->solution, sys->elements->impulse, (size_t)sys->n_rows * sizeof(double));
    for (int i = 0; i < sys->n_contacts; i++)
        for (int r = 0; r < 3; r++)
            sys->regular[joint_of(sys, &sys->contact[i])->row + r] = LK_DECOUPLED;
}

static void kick(struct lk_system *sys)
{
    book_drives(sys, sys->elements->impulse, 0.5 * sys->h, 0.25);
}

/* ---- the new state ---- */

/* the forces of the new state are the means over the step, or those of system->now at its start */
static void settle(struct lk_system *sys, const struct lk_state *state)
{
    for (int i = 0; i < sys->n_contacts; i++) {
        const struct lk_contact_now *now = sys->contact[i].now;
        int row = joint_of(sys, &sys->contact[i])->row;

        for (int r = 0; r < 3; r++)
            sys->next.lambda[row + r] = state == &sys->now ? sys->now.lambda[row + r]
                                                           : 0.5 * (now->first[r] + now->second[r]);
    }
}

/* Return the work of gravity that both half kicks contain and the potential does not: where a
 * contact changes the velocity within the step, the mean rate of the step is not that of both half
 * kicks. */
static double work_between(const struct lk_system *sys)
{
    double work = 0;

    for (int b = 0; b < sys->n_bodies; b++) {
        const double *u = lk_rattle_own(&sys->next)[b].moved;

        for (int k = 0; k < 3; k++)
            work += 0.25 * sys->h * sys->body[b].mass * sys->gravity[k] *
                    (sys->now.motion[b].v.v[k] + sys->next.motion[b].v.v[k] - 2 / sys->h * u[k]);
    }
    return work;
}

/* Book the work of both impulses: of half a step each, times the mean of the rates before and after
 * it. All of it counts as dissipated, with the energy of the compliances. */
static void end(struct lk_system *sys)
{
    double work = -work_between(sys);

    for (int i = 0; i < sys->n_contacts; i++) {
        const struct lk_contact_point *c = &sys->contact[i];
        const struct lk_contact_now *now = c->now;
        struct lk_contact_state *state = &sys->next.contact[i];
        double f[3], E[3], rates[LK_ROWS_PAD];
        struct task t = task_of_velocities(sys, c);

        lk_evaluate_row_rates(sys, c->joint, sys->twist, rates);
        for (int r = 0; r < 3; r++) {
            double middle = now->shift[r] / sys->h;

            work +=
                0.25 * sys->h *
                (now->first[r] * (now->before[r] + middle) + now->second[r] * (middle + rates[r]));
            state->force[r] = 0;
        }
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < 3; k++)
                state->force[k] -= now->first[r] * now->axes[r][k];
        state->residual = lk_max(now->residual, project(&t, f, E));
    }
    sys->next.balance->dissipated += work;
}

void lk_contacts_view(const struct lk_system *sys, int first, int n, struct lk_contact_view *ret)
{
    double along[3] = {0};

    *ret = (struct lk_contact_view){.gap = INFINITY};
    for (int i = first; i < first + n; i++) {
        const struct lk_contact_point *c = &sys->contact[i];
        const struct lk_joint *j = joint_of(sys, c);
        const struct lk_pose *const pose[2] = LK_TWO_SIDES(sys->pose, j);
        const double *lambda = sys->now.lambda + j->row;
        double rates[LK_ROWS_PAD], slip;
        struct lk_contact_place place;

        lk_contact_place(&c->pair, pose, &place);
        lk_evaluate_row_rates(sys, c->joint, sys->twist, rates);
        slip = lk_root(rates[0] * rates[0] + rates[1] * rates[1]);
        ret->gap = lk_min(ret->gap, place.gap);
        ret->normal += lk_max(-lambda[2], 0);
        ret->slip = lambda[2] < -TOUCHES ? lk_max(ret->slip, slip) : ret->slip;
        ret->residual = lk_max(ret->residual, sys->now.contact[i].residual);
        for (int k = 0; k < 3; k++) {
            along[k] -= lambda[0] * place.axes[0][k] + lambda[1] * place.axes[1][k];
            ret->force[k] -= lambda[2] * place.axes[2][k];
        }
    }
    ret->friction = lk_norm(along);
    for (int k = 0; k < 3; k++)
        ret->force[k] += along[k];
}

static bool is_in(const struct lk_system *sys)
{
    return sys->n_contacts > 0;
}

const struct lk_element_ops lk_contact_ops = {
    .is_in = is_in,
    .start = start,
    .close = close_gaps,
    .kick = kick,
    .settle = settle,
    .end = end,
};
