/* SPDX-License-Identifier: Apache-2.0 */
/* Sets the masses of bodies, and checks bodies without mass.
 *
 * A body without mass (or without inertia about some axis) gets an artificial mass, which is only
 * in W: 1e-6 of the mass of its lightest neighbour. So the matrix stays positive definite, and the
 * Newton iterations, whose residual has the true mass, remove the effect of the artificial mass.
 * This works only with joints or compliant rows that act on the body in every direction without
 * inertia. The check below finds directions in which the body is free. */
#include "compile/fill.h"
#include "maths/vec.h"
#include "step/kinematics.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* lower bound of the mass of a compliant row (see scale_around()), relative to the stiffest row */
#define SOFTEST        1e-4
#define SOFTEST_BESIDE 1e-3 /* the same, relative to the lightest neighbour */
/* tolerance for a column of unit length: below it, the column depends on the others */
#define RANK_TOLERANCE 1e-8

/* Return the largest entry on the diagonal, which is at least a third of the largest principal
 * moment. */
static double largest_moment(const double J[6])
{
    return lk_max(lk_max(J[0], J[1]), J[2]);
}

/* Return whether a principal moment is zero relative to the largest. The reader accepts moments
 * down to 1e-12 of the largest; a zero moment about oblique axes leaves round-off of some 1e-14. */
bool lk_fill_lacks_moment(const double J[6])
{
    double size = largest_moment(J);
    double det = J[0] * (J[1] * J[2] - J[5] * J[5]) - J[3] * (J[3] * J[2] - J[5] * J[4]) +
                 J[4] * (J[3] * J[5] - J[1] * J[4]);

    return !(det > 1e-13 * size * size * size);
}

/* return the effective stiffness of law @law in a step at the start: k + 2 c / h */
static double law_stiffness(const struct lk_system *sys, const struct lk_law *law)
{
    struct lk_law_value f;

    lk_law_evaluate(law, sys->term, 0, -law->now->carry, 0, &f);
    return f.stiffness + 2 * f.damping / sys->h;
}

/** struct scale - the smallest mass and moment of inertia among the neighbours of a body. */
struct scale {
    double mass;
    double inertia;
};

static void take_smaller(double candidate, double *smallest)
{
    if (candidate > 0 && candidate < *smallest)
        *smallest = candidate;
}

/* return the mass, or moment of inertia, that row @r can move in a step: s (k + 2 c / h) */
static double swung_mass(const struct lk_system *sys, const struct lk_joint *j, int r)
{
    return sys->s * law_stiffness(sys, &sys->law[j->law + r]);
}

static int touches(const struct lk_joint *j, int b)
{
    for (int k = 0; k < j->n_sides; k++)
        if (j->body[k] == b)
            return 1;
    return 0;
}

/* Return the smallest mass and moment around body @b. The candidates are the masses of the
 * neighbours, and for each compliant row the mass that it can move in a step. A row much softer
 * than the stiffest row counts with a lower bound, because an artificial mass that small would be
 * round-off for the other rows. If the formulation has a regularisation of its own, a row much
 * softer than the lightest neighbour also counts with a lower bound. The joints of @b do not need a
 * smaller artificial mass, and E would rise with W until the joints became compliant. */
static struct scale scale_around(const struct lk_system *sys, int b)
{
    struct scale s = {INFINITY, INFINITY}, stiffest = {0, 0}, bodies;

    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];

        for (int r = 0; r < j->n_rows && lk_is_compliant(j) && touches(j, b); r++) {
            double *most = r < j->n_length ? &stiffest.mass : &stiffest.inertia;

            *most = lk_max(*most, swung_mass(sys, j, r));
        }
    }
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];

        for (int k = 0; k < j->n_sides && touches(j, b); k++)
            if (j->body[k] != b && j->body[k] < sys->n_bodies) {
                take_smaller(sys->body[j->body[k]].mass, &s.mass);
                take_smaller(largest_moment(sys->body[j->body[k]].inertia), &s.inertia);
            }
    }
    bodies = s;
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];

        for (int r = 0; r < j->n_rows && lk_is_compliant(j) && touches(j, b); r++) {
            int is_length = r < j->n_length;
            double least = SOFTEST * (is_length ? stiffest.mass : stiffest.inertia);

            take_smaller(lk_max(swung_mass(sys, j, r), least), is_length ? &s.mass : &s.inertia);
        }
    }
    if (sys->formulation->regularisation > 0) {
        s.mass = isinf(bodies.mass) ? s.mass : lk_max(s.mass, SOFTEST_BESIDE * bodies.mass);
        s.inertia =
            isinf(bodies.inertia) ? s.inertia : lk_max(s.inertia, SOFTEST_BESIDE * bodies.inertia);
    }
    return s;
}

