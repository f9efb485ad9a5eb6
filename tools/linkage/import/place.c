/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of a tree of frames to bodies in the world. Forward kinematics gives the poses at the
 * drawn configuration. Then links connected by a fixed joint or a rigid loop closure become one
 * body. A cut joint may be violated as drawn, because our compiler assembles the mechanism. */
#include "import.h"

#include "maths/vec.h"
#include "numbers.h"

#include <stdlib.h>
#include <string.h>

/* ---- coupled joints ---- */

static void find_parents(struct robot *robot, struct notes *notes)
{
    for (int i = 0; i < robot->n_limbs; i++) {
        struct limb *limb = &robot->limbs[i];

        if (limb->parent >= 0 && limb->parent == limb->child)
            note(notes, NOTE_ERROR, limb->line, "joint '%s' ties link '%s' to itself", limb->name,
                 robot->links[limb->child].name);
        if (limb->closes || limb->child < 0)
            continue;
        if (robot->links[limb->child].joint == LINK_NONE) {
            robot->links[limb->child].joint = i;
            continue;
        }
        limb->closes = true;
        note(notes, NOTE_SAID, limb->line,
             "link '%s' has a second parent: joint '%s' closes a loop",
             robot->links[limb->child].name, limb->name);
    }
}

static void find_root(struct robot *robot, struct notes *notes)
{
    int other = LINK_NONE;

    robot->root = LINK_NONE;
    for (int i = robot->n_links - 1; i >= 0; i--) {
        if (robot->links[i].joint != LINK_NONE)
            continue;
        other = robot->root;
        robot->root = i;
    }
    if (robot->root == LINK_NONE)
        note(notes, NOTE_ERROR, 0, "each link is the child of a joint, expected one root link");
    else if (other != LINK_NONE)
        note(notes, NOTE_ERROR, robot->links[other].line,
             "link '%s' hangs on no joint, and neither does '%s' of line %ld, expected one root",
             robot->links[other].name, robot->links[robot->root].name,
             robot->links[robot->root].line);
}

/* ---- coordinates as drawn ---- */

static void take_values(struct robot *robot, const struct import_options *o, struct notes *notes)
{
    for (int i = 0; i < o->n_values; i++) {
        const char *sign = strrchr(o->values[i], '=');
        char name[256];
        int limb;

        snprintf(name, sizeof(name), "%.*s", (int)(sign - o->values[i]), o->values[i]);
        limb = robot_find_limb(robot, name);
        if (limb < 0)
            note(notes, NOTE_ERROR, 0, "--joint %s: the file has no joint of that name", name);
        else if (!has_coordinate(&robot->limbs[limb]))
            note(notes, NOTE_ERROR, 0, "--joint %s: a joint without an angle or displacement",
                 name);
        else if (robot->limbs[limb].mimic_name != NULL)
            note(notes, NOTE_ERROR, 0, "--joint %s: it follows joint '%s', expected that one", name,
                 robot->limbs[limb].mimic_name);
        else
            parse_number(sign + 1, &robot->limbs[limb].value);
    }
}

static void find_mimic(struct robot *robot, struct limb *limb, struct notes *notes)
{
    int other = robot_find_limb(robot, limb->mimic_name);

    if (other < 0)
        note(notes, NOTE_ERROR, limb->mimic_line, "joint '%s' follows '%s', which is no joint",
             limb->name, limb->mimic_name);
    else if (&robot->limbs[other] == limb)
        note(notes, NOTE_ERROR, limb->mimic_line, "joint '%s' follows itself", limb->name);
    else if (!has_coordinate(limb) || robot->limbs[other].kind != limb->kind)
        note(notes, NOTE_ERROR, limb->mimic_line,
             "joint '%s' follows '%s', expected two angles or two displacements", limb->name,
             limb->mimic_name);
    else if (limb->multiplier == 0)
        note(notes, NOTE_ERROR, limb->mimic_line,
             "joint '%s' follows '%s' with the multiplier 0, expected another number, or a fixed "
             "joint",
             limb->name, limb->mimic_name);
    else
        limb->mimic = other;
}

/* Compute coupled coordinates in as many rounds as the longest chain of couplings. */
static void follow(struct robot *robot, struct notes *notes)
{
    bool changed = true;

    for (int i = 0; i < robot->n_limbs; i++)
        if (robot->limbs[i].mimic_name != NULL)
            find_mimic(robot, &robot->limbs[i], notes);
    for (int round = 0; changed && round <= robot->n_limbs; round++) {
        changed = false;
        for (int i = 0; i < robot->n_limbs; i++) {
            struct limb *limb = &robot->limbs[i];
            double value;

            if (limb->mimic < 0)
                continue;
            value = limb->multiplier * robot->limbs[limb->mimic].value + limb->offset;
            changed |= value != limb->value;
            limb->value = value;
        }
        if (changed && round == robot->n_limbs)
            note(notes, NOTE_ERROR, 0, "joints follow each other in a ring (<mimic>)");
    }
}

static void judge_limits(const struct robot *robot, struct notes *notes)
{
    for (int i = 0; i < robot->n_limbs; i++) {
        const struct limb *limb = &robot->limbs[i];

        if (limb->has_limits && has_coordinate(limb) &&
            (limb->value < limb->lower - 1e-9 || limb->value > limb->upper + 1e-9))
            note(notes, NOTE_WRONG, limb->line,
                 "joint '%s' is drawn at %g, beyond its limits %g and %g; --joint %s=%g draws it "
                 "within",
                 limb->name, limb->value, limb->lower, limb->upper, limb->name,
                 0.5 * (limb->lower + limb->upper));
    }
}

/* ---- frames ---- */

