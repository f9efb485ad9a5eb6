/* SPDX-License-Identifier: Apache-2.0 */
/* Ball joints that a file represents as three hinges through a point with two massless links
 * between them. In the singular pose with parallel outer axes the motion of these links is
 * undetermined. A spherical joint allows the same motion and has no singular pose. */
#include "import.h"

#include "maths/vec.h"

#include <math.h>
#include <string.h>

#define NEAR 1e-6 /* axes intersect within this distance [m] */

/** struct ball - three hinges that form a ball joint.
 * @hinge: the first two of them are on the massless body @between[0], the last two on the massless
 *         body @between[1] */
struct ball {
    int hinge[3];
    int between[2];
};

static bool is_plain(const struct robot *robot, int i)
{
    const struct limb *limb = &robot->limbs[i];

    for (int k = 0; k < robot->n_limbs; k++)
        if (robot->limbs[k].mimic == i)
            return false;
    return limb->kind == KIND_REVOLUTE && !limb->locked && !limb->has_limits && limb->mimic < 0 &&
           limb->damping == 0 && limb->friction == 0;
}

static bool joins(const struct robot *robot, int i, int b)
{
    const struct limb *limb = &robot->limbs[i];

    return (robot->links[limb->parent].body == b) != (robot->links[limb->child].body == b) &&
           limb->kind != KIND_FIXED && !limb->locked;
}

static int other_body(const struct robot *robot, int i, int b)
{
    const struct limb *limb = &robot->limbs[i];
    int parent = robot->links[limb->parent].body;

    return parent == b ? robot->links[limb->child].body : parent;
}

/* Find the two joints of a massless body. Both must be plain hinges. */
static bool find_hinges(const struct robot *robot, const bool *massless, int b, int ret[2])
{
    int n = 0;

    for (int i = 0; massless[b] && i < robot->n_limbs; i++) {
        if (!joins(robot, i, b))
            continue;
        if (n == 2 || !is_plain(robot, i))
            return false;
        ret[n++] = i;
    }
    return n == 2;
}

/* Compute the axis of a hinge in its body.
 * @b:     the body
 * @p, @d: a point on the axis, and its direction, in the axes of the body */
static void axis_in_body(const struct robot *robot, int i, int b, double p[3], double d[3])
{
    const struct limb *limb = &robot->limbs[i];
    bool parent = robot->links[limb->parent].body == b;
    const struct link *link = &robot->links[parent ? limb->parent : limb->child];
    struct frame frame;

    frame_in(&link->in_body, parent ? &limb->origin : &limb->closing, &frame);
    memcpy(p, frame.r, sizeof(frame.r));
    frame_direction(&frame, parent ? limb->axis : limb->child_axis, d);
}

/* Find the intersection of the axes of two hinges of a body, as the distance along each.
 * Return: true if they intersect. */
static bool meet(const struct robot *robot, const int hinge[2], int b, double along[2])
{
    double p[2][3], d[2][3], apart[3], cosine, square, gap = 0;

    for (int k = 0; k < 2; k++)
        axis_in_body(robot, hinge[k], b, p[k], d[k]);
    lk_sub(p[1], p[0], apart);
    cosine = lk_dot(d[0], d[1]);
    square = 1 - cosine * cosine;
    if (square < 1e-6)
        return false;
    along[0] = (lk_dot(apart, d[0]) - cosine * lk_dot(apart, d[1])) / square;
    along[1] = (cosine * lk_dot(apart, d[0]) - lk_dot(apart, d[1])) / square;
    for (int i = 0; i < 3; i++) {
        double g = p[0][i] + along[0] * d[0][i] - p[1][i] - along[1] * d[1][i];

        gap += g * g;
    }
    return gap < NEAR * NEAR;
}

/* Return true if the three axes of @ball intersect in one point.
 * @ret_along: position of that point on the axis of the last hinge */
static bool is_ball(const struct robot *robot, const struct ball *ball, double *ret_along)
{
    double first[2], last[2];

    if (!meet(robot, ball->hinge, ball->between[0], first) ||
        !meet(robot, ball->hinge + 1, ball->between[1], last))
        return false;
    *ret_along = last[1];
    return fabs(first[1] - last[0]) < NEAR;
}

static bool find_ball(const struct robot *robot, const bool *massless, int b, struct ball *ball)
{
    int here[2], there[2];

    if (!find_hinges(robot, massless, b, here))
        return false;
    for (int k = 0; k < 2; k++) {
        int next = other_body(robot, here[k], b);

        if (!find_hinges(robot, massless, next, there))
            continue;
        *ball = (struct ball){{here[1 - k], here[k], there[there[0] == here[k]]}, {b, next}};
        if (ball->hinge[2] != ball->hinge[0] && ball->hinge[2] != ball->hinge[1])
            return true;
    }
    return false;
}

bool make_ball(struct robot *robot, const bool *massless, int b, struct notes *notes)
{
    struct ball ball;
    struct limb *limb;
    double along, shift[2][3];

    if (!find_ball(robot, massless, b, &ball) || !is_ball(robot, &ball, &along))
        return false;
    limb = &robot->limbs[ball.hinge[2]];
    for (int i = 0; i < 3; i++) {
        shift[0][i] = along * limb->axis[i];
        shift[1][i] = along * limb->child_axis[i];
    }
    frame_point(&limb->origin, shift[0], shift[0]);
    frame_point(&limb->closing, shift[1], shift[1]);
    memcpy(limb->origin.r, shift[0], sizeof(shift[0]));
    memcpy(limb->closing.r, shift[1], sizeof(shift[1]));
    limb->kind = KIND_SPHERICAL;
    limb->effort = 0;
    robot->limbs[ball.hinge[0]].locked = robot->limbs[ball.hinge[1]].locked = true;
    note(notes, NOTE_SAID, limb->line,
         "mended: the hinges '%s', '%s' and '%s' go through a point, with links without mass "
         "between "
         "them: a spherical joint",
         robot->limbs[ball.hinge[0]].name, robot->limbs[ball.hinge[1]].name, limb->name);
    return true;
}