static struct scale scale_of_all(const struct lk_system *sys)
{
    struct scale s = {INFINITY, INFINITY};

    for (int b = 0; b < sys->n_bodies; b++) {
        take_smaller(sys->body[b].mass, &s.mass);
        take_smaller(largest_moment(sys->body[b].inertia), &s.inertia);
    }
    s.mass = isinf(s.mass) ? 1 : s.mass;
    s.inertia = isinf(s.inertia) ? s.mass * sys->arm * sys->arm : s.inertia;
    return s;
}

/* Add @factor n n^T to @sum. */
static void add_square(double factor, const double n[3], double sum[6])
{
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++)
            sum[lk_sym_at(i, k)] += factor * n[i] * n[k];
}

/* Compute a unit vector of the null space of @J, which lacks a moment, by inverse iteration on J
 * plus a small moment about all axes. */
static void null_axis(const double J[6], double axis[3])
{
    double v[3] = {0.6, 0.5, 0.62}, W[6], moment = LK_ARTIFICIAL_MASS * largest_moment(J);
    const double sum[6] = {J[0] + moment, J[1] + moment, J[2] + moment, J[3], J[4], J[5]};

    lk_sym_inverse(sum, W);
    for (int k = 0; k < 8; k++) {
        double next[3], length;

        lk_sym_mul(W, v, next);
        length = lk_norm(next);
        for (int i = 0; i < 3; i++)
            v[i] = next[i] / length;
    }
    memcpy(axis, v, sizeof(v));
}

/* Add the artificial inertia @moment about all axes, or for a thin body about the axis without
 * inertia. A formulation may compute velocities from momenta with W, so W must remain the exact
 * inverse of J in all other directions. */
static void add_artificial(double moment, double J[6])
{
    double n[3];

    if (largest_moment(J) > 0) {
        null_axis(J, n);
        add_square(moment, n, J);
        return;
    }
    for (int i = 0; i < 3; i++)
        J[i] += moment;
}

/* compute n n^T / (n . J n) for a body that turns only about @n [body axes]; 0 if @n is 0 */
static void turn_about(const double n[3], const double J[6], double ret[6])
{
    double Jn[3];

    lk_sym_mul(J, n, Jn);
    memset(ret, 0, 6 * sizeof(double));
    if (lk_norm(n) > 0)
        add_square(1 / lk_dot(n, Jn), n, ret);
}

/* set W of body @b. @world: axis of rotation under planar reduction, or 0;  @is_in_place: see
 * plane.h */
static void fill_inverse(struct lk_system *sys, int b, const double world[3], bool is_in_place,
                         const struct scale *all)
{
    const struct lk_body *body = &sys->body[b];
    double inertia[6], mass = body->mass;
    int lacks = lk_fill_lacks_moment(body->inertia);
    struct scale around = *all;
    double normal[3], lightest = 0;

    if (body->is_node)
        return; /* W is 0 */
    lk_rotate_back(sys->pose[b].R, world, normal);
    memcpy(inertia, body->inertia, sizeof(inertia));
    if (mass == 0 || lacks) {
        around = scale_around(sys, b);
        around.mass = isinf(around.mass) ? all->mass : around.mass;
        lightest = isinf(around.inertia) ? 0 : around.inertia;
        around.inertia = isinf(around.inertia) ? all->inertia : around.inertia;
    }
    /* the scale of a thin body is its own largest moment, or the moment of its neighbours if that
     * is larger */
    if (largest_moment(inertia) > 0)
        around.inertia = fmax(largest_moment(inertia), lightest);
    mass += mass == 0 ? LK_ARTIFICIAL_MASS * around.mass : 0;
    if (lacks)
        add_artificial(LK_ARTIFICIAL_MASS * around.inertia, inertia);
    sys->W[b].mass = 1 / mass;
    if (body->is_in_plane)
        turn_about(normal, inertia, sys->W[b].inertia);
    else
        lk_sym_inverse(inertia, sys->W[b].inertia);
    if (is_in_place)
        sys->W[b].mass = 0;
    sys->sW[b].mass = sys->s * sys->W[b].mass;
    for (int i = 0; i < 6; i++)
        sys->sW[b].inertia[i] = sys->s * sys->W[b].inertia[i];
}