void limb_motion(const struct limb *limb, struct frame *ret)
{
    double half = 0.5 * limb->value;

    *ret = frame_unity;
    if (limb->kind == KIND_REVOLUTE) {
        ret->q[0] = cos(half);
        for (int i = 0; i < 3; i++)
            ret->q[1 + i] = sin(half) * limb->axis[i];
    } else if (limb->kind == KIND_PRISMATIC) {
        for (int i = 0; i < 3; i++)
            ret->r[i] = limb->value * limb->axis[i];
    }
}

/* Compute the pose of a child link in its parent link. */
static void child_in_parent(const struct limb *limb, struct frame *ret)
{
    struct frame motion;

    limb_motion(limb, &motion);
    frame_in(&limb->origin, &motion, ret);
}

/* Compute the world frames, from the root on.
 * @order: array for n_links links, in the order in which they are reached
 * Return: number of links reached. */
static int find_frames(struct robot *robot, int *order)
{
    int n = 0;

    order[n++] = robot->root;
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < robot->n_limbs; i++) {
            const struct limb *limb = &robot->limbs[i];
            struct frame relative;

            if (limb->closes || limb->parent != order[k] || limb->child < 0 || n == robot->n_links)
                continue;
            child_in_parent(limb, &relative);
            frame_in(&robot->links[limb->parent].frame, &relative,
                     &robot->links[limb->child].frame);
            order[n++] = limb->child;
        }
    }
    return n;
}

/* Report links that joints do not connect to the root. Each of them is in a ring of joints. */
static void find_rings(const struct robot *robot, const int *order, int n, struct notes *notes)
{
    bool *reached = calloc((size_t)robot->n_links, sizeof(*reached));

    for (int k = 0; reached != NULL && k < n; k++)
        reached[order[k]] = true;
    for (int i = 0; reached != NULL && i < robot->n_links; i++)
        if (!reached[i])
            note(notes, NOTE_ERROR, robot->links[i].line,
                 "link '%s' is its own ancestor: joints lead in a ring from it to itself",
                 robot->links[i].name);
    free(reached);
}

/* ---- bodies ---- */

/* Merge the bodies of both links of @limb, which joins them rigidly. */
static void tie(struct robot *robot, const struct limb *limb, struct notes *notes)
{
    struct link *a = &robot->links[limb->parent], *b = &robot->links[limb->child];
    struct frame motion, joint, back, wanted, old, move;
    int keep = a->body, gone = b->body;

    /* wanted: pose of link b in the body of link a */
    limb_motion(limb, &motion);
    frame_in(&a->in_body, &limb->origin, &joint);
    frame_in(&joint, &motion, &joint);
    frame_inverse(&limb->closing, &back);
    frame_in(&joint, &back, &wanted);
    if (keep == gone) {
        double gap[3];

        lk_sub(wanted.r, b->in_body.r, gap);
        if (lk_norm(gap) > 1e-9)
            note(notes, NOTE_WRONG, limb->line,
                 "joint '%s' ties links that are one body already, %g m apart: it has no effect",
                 limb->name, lk_norm(gap));
        return;
    }
    if (gone == robot->root) { /* keep the ground's body, whose name is used */
        frame_inverse(&wanted, &wanted);
        frame_in(&b->in_body, &wanted, &wanted); /* pose of the body of a in that of b */
        keep = gone;
        gone = a->body;
        move = wanted;
    } else {
        frame_inverse(&b->in_body, &old);
        frame_in(&wanted, &old, &move);
    }
    for (int i = 0; i < robot->n_links; i++) {
        struct link *link = &robot->links[i];

        if (link->body != gone)
            continue;
        frame_in(&move, &link->in_body, &link->in_body);
        link->body = keep;
    }
}

bool stands(const struct robot *robot, const struct import_options *options, int b)
{
    return !options->floating && robot->links[robot->root].body == b;
}

void merge_links(struct robot *robot, struct notes *notes)
{
    for (int i = 0; i < robot->n_links; i++) {
        robot->links[i].body = i; /* initially each link is a body */
        robot->links[i].in_body = frame_unity;
        robot->links[i].next = LINK_NONE;
    }
    /* Merge in the order of the tree, so that children merge into parents; loop closures are
     * last. */
    for (int closes = 0; closes < 2; closes++)
        for (int i = 0; i < robot->n_limbs; i++) {
            const struct limb *limb = &robot->limbs[i];

            if ((limb->kind == KIND_FIXED || limb->locked) && limb->closes == (closes == 1))
                tie(robot, limb, notes);
        }
    robot->n_bodies = 0;
    for (int i = 0; i < robot->n_links; i++) {
        struct link *link = &robot->links[i];
        int b;

        for (b = 0; b < robot->n_bodies && robot->bodies[b].first != link->body; b++)
            ;
        if (b == robot->n_bodies)
            robot->bodies[robot->n_bodies++] = (struct body){.first = link->body};
        robot->bodies[b].n_links++;
    }
    for (int i = 0; i < robot->n_links; i++) {
        int b;

        for (b = 0; robot->bodies[b].first != robot->links[i].body; b++)
            ;
        robot->links[i].body = b;
    }
}

void place_robot(struct robot *robot, const struct import_options *options, struct notes *notes)
{
    int *order = calloc((size_t)robot->n_links + 1, sizeof(*order)), n;

    robot->bodies = calloc((size_t)robot->n_links + 1, sizeof(*robot->bodies));
    if (order == NULL || robot->bodies == NULL) {
        note(notes, NOTE_ERROR, 0, "no memory");
        free(order);
        return;
    }
    find_parents(robot, notes);
    find_root(robot, notes);
    take_values(robot, options, notes);
    follow(robot, notes);
    if (notes->n_errors == 0) {
        judge_limits(robot, notes);
        n = find_frames(robot, order);
        find_rings(robot, order, n, notes);
    }
    free(order);
}
