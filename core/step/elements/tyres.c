/* SPDX-License-Identifier: Apache-2.0 */
#include "step/elements/tyres.h"
#include "step/elements/elements.h"
#include "step/elements/tyre_load.h"
#include "step/kinematics.h"
#include "step/system.h"
#include <string.h>

#define LENGTH_MIN 0.05  /* least relaxation length [m] */
#define AIR_TIME   0.010 /* time constant of a carcass without load [s] */
#define BRISK      1 /* speed from which rolling resistance and aligning moment act fully [m/s] */
#define PASSES     4 /* iterations of normal force and forces along the road */

/* distances of the four samples of a road, relative to the radius and to the width (G. Rill,
 * Road Vehicle Dynamics, 2011) */
#define SAMPLE_AHEAD 0.1
#define SAMPLE_ASIDE 0.3
#define ABYSS        2 /* depth of the plane below the centre if there is no road / radius */

/** struct patch - motion of a wheel over the road. @along, @across: Vcx, Vcy;  @spin: Omega
 * @bore: wn;  @turn: rates about e_x and e_l;  @creep: velocity of the wheel's material at the
 * contact, along e_x and e_l;  @rolling: Re;  @speed: Vr;  @load: N */
struct patch {
    double along;
    double across;
    double spin;
    double bore;
    double turn[2];
    double creep[2];
    double rolling;
    double speed;
    double load;
};

/** struct lagging - one coordinate of the carcass over a step: its value at the end and at the
 * middle of the step, and its @rate. @decay: divisor of both values, at least 1 */
struct lagging {
    double to;
    double mid;
    double rate;
    double decay;
};

static const struct lk_joint *joint_of(const struct lk_system *sys, const struct lk_tyre *t)
{
    return &sys->joint[t->joint];
}

/* ---- the road ---- */

/* place the plane far below the wheel, for points without a road */
static void fall(const struct lk_road *road, const double centre[3], double radius,
                 struct lk_road_plane *ret)
{
    for (int i = 0; i < 3; i++)
        ret->point[i] = centre[i] - ABYSS * radius * road->normal[i];
    memcpy(ret->normal, road->normal, sizeof(ret->normal));
}

/* compute the plane at the contact of @w, from one or four samples of the road */
static int sample(const struct lk_road *road, const struct lk_tyre *t, const double R[9],
                  const struct lk_wheel *w, const double at[3], struct lk_road_plane *ret)
{
    double ahead[3], left[3];

    if (road->samples == 1)
        return lk_road_at(road, t->track, at, ret);
    lk_rotate_back(R, w->ex, ahead);
    lk_rotate_back(R, w->el, left);
    for (int i = 0; i < 3; i++) {
        ahead[i] *= SAMPLE_AHEAD * t->radius;
        left[i] *= SAMPLE_ASIDE * t->width;
    }
    return lk_road_patch(road, t->track, at, ahead, left, ret);
}

#define SLOPE_MAX 3 /* largest slope of an external road [1] */

/* set the plane of an external road: through a point, with the slopes along x and y */
static void take_ground(const double ground[LK_GROUND_VALUES], struct lk_road_plane *ret)
{
    double slope[2], length;

    for (int i = 0; i < 2; i++)
        slope[i] = lk_max(-SLOPE_MAX, lk_min(ground[3 + i], SLOPE_MAX));
    length = lk_root(1 + slope[0] * slope[0] + slope[1] * slope[1]);
    memcpy(ret->point, ground, sizeof(ret->point));
    for (int i = 0; i < 3; i++)
        ret->normal[i] = (i < 2 ? -slope[i] : 1) / length;
    ret->cosine = ret->normal[2];
    ret->grip = 1;
}

/* compute the plane below the contact point in two passes: below the centre, then at the
 * contact; or only the plane below the centre */