static void fill_quads(struct lk_system *sys)
{
    for (int lane = 0; lane < (sys->n_bodies + 3) / 4 * 4; lane++) {
        const struct lk_body *body = &sys->body[lane < sys->n_bodies ? lane : sys->n_bodies - 1];
        struct lk_quad *quad = &sys->quad[lane / 4];

        quad->mass[lane % 4] = body->mass;
        for (int i = 0; i < 6; i++)
            quad->inertia[i][lane % 4] = body->inertia[i];
        quad->massless[0][lane % 4] = body->mass == 0 && !body->is_node;
        quad->massless[1][lane % 4] = largest_moment(body->inertia) == 0 && !body->is_node;
        for (int part = 0; part < 2; part++)
            quad->start_a[part][lane % 4] = 1 - quad->massless[part][lane % 4];
        if (largest_moment(body->inertia) > 0 && lk_fill_lacks_moment(body->inertia)) {
            double axis[3];

            null_axis(body->inertia, axis);
            for (int i = 0; i < 3; i++)
                quad->thin[i][lane % 4] = axis[i];
            sys->n_thin++;
        }
        sys->n_massless += quad->massless[0][lane % 4] > 0 || quad->massless[1][lane % 4] > 0;
    }
}

void lk_fill_masses(struct lk_system *sys, const struct lk_draft *d)
{
    struct scale all;

    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_body_def *def = &d->model->bodies[d->of[b]];
        double share = 1.0 / d->n_parts[d->of[b]];

        sys->body[b].of = d->of[b];
        sys->body[b].n_parts = d->n_parts[d->of[b]];
        sys->body[b].hangs_on = d->n_hubs > 0 ? d->hangs_on[b] : -1;
        sys->body[b].is_node = def->kind == LK_BODY_NODE;
        sys->body[b].leader = def->kind == LK_BODY_NODE ? d->model->modals[def->modal].body : b;
        sys->body[b].is_in_plane = d->plane[d->of[b]].is_held;
        sys->body[b].tension = d->tension[d->of[b]];
        sys->body[b].mass = share * def->mass;
        for (int i = 0; i < 6; i++)
            sys->body[b].inertia[i] = share * def->inertia[i];
    }
    all = scale_of_all(sys);
    for (int b = 0; b < sys->n_bodies; b++)
        fill_inverse(sys, b, d->plane[d->of[b]].normal, d->plane[d->of[b]].is_in_place, &all);
    memcpy(sys->sW_now, sys->sW, (size_t)sys->n_bodies * sizeof(*sys->sW));
    fill_quads(sys);
}

/* Mark the bodies that compliant rows make oscillate within a step (m < s k). The last acceleration
 * of such a body does not predict the next acceleration, and with this prediction the iterations
 * would oscillate with growing amplitude. */
void lk_fill_light(struct lk_system *sys)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        double stiffness[2] = {0, 0};
        struct lk_quad *quad = &sys->quad[b / 4];

        for (int i = 0; i < sys->n_laws; i++) {
            const struct lk_law *law = &sys->law[i];
            const struct lk_joint *j = &sys->joint[law->joint];

            for (int s = 0; s < j->n_sides; s++) {
                double row[6];

                if (j->body[s] != b)
                    continue;
                lk_jacobian_row(sys->jacobian[law->joint], s, law->row, row);
                stiffness[0] += law_stiffness(sys, law) * lk_dot(row, row);
                stiffness[1] += law_stiffness(sys, law) * lk_dot(row + 3, row + 3);
            }
        }
        if (sys->body[b].mass < sys->s * stiffness[0])
            quad->start_a[0][b % 4] = 0;
        if (largest_moment(sys->body[b].inertia) < sys->s * stiffness[1])
            quad->start_a[1][b % 4] = 0;
    }
    for (int lane = sys->n_bodies; lane < (sys->n_bodies + 3) / 4 * 4; lane++)
        for (int part = 0; part < 2; part++)
            sys->quad[lane / 4].start_a[part][lane % 4] =
                sys->quad[(sys->n_bodies - 1) / 4].start_a[part][(sys->n_bodies - 1) % 4];
}

/* ---- free directions of bodies without inertia ---- */

/** struct column - a direction of a body without inertia. @d: components in the six directions of
 * the body */
struct column {
    int body;
    double d[6];
};

static int columns_of(const struct lk_system *sys, int b, struct column *ret)
{
    const struct lk_body *body = &sys->body[b];
    int n = 0, none = largest_moment(body->inertia) == 0;

    if (body->is_node)
        return 0;
    for (int i = 0; i < 6; i++)
        if (i < 3 ? body->mass == 0 : none) {
            ret[n] = (struct column){.body = b};
            ret[n++].d[i] = 1;
        }
    if (!none && lk_fill_lacks_moment(body->inertia)) {
        ret[n] = (struct column){.body = b};
        null_axis(body->inertia, ret[n++].d + 3);
    }
    return n;
}

