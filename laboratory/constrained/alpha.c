/* SPDX-License-Identifier: Apache-2.0 */
/* Generalized-alpha and HHT-alpha for the constrained equations, see alpha.h.
 *
 * Parameters: generalized-alpha after Chung and Hulbert from the spectral radius rho at infinite
 * frequency; HHT-alpha with alpha = (rho - 1) / (rho + 1), which has the same spectral radius. The
 * default of rho is 0.9, the value of Example 8 in M. Arnold, DAE aspects of multibody system
 * dynamics, 2016 (the survey). Steps are fixed.
 *
 * Start: a_0 = v'(t_0 + (alpha_m - alpha_f) h) + O(h^2). (The survey omits v' around the argument
 * in the text before its eq. (71), but not in the text after eq. (94).) The variant
 * index-3-modified-start also changes the initial velocity by O(h^2). The local error in q,
 *
 *     l = h^3 (C v'' + [0; w x w'] / 12),  C = (1 - 6 beta - 3 (alpha_m - alpha_f)) / 6
 *
 * must be balanced by a velocity that violates the hidden constraint: G v_0 = G l / h. If the
 * velocity starts from G v_0 = 0, it oscillates about this value, and lambda oscillates by O(h). M.
 * Arnold, O. Bruels, A. Cardona, Error analysis of generalized-alpha Lie group time integration
 * methods, 2015, as summarised by the survey after Example 8. */
#include "laboratory/constrained/alpha.h"
#include "maths/vec.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RHO       0.9
#define BAUMGARTE 0.5 /* value of alpha_0 h in index-2-baumgarte */
#define LAST_STEP 1e-6

static const char *const variants[] = {
    "ggl", "index-3", "index-2", "index-2-baumgarte", "index-3-modified-start", NULL};

static void set_parameters(struct lk_alpha *p, int is_hht, double rho)
{
    if (is_hht) {
        double alpha = (rho - 1) / (rho + 1);

        p->alpha_m = 0;
        p->alpha_f = -alpha;
    } else {
        p->alpha_m = (2 * rho - 1) / (rho + 1);
        p->alpha_f = rho / (rho + 1);
    }
    p->gamma = 0.5 - p->alpha_m + p->alpha_f;
    p->beta = 0.25 * (p->gamma + 0.5) * (p->gamma + 0.5);
}

static void set_form(struct lk_alpha *p, const char *variant)
{
    p->form = LK_ALPHA_GGL;
    if (variant && strncmp(variant, "index-3", strlen("index-3")) == 0)
        p->form = LK_ALPHA_INDEX_3;
    else if (variant && strncmp(variant, "index-2", strlen("index-2")) == 0)
        p->form = LK_ALPHA_INDEX_2;
    p->has_decay = variant && strcmp(variant, "index-2-baumgarte") == 0;
    p->has_modified_start = variant && strcmp(variant, "index-3-modified-start") == 0;
}

static int refuse_problem(const struct lk_problem *problem, const char *name,
                          struct lk_error *ret_error)
{
    int stabilised = problem->stabilisation == LK_STABILISATION_BAUMGARTE;

    if (stabilised && strcmp(problem->variant, "index-2") != 0) {
        lk_error_set(ret_error,
                     "integrator %s holds positions by itself, expected stabilisation none or "
                     "projection, or variant %s:index-2-baumgarte",
                     name, name);
        return LK_E_MODEL;
    }
    if (problem->orientation != LK_ORIENTATION_LIE) {
        lk_error_set(ret_error,
                     "integrator %s turns bodies by the exponential map, expected orientation lie",
                     name);
        return LK_E_MODEL;
    }
    return 0;
}

static void close_alpha(void *self)
{
    struct lk_alpha *p = self;

    if (!p)
        return;
    lk_constrained_fini(&p->state);
    free(p->a);
    free(p->D);
    free(p->s);
    free(p->mu);
    free(p->q);
    free(p->v);
    free(p->vdot);
    free(p->a_next);
    free(p->lambda);
    free(p->B);
    free(p->WG);
    free(p->LU);
    free(p->swaps);
    free(p->residual);
    free(p->probe);
    free(p->raw);
    free(p);
}

static int open_alpha(struct lk_problem *problem, const char *name, int is_hht, void **ret,
                      struct lk_error *ret_error)
{
    struct lk_alpha *p;
    int r = refuse_problem(problem, name, ret_error);

    if (r != 0)
        return r;
    p = calloc(1, sizeof(*p));
    if (!p)
        return -ENOMEM;
    set_parameters(p, is_hht, problem->spectral_radius > 0 ? problem->spectral_radius : RHO);
    set_form(p, problem->variant);
    r = lk_constrained_init(&p->state, problem, ret_error);
    p->a = lk_constrained_zeros(p->state.n);
    if (r == 0)
        r = p->a ? lk_alpha_take_memory(p) : -ENOMEM;
    if (r != 0) {
        close_alpha(p);
        return r;
    }
    *ret = p;
    return 0;
}

static int open_generalized(struct lk_problem *problem, void **ret, struct lk_error *ret_error)
{
    return open_alpha(problem, "generalized-alpha", 0, ret, ret_error);
}

