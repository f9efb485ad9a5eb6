/* SPDX-License-Identifier: Apache-2.0 */
/* Half-explicit Runge-Kutta methods of order 5 on the tableau of Dormand and Prince.
 *
 *     index-2 (HEDOP5): the accelerations of stage i are chosen so that the velocities of stage
 *              i + 1 satisfy the rows at its pose; eq. (81). The first stage is explicit, with the
 *              accelerations of the previous step. An eighth pose, at 19/20 of the step, determines
 *              the accelerations of the last stage.
 *     index-1 (MDOP5): the accelerations of stage i satisfy d2Phi/dt2 = 0; eq. (85)
 *
 * M. Arnold, DAE aspects of multibody system dynamics, 2016, Remarks 9 and 10. Coefficients of the
 * eighth pose: M. Arnold, Half-explicit Runge-Kutta methods with explicit stages for
 * differential-algebraic systems of index 2, 1998. With orientation lie, positions are local
 * coordinates of the step, q_n o exp(u) with u' = dexp^-1(u) v. With other orientations, positions
 * are plain numbers with q' = K(q) v.
 *
 * With a tolerance, the embedded method of order 4 controls the step. */
#include "laboratory/constrained/state.h"
#include "laboratory/projection.h"
#include "maths/vec.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STAGES    7
#define LAST_STEP 1e-6 /* fraction of a step: a shorter remainder is merged into the last step */
#define SHORTEST  1e-13

