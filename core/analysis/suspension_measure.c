/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a wheel in a pose, from the pose and from unit motions of its carrier, which moves like
 * the wheel because the spin is held. W. Matschinsky, Road Vehicle Suspensions, 2000, chapters 3
 * and 7; W. F. Milliken, D. L. Milliken, Race Car Vehicle Dynamics, 1995, chapter 17. */
#include "analysis/suspension.h"
#include "maths/arithmetic.h"
#include "maths/vec.h"
#include <math.h>
#include <string.h>

#define TURNS     1e-9 /* least rotation per travel with which a motion has an axis [rad per unit] */
#define RISES     1e-9 /* least rise per travel of a contact point that has a normal */
#define IN_MIDDLE 1e-9 /* a single wheel this near to y = 0 has no roll centre [m] */

/** struct twist - velocity of a point and angular velocity, world axes. */
struct twist {
    double v[3];
    double w[3];
};

static struct twist twist_of(const struct lk_rig *rig, int b, const double *motion,
                             const double point[3])
{
    const struct lk_pose *pose = &rig->pose[b];
    const double *z = motion + rig->loops.row[b];
    struct twist t;
    double arm[3], turned[3];

    lk_rotate(pose->R, z + 3, t.w);
    lk_sub(point, pose->x, arm);
    lk_cross(t.w, arm, turned);
    for (int k = 0; k < 3; k++)
        t.v[k] = rig->loops.length[b] * z[k] + turned[k];
    return t;
}

/* Shift the reference point of a twist by @arm. */
static struct twist shifted(struct twist t, const double arm[3])
{
    double turned[3];

    lk_cross(t.w, arm, turned);
    for (int k = 0; k < 3; k++)
        t.v[k] += turned[k];
    return t;
}

void lk_rig_place(const struct lk_rig_wheel *wheel, const struct lk_pose *poses, double centre[3],
                  double axle[3], double contact[3])
{
    const struct lk_pose *pose = &poses[wheel->body];
    double arm[3], level;

    lk_rotate(pose->R, wheel->hub, arm);
    lk_rotate(pose->R, wheel->axle, axle);
    level = sqrt(axle[0] * axle[0] + axle[1] * axle[1]);
    for (int k = 0; k < 3; k++) {
        /* the direction of the wheel's plane that points down most */
        double down = (k == 2 ? -level : axle[k] * axle[2] / level);

        centre[k] = pose->x[k] + arm[k];
        contact[k] = centre[k] + wheel->radius * down;
    }
}

/* ---- angles ---- */

static void find_angles(const struct lk_rig_wheel *wheel, const double axle[3],
                        struct lk_suspension_point *ret)
{
    ret->steer = atan2(-axle[0], axle[1]);
    ret->toe = -wheel->side * ret->steer;
    ret->camber = -wheel->side * atan2(axle[2], sqrt(axle[0] * axle[0] + axle[1] * axle[1]));
}

/* Compute the rates of toe and camber while the axle turns with @w. */
static void find_rates(const struct lk_rig_wheel *wheel, const double axle[3], const double w[3],
                       struct lk_suspension_point *ret)
{
    double level = axle[0] * axle[0] + axle[1] * axle[1], rate[3];

    lk_cross(w, axle, rate);
    ret->toe_rate = wheel->side * (rate[0] * axle[1] - axle[0] * rate[1]) / level;
    ret->camber_rate = -wheel->side * rate[2] / sqrt(level);
}

/* ---- steering axis ---- */

/* Return the factor f with which @turn + f @travel is a rotation without a shift along its axis:
 * (w1 + f w2)(v1 + f v2) = 0, the smaller root. NAN: there is none. */
static double find_rotation(const struct twist *turn, const struct twist *travel)
{
    double a = lk_dot(travel->w, travel->v), c = lk_dot(turn->w, turn->v);
    double b = lk_dot(turn->w, travel->v) + lk_dot(turn->v, travel->w);
    double square = b * b - 4 * a * c, sum;

    if (c == 0)
        return 0;
    if (!(square >= 0))
        return NAN;
    sum = b + copysign(sqrt(square), b);
    return sum != 0 ? -2 * c / sum : NAN;
}

