/* SPDX-License-Identifier: Apache-2.0 */
/* Computes mass, centre and inertia of bodies from those of their links (parallel axis theorem),
 * and checks them. Links are checked too, but only an invalid body is an error: a sensor of 1e-3 kg
 * with an implausible inertia does not matter once it is part of an arm. */
#include "import.h"

#include "maths/vec.h"
#include "methods/formulations/recursive.h"
#include "model/reader.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDED 1e-6  /* rounding error of numbers in files, as a share of the largest moment */
#define POINT   1e-12 /* [m^2] moments below this value times the mass count as zero */

void turn_inertia(const double q[4], const double inertia[6], double ret[6])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double R[9], axis[3], product[3], turned[9];

    lk_quat_matrix(q, R);
    for (int j = 0; j < 3; j++) { /* first the columns of S' R^T, then their product with R */
        for (int i = 0; i < 3; i++)
            axis[i] = R[3 * j + i];
        lk_sym_mul(inertia, axis, product);
        lk_rotate(R, product, axis);
        for (int i = 0; i < 3; i++)
            turned[3 * i + j] = axis[i];
    }
    for (int k = 0; k < 6; k++)
        ret[k] = turned[3 * row[k] + column[k]];
}

void add_point_inertia(double mass, const double d[3], double inertia[6])
{
    double dd = lk_dot(d, d);

    for (int i = 0; i < 3; i++)
        inertia[i] += mass * (dd - d[i] * d[i]);
    inertia[3] -= mass * d[0] * d[1];
    inertia[4] -= mass * d[0] * d[2];
    inertia[5] -= mass * d[1] * d[2];
}

/* ---- plausibility ---- */

enum fault { FAULT_NONE, FAULT_NEGATIVE, FAULT_TRIANGLE };

static bool is_point(double mass, const double moment[3])
{
    return lk_max(moment[2], -moment[0]) <= lk_max(POINT * mass, LK_INERTIA_MIN);
}

static enum fault judge(double mass, const double inertia[6], double moment[3])
{
    lk_principal_moments(inertia, moment);
    if (is_point(mass, moment))
        return FAULT_NONE;
    if (moment[0] < -ROUNDED * moment[2])
        return FAULT_NEGATIVE;
    return moment[2] > (moment[0] + moment[1]) + ROUNDED * moment[2] ? FAULT_TRIANGLE : FAULT_NONE;
}

static const char *fault_text(enum fault fault)
{
    return fault == FAULT_NEGATIVE
               ? "are not positive"
               : "belong to no body: the largest is more than the sum of the others";
}

/* Check mass and inertia of a link.
 * @alone: the link is the only one of its body. Then the inertia is checked with the body. */
static void judge_link(const struct link *link, bool alone, struct notes *notes)
{
    double moment[3];
    enum fault fault = alone ? FAULT_NONE : judge(link->mass, link->inertia, moment);

    if (link->mass < 0)
        note(notes, NOTE_ERROR, link->inertial_line,
             "mass of link '%s' is %g kg, expected 0 or more", link->name, link->mass);
    else if (link->mass > 1e5)
        note(notes, NOTE_WRONG, link->inertial_line,
             "mass of link '%s' is %g kg: are its units those of SI?", link->name, link->mass);
    if (fault != FAULT_NONE)
        note(notes, NOTE_WRONG, link->inertial_line,
             "principal moments of link '%s', %.3g, %.3g, %.3g kg m^2, %s", link->name, moment[0],
             moment[1], moment[2], fault_text(fault));
}

/* ---- corrections ---- */

/* Replace the moments by physically possible ones near them. No moment is below a thousandth of the
 * largest. The two smaller ones are raised equally until their sum reaches the largest. */
static void mend_inertia(double inertia[6])
{
    double A[3][6] = {{inertia[0], inertia[3], inertia[4]},
                      {inertia[3], inertia[1], inertia[5]},
                      {inertia[4], inertia[5], inertia[2]}};
    double X[3][6] = {{0}}, moment[3], scale = 0, lacking;
    int large = 0;

    lk_small_eigen(3, A, X);
    for (int i = 0; i < 3; i++)
        scale = lk_max(scale, fabs(A[i][i]));
    for (int i = 0; i < 3; i++) {
        moment[i] = lk_max(A[i][i], 1e-3 * scale);
        large = moment[i] > moment[large] ? i : large;
    }
    lacking = 2 * moment[large] - (moment[0] + moment[1] + moment[2]);
    for (int i = 0; i < 3 && lacking > 0; i++)
        moment[i] += i == large ? 0 : 0.5 * lacking * (1 + 1e-12);
    memset(inertia, 0, 6 * sizeof(*inertia));
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++)
            inertia[i] += moment[k] * X[i][k] * X[i][k];
        inertia[3] += moment[k] * X[0][k] * X[1][k];
        inertia[4] += moment[k] * X[0][k] * X[2][k];
        inertia[5] += moment[k] * X[1][k] * X[2][k];
    }
}