void lk_tyre_place(struct lk_system *sys, int index)
{
    const struct lk_tyre *t = &sys->tyre[index];
    struct lk_road_plane *plane = &t->now->plane;
    const struct lk_joint *j = joint_of(sys, t);
    const struct lk_pose *const pose[2] = LK_TWO_SIDES(sys->pose, j);
    const struct lk_road *road = &sys->road[t->road];
    struct lk_wheel w;
    double at[3], centre[3], local[3];
    int is_there;

    if (t->ground >= 0) { /* the model fixes this branch */
        take_ground(t->now->ground, plane);
        return;
    }
    lk_rotate(pose[1]->R, j->p[1], at);
    for (int i = 0; i < 3; i++)
        at[i] = at[i] + pose[1]->x[i] - pose[0]->x[i];
    lk_rotate_back(pose[0]->R, at, centre);
    is_there = lk_road_at(road, t->track, centre, plane);
    lk_wheel_at(j, pose, &w);
    for (int i = 0; i < 3; i++)
        at[i] = w.P[i] - pose[0]->x[i];
    lk_rotate_back(pose[0]->R, at, local);
    if (!t->is_by_centre)
        is_there &= sample(road, t, pose[0]->R, &w, local, plane);
    if (!is_there)
        fall(road, centre, t->radius, plane);
    plane->cosine = lk_dot(plane->normal, road->normal);
}

void lk_tyres_place(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_tyres; i++)
        lk_tyre_place(sys, i);
}

void lk_tyres_ground(struct lk_system *sys, const double *inputs)
{
    for (int i = 0; i < sys->n_tyres; i++)
        if (sys->tyre[i].ground >= 0)
            memcpy(sys->tyre[i].now->ground, inputs + sys->tyre[i].ground,
                   sizeof(sys->tyre[i].now->ground));
}

double lk_tyres_stored(struct lk_system *sys)
{
    double sum = 0;

    for (int i = 0; i < sys->n_tyres; i++) {
        const struct lk_tyre *t = &sys->tyre[i];
        const struct lk_joint *j = joint_of(sys, t);
        const struct lk_pose *const pose[2] = LK_TWO_SIDES(sys->pose, j);
        struct lk_wheel w;

        if (t->ground < 0)
            continue;
        lk_tyre_place(sys, i);
        lk_wheel_at(j, pose, &w);
        sum += lk_tyre_stored(t, w.depth);
    }
    return sum;
}

/* ---- motion ---- */

/* compute the motion of the contact. @v: velocity of the centre;  @W: angular velocity;  @road:
 * velocity of the road at the contact, @turning: its angular velocity; all world */
static void find_patch(const struct lk_tyre *t, const struct lk_wheel *w, const double v[3],
                       const double W[3], const double road[3], const double turning[3],
                       struct patch *ret)
{
    double relative[3], V[3], tilt[3], arm[3], swing[3];

    ret->spin = lk_dot(W, w->ey);
    for (int i = 0; i < 3; i++) {
        tilt[i] = W[i] - ret->spin * w->ey[i];
        arm[i] = -w->radius * w->er[i];
        relative[i] = W[i] - turning[i];
    }
    lk_cross(tilt, arm, swing);
    for (int i = 0; i < 3; i++)
        V[i] = v[i] + swing[i] - road[i];
    ret->creep[0] = lk_dot(V, w->ex) - w->radius * ret->spin;
    ret->creep[1] = lk_dot(V, w->el);
    for (int i = 0; i < 3 && t->is_by_centre; i++)
        V[i] = v[i] - road[i];
    ret->along = lk_dot(V, w->ex);
    ret->across = lk_dot(V, w->el);
    ret->bore = lk_dot(relative, w->n);
    ret->turn[0] = lk_dot(relative, w->ex);
    ret->turn[1] = lk_dot(relative, w->el);
    ret->rolling = lk_tyre_rolling_radius(&t->law, t->radius, w->radius, ret->load, t->stiffness[0],
                                          ret->spin);
    ret->speed = lk_max(fabs(ret->along), fabs(ret->rolling * ret->spin) / 2.5);
    ret->speed = lk_max(ret->speed, fabs(ret->across) / 3);
}

/* compute the angular velocity of body @b, world, and the velocity of its point @at; @mean:
 * mean over the step to the present pose instead of the values at this pose */
