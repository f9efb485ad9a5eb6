/* SPDX-License-Identifier: Apache-2.0 */
/* The motions that belong to free coordinates, and their mass: N and N^T M N of linkage/modes.h. */
#include "analysis/freedom.h"
#include "analysis/linear.h"
#include "analysis/loops.h"
#include "maths/vec.h"
#include <errno.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#define IDLE 1e-6 /* largest dependence on an idle coordinate: round-off of differences */

/* ---- coordinates and their motions ---- */

/* Return the index of the first mode of @body. */
static int modal_at(const struct lk_system *sys, int body)
{
    int i = 0;

    while (i < sys->n_modals - 1 && sys->modal[i].body != body)
        i++;
    return sys->modal[i].at;
}

/* Compute the gradient of a free coordinate with respect to the motions of all bodies, world
 * axes; @row: n values, zero */
static void differentiate(const struct lk_system *sys, struct lk_free_coordinate c, double *row)
{
    if (c.joint < 0) {
        row[c.direction < 6 ? 6 * c.body + c.direction
                            : 6 * sys->n_bodies + modal_at(sys, c.body) + c.direction - 6] = 1;
        return;
    }
    const struct lk_joint *joint = &sys->joint[c.joint];
    const struct lk_pose *pose[LK_SIDES_MAX] = LK_TWO_SIDES(sys->pose, joint);
    double J[2][6];

    lk_joint_ops(joint->type)->coordinate_jacobian(joint, pose, c.which, J);
    for (int s = 0; s < 2; s++) {
        double *to = row + 6 * joint->body[s], turn[3];

        if (joint->body[s] >= sys->n_bodies)
            continue;
        lk_rotate(pose[s]->R, J[s] + 3, turn);
        for (int k = 0; k < 3; k++) {
            to[k] += J[s][k];
            to[3 + k] += turn[k];
        }
    }
}

/* transform the motions of @Z from the units of the loops and body axes to moves in world axes */
static void show_motions(const struct lk_loops *loops, const double *Z, int f, double *N)
{
    const struct lk_system *sys = loops->sys;
    size_t bodies = 6 * (size_t)sys->n_bodies, n = bodies + (size_t)sys->n_modes;

    for (int c = 0; c < f; c++) {
        for (int b = 0; b < sys->n_bodies; b++) {
            const double *from = Z + (size_t)c * n + loops->row[b];
            double *to = N + (size_t)c * n + 6 * (size_t)b;

            for (int k = 0; k < 3; k++)
                to[k] = from[k] * loops->length[b];
            lk_rotate(sys->pose[b].R, from + 3, to + 3);
        }
        for (int i = 0; i < sys->n_modals; i++)
            for (int k = 0; k < sys->modal[i].n; k++) {
                size_t at = (size_t)c * n + bodies + (size_t)(sys->modal[i].at + k);

                N[at] = Z[at] * lk_loops_mode_unit(loops, &sys->modal[i]);
            }
    }
}

/* Compute N (G N)^-1, so that each motion changes only its own coordinate. */
static int settle_motions(const struct lk_linear_work *w, struct lk_moves *moves)
{
    int f = moves->n, r = -ENOMEM;
    double *N = moves->N;
    size_t n = (size_t)w->n, m = (size_t)f;
    double *row = calloc(n + 1, sizeof(double)), *G = calloc(m * m + 1, sizeof(double));
    double *T = calloc(m * n + 1, sizeof(double));
    int *pivot = calloc(m + 1, sizeof(int));

    if (!row || !G || !T || !pivot)
        goto end;
    for (int i = 0; i < f; i++) {
        memset(row, 0, n * sizeof(double));
        differentiate(w->sys, w->l->coordinate[i], row);
        for (int c = 0; c < f; c++)
            for (size_t k = 0; k < n; k++)
                G[(size_t)c + m * (size_t)i] += row[k] * N[(size_t)c * n + k]; /* transposed */
    }
    for (int c = 0; c < f; c++)
        for (size_t k = 0; k < n; k++)
            T[(size_t)c + m * k] = N[(size_t)c * n + k];
    /* (G N)^T X = N^T */
    r = f == 0 || LAPACKE_dgesv(LAPACK_COL_MAJOR, f, w->n, G, f, pivot, T, f) == 0 ? 0 : -EINVAL;
    for (int c = 0; c < f; c++)
        for (size_t k = 0; k < n; k++)
            N[(size_t)c * n + k] = T[(size_t)c + m * k];
end:
    free(row);
    free(G);
    free(T);
    free(pivot);
    return r;
}