/* Compute the change of each row for a unit motion in direction @c. */
static void row_motion(const struct lk_system *sys, const struct column *c, double *ret)
{
    memset(ret, 0, sizeof(double) * (size_t)sys->n_rows);
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];

        for (int s = 0; s < j->n_sides; s++)
            for (int r = 0; r < j->n_rows && j->body[s] == c->body; r++) {
                double row[6];

                /* a compliant row without stiffness and damping does not constrain */
                if (lk_is_compliant(j) && law_stiffness(sys, &sys->law[j->law + r]) == 0)
                    continue;
                lk_jacobian_row(sys->jacobian[i], s, r, row);
                ret[j->row + r] += lk_dot(row, c->d) + lk_dot(row + 3, c->d + 3);
            }
    }
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/** struct search - Gram-Schmidt orthogonalisation of the columns.
 * @basis: orthonormal basis of the independent columns, n_rows values each
 * @share: each basis vector, and the present column, as a linear combination of the columns: n
 *         coefficients each
 * @motion: motion of every body in the present free direction */
struct search {
    int n;
    int rank;
    double *basis;
    double *share;
    struct lk_twist *motion;
};

/* orthogonalise column @k against the basis, twice against round-off. Return: norm of the
 * remainder. */
static double orthogonalise(const struct lk_system *sys, struct search *f, int k)
{
    double *m = f->basis + (size_t)f->rank * (size_t)sys->n_rows;
    double *mine = f->share + (size_t)f->rank * (size_t)f->n;

    memset(mine, 0, sizeof(double) * (size_t)f->n);
    mine[k] = 1;
    for (int twice = 0; twice < 2; twice++)
        for (int i = 0; i < f->rank; i++) {
            const double *q = f->basis + (size_t)i * (size_t)sys->n_rows;
            double along = dot(q, m, sys->n_rows);

            for (int r = 0; r < sys->n_rows; r++)
                m[r] -= along * q[r];
            for (int c = 0; c < f->n; c++)
                mine[c] -= along * f->share[(size_t)i * (size_t)f->n + (size_t)c];
        }
    return sqrt(dot(m, m, sys->n_rows));
}

static void find_motion(const struct lk_system *sys, const struct column *columns, struct search *f)
{
    const double *mine = f->share + (size_t)f->rank * (size_t)f->n;

    memset(f->motion, 0, sizeof(*f->motion) * (size_t)(sys->n_bodies + 1 + sys->n_frames));
    for (int c = 0; c < f->n; c++)
        for (int i = 0; i < 3; i++) {
            f->motion[columns[c].body].v[i] += mine[c] * columns[c].d[i];
            f->motion[columns[c].body].w[i] += mine[c] * columns[c].d[3 + i];
        }
}

/* Return whether load @l, with any direction of its force or torque, could do work in a free
 * motion. */
static int load_meets(const struct lk_system *sys, const struct lk_load *l,
                      const struct lk_twist *motion)
{
    const struct lk_twist *m = &motion[l->body];
    double turn[3], point[3];

    lk_cross(m->w, l->point, turn);
    lk_rotate(sys->pose[l->body].R, turn, point);
    for (int i = 0; i < 3; i++)
        point[i] += m->v[i];
    return l->is_torque ? lk_norm(m->w) > RANK_TOLERANCE
                        : lk_norm(point) > RANK_TOLERANCE * sys->arm;
}

static int is_loaded(const struct lk_system *sys, const struct lk_twist *motion)
{
    int loaded = 0;

    for (int i = 0; i < sys->n_loads; i++)
        loaded |= load_meets(sys, &sys->load[i], motion);
    for (int i = 0; i < sys->n_inputs; i++) {
        const struct lk_input *in = &sys->input[i];

        if (in->type == LK_INPUT_BODY_FORCE || in->type == LK_INPUT_BODY_TORQUE)
            loaded |= load_meets(sys, &in->load, motion);
        else if (lk_input_is_load(in->type))
            loaded |= fabs(lk_evaluate_coordinate_rate(sys, &sys->joint[in->joint], in->which,
                                                       motion)) > RANK_TOLERANCE * sys->arm;
    }
    return loaded;
}