static void set_no_axis(struct lk_suspension_point *ret)
{
    ret->caster = ret->inclination = ret->scrub = ret->trail = NAN;
    for (int k = 0; k < 3; k++)
        ret->axis[k] = ret->axis_point[k] = NAN;
}

/* Compute scrub radius and trail: the steering axis on the ground, in the axes of the contact. */
static void find_offsets(const struct lk_rig_wheel *wheel, const double axle[3],
                         const double contact[3], struct lk_suspension_point *ret)
{
    double level = sqrt(axle[0] * axle[0] + axle[1] * axle[1]);
    double ahead[2] = {axle[1] / level, -axle[0] / level};
    double up = (contact[2] - ret->axis_point[2]) / ret->axis[2], d[2];

    for (int k = 0; k < 2; k++)
        d[k] = ret->axis_point[k] + up * ret->axis[k] - contact[k];
    ret->trail = d[0] * ahead[0] + d[1] * ahead[1];
    ret->scrub = -wheel->side * (d[1] * ahead[0] - d[0] * ahead[1]);
}

/* Find the axis about which the carrier rotates if the wheel is steered. At a held height the
 * carrier also moves along its suspension, so that its motion is a screw. The steering axis is the
 * axis of the combination with the travel of the wheel that is a pure rotation. For wishbones and
 * struts this is the line through the ball joints, wherever the spring is. */
static void find_steering_axis(const struct lk_rig_wheel *wheel, const struct twist *turn,
                               const struct twist *travel, const double centre[3],
                               const double axle[3], const double contact[3],
                               struct lk_suspension_point *ret)
{
    double f = lk_norm(turn->w) > TURNS ? find_rotation(turn, travel) : NAN;
    double w[3], v[3], arm[3], square, sign;

    set_no_axis(ret);
    if (!isfinite(f))
        return;
    for (int k = 0; k < 3; k++) {
        w[k] = turn->w[k] + f * travel->w[k];
        v[k] = turn->v[k] + f * travel->v[k];
    }
    square = lk_dot(w, w);
    lk_cross(w, v, arm);
    if (!(sqrt(square) > TURNS) || w[2] == 0)
        return;
    sign = copysign(1 / sqrt(square), w[2]);
    for (int k = 0; k < 3; k++) {
        ret->axis[k] = sign * w[k];
        ret->axis_point[k] = centre[k] + arm[k] / square;
    }
    ret->caster = atan2(-ret->axis[0], ret->axis[2]);
    ret->inclination = atan2(-wheel->side * ret->axis[1], ret->axis[2]);
    find_offsets(wheel, axle, contact, ret);
}

/* ---- springs ---- */

static bool is_elastic(const struct lk_term *term)
{
    return term->kind == LK_TERM_LINEAR || term->kind == LK_TERM_TABLE_STIFFNESS ||
           term->kind == LK_TERM_STOP;
}

bool lk_rig_is_spring(const struct lk_system *sys, const struct lk_law *law)
{
    for (int t = law->first_term; t < law->first_term + law->n_terms; t++)
        if (is_elastic(&sys->term[t]))
            return true;
    return false;
}

/* Return the elastic force of a law in its present place, without friction and dampers. */
static double elastic_force(const struct lk_rig *rig, const struct lk_law *law, double place)
{
    struct lk_law_value sum = {0};

    for (int t = law->first_term; t < law->first_term + law->n_terms; t++)
        if (is_elastic(&rig->of->sys->term[t]))
            lk_term_evaluate(&rig->of->sys->term[t], place, 0, &sum);
    return sum.elastic;
}

