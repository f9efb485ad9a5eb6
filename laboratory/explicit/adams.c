/* SPDX-License-Identifier: Apache-2.0 */
/* The Adams methods of order 1 to 13 as predictor and corrector with variable order and step
 * (PECE), on y' = f of any formulation: L. F. Shampine and M. K. Gordon, Computer solution of
 * ordinary differential equations, 1975, chapters 5 to 7 and 10. Two evaluations of f per step.
 *
 * phi_i are modified divided differences of f over the last k steps. The predictor of order k is
 *     p = y + h sum_i g_i phi*_i,  phi*_i = beta_i phi_i
 * and the corrector of order k + 1 is
 *     y = p + h g_{k+1} (f(p) - phi*_1 summed)
 * The coefficients g_i come from a recursion over the ratios alpha_i = h / psi_i of the steps.
 * While the step does not change, only the new ones are computed (@ns equal steps).
 *
 * An error is compared with tolerance (floor + |y|), by the Euclidean norm as in the book; the
 * other methods of the laboratory use the root mean square. Dense output: the polynomial of order k
 * + 1 of the last step. */
#include "laboratory/integrator.h"
#include "laboratory/stepping.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME      "adams"
#define ORDER_MAX 12 /* of the predictor */
#define PHIS      (ORDER_MAX + 3)

/* |gamma*_k|: coefficients of the error of order k at constant step, k from 1 */
static const double gamma_star[ORDER_MAX + 2] = {0,       0.5,     0.0833,  0.0417,  0.0264,
                                                 0.0188,  0.0143,  0.0114,  0.00936, 0.00789,
                                                 0.00679, 0.00592, 0.00524, 0.00468};

/** struct adams - a run. Indices of the arrays of coefficients begin at 1, as in the book.
 * @h:         the next step;  @h_last, @k_last: step and order of the last accepted step, 0: none
 * @k:         order of the predictor of the next step
 * @ns:        number of equal steps before the next one
 * @is_rising: the order and the step rise with each step until an error forbids it
 * @y, @p:     accepted state, predicted state
 * @rate:      f
 * @phi:       modified divided differences, phi[1] to phi[k + 2] */
struct adams {
    struct lk_problem *problem;
    int n;
    int k;
    int k_last;
    int ns;
    int is_rising;
    double t;
    double h;
    double h_last;
    double alpha[ORDER_MAX + 2];
    double beta[ORDER_MAX + 2];
    double psi[ORDER_MAX + 2];
    double sigma[ORDER_MAX + 3];
    double v[ORDER_MAX + 3];
    double w[ORDER_MAX + 3];
    double g[ORDER_MAX + 3];
    double *y;
    double *p;
    double *rate;
    double *phi[PHIS];
    double *memory;
};

/** struct errors - estimates of one attempted step, relative to the tolerance. @step: the error
 * that decides;  @of[k]: error of order k at constant step */
struct errors {
    double step;
    double k;
    double less;
    double less_still;
};

static void close_adams(void *self)
{
    struct adams *s = self;

    if (!s)
        return;
    free(s->y);
    free(s->memory);
    free(s);
}

/* Return the Euclidean norm of the vector a + b, relative to the tolerance. @b: NULL: zero. */
static double size_of(const struct adams *s, const double *a, const double *b)
{
    const struct lk_problem *p = s->problem;
    double sum = 0;

    for (int i = 0; i < s->n; i++) {
        double x = (a[i] + (b ? b[i] : 0)) / (p->tolerance * (lk_problem_floor(p) + fabs(s->y[i])));

        sum += x * x;
    }
    return sqrt(sum);
}

/* Evaluate f at the start, and choose a first step that order 1 can make.
 * Return: 0, LK_E_SINGULAR */
static int begin(struct adams *s)
{
    int r = lk_stepping_rate(s->problem, s->t, s->y, s->rate);

    if (r != 0)
        return r;
    memcpy(s->phi[1], s->rate, (size_t)s->n * sizeof(double));
    s->h = fmin(s->problem->step,
                0.8 / fmax(size_of(s, s->rate, NULL) * sqrt(s->problem->tolerance), 1e-10));
    s->k = 1;
    s->is_rising = 1;
    s->sigma[1] = s->g[1] = 1;
    s->g[2] = 0.5;
    return 0;
}

static int open_adams(struct lk_problem *problem, void **ret, struct lk_error *ret_error)
{
    struct adams *s;
    int r = lk_stepping_needs_tolerance(problem, NAME, ret_error);

    if (r == 0)
        r = lk_stepping_refuse_settled(problem, NAME, 0, ret_error);
    if (r != 0)
        return r;
    s = calloc(1, sizeof(*s));
    if (!s)
        return -ENOMEM;
    s->problem = problem;
    s->t = lk_stepping_time(problem);
    if (lk_stepping_start(problem, &s->n, &s->y) < 0 ||
        !(s->memory = calloc((PHIS + 2) * (size_t)s->n + 1, sizeof(double)))) {
        close_adams(s);
        return -ENOMEM;
    }
    s->p = s->memory;
    s->rate = s->p + s->n;
    for (int i = 0; i < PHIS; i++)
        s->phi[i] = s->memory + (2 + i) * s->n;
    *ret = s;
    return 0;
}