static void move_of(const struct lk_system *sys, int b, int mean, const double at[3], double v[3],
                    double W[3])
{
    const struct lk_twist *now = &sys->twist[b];
    const struct lk_twist *before = mean && b < sys->n_bodies ? &sys->now.motion[b].v : now;
    double local[3], arm[3], swing[3];

    for (int i = 0; i < 3; i++) {
        local[i] = 0.5 * (now->w[i] + before->w[i]);
        v[i] = 0.5 * (now->v[i] + before->v[i]);
    }
    lk_rotate(sys->pose[b].R, local, W);
    for (int i = 0; i < 3; i++) /* position of the body in the middle of the step */
        arm[i] = at[i] - (sys->pose[b].x[i] - (mean ? 0.5 * sys->h * v[i] : 0));
    lk_cross(W, arm, swing);
    for (int i = 0; i < 3; i++)
        v[i] += swing[i];
}

/* ---- the carcass ---- */

/* solve x' = drive - decay x by the midpoint rule over @h; with h = 0, only evaluate the present
 * rate */
static struct lagging lag(double from, double drive, double decay, double h)
{
    struct lagging l = {.decay = 1 + 0.5 * h * decay};

    l.to = (from * (2 - l.decay) + h * drive) / l.decay;
    l.mid = 0.5 * (from + l.to);
    l.rate = drive - decay * l.mid;
    return l;
}

/* return the length of the contact patch [m] */
static double patch_length(const struct lk_tyre *t, double depth)
{
    return 2 * lk_root(t->radius * lk_max(0, depth));
}

static void move_carcass(const struct lk_carcass *from, const struct patch *p, double h,
                         struct lagging ret[2])
{
    double drive[2] = {p->rolling * p->spin - p->along, p->across};
    int is_down = p->load > 0;

    for (int i = 0; i < 2; i++)
        ret[i] = lag(from->shift[i], is_down ? drive[i] : 0,
                     is_down ? p->speed / lk_max(from->length[i], LENGTH_MIN) : 1 / AIR_TIME, h);
}

/* compute the rotation of the carcass; `most` is the largest moment that the contact can transmit
 */
static struct lagging turn_carcass(const struct lk_tyre *t, const struct lk_carcass *from,
                                   const struct patch *p, double depth, double h)
{
    double length = lk_max(patch_length(t, depth), 1e-3);
    double arm = (length + t->width) / 6, most = lk_max(p->load * arm, 1e-3);
    double decay = fabs(p->bore) * t->bore / most + 2 * p->speed / length;

    return lag(from->turn, p->load > 0 ? p->bore : 0, p->load > 0 ? decay : 1 / AIR_TIME, h);
}

static double grip_of(const struct lk_grip *grip, const double *inputs)
{
    return grip->input >= 0 ? lk_max(0, inputs[grip->input]) : grip->value;
}

/* Compute the slips for the tyre law. TMeasy divides by the speed of rolling. At standstill both
 * speeds are 0, and the slips are those of the carcass. */
static void find_slip(const struct lk_tyre *t, const struct lk_wheel *w, const struct patch *p,
                      const double *inputs, const struct lk_carcass *carcass,
                      const struct lagging l[2], struct lk_tyre_slip *ret)
{
    double *value[2] = {&ret->kappa, &ret->slope};
    double drive[2] = {p->rolling * p->spin - p->along, p->across};
    double scale =
        t->speed > 0 ? (p->speed + t->speed) / (fabs(p->rolling * p->spin) + t->speed) : 1;

    for (int i = 0; i < 2; i++) {
        double length = lk_max(carcass->length[i], LENGTH_MIN);

        *value[i] = t->length[i] == 0 ? drive[i] / lk_max(p->speed, BRISK)
                                      : (l[i].mid + t->delay[i] * l[i].rate) / length;
        *value[i] *= scale;
    }
    ret->load = w->upright < LK_WHEEL_UPRIGHT ? 0 : p->load;
    ret->camber = w->camber;
    ret->speed = p->along;
    ret->friction =
        t->now->plane.grip * grip_of(&t->grip[0], inputs) * grip_of(&t->grip[1], inputs);
}