static double rate_of_row(const struct lk_rig *rig, const struct lk_loops_rows *rows,
                          const struct lk_law *law, const double *motion)
{
    const struct lk_joint *joint = &rig->of->sys->joint[law->joint];
    double rate = 0;

    for (int s = 0; s < joint->n_sides; s++) {
        int b = joint->body[s];

        if (b >= rig->of->sys->n_bodies || rig->is_held[b])
            continue;
        for (int k = 0; k < 6; k++)
            rate += rows->row[law->row][s][k] * motion[rig->loops.row[b] + k] *
                    (k < 3 ? rig->loops.length[b] : 1);
    }
    return rate;
}

double lk_rig_force(const struct lk_rig *rig, const double *motion)
{
    const struct lk_suspension *s = rig->of;
    double force = 0;

    for (int i = 0; i < s->sys->n_laws; i++) {
        const struct lk_law *law = &s->sys->law[i];
        struct lk_loops_rows now, then;
        double rate;

        if (!lk_rig_is_spring(s->sys, law) || !lk_suspension_counts(s, law))
            continue;
        lk_loops_rows(s->sys, rig->pose, law->joint, &now);
        rate = rate_of_row(rig, &now, law, motion);
        if (rate == 0)
            continue;
        lk_loops_rows(s->sys, s->sys->pose, law->joint, &then);
        force += rate *
                 elastic_force(rig, law, s->law_place[i] + now.phi[law->row] - then.phi[law->row]);
    }
    return force;
}

/* Add the ratios of a law in the design position to the springs found so far. */
static int add_spring(const struct lk_rig *rig, const struct lk_suspension_axle *axle,
                      const struct lk_law *law, struct lk_suspension_spring *list, int n, int room)
{
    const struct lk_term *term = &rig->of->sys->term[law->first_term];
    struct lk_suspension_spring spring = {.force = -1};
    struct lk_loops_rows rows;
    bool moves = false;

    for (int t = 0; t < law->n_terms; t++)
        if (term[t].kind != LK_TERM_STOP && is_elastic(&term[t]) && spring.force < 0)
            spring.force = term[t].force;
    if (spring.force < 0 || n == room)
        return n;
    lk_loops_rows(rig->of->sys, rig->pose, law->joint, &rows);
    for (int i = 0; i < LK_SUSPENSION_SIDES; i++) {
        if (axle->wheel[i] >= 0)
            spring.ratio[i] = rate_of_row(rig, &rows, law, rig->unit[axle->wheel[i]]);
        moves |= fabs(spring.ratio[i]) > TURNS;
    }
    if (moves)
        list[n++] = spring;
    return n;
}

int lk_suspension_springs(struct lk_suspension *s, int axle, struct lk_suspension_spring *ret,
                          int room)
{
    LK_ARITHMETIC;
    struct lk_rig *rig = &s->rig[axle];
    int n = 0;

    if (lk_rig_begin(rig) != 0 || !lk_rig_units(rig))
        return -LK_E_MODEL;
    for (int i = 0; i < s->sys->n_laws; i++)
        if (s->sys->law[i].n_terms > 0 && lk_suspension_counts(s, &s->sys->law[i]))
            n = add_spring(rig, &s->axle[axle], &s->sys->law[i], ret, n, room);
    return n;
}

/* ---- the whole ---- */

struct lk_rig_target lk_rig_way(const struct lk_suspension_axle *axle,
                                enum lk_suspension_sweep sweep)
{
    struct lk_rig_target way = {.steer = sweep == LK_SUSPENSION_STEER};
    int left = axle->wheel[LK_SUSPENSION_LEFT], right = axle->wheel[LK_SUSPENSION_RIGHT];

    if (sweep == LK_SUSPENSION_STEER)
        return way;
    if (left >= 0)
        way.height[left] = 1;
    if (right >= 0)
        way.height[right] = sweep == LK_SUSPENSION_OPPOSITE && left >= 0 ? -1 : 1;
    return way;
}

/* Compute where the normal of the contact point's velocity in roll crosses the middle of the axle,
 * above the contact point. @motion: of a roll of the body */
static double roll_height(const struct lk_rig *rig, int body, const double *motion,
                          const double contact[3], double middle)
{
    struct twist roll = twist_of(rig, body, motion, contact);

    if (!(fabs(roll.v[2]) > RISES))
        return NAN;
    return -roll.v[1] / roll.v[2] * (middle - contact[1]);
}