/* ---- mass ---- */

/* Compute M of body @b times a motion in world axes. */
static void weigh(const struct lk_system *sys, int b, const double *move, double *ret)
{
    double local[3], torque[3];

    for (int k = 0; k < 3; k++)
        ret[k] = sys->body[b].mass * move[k];
    lk_rotate_back(sys->pose[b].R, move + 3, local);
    lk_sym_mul(sys->body[b].inertia, local, torque);
    lk_rotate(sys->pose[b].R, torque, ret + 3);
}

/* Compute M of a body with modes times the motion of it and its modes; @move, @ret: of all bodies
 * and modes. */
static void weigh_modal(const struct lk_system *sys, const struct lk_modal *m, const double *move,
                        double *ret)
{
    const double *R = sys->pose[m->body].R, *mode = move + 6 * sys->n_bodies + m->at;
    double *to = ret + 6 * sys->n_bodies + m->at, local[3], torque[3];
    int pad = m->flexible->pad;

    lk_rotate_back(R, move + 6 * m->body + 3, local);
    lk_sym_mul(m->inertia, local, torque);
    for (int k = 0; k < m->n; k++) {
        to[k] = mode[k];
        for (int i = 0; i < 3; i++) {
            torque[i] += m->coupling[i * pad + k] * mode[k];
            to[k] += m->coupling[i * pad + k] * local[i];
        }
    }
    lk_rotate(R, torque, ret + 6 * m->body + 3);
}

static const char *body_of(const struct lk_linear_work *w, int motion)
{
    const double *N = w->place.N + (size_t)motion * (size_t)w->n;
    const struct lk_system *sys = w->sys;
    int most = 0;

    for (int i = 0; i < w->n; i++)
        if (i < 6 * sys->n_bodies && fabs(N[i]) > fabs(N[most]))
            most = i;
    return sys->body_name[sys->body[most / 6].of];
}

static int refuse_massless(const struct lk_linear_work *w, int motion, struct lk_error *error)
{
    lk_error_set(error,
                 "body '%s' moves without any mass or inertia: its motion has no "
                 "frequency; expected a mass, or joints that tie it to bodies with one",
                 body_of(w, motion));
    return LK_E_MODEL;
}

/* return whether coordinate @c turns only one body, and that body has no inertia */
static bool turns_nothing(const struct lk_linear_work *w, int c)
{
    struct lk_free_coordinate coordinate = w->l->coordinate[c];
    const double *N = w->place.N + (size_t)c * (size_t)w->n;

    if (coordinate.joint >= 0 || coordinate.direction < 3 || coordinate.direction >= 6)
        return false;
    for (int i = 0; i < 6; i++)
        if (w->sys->body[coordinate.body].inertia[i] != 0)
            return false;
    for (int i = 0; i < w->n; i++)
        if (fabs(N[i]) > IDLE && (i / 6 != coordinate.body || i % 6 < 3))
            return false;
    return true;
}

/* Compute M N, N^T M N and its factor; an idle coordinate gets a unit diagonal without coupling.
 * @ret_mass: N^T M N without this diagonal; NULL is allowed */
static int weigh_moves(struct lk_linear_work *w, struct lk_moves *moves, double *ret_mass,
                       struct lk_error *error)
{
    size_t n = (size_t)w->n, m = (size_t)moves->n;
    double *mass = moves->mass;

    for (size_t c = 0; c < m; c++) {
        for (int b = 0; b < w->sys->n_bodies && !w->is_idle[c]; b++)
            weigh(w->sys, b, moves->N + c * n + 6 * (size_t)b, moves->MN + c * n + 6 * (size_t)b);
        for (int i = 0; i < w->sys->n_modals; i++)
            weigh_modal(w->sys, &w->sys->modal[i], moves->N + c * n, moves->MN + c * n);
    }
    for (size_t r = 0; r < m; r++)
        for (size_t c = 0; c < m; c++)
            for (size_t k = 0; k < n && !w->is_idle[r]; k++)
                mass[r * m + c] += moves->N[r * n + k] * moves->MN[c * n + k];
    if (ret_mass)
        memcpy(ret_mass, mass, m * m * sizeof(double));
    for (size_t c = 0; c < m; c++) {
        if (w->is_idle[c])
            mass[c * m + c] = 1;
        else if (!(mass[c * m + c] > 0))
            return refuse_massless(w, (int)c, error);
    }
    if (m > 0 && LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (int)m, mass, (int)m) != 0) {
        lk_error_set(error,
                     "bodies without mass or inertia can move alone; expected a mass for each "
                     "motion that the joints leave free");
        return LK_E_MODEL;
    }
    return 0;
}

