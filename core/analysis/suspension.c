/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/suspension.h"
#include "maths/arithmetic.h"
#include "maths/vec.h"
#include "step/elements/laws.h"
#include "step/elements/loads.h"
#include "step/kinematics.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UPRIGHT   0.7  /* least cosine between a spin axis and y */
#define MOVES     1e-7 /* larger motions of a wheel are more than round-off */
#define CENTRED_M 1e-6 /* a wheel this near to y = 0 has no side and counts as left [m] */

static const char *joint_name(const struct lk_suspension *s, int wheel)
{
    return s->sys->joint_name[s->wheel[wheel].joint];
}

/* ---- wheels and axles ---- */

static int find_wheel(struct lk_suspension *s, int w, struct lk_error *error)
{
    const struct lk_system *sys = s->sys;
    int j = s->request.wheel[w].joint;
    const struct lk_joint *joint = &sys->joint[j];
    int side = joint->is_exchanged ? 0 : 1;
    struct lk_rig_wheel *wheel = &s->wheel[w];
    double centre[3], axle[3], row[2][6];

    *wheel = (struct lk_rig_wheel){.joint = j, .body = joint->body[side], .side = 1};
    wheel->radius = s->request.wheel[w].radius;
    memcpy(wheel->hub, joint->p[side], sizeof(wheel->hub));
    memcpy(wheel->axle, joint->f[side][2], sizeof(wheel->axle));
    lk_rig_place(wheel, sys->pose, centre, axle, wheel->contact);
    if (!(fabs(axle[1]) >= UPRIGHT)) {
        lk_error_set(error,
                     "wheel '%s' spins about (%.3g, %.3g, %.3g), expected an axis near y: x is "
                     "forward, y left, z up",
                     joint_name(s, w), axle[0], axle[1], axle[2]);
        return LK_E_MODEL;
    }
    for (int k = 0; k < 3 && axle[1] < 0; k++)
        wheel->axle[k] = -wheel->axle[k];
    lk_rig_place(wheel, sys->pose, wheel->centre, axle, wheel->contact);
    if (wheel->centre[1] < -CENTRED_M)
        wheel->side = -1;
    wheel->spin = lk_loops_coordinate(sys, sys->pose, j, 0, row);
    return 0;
}

/* Put wheel @w on an axle: wheels nearer than the radius in x share one. */
static int add_to_axle(struct lk_suspension *s, int w, struct lk_error *error)
{
    const struct lk_rig_wheel *wheel = &s->wheel[w];
    int side = wheel->side > 0 ? LK_SUSPENSION_LEFT : LK_SUSPENSION_RIGHT;
    struct lk_suspension_axle *axle = NULL;

    for (int a = 0; a < s->n_axles; a++)
        if (fabs(s->axle[a].x - wheel->centre[0]) < wheel->radius)
            axle = &s->axle[a];
    if (axle == NULL) {
        axle = &s->axle[s->n_axles++];
        *axle = (struct lk_suspension_axle){{-1, -1}, wheel->centre[0], false};
    }
    if (axle->wheel[side] >= 0) {
        lk_error_set(error,
                     "wheels '%s' and '%s' are both on the %s of one axle; expected one wheel on "
                     "each side, name them by --wheel",
                     joint_name(s, axle->wheel[side]), joint_name(s, w),
                     side == LK_SUSPENSION_LEFT ? "left" : "right");
        return LK_E_MODEL;
    }
    axle->wheel[side] = w;
    if (axle->wheel[LK_SUSPENSION_SIDES - 1 - side] >= 0)
        axle->x = 0.5 * (axle->x + wheel->centre[0]);
    return 0;
}

static int compare_axles(const void *a, const void *b)
{
    double front = ((const struct lk_suspension_axle *)a)->x;
    double rear = ((const struct lk_suspension_axle *)b)->x;

    return (front < rear) - (front > rear);
}

/* ---- bodies that move with an axle ---- */