/* Return the factor on terms that change sign with the direction of rolling; it decreases to
 * 0 at standstill. The slips of a tyre without a carcass are divided by at least BRISK, so they
 * are exact only at speeds above BRISK. The factor for such a tyre is likewise linear up to
 * BRISK, and +1 or -1 above. */
static double signed_part(const struct lk_tyre *t, double speed)
{
    double cut = lk_min(1, lk_max(-1, speed / BRISK));

    return t->length[1] == 0 ? cut : speed / lk_root(speed * speed + BRISK * BRISK);
}

/* compute the relaxation lengths: from the parameters if given, else from the law */
static void find_lengths(const struct lk_tyre *t, const struct lk_tyre_slip *slip,
                         const struct lk_tyre_forces *f, double ret[2])
{
    double own[2];

    lk_tyre_relaxation(&t->law, slip, f, own);
    for (int i = 0; i < 2; i++) {
        if (t->length[i] >= 0)
            ret[i] = t->length[i];
        else if (t->carcass[i] > 0)
            ret[i] = f->stiffness[i] / t->carcass[i];
        else
            ret[i] = own[i];
    }
}

/* Compute forces and moments of the road on the wheel, except N; @ret_lambda: their negative
 * values */
static void find_forces(const struct lk_tyre *t, const struct lk_wheel *w, const struct patch *p,
                        const double *inputs, const struct lk_carcass *carcass,
                        const struct lagging l[3], struct lk_tyre_forces *ret, double ret_length[2],
                        double ret_lambda[LK_TYRE_ROWS])
{
    struct lk_tyre_slip slip;

    find_slip(t, w, p, inputs, carcass, l, &slip);
    lk_tyre_evaluate(&t->law, &slip, ret);
    find_lengths(t, &slip, ret, ret_length);
    ret_lambda[0] = -p->load;
    ret_lambda[1] = -ret->fx;
    ret_lambda[2] = -ret->fy;
    ret_lambda[3] = -ret->mx;
    ret_lambda[4] = -ret->my * signed_part(t, p->rolling * p->spin);
    ret_lambda[5] = -ret->mz * signed_part(t, p->along) +
                    (slip.load > 0 ? t->bore * (l[2].mid + t->delay[2] * l[2].rate) : 0);
}

/* ---- a step ---- */

static void start(struct lk_system *sys, const double *inputs)
{
    (void)inputs;
    for (int i = 0; i < sys->n_tyres; i++) {
        const struct lk_tyre *t = &sys->tyre[i];
        const struct lk_joint *j = joint_of(sys, t);
        const struct lk_pose *const pose[2] = LK_TWO_SIDES(sys->pose, j);

        if (t->ground >= 0) /* the inputs may have moved it */
            lk_tyre_place(sys, i);
        lk_wheel_at(j, pose, &t->now->start);
    }
}

/* compute the contact half way between the start of the step and @end */
static void halve(const struct lk_tyre *t, const struct lk_wheel *end, struct lk_wheel *ret)
{
    const struct lk_wheel *a = &t->now->start;
    double n = 0, ey = 0;

    for (int i = 0; i < 3; i++) {
        ret->c[i] = 0.5 * (a->c[i] + end->c[i]);
        ret->n[i] = a->n[i] + end->n[i];
        ret->ey[i] = a->ey[i] + end->ey[i];
    }
    n = 1 / lk_max(lk_norm(ret->n), 1e-6);
    ey = 1 / lk_max(lk_norm(ret->ey), 1e-6);
    for (int i = 0; i < 3; i++) {
        ret->n[i] *= n;
        ret->ey[i] *= ey;
    }
    ret->height = 0.5 * (a->height + end->height);
    lk_wheel_axes(ret, t->radius, t->is_by_centre ? t->now->plane.cosine : 0);
}

/* evaluate contact and motion over the step to the present poses, with the present estimate of the
 * multipliers; also set p->load */
static void see_step(const struct lk_system *sys, const struct lk_tyre *t, struct lk_wheel *end,
                     struct lk_wheel *mid, struct patch *p, struct lk_law_value *normal)
{
    const struct lk_joint *j = joint_of(sys, t);
    const struct lk_pose *const pose[2] = LK_TWO_SIDES(sys->pose, j);
    double v[3], W[3], none[3], road[3], turning[3];