/* write a note on the body that a free motion moves most, and on its direction */
static void tell(struct lk_system *sys, const struct lk_twist *motion, int n_free)
{
    double most = 0, world[3] = {0};
    const char *kind = "turning about";
    int body = 0;

    for (int b = 0; b < sys->n_bodies; b++) {
        double shift = lk_norm(motion[b].v), turn = lk_norm(motion[b].w) * sys->arm;

        if (shift <= most * (1 + 1e-9) && turn <= most * (1 + 1e-9))
            continue;
        body = b;
        most = lk_max(shift, turn);
        kind = shift > turn ? "moving along" : "turning about";
        lk_rotate(sys->pose[b].R, motion[b].w, world);
        if (shift > turn)
            memcpy(world, motion[b].v, sizeof(world));
    }
    most = lk_norm(world);
    for (int i = 0; i < 3; i++)
        world[i] = fabs(world[i]) > 1e-9 * most ? world[i] : 0;
    snprintf(sys->note, sizeof(sys->note),
             "body '%s' has no inertia that resists %s (%.3g, %.3g, %.3g), and no joint or spring "
             "holds it there%s",
             sys->body_name[body], kind, world[0] / most, world[1] / most, world[2] / most,
             n_free > 1 ? "; other motions likewise" : "");
}

/* return whether a free motion only turns one point mass, which does not count as a motion */
static bool turns_a_point(const struct lk_system *sys, const struct lk_twist *motion)
{
    int turned = 0;

    for (int b = 0; b < sys->n_bodies; b++) {
        bool is_point = sys->body[b].mass > 0 && largest_moment(sys->body[b].inertia) == 0;

        if (lk_norm(motion[b].v) > RANK_TOLERANCE * sys->arm)
            return false;
        if (lk_norm(motion[b].w) > RANK_TOLERANCE)
            turned += is_point ? 1 : 2;
    }
    return turned == 1;
}

/* Find the free directions: a direction is free if its column depends on the columns before it. */
static int check_columns(struct lk_system *sys, const struct column *columns, struct search *f,
                         struct lk_error *err)
{
    char note[LK_NOTE_SIZE];
    int n_free = 0;

    for (int k = 0; k < f->n; k++) {
        double *m = f->basis + (size_t)f->rank * (size_t)sys->n_rows;
        double *mine = f->share + (size_t)f->rank * (size_t)f->n;
        double before, after, unit = lk_norm(columns[k].d) > 0 ? 1 : fmin(1, sys->arm);

        row_motion(sys, &columns[k], m);
        before = sqrt(dot(m, m, sys->n_rows));
        after = orthogonalise(sys, f, k);
        /* a translation moves a row by 1, a rotation by 1 or its lever arm */
        if (after > RANK_TOLERANCE * fmax(before, unit)) {
            for (int r = 0; r < sys->n_rows; r++)
                m[r] /= after;
            for (int c = 0; c < f->n; c++)
                mine[c] /= after;
            f->rank++;
            continue;
        }
        find_motion(sys, columns, f);
        memcpy(note, sys->note, sizeof(note));
        tell(sys, f->motion, n_free + 1);
        if (is_loaded(sys, f->motion)) {
            lk_error_set(err, "%.230s, but a load moves it; expected some mass or inertia",
                         sys->note);
            return LK_E_MODEL;
        }
        if (turns_a_point(sys, f->motion))
            memcpy(sys->note, note, sizeof(note));
        else
            n_free++;
    }
    if (n_free > 0)
        snprintf(sys->note + strlen(sys->note), sizeof(sys->note) - strlen(sys->note),
                 ": it goes on as it began");
    return 0;
}

#define SEARCH_MAX 3e7 /* memory of the check [doubles]; larger models are not checked */

int lk_fill_check_massless(struct lk_system *sys, struct lk_error *ret_error)
{
    struct column *columns = malloc(sizeof(*columns) * 6 * ((size_t)sys->n_bodies + 1));
    struct search f = {0};
    size_t n;
    int r = columns ? 0 : -ENOMEM;

    for (int b = 0; b < sys->n_bodies && columns; b++)
        f.n += columns_of(sys, b, columns + f.n);
    n = (size_t)f.n;
    if (r == 0 && n > 0 && (double)(n + 1) * ((double)sys->n_rows + (double)n) < SEARCH_MAX) {
        f.basis = malloc((n + 1) * ((size_t)sys->n_rows + 1) * sizeof(double));
        f.share = malloc((n + 1) * n * sizeof(double));
        f.motion = malloc((size_t)(sys->n_bodies + 1 + sys->n_frames) * sizeof(*f.motion));
        r = f.basis && f.share && f.motion ? check_columns(sys, columns, &f, ret_error) : -ENOMEM;
    }
    free(f.basis);
    free(f.share);
    free(f.motion);
    free(columns);
    return r;
}