static bool has_slips(const struct lk_linear_work *w)
{
    return w->l->n_rates < w->l->n_motions;
}

int lk_linear_weigh(struct lk_linear_work *w, struct lk_error *error)
{
    int r;

    for (int c = 0; c < w->l->n_motions; c++)
        w->is_idle[c] = turns_nothing(w, c);
    r = weigh_moves(w, &w->place, w->l->mass, error);
    return r == 0 && has_slips(w) ? weigh_moves(w, &w->rate, NULL, error) : r;
}

/* compute (N^T M N)^-1 N^T M @move */
void lk_linear_project(const struct lk_linear_work *w, const struct lk_moves *moves,
                       const double *move, double *ret)
{
    size_t n = (size_t)w->n;
    int f = moves->n;

    for (int c = 0; c < f; c++) {
        ret[c] = 0;
        for (size_t k = 0; k < n; k++)
            ret[c] += moves->MN[(size_t)c * n + k] * move[k];
    }
    if (f > 0)
        LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', f, 1, moves->mass, f, ret, f);
}

/* Compute the motions of the first @n coordinates that the rows of @which allow. */
static int find_moves(const struct lk_linear_work *w, const struct lk_loops *loops,
                      enum lk_columns which, int n, struct lk_moves *ret)
{
    size_t size = (size_t)w->n * (size_t)n + 1;
    struct lk_rank rank;
    double *Z = NULL;
    int r = lk_rank_init(loops, w->sys->pose, which, LK_RANK_TOLERANCE, &rank);

    if (r != 0)
        return r;
    r = loops->n_rows - rank.rank == n ? lk_rank_motions(loops, &rank, &Z) : -EINVAL;
    lk_rank_fini(&rank);
    *ret = (struct lk_moves){n, calloc(size, sizeof(double)), calloc(size, sizeof(double)),
                             calloc((size_t)n * (size_t)n + 1, sizeof(double))};
    if (r == 0 && (!ret->N || !ret->MN || !ret->mass))
        r = -ENOMEM;
    if (r == 0) {
        show_motions(loops, Z, n, ret->N);
        r = settle_motions(w, ret);
    }
    free(Z);
    return r;
}

int lk_linear_find_motions(struct lk_linear_work *w)
{
    struct lk_loops loops;
    int r = lk_loops_all(w->sys, &loops);

    if (r != 0)
        return r;
    r = find_moves(w, &loops, LK_COLUMNS_HOLONOMIC, w->l->n_motions, &w->place);
    if (r == 0 && has_slips(w))
        r = find_moves(w, &loops, LK_COLUMNS_ALL, w->l->n_rates, &w->rate);
    else
        w->rate = w->place;
    lk_loops_fini(&loops);
    return r;
}

static void free_moves(struct lk_moves *moves)
{
    free(moves->N);
    free(moves->MN);
    free(moves->mass);
}

void lk_linear_free_motions(struct lk_linear_work *w)
{
    if (w->rate.N != w->place.N)
        free_moves(&w->rate);
    free_moves(&w->place);
}

/* Add the coordinates of the poses that nonholonomic rows leave within reach. */
static int complete(struct lk_linear_work *w)
{
    struct lk_loops all;
    struct lk_rank rank;
    int r = lk_loops_all(w->sys, &all);

    if (r != 0)
        return r;
    r = lk_rank_init(&all, w->sys->pose, LK_COLUMNS_HOLONOMIC, LK_RANK_TOLERANCE, &rank);
    if (r == 0) {
        r = lk_freedom_complete(&all, &rank, w->l->coordinate, &w->l->n_motions);
        lk_rank_fini(&rank);
    }
    lk_loops_fini(&all);
    return r;
}