static bool is_chassis(const struct lk_suspension *s, int b)
{
    return b >= s->sys->n_bodies || s->sys->body[b].of == s->request.chassis;
}

/* Return whether a joint is a compliant joint of the model that holds its bodies. A compliant
 * coupling is a spring: the twist of a beam. */
static bool is_soft(const struct lk_system *sys, int j)
{
    return lk_is_compliant(&sys->joint[j]) && j < sys->n_named_joints && !sys->joint[j].of[1];
}

/* Return whether a joint holds its bodies together: rigid, or a compliant joint of the model. */
static bool holds(const struct lk_system *sys, int j)
{
    return !lk_is_compliant(&sys->joint[j]) || is_soft(sys, j);
}

/* Release the bodies that joints connect with a released body, until no more are found. The chassis
 * is held. */
static void release_connected(struct lk_rig *rig)
{
    const struct lk_system *sys = rig->of->sys;
    bool again = true;

    while (again) {
        again = false;
        for (int j = 0; j < sys->n_joints; j++) {
            const struct lk_joint *joint = &sys->joint[j];
            bool moves = false;

            for (int s = 0; s < joint->n_sides; s++)
                moves |= !is_chassis(rig->of, joint->body[s]) && !rig->is_held[joint->body[s]];
            for (int s = 0; s < joint->n_sides && moves && holds(sys, j); s++) {
                int b = joint->body[s];

                if (is_chassis(rig->of, b) || !rig->is_held[b])
                    continue;
                rig->is_held[b] = false;
                again = true;
            }
        }
    }
}

/* Return whether no joints connect a body with the chassis, the ground or what an input moves. */
static bool floats(const struct lk_suspension *s, int b)
{
    return b < s->sys->n_bodies && s->floats[b];
}

/* Find the bodies that float. */
static void find_floating(struct lk_suspension *s)
{
    const struct lk_system *sys = s->sys;
    bool again = true;

    for (int b = 0; b < sys->n_bodies; b++)
        s->floats[b] = !is_chassis(s, b);
    while (again) {
        again = false;
        for (int j = 0; j < sys->n_joints; j++) {
            const struct lk_joint *joint = &sys->joint[j];
            bool is_connected = false;

            for (int side = 0; side < joint->n_sides && holds(sys, j); side++)
                is_connected |= !floats(s, joint->body[side]);
            for (int side = 0; side < joint->n_sides && is_connected; side++)
                if (floats(s, joint->body[side])) {
                    s->floats[joint->body[side]] = false;
                    again = true;
                }
        }
    }
}

int lk_suspension_floating(const struct lk_suspension *s, int *ret_body)
{
    int n = 0;

    for (int b = s->sys->n_bodies - 1; b >= 0; b--)
        if (s->floats[b] && s->sys->body[b].of >= 0) {
            *ret_body = s->sys->body[b].of;
            n++;
        }
    return n;
}

bool lk_suspension_counts(const struct lk_suspension *s, const struct lk_law *law)
{
    const struct lk_joint *joint = &s->sys->joint[law->joint];

    for (int side = 0; side < joint->n_sides; side++)
        if (floats(s, joint->body[side]))
            return false;
    return true;
}

static bool has_body(const struct lk_rig *rig, int joint)
{
    const struct lk_joint *j = &rig->of->sys->joint[joint];

    for (int s = 0; s < j->n_sides; s++)
        if (j->body[s] < rig->of->sys->n_bodies && !rig->is_held[j->body[s]])
            return true;
    return false;
}

static void add_row(struct lk_rig *rig, enum lk_rig_row_kind kind, int joint, int at, double rest)
{
    rig->extra[rig->n_extra++] = (struct lk_rig_row){kind, joint, at, rest};
}