/* ---- coefficients ---- */

/* Compute alpha, beta, psi, sigma from the first changed one on. */
static void update_ratios(struct adams *s, double h)
{
    double reach = h * s->ns;

    s->beta[s->ns] = 1;
    s->alpha[s->ns] = 1.0 / s->ns;
    s->sigma[s->ns + 1] = 1;
    for (int i = s->ns + 1; i <= s->k; i++) {
        double before = s->psi[i - 1];

        s->psi[i - 1] = reach;
        s->beta[i] = s->beta[i - 1] * s->psi[i - 1] / before;
        reach = before + h;
        s->alpha[i] = h / reach;
        s->sigma[i + 1] = i * s->alpha[i] * s->sigma[i];
    }
    s->psi[s->k] = reach;
}

/* Compute g, the integrals of the polynomials, from the first changed one on. */
static void update_integrals(struct adams *s)
{
    int k = s->k, ns = s->ns;

    if (ns == 1) {
        for (int i = 1; i <= k; i++)
            s->v[i] = s->w[i] = 1.0 / (i * (i + 1));
    } else {
        if (k > s->k_last) {
            s->v[k] = 1.0 / (k * (k + 1));
            for (int j = 1; j <= ns - 2; j++)
                s->v[k - j] -= s->alpha[j + 1] * s->v[k - j + 1];
        }
        for (int i = 1; i <= k + 1 - ns; i++) {
            s->v[i] -= s->alpha[ns] * s->v[i + 1];
            s->w[i] = s->v[i];
        }
        s->g[ns + 1] = s->w[1];
    }
    for (int i = ns + 2; i <= k + 1; i++) {
        for (int j = 1; j <= k + 2 - i; j++)
            s->w[j] -= s->alpha[i - 1] * s->w[j + 1];
        s->g[i] = s->w[1];
    }
}

static void update_coefficients(struct adams *s, double h)
{
    if (h != s->h_last)
        s->ns = 0;
    if (s->ns <= s->k_last)
        s->ns++;
    if (s->k < s->ns)
        return;
    update_ratios(s, h);
    update_integrals(s);
}

/* ---- a step ---- */

/* Predict, and evaluate f there.
 * Return: 0, LK_E_SINGULAR */
static int predict(struct adams *s, double h)
{
    for (int j = 0; j < s->n; j++) {
        double sum = 0;

        for (int i = s->ns + 1; i <= s->k; i++)
            s->phi[i][j] *= s->beta[i];
        s->phi[s->k + 2][j] = s->phi[s->k + 1][j];
        s->phi[s->k + 1][j] = 0;
        for (int i = s->k; i >= 1; i--) {
            sum += s->g[i] * s->phi[i][j];
            s->phi[i][j] += s->phi[i + 1][j];
        }
        s->p[j] = s->y[j] + h * sum;
    }
    return lk_stepping_rate(s->problem, s->t + h, s->p, s->rate);
}

/* Estimate the errors of orders k, k - 1, k - 2 from f(p) less its extrapolation, in @rate. */
static struct errors estimate(struct adams *s, double h)
{
    int k = s->k;
    double change;
    struct errors e = {0};

    for (int j = 0; j < s->n; j++)
        s->rate[j] -= s->phi[1][j];
    change = size_of(s, s->rate, NULL);
    e.step = h * (s->g[k] - s->g[k + 1]) * change;
    e.k = h * s->sigma[k + 1] * gamma_star[k] * change;
    if (k >= 2)
        e.less = h * s->sigma[k] * gamma_star[k - 1] * size_of(s, s->phi[k], s->rate);
    if (k >= 3)
        e.less_still = h * s->sigma[k - 1] * gamma_star[k - 2] * size_of(s, s->phi[k - 1], s->rate);
    return e;
}

static int should_lower(const struct adams *s, const struct errors *e)
{
    return (s->k == 2 && e->less <= 0.5 * e->k) ||
           (s->k > 2 && fmax(e->less, e->less_still) <= e->k);
}

/* Undo predict() and the change of psi. */
static void restore(struct adams *s, double h)
{
    for (int i = 1; i <= s->k; i++)
        for (int j = 0; j < s->n; j++)
            s->phi[i][j] = (s->phi[i][j] - s->phi[i + 1][j]) / (i > s->ns ? s->beta[i] : 1);
    for (int j = 0; j < s->n; j++)
        s->phi[s->k + 1][j] = s->phi[s->k + 2][j];
    for (int i = 2; i <= s->k; i++)
        s->psi[i - 1] = s->psi[i] - h;
}