static const double c[STAGES + 1] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1, 19. / 20};
static const double a[STAGES + 1][STAGES] = {
    {0},
    {1. / 5},
    {3. / 40, 9. / 40},
    {44. / 45, -56. / 15, 32. / 9},
    {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
    {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
    {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84},
    {-18611506045861. / 19738176307200., 59332529. / 14479296., -2509441598627. / 893904224850.,
     2763523204159. / 3289696051200., -41262869588913. / 116235927142400.,
     46310205821. / 287848404480., -3280. / 75413.},
};
/* weights b of order 5 minus weights of order 4 */
static const double e[STAGES] = {71. / 57600,      0,          -71. / 16695, 71. / 1920,
                                 -17253. / 339200, 22. / 525., -1. / 40};

/* struct half_explicit - a run.
 * @n_u:          size of increments and rates of positions
 * @V, @rate, @A: velocities, rates of positions, and accelerations of each stage
 * @G:            rows at the pose of a stage */
struct half_explicit {
    struct lk_constrained state;
    int is_index_2;
    int n_u;
    double h;
    double next;
    double *V[STAGES];
    double *rate[STAGES];
    double *A[STAGES];
    double *Q;
    double *Q_next;
    double *u;
    double *base;
    double *G;
    double *force;
    double *lambda;
};

static void close_half_explicit(void *self)
{
    struct half_explicit *p = self;

    if (!p)
        return;
    lk_constrained_fini(&p->state);
    for (int i = 0; i < STAGES; i++) {
        free(p->V[i]);
        free(p->rate[i]);
        free(p->A[i]);
    }
    free(p->Q);
    free(p->Q_next);
    free(p->u);
    free(p->base);
    free(p->G);
    free(p->force);
    free(p->lambda);
    free(p);
}

static int take_memory(struct half_explicit *p)
{
    const struct lk_constrained *s = &p->state;
    int missing = 0;

    p->n_u = s->orientation == LK_ORIENTATION_LIE ? s->n : s->n_q;
    for (int i = 0; i < STAGES; i++) {
        p->V[i] = lk_constrained_zeros(s->n);
        p->rate[i] = lk_constrained_zeros(p->n_u);
        p->A[i] = lk_constrained_zeros(s->n);
        missing |= !p->V[i] || !p->rate[i] || !p->A[i];
    }
    p->Q = lk_constrained_zeros(s->n_q);
    p->Q_next = lk_constrained_zeros(s->n_q);
    p->u = lk_constrained_zeros(p->n_u);
    p->base = lk_constrained_zeros(s->n);
    p->G = lk_constrained_zeros(s->m * s->n);
    p->force = lk_constrained_zeros(s->n);
    p->lambda = lk_constrained_zeros(s->m);
    return missing || !p->Q || !p->Q_next || !p->u || !p->base || !p->G || !p->force || !p->lambda
               ? -ENOMEM
               : 0;
}

static int open_half_explicit(struct lk_problem *problem, void **ret, struct lk_error *ret_error)
{
    struct half_explicit *p;
    int r;

    if (problem->stabilisation == LK_STABILISATION_BAUMGARTE) {
        lk_error_set(ret_error, "integrator half-explicit with Baumgarte's terms would lose its "
                                "order in its stages, expected stabilisation none or projection");
        return LK_E_MODEL;
    }
    p = calloc(1, sizeof(*p));
    if (!p)
        return -ENOMEM;
    r = lk_constrained_init(&p->state, problem, ret_error);
    if (r == 0)
        r = take_memory(p);
    if (r != 0) {
        close_half_explicit(p);
        return r;
    }
    p->is_index_2 = !problem->variant || strcmp(problem->variant, "index-1") != 0;
    p->next = problem->step;
    *ret = p;
    return 0;
}

/* ---- stages ---- */

/* Compute theta' = dexp^-1(theta) w for R = R_n exp(theta), w in the axes of the body:
 * w + theta x w / 2 + (1 - x cot x) theta x (theta x w) / |theta|^2, x = |theta| / 2 */
static void turn_rate(const double theta[3], const double w[3], double ret[3])
{
    double square = lk_dot(theta, theta), x = 0.5 * sqrt(square), once[3], twice[3];
    double factor = square < 1e-4 ? 1. / 12 + square / 720 + square * square / 30240
                                  : (1 - x / tan(x)) / square;

    lk_cross(theta, w, once);
    lk_cross(theta, once, twice);
    for (int i = 0; i < 3; i++)
        ret[i] = w[i] + 0.5 * once[i] + factor * twice[i];
}

/* Compute the rates of positions of stage @i, from the increments in p->u and the pose @Q. */
static int position_rates(struct half_explicit *p, int i, const double *Q)
{
    const struct lk_constrained *s = &p->state;

    if (s->orientation != LK_ORIENTATION_LIE)
        return lk_coordinates_rates(s->orientation, s->mechanics->n_bodies, Q, p->V[i], p->rate[i]);
    for (int k = 0; k < s->n; k += 6) {
        memcpy(p->rate[i] + k, p->V[i] + k, 3 * sizeof(double));
        turn_rate(p->u + k + 3, p->V[i] + k + 3, p->rate[i] + k + 3);
    }
    return 0;
}

/* Compute the pose of stage @i from the rates of the earlier stages; write increments to p->u. */
static int stage_position(struct half_explicit *p, int i, double *Q)
{
    const struct lk_constrained *s = &p->state;

    for (int k = 0; k < p->n_u; k++) {
        p->u[k] = 0;
        for (int j = 0; j < i; j++)
            p->u[k] += p->h * a[i][j] * p->rate[j][k];
    }
    if (s->orientation == LK_ORIENTATION_LIE)
        return lk_coordinates_move(s->orientation, s->mechanics->n_bodies, s->q, p->u, Q);
    for (int k = 0; k < s->n_q; k++)
        Q[k] = s->q[k] + p->u[k];
    return 0;
}

/* Compute v_n + h times the weighted sum of the first @terms accelerations in row @i of the
 * tableau. */
static void stage_velocity(struct half_explicit *p, int i, int terms, double *ret)
{
    const struct lk_constrained *s = &p->state;

    for (int k = 0; k < s->n; k++) {
        ret[k] = s->v[k];
        for (int j = 0; j < terms; j++)
            ret[k] += p->h * a[i][j] * p->A[j][k];
    }
}

/* Compute A of stage @i - 1 from the rows at the pose of stage @i, eq. (81e). p->G must contain the
 * rows of stage @i - 1, and p->force its forces. */
static int accelerate_towards(struct half_explicit *p, int i)
{
    struct lk_constrained *s = &p->state;
    double scale = 1 / (p->h * a[i][i - 1]);
    int r;

    stage_velocity(p, i, i - 1, p->base);
    lk_constrained_evaluate(s, s->t + c[i] * p->h, p->Q_next, p->base);
    r = lk_kkt_factor(s->kkt);
    s->problem->counts.factorisations++;
    if (r != 0)
        return r;
    lk_mechanics_rates(s->mechanics, s->c);
    for (int k = 0; k < s->m; k++)
        s->c[k] *= -scale;
    return lk_kkt_solve_between(s->kkt, p->G, p->force, s->c, p->A[i - 1], p->lambda);
}

/* Compute the stages of index-2, eq. (81). */
static int stages_of_index_2(struct half_explicit *p)
{
    struct lk_constrained *s = &p->state;
    size_t n = (size_t)s->n * sizeof(double);
    int r = 0;

    memcpy(p->V[0], s->v, n);
    memcpy(p->A[0], s->a, n);
    memset(p->u, 0, (size_t)p->n_u * sizeof(double));
    r = position_rates(p, 0, s->q);
    for (int i = 1; i < STAGES && r == 0; i++) {
        r = stage_position(p, i, p->Q);
        stage_velocity(p, i, i, p->V[i]);
        if (r == 0)
            r = position_rates(p, i, p->Q);
        if (r != 0)
            return r;
        lk_constrained_evaluate(s, s->t + c[i] * p->h, p->Q, p->V[i]);
        lk_mechanics_jacobian(s->mechanics, p->G);
        lk_mechanics_forces(s->mechanics, (struct lk_twist *)p->force);
        r = stage_position(p, i + 1, p->Q_next);
        if (r == 0)
            r = accelerate_towards(p, i + 1);
    }
    return r;
}

/* Compute the stages of index-1, eq. (85). */
static int stages_of_index_1(struct half_explicit *p)
{
    struct lk_constrained *s = &p->state;
    int r = 0;

    memcpy(p->A[0], s->a, (size_t)s->n * sizeof(double));
    for (int i = 0; i < STAGES && r == 0; i++) {
        r = stage_position(p, i, p->Q);
        stage_velocity(p, i, i, p->V[i]);
        if (r == 0)
            r = position_rates(p, i, p->Q);
        if (r == 0 && i > 0)
            r = lk_constrained_accelerate(s, s->t + c[i] * p->h, p->Q, p->V[i], p->A[i], p->lambda);
    }
    return r;
}

/* ---- steps ---- */

static double error_part(const struct half_explicit *p, double *const *rate, int n, const double *y)
{
    double sum = 0;

    for (int k = 0; k < n; k++) {
        double error = 0;

        for (int j = 0; j < STAGES; j++)
            error += p->h * e[j] * rate[j][k];
        error /= p->state.problem->tolerance *
                 (lk_problem_floor(p->state.problem) + (y ? fabs(y[k]) : 0));
        sum += error * error;
    }
    return sum;
}

/* Return the root mean square of the error over positions and velocities, relative to the
 * tolerance. */
static double error_of(const struct half_explicit *p)
{
    const struct lk_constrained *s = &p->state;
    const double *q = p->n_u == s->n_q ? s->q : NULL;

    return sqrt((error_part(p, p->rate, p->n_u, q) + error_part(p, p->A, s->n, s->v)) /
                (p->n_u + s->n));
}

/* Make the end of the step the current state. A projection changes the state, so accelerations are
 * then computed again. */
static int finish_step(struct half_explicit *p, double t)
{
    struct lk_constrained *s = &p->state;
    int r = stage_position(p, STAGES - 1, s->q);

    memcpy(s->v, p->V[STAGES - 1], (size_t)s->n * sizeof(double));
    memcpy(s->a, p->A[STAGES - 1], (size_t)s->n * sizeof(double));
    memcpy(s->lambda, p->lambda, (size_t)s->m * sizeof(double));
    lk_coordinates_normalise(s->orientation, s->mechanics->n_bodies, s->q);
    if (r == 0)
        r = lk_constrained_project(s, t);
    if (r == 0 && s->problem->stabilisation == LK_STABILISATION_PROJECTION)
        r = lk_constrained_accelerate(s, t, s->q, s->v, s->a, s->lambda);
    return r;
}

/* Try one step.
 * Return: 0: accepted; -1: rejected; or an error.
 * @ret_factor: factor for the length of the next step */
static int try_step(struct half_explicit *p, double t, double *ret_factor)
{
    int r = p->is_index_2 ? stages_of_index_2(p) : stages_of_index_1(p);
    double error = 0;

    *ret_factor = 1;
    if (r == 0 && p->state.problem->tolerance > 0) {
        error = error_of(p);
        *ret_factor = 0.9 * pow(lk_max(error, 1e-8), -0.2);
        *ret_factor = *ret_factor > 5 ? 5 : lk_max(*ret_factor, 0.2);
    }
    if (r != 0)
        return r;
    if (!isfinite(error)) {
        *ret_factor = 0.2;
        return -1;
    }
    return error > 1 ? -1 : finish_step(p, t);
}

static int advance(void *self, double t, struct lk_error *ret_error)
{
    struct half_explicit *p = self;
    struct lk_constrained *s = &p->state;
    int controlled = s->problem->tolerance > 0, r = 0;
    double fixed = lk_constrained_fixed_step(s, t), factor;

    while (r == 0 && t - s->t > LAST_STEP * fixed) {
        double h = controlled ? p->next : fixed;
        int is_last = t - s->t < (1 + LAST_STEP) * h;

        p->h = is_last ? t - s->t : h;
        if (!(p->h > SHORTEST * (1 + fabs(t)))) {
            lk_error_set(ret_error,
                         "t = %.9g s: no step is short enough for the tolerance; where "
                         "the joints pass a singular pose expected fixed steps, or "
                         "half-explicit:index-1",
                         s->t);
            return LK_E_STALLED;
        }
        r = try_step(p, is_last ? t : s->t + p->h, &factor);
        if (controlled && (!is_last || factor < 1))
            p->next = p->h * factor;
        if (r == -1) {
            s->problem->counts.rejected++;
            r = 0;
        } else if (r == 0) {
            r = lk_constrained_accept(s, is_last ? t : s->t + p->h, ret_error);
        } else {
            lk_constrained_explain(s, r, ret_error);
        }
    }
    return r;
}

static const char *const variants[] = {"index-2", "index-1", NULL};

const struct lk_integrator lk_integrator_half_explicit = {
    .name = "half-explicit",
    .variants = variants,
    .paper = "M. Arnold, DAE aspects of multibody system dynamics (2016), eqs. (81), (85)",
    .constrained = 1,
    .has_error_control = 1,
    .open = open_half_explicit,
    .close = close_half_explicit,
    .advance = advance,
};