/* Add the rows of compliant joints that have a stiffness: they hold as in the design position. */
static void add_soft_rows(struct lk_rig *rig)
{
    const struct lk_system *sys = rig->of->sys;

    for (int j = 0; j < sys->n_named_joints; j++) {
        const struct lk_joint *joint = &sys->joint[j];
        struct lk_loops_rows rows;

        if (!is_soft(sys, j) || !has_body(rig, j))
            continue;
        lk_loops_rows(sys, sys->pose, j, &rows);
        for (int r = 0; r < joint->n_rows; r++) {
            struct lk_law_value value;

            lk_law_evaluate(&sys->law[joint->law + r], sys->term, rows.phi[r], 0, 0, &value);
            if (value.stiffness > 0)
                add_row(rig, LK_RIG_SOFT, j, r, rows.phi[r]);
        }
    }
}

static void add_rows(struct lk_rig *rig)
{
    const struct lk_suspension *s = rig->of;

    add_soft_rows(rig);
    for (int w = 0; w < s->request.n_wheels; w++) {
        rig->has_wheel[w] = !rig->is_held[s->wheel[w].body];
        if (!rig->has_wheel[w])
            continue;
        add_row(rig, LK_RIG_SPIN, s->wheel[w].joint, w, s->wheel[w].spin);
        add_row(rig, LK_RIG_HEIGHT, -1, w, s->wheel[w].centre[2]);
    }
    for (int i = 0; i < s->request.n_steers; i++)
        if (has_body(rig, s->request.steer[i].joint))
            add_row(rig, LK_RIG_STEER, s->request.steer[i].joint, i, 0);
}

/* Drop the columns of drives that prescribe the steering coordinates. */
static void drop_drives(struct lk_rig *rig)
{
    const struct lk_system *sys = rig->of->sys;
    const struct lk_suspension_request *q = &rig->of->request;

    for (int c = 0; c < rig->loops.n_columns; c++) {
        const struct lk_joint *joint = &sys->joint[rig->loops.joint_of_column[c]];

        if (joint->kind != LK_ROWS_DRIVEN)
            continue;
        for (int i = 0; i < q->n_steers; i++)
            rig->is_dropped[c] |= sys->drive[joint->drive].joint == q->steer[i].joint &&
                                  sys->drive[joint->drive].which == q->steer[i].which;
    }
}

static int take_memory(struct lk_rig *rig)
{
    size_t bodies = (size_t)rig->of->sys->n_bodies + 1, n = (size_t)rig->n, m = (size_t)rig->m;

    rig->A = calloc(n * m + 1, sizeof(double));
    rig->tau = calloc(n + m + 1, sizeof(double));
    rig->pivot = calloc(m + 1, sizeof(int));
    rig->phi = calloc(m + 1, sizeof(double));
    rig->scale = calloc((size_t)rig->n_extra + 1, sizeof(double));
    rig->x = calloc(n + m + 1, sizeof(double));
    rig->y = calloc(n + m + 1, sizeof(double));
    rig->pose = calloc(bodies, sizeof(*rig->pose));
    rig->kept = calloc(bodies, sizeof(*rig->kept));
    for (int u = 0; u <= LK_RIG_TURN; u++) {
        rig->unit[u] = calloc(n + 1, sizeof(double));
        if (!rig->unit[u])
            return -ENOMEM;
    }
    return rig->A && rig->tau && rig->pivot && rig->phi && rig->scale && rig->x && rig->y &&
                   rig->pose && rig->kept
               ? 0
               : -ENOMEM;
}

static int open_rig(struct lk_suspension *s, int a)
{
    const struct lk_system *sys = s->sys;
    struct lk_rig *rig = &s->rig[a];
    size_t most = 6 * (size_t)sys->n_named_joints + 2 * LK_SUSPENSION_WHEELS_MAX +
                  LK_SUSPENSION_STEERS_MAX + 1;
    int r;

    rig->of = s;
    rig->is_held = calloc((size_t)sys->n_bodies + 1, sizeof(bool));
    rig->extra = calloc(most, sizeof(*rig->extra));
    if (!rig->is_held || !rig->extra)
        return -ENOMEM;
    for (int b = 0; b < sys->n_bodies; b++)
        rig->is_held[b] = true;
    for (int i = 0; i < LK_SUSPENSION_SIDES; i++)
        if (s->axle[a].wheel[i] >= 0)
            rig->is_held[s->wheel[s->axle[a].wheel[i]].body] = false;
    release_connected(rig);
    r = lk_loops_beside(sys, rig->is_held, &rig->loops);
    if (r != 0)
        return r;
    add_rows(rig);
    rig->n = rig->loops.n_rows;
    rig->m = rig->loops.n_columns + rig->n_extra;
    rig->is_dropped = calloc((size_t)rig->loops.n_columns + 1, sizeof(bool));
    if (!rig->is_dropped)
        return -ENOMEM;
    drop_drives(rig);
    return take_memory(rig);
}