static void judge_body(struct robot *robot, struct body *body, bool repair, struct notes *notes)
{
    const struct link *first = &robot->links[body->first];
    double moment[3], after[3];
    enum fault fault = judge(body->mass, body->inertia, moment);

    if (is_point(body->mass, moment)) {
        memset(body->inertia, 0, sizeof(body->inertia));
        return;
    }
    lk_principal_moments(body->inertia, after);
    if (fault == FAULT_NONE && after[0] >= 0 && after[2] <= after[0] + after[1])
        return;
    if (fault != FAULT_NONE && !repair) {
        note(notes, NOTE_ERROR, first->line,
             "principal moments of the body of link '%s', %.3g, %.3g, %.3g kg m^2, %s; --repair "
             "takes the nearest that a body can have",
             first->name, moment[0], moment[1], moment[2], fault_text(fault));
        return;
    }
    mend_inertia(body->inertia);
    lk_principal_moments(body->inertia, after);
    if (fault == FAULT_NONE)
        return; /* only a rounding error in the file was repaired */
    snprintf(body->mended, sizeof(body->mended),
             "its principal moments were %.3g, %.3g, %.3g kg m^2", moment[0], moment[1], moment[2]);
    note(notes, NOTE_SAID, first->line,
         "mended: principal moments of the body of link '%s' were %.3g, %.3g, %.3g and are %.3g, "
         "%.3g, %.3g kg m^2",
         first->name, moment[0], moment[1], moment[2], after[0], after[1], after[2]);
}

/* ---- sums ---- */

/* Choose the axes of a body. If only one of its links has mass, the axes of the link's inertia are
 * used, so that the numbers in the model equal those in the file. Otherwise the axes of the first
 * link are used. */
static void choose_axes(const struct robot *robot, int b, struct frame *ret)
{
    int n = 0;

    *ret = robot->links[robot->bodies[b].first].in_body;
    for (int i = 0; i < robot->n_links; i++)
        n += robot->links[i].body == b && robot->links[i].has_inertial;
    for (int i = 0; i < robot->n_links && n == 1; i++)
        if (robot->links[i].body == b && robot->links[i].has_inertial)
            frame_in(&robot->links[i].in_body, &robot->links[i].centre, ret);
}

static void sum_body(struct robot *robot, int b)
{
    struct body *body = &robot->bodies[b];
    const struct frame *place = &robot->links[body->first].frame;
    struct frame axes, back, world;
    double centre[3] = {0};

    body->mass = 0;
    memset(body->inertia, 0, sizeof(body->inertia));
    choose_axes(robot, b, &axes);
    frame_inverse(&axes, &back);
    for (int i = 0; i < robot->n_links; i++) {
        const struct link *link = &robot->links[i];
        double at[3];

        if (link->body != b)
            continue;
        frame_point(&link->in_body, link->centre.r, at);
        body->mass += link->mass;
        for (int k = 0; k < 3; k++)
            centre[k] += link->mass * at[k];
    }
    for (int k = 0; k < 3; k++)
        centre[k] = body->mass > 0 ? centre[k] / body->mass : axes.r[k];
    for (int i = 0; i < robot->n_links; i++) {
        const struct link *link = &robot->links[i];
        struct frame own;
        double turned[6], at[3], d[3], local[3];

        if (link->body != b)
            continue;
        frame_in(&link->in_body, &link->centre, &own);
        frame_point(&link->in_body, link->centre.r, at);
        lk_sub(at, centre, d);
        back.r[0] = back.r[1] = back.r[2] = 0;
        frame_direction(&back, d, local);
        own.r[0] = own.r[1] = own.r[2] = 0;
        frame_in(&back, &own, &own);
        turn_inertia(own.q, link->inertia, turned);
        for (int k = 0; k < 6; k++)
            body->inertia[k] += turned[k];
        add_point_inertia(link->mass, local, body->inertia);
    }
    frame_point(place, centre, body->position);
    frame_in(place, &axes, &world);
    memcpy(body->orientation, world.q, sizeof(world.q));
}

/* Return the only joint of a body; LINK_NONE: it has none or several. */
static int only_joint(const struct robot *robot, int b)
{
    int only = LINK_NONE;

    for (int i = 0; i < robot->n_limbs; i++) {
        const struct limb *limb = &robot->limbs[i];
        int parent = robot->links[limb->parent].body, child = robot->links[limb->child].body;

        if (limb->kind == KIND_FIXED || limb->locked || parent == child ||
            (parent != b && child != b))
            continue;
        if (only != LINK_NONE)
            return LINK_NONE;
        only = i;
    }
    return only;
}