/* Choose the order of the next step after an accepted one, whose differences are updated. */
static void choose_order(struct adams *s, int lowers, double h, struct errors *e)
{
    int k = s->k;
    double more;

    if (lowers || k == ORDER_MAX)
        s->is_rising = 0;
    if (s->is_rising) {
        s->k++;
        return;
    }
    if (lowers) {
        s->k--;
        e->k = e->less;
        return;
    }
    if (k + 1 > s->ns)
        return;
    more = h * gamma_star[k + 1] * size_of(s, s->phi[k + 2], NULL);
    if (k == 1 ? more < 0.5 * e->k
               : more < e->k && k < ORDER_MAX && !(e->less <= fmin(e->k, more))) {
        s->k++;
        e->k = more;
    } else if (k > 1 && e->less <= fmin(e->k, more)) {
        s->k--;
        e->k = e->less;
    }
}

/* Choose the next step: doubled, kept, or reduced. */
static double next_step(const struct adams *s, double h, double error)
{
    if (s->is_rising || error * pow(2, s->k + 1) <= 0.5)
        return 2 * h;
    return error > 0.5 ? h * fmax(0.5, fmin(0.9, pow(0.5 / error, 1.0 / (s->k + 1)))) : h;
}

/* Correct, evaluate f again, and update the differences.
 * Return: 0, LK_E_SINGULAR */
static int correct(struct adams *s, double h)
{
    int k = s->k, r;

    for (int j = 0; j < s->n; j++)
        s->p[j] += h * s->g[k + 1] * s->rate[j];
    r = lk_stepping_rate(s->problem, s->t + h, s->p, s->rate);
    if (r != 0)
        return r;
    for (int j = 0; j < s->n; j++) {
        s->phi[k + 1][j] = s->rate[j] - s->phi[1][j];
        s->phi[k + 2][j] = s->phi[k + 1][j] - s->phi[k + 2][j];
        for (int i = 1; i <= k; i++)
            s->phi[i][j] += s->phi[k + 1][j];
    }
    return 0;
}

/* Make one accepted step that ends at or before @t, or anywhere if problem->may_pass. */
static int advance_step(struct adams *s, double t, struct lk_error *ret_error)
{
    for (int failures = 0;; failures++) {
        double h = lk_stepping_length(s->problem, s->t, t, s->h), end;
        struct errors e;
        int lowers, r;

        if (lk_stepping_is_stalled(s->t, h))
            return lk_stepping_stalled(NAME, s->t, h, "the error is too large", ret_error);
        update_coefficients(s, h);
        r = predict(s, h);
        if (r != 0)
            return lk_stepping_singular(NAME, s->t, r, ret_error);
        e = estimate(s, h);
        lowers = should_lower(s, &e);
        if (e.step <= 1) {
            end = lk_stepping_end(s->problem, s->t, t, h);
            r = correct(s, h);
            if (r != 0)
                return lk_stepping_singular(NAME, s->t, r, ret_error);
            s->k_last = s->k;
            s->h_last = h;
            s->t = end;
            memcpy(s->y, s->p, (size_t)s->n * sizeof(double));
            choose_order(s, lowers, h, &e);
            /* a step shortened to end at @t must not reduce the next one */
            s->h = fmax(next_step(s, h, e.k), h < s->h ? s->h : 0);
            s->problem->counts.steps++;
            /* a copy: the history goes on from the state that is not settled */
            return lk_problem_accept(s->problem, end, s->p, ret_error);
        }
        s->problem->counts.rejected++;
        s->is_rising = 0;
        restore(s, h);
        s->k = failures >= 2 ? 1 : lowers ? s->k - 1 : s->k;
        s->h = h * (failures >= 3 ? fmin(0.5, sqrt(0.5 / e.k)) : 0.5);
    }
}

static int advance(void *self, double t, struct lk_error *ret_error)
{
    struct adams *s = self;
    int r = s->k == 0 ? begin(s) : 0;

    if (r != 0)
        return lk_stepping_singular(NAME, s->t, r, ret_error);
    while (r == 0 && !lk_stepping_is_there(s->t, t))
        r = advance_step(s, t, ret_error);
    return r;
}

/* Evaluate the polynomial of the last step, of order k_last + 1, at a time before its end. */
static int show(void *self, double t, struct lk_error *ret_error)
{
    struct adams *s = self;
    double x = t - s->t, reach = 0, g[ORDER_MAX + 3] = {0}, w[ORDER_MAX + 3];
    int k = s->k_last + 1;

    for (int i = 1; i <= k; i++)
        w[i] = 1.0 / i;
    g[1] = 1;
    for (int i = 2; i <= k; i++) {
        double psi = s->psi[i - 1], gamma = (x + reach) / psi, eta = x / psi;

        for (int j = 1; j <= k + 1 - i; j++)
            w[j] = gamma * w[j] - eta * w[j + 1];
        g[i] = w[1];
        reach = psi;
    }
    for (int j = 0; j < s->n; j++) {
        double sum = 0;

        for (int i = 1; i <= k; i++)
            sum += g[i] * s->phi[i][j];
        s->p[j] = s->y[j] + x * sum;
    }
    return lk_problem_accept(s->problem, t, s->p, ret_error);
}

const struct lk_integrator lk_integrator_adams = {
    .name = NAME,
    .paper = "Shampine, Gordon, Computer solution of ordinary differential equations, 1975",
    .has_error_control = 1,
    .open = open_adams,
    .close = close_adams,
    .advance = advance,
    .show = show,
};