static int open_hht(struct lk_problem *problem, void **ret, struct lk_error *ret_error)
{
    return open_alpha(problem, "hht-alpha", 1, ret, ret_error);
}

/* ---- start ---- */

/* Compute v' at t + @tau along the motion, up to O(tau^2). */
static int accelerations_after(struct lk_alpha *p, double tau, double *ret)
{
    struct lk_constrained *s = &p->state;
    int r;

    for (int i = 0; i < s->n; i++) {
        s->move[i] = tau * (s->v[i] + 0.5 * tau * s->a[i]);
        p->v[i] = s->v[i] + tau * s->a[i];
    }
    r = lk_coordinates_move(s->orientation, s->mechanics->n_bodies, s->q, s->move, p->q);
    return r == 0 ? lk_constrained_accelerate(s, s->t + tau, p->q, p->v, ret, NULL) : r;
}

/* Compute l / h (see the top of this file). v'' is a central difference with error O(h^2). */
static int local_error(struct lk_alpha *p, double *ret)
{
    struct lk_constrained *s = &p->state;
    double C = (1 - 6 * p->beta - 3 * (p->alpha_m - p->alpha_f)) / 6;
    int r = accelerations_after(p, p->h, ret);

    if (r == 0)
        r = accelerations_after(p, -p->h, p->vdot);
    for (int i = 0; i < s->n; i++)
        ret[i] = C * p->h * p->h * (ret[i] - p->vdot[i]) / (2 * p->h);
    for (int b = 0; b < s->n; b += 6) {
        double turn[3];

        lk_cross(s->v + b + 3, s->a + b + 3, turn);
        for (int i = 0; i < 3; i++)
            ret[b + 3 + i] += p->h * p->h * turn[i] / 12;
    }
    return r;
}

/* Add the smallest change W G^T (..) to v_0 such that G v_0 = G l / h. */
static int modify_start(struct lk_alpha *p)
{
    struct lk_constrained *s = &p->state;
    int r = local_error(p, p->D);

    if (r != 0)
        return r;
    lk_constrained_evaluate(s, s->t, s->q, s->v);
    r = lk_kkt_factor(s->kkt);
    for (int i = 0; i < s->m; i++) {
        s->c[i] = 0;
        for (int k = 0; k < s->n; k++)
            s->c[i] += s->kkt->G[(size_t)i * (size_t)s->n + (size_t)k] * p->D[k];
    }
    lk_kkt_solve(s->kkt, NULL, s->c, s->move, NULL);
    for (int i = 0; i < s->n; i++)
        s->v[i] += s->move[i];
    return r;
}

static int start_accelerations(struct lk_alpha *p)
{
    int r = accelerations_after(p, (p->alpha_m - p->alpha_f) * p->h, p->a);

    if (r == 0 && p->has_modified_start)
        r = modify_start(p);
    p->is_started = 1;
    return r;
}

/* ---- steps ---- */

static int make_step(struct lk_alpha *p, double t, struct lk_error *ret_error)
{
    struct lk_constrained *s = &p->state;
    size_t n = (size_t)s->n * sizeof(double);
    int r = p->is_started ? 0 : start_accelerations(p);

    p->t_next = t;
    if (p->has_decay || s->problem->stabilisation == LK_STABILISATION_BAUMGARTE)
        p->decay = BAUMGARTE / p->h;
    if (r == 0)
        r = lk_alpha_solve(p);
    if (r != 0)
        return lk_constrained_explain(s, r, ret_error);
    memcpy(s->q, p->q, (size_t)s->n_q * sizeof(double));
    memcpy(s->v, p->v, n);
    memcpy(s->a, p->vdot, n);
    memcpy(p->a, p->a_next, n);
    memcpy(s->lambda, p->lambda, (size_t)s->m * sizeof(double));
    lk_coordinates_normalise(s->orientation, s->mechanics->n_bodies, s->q);
    r = lk_constrained_project(s, t);
    return r == 0 ? lk_constrained_accept(s, t, ret_error)
                  : lk_constrained_explain(s, r, ret_error);
}

static int advance(void *self, double t, struct lk_error *ret_error)
{
    struct lk_alpha *p = self;
    struct lk_constrained *s = &p->state;
    double h = lk_constrained_fixed_step(s, t);
    int r = 0;

    while (r == 0 && t - s->t > LAST_STEP * h) {
        p->h = h;
        r = make_step(p, t - s->t < (1 + LAST_STEP) * h ? t : s->t + h, ret_error);
    }
    return r;
}

const struct lk_integrator lk_integrator_generalized_alpha = {
    .takes_radius = 1,
    .name = "generalized-alpha",
    .variants = variants,
    .paper = "M. Arnold, DAE aspects of multibody system dynamics (2016), eqs. (64), (67), (93)",
    .constrained = 1,
    .open = open_generalized,
    .close = close_alpha,
    .advance = advance,
};

const struct lk_integrator lk_integrator_hht_alpha = {
    .takes_radius = 1,
    .name = "hht-alpha",
    .variants = variants,
    .paper = "M. Arnold, DAE aspects of multibody system dynamics (2016), eq. (66)",
    .constrained = 1,
    .open = open_hht,
    .close = close_alpha,
    .advance = advance,
};