    lk_wheel_at(j, pose, end);
    halve(t, end, mid);
    move_of(sys, j->body[1], 1, mid->c, none, W);
    p->load = lk_tyre_load(t, lk_tyre_share(t, lk_dot(W, mid->ey), sys->next.lambda + j->row),
                           t->now->start.depth, end->depth,
                           (end->depth - t->now->start.depth) / sys->h, normal);
    move_of(sys, j->body[0], 1, mid->P, road, turning);
    for (int i = 0; i < 3; i++)
        v[i] = (end->c[i] - t->now->start.c[i]) / sys->h;
    find_patch(t, mid, v, W, road, turning, p);
}

static void lag_all(const struct lk_tyre *t, const struct lk_carcass *from, const struct patch *p,
                    double depth, double h, struct lagging ret[3])
{
    move_carcass(from, p, h, ret);
    ret[2] = turn_carcass(t, from, p, depth, h);
}

/* compute E of the rows: the tangents of the forces with respect to the displacement of the
 * row over the step */
static void find_tangents(const struct lk_system *sys, const struct lk_tyre *t,
                          const struct lk_law_value *normal, const struct lk_tyre_forces *f,
                          const struct lk_carcass *carcass, const struct lagging l[3],
                          double ret[LK_TYRE_ROWS])
{
    double h = sys->h;

    ret[0] = lk_law_regular(normal, h);
    for (int i = 0; i < 2; i++) {
        double length = lk_max(carcass->length[i], LENGTH_MIN);
        struct lk_law_value side = {.damping = f->secant[i] * (0.5 * h + t->delay[i]) /
                                               (l[i].decay * length)};

        ret[1 + i] = lk_law_regular(&side, h);
    }
    ret[3] = ret[4] = LK_DECOUPLED;
    ret[5] = lk_law_regular(
        &(struct lk_law_value){.damping = t->bore * (0.5 * h + t->delay[2]) / l[2].decay}, h);
}

void lk_tyres_iterate(struct lk_system *sys, int i, int is_first, double ret_lambda[LK_TYRE_ROWS],
                      double ret_regular[LK_TYRE_ROWS])
{
    const struct lk_tyre *t = &sys->tyre[i];
    struct lk_carcass carcass = sys->now.carcass[i];
    struct lk_wheel end, mid;
    struct patch p;
    struct lk_law_value normal;
    struct lk_tyre_forces f;
    struct lagging l[3];

    if (is_first)
        lk_tyre_place(sys, i);
    else
        memcpy(carcass.length, sys->next.carcass[i].length, sizeof(carcass.length));
    see_step(sys, t, &end, &mid, &p, &normal);
    lag_all(t, &carcass, &p, mid.depth, sys->h, l);
    find_forces(t, &mid, &p, sys->next.inputs, &carcass, l, &f, sys->next.carcass[i].length,
                ret_lambda);
    if (is_first)
        find_tangents(sys, t, &normal, &f, &carcass, l, ret_regular);
}

static void end(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_tyres; i++) {
        const struct lk_tyre *t = &sys->tyre[i];
        const double *lambda = sys->next.lambda + joint_of(sys, t)->row;
        struct lk_carcass *next = &sys->next.carcass[i], from = sys->now.carcass[i];
        struct lk_wheel end, mid;
        struct patch p;
        struct lk_law_value normal;
        struct lagging l[3];
        double power;

        memcpy(from.length, next->length, sizeof(from.length));
        see_step(sys, t, &end, &mid, &p, &normal);
        lag_all(t, &from, &p, mid.depth, sys->h, l);
        next->shift[0] = l[0].to;
        next->shift[1] = l[1].to;
        next->turn = l[2].to;
        power = lambda[1] * p.creep[0] + lambda[2] * p.creep[1] + lambda[3] * p.turn[0] +
                lambda[4] * p.turn[1] + lambda[5] * p.bore;
        if (t->is_by_centre) /* the load acts at the contact and also tilts the wheel */
            power -= lambda[0] * mid.radius * lk_dot(mid.er, mid.el) * p.turn[0];
        sys->next.balance->dissipated +=
            sys->h * power - lambda[0] * (end.depth - t->now->start.depth) -
            (lk_tyre_stored(t, end.depth) - lk_tyre_stored(t, t->now->start.depth));
    }
}