static void close_rig(struct lk_rig *rig)
{
    free(rig->is_held);
    free(rig->is_dropped);
    free(rig->extra);
    free(rig->A);
    free(rig->tau);
    free(rig->pivot);
    free(rig->phi);
    free(rig->scale);
    free(rig->x);
    free(rig->y);
    free(rig->pose);
    free(rig->kept);
    for (int u = 0; u <= LK_RIG_TURN; u++)
        free(rig->unit[u]);
    lk_loops_fini(&rig->loops);
}

/* ---- checks in the design position ---- */

static double largest_of(const double *x, int n)
{
    double largest = 0;

    for (int i = 0; i < n; i++)
        largest = lk_max(largest, fabs(x[i]));
    return largest;
}

/* Name the body that moves most in @motion. */
static const char *most_moved(const struct lk_rig *rig, const double *motion)
{
    const struct lk_system *sys = rig->of->sys;
    int most = 0;

    for (int i = 0; i < rig->n; i++)
        if (fabs(motion[i]) > fabs(motion[most]))
            most = i;
    return sys->body_name[sys->body[rig->loops.body_of[most / 6]].of];
}

static int check_unique(const struct lk_rig *rig, struct lk_error *error)
{
    const struct lk_suspension *s = rig->of;
    double *null = NULL;
    int n = lk_rig_null_motions(rig, &null), r = n < 0 ? n : 0;

    for (int i = 0; i < n && r == 0; i++)
        for (int w = 0; w < s->request.n_wheels && r == 0; w++) {
            const double *motion = null + (size_t)i * (size_t)rig->n;

            if (!rig->has_wheel[w] ||
                largest_of(motion + rig->loops.row[s->wheel[w].body], 6) <= MOVES)
                continue;
            lk_error_set(error,
                         "wheel '%s' can move in more than one way while its height is held (body "
                         "'%s' moves most); expected joints that leave only the travel: name the "
                         "steering by --steer JOINT, and replace forces of type bushing by joints",
                         joint_name(s, w), most_moved(rig, motion));
            r = LK_E_MODEL;
        }
    free(null);
    return r;
}

/* Check that each wheel of the axle can move up and down, the others held. */
static int check_axle(struct lk_suspension *s, int a, struct lk_error *error)
{
    struct lk_rig *rig = &s->rig[a];
    int r = lk_rig_begin(rig);

    if (r == 0)
        r = check_unique(rig, error);
    if (r != 0)
        return r;
    lk_rig_units(rig);
    for (int i = 0; i < LK_SUSPENSION_SIDES; i++) {
        int w = s->axle[a].wheel[i];

        if (w < 0 || rig->has_unit[w])
            continue;
        lk_error_set(error,
                     "wheel '%s' cannot move up and down while chassis, steering and other wheels "
                     "are held; expected a suspension between it and the chassis (--chassis)",
                     joint_name(s, w));
        return LK_E_MODEL;
    }
    for (int i = 0; i < LK_SUSPENSION_SIDES; i++)
        if (s->axle[a].wheel[i] >= 0 && rig->has_unit[LK_RIG_TURN])
            rig->is_steered |= largest_of(rig->unit[LK_RIG_TURN] +
                                              rig->loops.row[s->wheel[s->axle[a].wheel[i]].body],
                                          6) > MOVES;
    s->axle[a].is_steered = rig->is_steered;
    return 0;
}