int lk_linear_find_coordinates(struct lk_linear_work *w)
{
    struct lk_mobility mobility;
    int slips = 0, r = lk_mobility_init(w->sys, &mobility);

    if (r != 0)
        return r;
    if (!mobility.coordinates)
        r = LK_E_MODEL;
    for (int j = 0; j < w->sys->n_joints; j++)
        slips += lk_slip_rows(&w->sys->joint[j]);
    w->l->coordinate = mobility.coordinates;
    w->l->n_motions = w->l->n_rates = mobility.n_coordinates;
    mobility.coordinates = NULL;
    lk_mobility_fini(&mobility);
    return r == 0 && slips > 0 ? complete(w) : r;
}

/* return whether no rate of another state depends on coordinate @c or its rate */
static bool concerns_nothing(const struct lk_linear *l, int c)
{
    size_t n = (size_t)l->n_states;

    for (int side = 0; side < (c < l->n_rates ? 2 : 1); side++) {
        int column = side * l->n_motions + c;

        for (int i = 0; i < l->n_states; i++)
            if (i != c && (i != l->n_motions + c || c >= l->n_rates) &&
                fabs(l->A[(size_t)i * n + (size_t)column]) > IDLE)
                return false;
    }
    return true;
}

/* remove rows and columns from @matrix, which has @rows x @columns entries; NULL: remove none */
static void keep(double *matrix, int rows, const bool *drops_row, int columns,
                 const bool *drops_column)
{
    double *to = matrix;

    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++)
            if (!(drops_row && drops_row[i]) && !(drops_column && drops_column[k]))
                *to++ = matrix[(size_t)i * (size_t)columns + (size_t)k];
}

int lk_linear_drop_idle(struct lk_linear_work *w, struct lk_error *error)
{
    struct lk_linear *l = w->l;
    int f = l->n_motions, x = l->n_states, left = 0, rates = 0;
    bool *state = calloc((size_t)x + 1, sizeof(*state));

    if (!state)
        return -ENOMEM;
    for (int c = 0; c < f; c++) {
        if (w->is_idle[c] && !concerns_nothing(l, c)) {
            free(state);
            return refuse_massless(w, c, error);
        }
        state[c] = w->is_idle[c];
        if (c < l->n_rates)
            state[f + c] = w->is_idle[c];
        if (w->is_idle[c])
            continue;
        rates += c < l->n_rates;
        l->coordinate[left++] = l->coordinate[c];
    }
    keep(l->A, x, state, x, state);
    keep(l->B, x, state, l->n_inputs, NULL);
    keep(l->C, l->n_outputs, NULL, x, state);
    keep(l->mass, f, w->is_idle, f, w->is_idle);
    keep(l->motion, f, w->is_idle, 6 * l->n_bodies, NULL);
    keep(l->momentum, f, w->is_idle, 6 * l->n_bodies, NULL);
    keep(l->bend, f, w->is_idle, l->n_bends, NULL);
    keep(l->bend_momentum, f, w->is_idle, l->n_bends, NULL);
    l->n_states -= f - left + l->n_rates - rates;
    l->n_motions = left;
    l->n_rates = rates;
    free(state);
    return 0;
}

/* Copy N and M N of the bodies of the model, and of their modes. The parts of a split body are
 * added up. */
void lk_linear_keep_motions(struct lk_linear_work *w)
{
    struct lk_linear *l = w->l;
    size_t n = 6 * (size_t)l->n_bodies, bends = (size_t)l->n_bends;
    size_t bodies = 6 * (size_t)w->sys->n_bodies;

    for (int i = 0; i < w->sys->n_modals; i++)
        for (int k = 0; k < w->sys->modal[i].n; k++)
            l->bend_body[w->sys->modal[i].at + k] = w->sys->body[w->sys->modal[i].body].of;
    for (int c = 0; c < l->n_motions; c++) {
        const double *N = w->place.N + (size_t)c * (size_t)w->n;
        const double *MN = w->place.MN + (size_t)c * (size_t)w->n;

        memcpy(l->motion + (size_t)c * n, N, n * sizeof(double));
        for (int b = 0; b < w->sys->n_bodies; b++)
            for (int k = 0; k < 6; k++)
                l->momentum[(size_t)c * n + (size_t)(6 * w->sys->body[b].of + k)] += MN[6 * b + k];
        memcpy(l->bend + (size_t)c * bends, N + bodies, bends * sizeof(double));
        memcpy(l->bend_momentum + (size_t)c * bends, MN + bodies, bends * sizeof(double));
    }
}