/* ---- a state ---- */

/* evaluate contact and motion at the present poses and twists. @lambda: present estimate of
 * the multipliers of the rows */
static void see_state(const struct lk_system *sys, const struct lk_tyre *t,
                      const double lambda[LK_TYRE_ROWS], struct lk_wheel *w, struct patch *p)
{
    const struct lk_joint *j = joint_of(sys, t);
    const struct lk_pose *const pose[2] = LK_TWO_SIDES(sys->pose, j);
    double v[3], W[3], road[3], turning[3], rates[LK_ROWS_PAD];

    lk_wheel_at(j, pose, w);
    lk_evaluate_row_rates(sys, t->joint, sys->twist, rates);
    move_of(sys, j->body[1], 0, w->c, v, W);
    p->load = lk_max(0, lk_tyre_share(t, lk_dot(W, w->ey), lambda) * lk_tyre_elastic(t, w->depth) -
                            (w->depth > 0 ? t->damping * rates[0] : 0));
    move_of(sys, j->body[0], 0, w->P, road, turning);
    find_patch(t, w, v, W, road, turning, p);
}

/* return the number of iterations: the normal force and the forces along the road depend on
 * each other */
static int passes_of(const struct lk_tyre *t)
{
    return t->sag[0] != 0 || t->sag[1] != 0 ? PASSES : 1;
}

void lk_tyres_settle(struct lk_system *sys, const struct lk_state *state, struct lk_state *ret)
{
    for (int i = 0; i < sys->n_tyres; i++) {
        const struct lk_tyre *t = &sys->tyre[i];
        double lambda[LK_TYRE_ROWS] = {0};

        for (int pass = 0; pass < passes_of(t); pass++) {
            struct lk_wheel w;
            struct patch p;
            struct lk_tyre_forces f;
            struct lagging l[3];

            see_state(sys, t, lambda, &w, &p);
            lag_all(t, &state->carcass[i], &p, w.depth, 0, l);
            find_forces(t, &w, &p, state->inputs, &state->carcass[i], l, &f, ret->carcass[i].length,
                        lambda);
        }
        memcpy(ret->lambda + joint_of(sys, t)->row, lambda, sizeof(lambda));
    }
}

/* ---- a static equilibrium ---- */

void lk_tyres_hold(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_tyres; i++)
        for (int s = 0; s < 2; s++)
            sys->tyre[i].held[s] = sys->pose[joint_of(sys, &sys->tyre[i])->body[s]];
}

/* compute the displacement of the point @at of a body from the pose @held, and the rotation
 * of the body, world: axis times sine */
static void way_of(const struct lk_pose *held, const struct lk_pose *pose, const double at[3],
                   double way[3], double turn[3])
{
    double before[3], local[3], arm[3];

    for (int i = 0; i < 3; i++) {
        int a = (i + 1) % 3, b = (i + 2) % 3;

        turn[i] = 0;
        arm[i] = at[i] - pose->x[i];
        /* half the difference of R held^T and its transpose */
        for (int k = 0; k < 3; k++)
            turn[i] += 0.5 * (held->R[3 * a + k] * pose->R[3 * b + k] -
                              held->R[3 * b + k] * pose->R[3 * a + k]);
    }
    lk_rotate_back(pose->R, arm, local);
    lk_rotate(held->R, local, before);
    for (int i = 0; i < 3; i++)
        way[i] = (pose->x[i] - held->x[i]) + (arm[i] - before[i]);
}

/* compute the displacement of the rim from the patch, in the form of a motion with
 * displacements instead of velocities */
static void stretch(const struct lk_system *sys, const struct lk_tyre *t, const struct lk_wheel *w,
                    struct patch *p, struct lk_carcass *ret)
{
    const struct lk_joint *j = joint_of(sys, t);
    double way[3], turn[3], road[3], turning[3];
    int is_down = p->load > 0;