static int check_request(const struct lk_suspension *s, struct lk_error *error)
{
    const struct lk_suspension_request *q = &s->request;

    if (s->sys->summary.n_in_plane > 0)
        return -EINVAL;
    if (s->sys->n_modals > 0) {
        lk_error_set(
            error,
            "body '%s' has modes, and kinematics is of rigid bodies; expected a model with "
            "a rigid body in its place",
            s->sys->body_name[s->sys->modal[0].body]);
        return LK_E_MODEL;
    }
    for (int w = 0; w < q->n_wheels; w++)
        if (is_chassis(s, s->wheel[w].body)) {
            lk_error_set(error,
                         "wheel '%s' is a part of the chassis; name another body by --chassis",
                         joint_name(s, w));
            return LK_E_MODEL;
        }
    return 0;
}

static void place_laws(struct lk_suspension *s)
{
    for (int i = 0; i < s->sys->n_laws; i++) {
        double rate;

        if (lk_rig_is_spring(s->sys, &s->sys->law[i]))
            s->law_design[i] = lk_loads_law_place(s->sys, &s->sys->now, &s->sys->law[i], &rate);
    }
}

static int open_suspension(struct lk_suspension *s, struct lk_error *error)
{
    struct lk_system *sys = s->sys;
    int r = 0;

    s->start = calloc((size_t)sys->n_bodies + 1, sizeof(*s->start));
    s->law_place = calloc((size_t)sys->n_laws + 1, sizeof(double));
    s->law_design = calloc((size_t)sys->n_laws + 1, sizeof(double));
    s->floats = calloc((size_t)sys->n_bodies + 1, sizeof(*s->floats));
    if (!s->start || !s->law_place || !s->law_design || !s->floats)
        return -ENOMEM;
    find_floating(s);
    lk_evaluate_poses(sys, &sys->now);
    lk_evaluate_twists(sys, &sys->now);
    memcpy(s->start, sys->pose, (size_t)sys->n_bodies * sizeof(*s->start));
    place_laws(s);
    for (int w = 0; w < s->request.n_wheels && r == 0; w++)
        r = find_wheel(s, w, error);
    if (r == 0)
        r = check_request(s, error);
    for (int w = 0; w < s->request.n_wheels && r == 0; w++)
        r = add_to_axle(s, w, error);
    qsort(s->axle, (size_t)s->n_axles, sizeof(*s->axle), compare_axles);
    for (int a = 0; a < s->n_axles && r == 0; a++) {
        r = open_rig(s, a);
        if (r == 0)
            r = check_axle(s, a, error);
    }
    return r;
}

int lk_suspension_new(struct lk_system *sys, const struct lk_suspension_request *request,
                      struct lk_suspension **ret, struct lk_error *ret_error)
{
    LK_ARITHMETIC;
    struct lk_suspension *s = calloc(1, sizeof(*s));
    int r;

    if (!s)
        return -ENOMEM;
    s->sys = sys;
    s->request = *request;
    r = open_suspension(s, ret_error);
    if (r == 0)
        *ret = s;
    else
        lk_suspension_free(s);
    return r;
}

void lk_suspension_free(struct lk_suspension *s)
{
    if (!s)
        return;
    for (int a = 0; a < s->n_axles; a++)
        close_rig(&s->rig[a]);
    if (s->start)
        memcpy(s->sys->pose, s->start, (size_t)s->sys->n_bodies * sizeof(*s->start));
    free(s->start);
    free(s->law_place);
    free(s->law_design);
    free(s->floats);
    free(s);
}

const struct lk_suspension_axle *lk_suspension_axles(const struct lk_suspension *s, int *ret_n)
{
    *ret_n = s->n_axles;
    return s->axle;
}

const double *lk_suspension_contact(const struct lk_suspension *s, int wheel)
{
    return s->wheel[wheel].contact;
}