/* Compute the values of one wheel.
 * @along: motion of the sweep, @per_height: height of this wheel per unit of @along, 0: steering */
static void measure_wheel(const struct lk_rig *rig, int w, const double *along, double per_height,
                          struct lk_suspension_point *ret)
{
    const struct lk_rig_wheel *wheel = &rig->of->wheel[w];
    double centre[3], axle[3], contact[3], down[3];
    struct twist travel, turn, sweep, patch;

    lk_rig_place(wheel, rig->pose, centre, axle, contact);
    lk_sub(contact, centre, down);
    travel = twist_of(rig, wheel->body, rig->unit[w], centre);
    sweep = twist_of(rig, wheel->body, along, centre);
    *ret = (struct lk_suspension_point){.height = centre[2] - wheel->centre[2]};
    find_angles(wheel, axle, ret);
    for (int k = 0; k < 3 && per_height != 0; k++)
        sweep.w[k] /= per_height;
    find_rates(wheel, axle, sweep.w, ret);
    set_no_axis(ret);
    if (rig->has_unit[LK_RIG_TURN]) {
        turn = twist_of(rig, wheel->body, rig->unit[LK_RIG_TURN], centre);
        find_steering_axis(wheel, &turn, &travel, centre, axle, contact, ret);
    }
    patch = shifted(travel, down);
    ret->centre_x = centre[0] - wheel->centre[0];
    ret->contact_y = wheel->side * (contact[1] - wheel->contact[1]);
    ret->brake_angle = atan2(patch.v[0], patch.v[2]);
    ret->drive_angle = atan2(travel.v[0], travel.v[2]);
    ret->force = lk_rig_force(rig, rig->unit[w]);
    ret->rate = NAN;
}

/* Compute roll centre and track. Without a second wheel, the middle of the axle is y = 0.
 * @along: scratch, rig->n */
static void measure_axle(const struct lk_rig *rig, const struct lk_suspension_axle *axle,
                         double *along, struct lk_suspension_row *ret)
{
    const struct lk_rig_target roll = lk_rig_way(axle, LK_SUSPENSION_OPPOSITE);
    double contact[LK_SUSPENSION_SIDES][3], centre[3], direction[3], middle = 0;
    int n = 0;

    for (int i = 0; i < LK_SUSPENSION_SIDES; i++)
        if (axle->wheel[i] >= 0) {
            lk_rig_place(&rig->of->wheel[axle->wheel[i]], rig->pose, centre, direction, contact[i]);
            middle += contact[i][1];
            n++;
        }
    middle = n == 2 ? middle / 2 : 0;
    lk_rig_direction(rig, &roll, along);
    ret->track = n == 2 ? ret->point[0].contact_y + ret->point[1].contact_y : NAN;
    ret->roll_centre = 0;
    for (int i = 0; i < LK_SUSPENSION_SIDES; i++) {
        if (axle->wheel[i] < 0)
            continue;
        ret->point[i].roll_height =
            fabs(middle - contact[i][1]) > IN_MIDDLE
                ? roll_height(rig, rig->of->wheel[axle->wheel[i]].body, along, contact[i], middle)
                : NAN;
        ret->roll_centre += ret->point[i].roll_height / n;
    }
}

void lk_rig_measure(const struct lk_rig *rig, const struct lk_suspension_axle *axle,
                    enum lk_suspension_sweep sweep, struct lk_suspension_row *ret)
{
    const struct lk_rig_target way = lk_rig_way(axle, sweep);
    double *along = rig->x; /* free between two poses */

    lk_rig_direction(rig, &way, along);
    for (int i = 0; i < LK_SUSPENSION_SIDES; i++)
        if (axle->wheel[i] >= 0)
            measure_wheel(rig, axle->wheel[i], along, way.height[axle->wheel[i]], &ret->point[i]);
    measure_axle(rig, axle, along, ret);
}