    way_of(&t->held[1], &sys->pose[j->body[1]], w->c, way, turn);
    way_of(&t->held[0], &sys->pose[j->body[0]], w->P, road, turning);
    find_patch(t, w, way, turn, road, turning, p);
    ret->shift[0] = is_down ? p->rolling * p->spin - p->along : 0;
    ret->shift[1] = is_down ? p->across : 0;
    ret->turn = is_down ? p->bore : 0;
    p->along = p->across = p->spin = p->bore = p->speed = 0;
}

/* set the forces of a tyre without a carcass to 0: at rest such a tyre slips under any force */
static void let_go(const struct lk_tyre *t, double ret_lambda[LK_TYRE_ROWS])
{
    for (int i = 0; i < 2; i++)
        if (t->length[i] == 0)
            ret_lambda[1 + i] = 0;
    if (t->length[1] == 0)
        ret_lambda[3] = ret_lambda[5] = 0;
}

void lk_tyres_rest(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_tyres; i++) {
        const struct lk_tyre *t = &sys->tyre[i];
        const struct lk_joint *j = joint_of(sys, t);
        const struct lk_pose *const pose[2] = LK_TWO_SIDES(sys->pose, j);
        struct lk_carcass *carcass = &sys->now.carcass[i];
        double *lambda = sys->now.lambda + j->row;
        struct lk_tyre_forces f;
        struct lagging l[3] = {{0}, {0}, {0}};
        struct lk_wheel w;
        struct patch p = {0};

        lk_wheel_at(j, pose, &w);
        p.load = lk_tyre_elastic(t, w.depth);
        stretch(sys, t, &w, &p, carcass);
        l[0].mid = carcass->shift[0];
        l[1].mid = carcass->shift[1];
        l[2].mid = carcass->turn;
        for (int pass = 0; pass < 1 + passes_of(t); pass++) { /* pass 0: find lengths */
            if (pass > 0)
                p.load = lk_tyre_share(t, 0, lambda) * lk_tyre_elastic(t, w.depth);
            find_forces(t, &w, &p, sys->now.inputs, carcass, l, &f, carcass->length, lambda);
        }
        let_go(t, lambda);
    }
}

static double potential_of(const struct lk_system *sys, const struct lk_state *state)
{
    (void)state;
    double sum = 0;

    for (int i = 0; i < sys->n_tyres; i++) {
        const struct lk_joint *j = joint_of(sys, &sys->tyre[i]);
        const struct lk_pose *const pose[2] = LK_TWO_SIDES(sys->pose, j);
        struct lk_wheel w;

        lk_wheel_at(j, pose, &w);
        sum += lk_tyre_stored(&sys->tyre[i], w.depth);
    }
    return sum;
}

void lk_tyres_view(const struct lk_system *sys, int i, struct lk_tyre_view *ret)
{
    const struct lk_tyre *t = &sys->tyre[i];
    const double *lambda = sys->now.lambda + joint_of(sys, t)->row;
    struct lk_wheel w;
    struct patch p;
    struct lagging l[3];
    struct lk_tyre_slip slip;

    see_state(sys, t, lambda, &w, &p);
    lag_all(t, &sys->now.carcass[i], &p, w.depth, 0, l);
    find_slip(t, &w, &p, sys->now.inputs, &sys->now.carcass[i], l, &slip);
    for (int r = 0; r < LK_TYRE_ROWS; r++) /* order fx fy fz mx my mz, without -0 */
        ret->force[r < 3 ? (r + 2) % 3 : r] = 0.0 - lambda[r];
    ret->kappa = slip.kappa;
    ret->slope = slip.slope;
    ret->camber = slip.camber;
    ret->depth = w.depth;
    memcpy(ret->point, w.P, sizeof(ret->point));
}

static void settle(struct lk_system *sys, const struct lk_state *state)
{
    lk_tyres_settle(sys, state, &sys->next);
}

static bool is_in(const struct lk_system *sys)
{
    return sys->n_tyres > 0;
}

const struct lk_element_ops lk_tyre_ops = {
    .is_in = is_in,
    .start = start,
    .close = end,
    .settle = settle,
    .energy = potential_of,
};