/* Check a massless body at the end of a chain: its motion would be undetermined.
 * Return: true if the body was locked to its neighbour. */
static bool judge_massless(struct robot *robot, int b, bool repair, struct notes *notes)
{
    const struct link *first = &robot->links[robot->bodies[b].first];
    int joint = only_joint(robot, b);

    if (joint == LINK_NONE)
        return false;
    if (!repair) {
        note(notes, NOTE_ERROR, first->line,
             "the body of link '%s' has no mass, and only joint '%s' holds it: nothing says how it "
             "moves; --repair locks that joint",
             first->name, robot->limbs[joint].name);
        return false;
    }
    note(notes, NOTE_SAID, robot->limbs[joint].line,
         "mended: joint '%s' is locked, as the body of link '%s' has no mass",
         robot->limbs[joint].name, first->name);
    robot->limbs[joint].locked = true;
    return true;
}

/* Correct one massless body.
 * Return: true if joints have changed. */
static bool mend_massless(struct robot *robot, const struct import_options *options, bool *massless,
                          struct notes *notes)
{
    for (int b = 0; b < robot->n_bodies; b++) {
        double moment[3];

        lk_principal_moments(robot->bodies[b].inertia, moment);
        massless[b] =
            !stands(robot, options, b) && robot->bodies[b].mass == 0 && is_point(0, moment);
    }
    for (int b = 0; b < robot->n_bodies; b++)
        if (massless[b] && (judge_massless(robot, b, options->repair, notes) ||
                            (options->repair && make_ball(robot, massless, b, notes))))
            return true;
    return false;
}

/* Report the massless bodies that remain, between other bodies. The compiler checks whether their
 * motion is determined. */
static void tell_massless(const struct robot *robot, const bool *massless, struct notes *notes)
{
    for (int b = 0; b < robot->n_bodies; b++)
        if (massless[b])
            note(notes, NOTE_SAID, robot->links[robot->bodies[b].first].line,
                 "the body of link '%s' has no mass", robot->links[robot->bodies[b].first].name);
}

static void judge_links(const struct robot *robot, const struct import_options *options,
                        struct notes *notes)
{
    int n_massless = 0;

    for (int i = 0; i < robot->n_links; i++) {
        const struct link *link = &robot->links[i];
        bool alone = true;

        if (stands(robot, options, link->body))
            continue;
        n_massless += link->mass == 0;
        for (int k = 0; k < robot->n_links; k++)
            alone &= k == i || robot->links[k].body != link->body || !robot->links[k].has_inertial;
        if (link->has_inertial)
            judge_link(link, alone, notes);
    }
    if (n_massless > 0)
        note(notes, NOTE_SAID, 0, "%d of the %d links have no mass; most are frames on a body",
             n_massless, robot->n_links);
}

static bool moves(const struct robot *robot, const struct import_options *options)
{
    for (int b = 0; b < robot->n_bodies; b++)
        if (!stands(robot, options, b))
            return true;
    return false;
}

/* Return whether any link has a mass. Descriptions for planning have none at all. */
static bool has_mass(const struct robot *robot)
{
    for (int i = 0; i < robot->n_links; i++)
        if (robot->links[i].mass > 0)
            return true;
    return false;
}

void sum_masses(struct robot *robot, const struct import_options *options, struct notes *notes)
{
    bool *massless = calloc((size_t)robot->n_links + 1, sizeof(*massless)), changed = true;

    if (robot->n_links > 1 && !has_mass(robot)) {
        note(notes, NOTE_ERROR, 0,
             "no link of it has a mass: it is a description for planning or for pictures; expected "
             "the one for simulation, with <inertial> elements, or --density for URDF with boxes, "
             "spheres and cylinders");
        free(massless);
        return;
    }
    if (massless == NULL)
        note(notes, NOTE_ERROR, 0, "no memory");
    while (changed && notes->n_errors == 0) {
        merge_links(robot, notes);
        for (int b = 0; b < robot->n_bodies; b++)
            sum_body(robot, b);
        changed = mend_massless(robot, options, massless, notes);
    }
    if (massless != NULL)
        tell_massless(robot, massless, notes);
    free(massless);
    if (notes->n_errors == 0 && !moves(robot, options))
        note(notes, NOTE_ERROR, 0, "nothing in it moves: all links stand on the ground");
    judge_links(robot, options, notes);
    for (int b = 0; b < robot->n_bodies; b++)
        if (!stands(robot, options, b))
            judge_body(robot, &robot->bodies[b], options->repair, notes);
}
