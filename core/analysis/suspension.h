/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of linkage/suspension.h. Data flow:
 *
 *     suspension.c          wheels, axles, and the bodies that move with each axle
 *     suspension_solve.c    poses at prescribed heights, and unit motions there
 *     suspension_measure.c  wheel angles, steering axis and forces in a pose
 *     suspension_sweep.c    curves over a travel
 *
 * The unknowns are the moves of all bodies that rigid joints connect with the wheels of an axle.
 * The rows are those of lk_loops_beside(), and behind them: rows of compliant joints, the spin of
 * each wheel relative to its carrier, the height of each wheel, the steering coordinates. */
#ifndef LK_ANALYSIS_SUSPENSION_H
#define LK_ANALYSIS_SUSPENSION_H

#include "analysis/loops.h"
#include "linkage/suspension.h"
#include "step/elements/laws.h"

#define LK_CLOSED_WITHIN 1e-10 /* largest violation of a solved pose: rows of unit length */

/** struct lk_rig_wheel - a wheel.
 * @side: 1: left, -1: right
 * @hub:  wheel centre from the centre of mass [m], @axle: spin axis to the left; body axes
 * @centre, @contact: wheel centre and contact point in the design position [m]
 * @spin: angle of the joint in the design position [rad] */
struct lk_rig_wheel {
    int joint;
    int body;
    int side;
    double radius;
    double hub[3];
    double axle[3];
    double centre[3];
    double contact[3];
    double spin;
};

/** struct lk_rig_target - prescribed travel: height of each wheel of the request above its design
 * position [m], and change of the steering coordinates [m or rad]. */
struct lk_rig_target {
    double height[LK_SUSPENSION_WHEELS_MAX];
    double steer;
};

/** struct lk_rig_row - a row behind those of the loops. @joint: of SOFT, SPIN and STEER;  @at: row
 * of a compliant joint, wheel of the request, or steering coordinate;  @rest: value in the design
 * position */
enum lk_rig_row_kind { LK_RIG_SOFT, LK_RIG_SPIN, LK_RIG_HEIGHT, LK_RIG_STEER };
struct lk_rig_row {
    enum lk_rig_row_kind kind;
    int joint;
    int at;
    double rest;
};

/** struct lk_rig - an axle with all bodies that move with it.
 * @is_held:   bodies that do not move;  @loops: rows of the rigid joints, @n_columns of them
 * @is_dropped: columns of drives that steer
 * @extra:     @n_extra rows behind them;  @n: unknowns;  @m: rows
 * @rank:      rank in the design position
 * @A, @tau, @pivot: factors of the rows, A P = Q R;  @phi: violation;  @scale: of the extra rows
 * @x, @y:     scratch, n and m
 * @unit:      motion for a unit of the height of each wheel, then of the steering; n values each
 * @has_unit:  the rows allow this motion
 * @pose:      poses of all bodies of the system;  @kept: poses before a step
 * @travel:    target of @pose */
struct lk_rig {
    struct lk_suspension *of;
    bool *is_held;
    struct lk_loops loops;
    bool *is_dropped;
    struct lk_rig_row *extra;
    int n_extra;
    int n;
    int m;
    int rank;
    bool is_steered;
    double *A;
    double *tau;
    int *pivot;
    double *phi;
    double *scale;
    double *x;
    double *y;
    double *unit[LK_SUSPENSION_WHEELS_MAX + 1];
    bool has_unit[LK_SUSPENSION_WHEELS_MAX + 1];
    bool has_wheel[LK_SUSPENSION_WHEELS_MAX];
    struct lk_pose *pose;
    struct lk_pose *kept;
    struct lk_rig_target travel;
};

/* index of the motion for a unit of the steering in lk_rig.unit */
#define LK_RIG_TURN LK_SUSPENSION_WHEELS_MAX

/** struct lk_suspension - see linkage/suspension.h.
 * @start: poses in the design position
 * @law_place: value of the row of each law in sys->pose, unwrapped;  @law_design: in the design
 *             position */
struct lk_suspension {
    struct lk_system *sys;
    struct lk_suspension_request request;
    struct lk_rig_wheel wheel[LK_SUSPENSION_WHEELS_MAX];
    int n_axles;
    struct lk_suspension_axle axle[LK_SUSPENSION_WHEELS_MAX];
    struct lk_rig rig[LK_SUSPENSION_WHEELS_MAX];
    struct lk_pose *start;
    double *law_place;
    double *law_design;
    bool *floats; /* bodies that no joint connects with the chassis: springs alone hold them */
};

/** lk_suspension_counts() - return whether all bodies of a law are on joints, see
 * lk_suspension_floating(). */
bool lk_suspension_counts(const struct lk_suspension *s, const struct lk_law *law);

/* ---- suspension_solve.c ---- */

/** lk_rig_begin() - move to the design position, factor the rows, and find their rank. Return: 0,
 * -EINVAL: not finite. */
int lk_rig_begin(struct lk_rig *rig);
/** lk_rig_null_motions() - compute the motions that all rows leave, n values each. Call after
 * lk_rig_begin(). Return: their number, -ENOMEM; free() @ret. */
int lk_rig_null_motions(const struct lk_rig *rig, double **ret);
/** lk_rig_units() - factor the rows in the present pose and compute all unit motions. Return: true
 * if the pose is regular. */
bool lk_rig_units(struct lk_rig *rig);
/** lk_rig_direction() - combine unit motions to the motion for a unit of @by; rig->n values. */
void lk_rig_direction(const struct lk_rig *rig, const struct lk_rig_target *by, double *ret);
/** lk_rig_nudge() - move from the present pose to a nearby target in one step, without accepting
 * it.
 * @along: motion for a unit of the difference. Return: true if the pose was found. */
bool lk_rig_nudge(struct lk_rig *rig, const double *along, double amount,
                  const struct lk_rig_target *target);
/** lk_rig_advance() - move to @target by steps that follow the path. On failure the pose is the
 * last one that was reached, with rig->travel. @ret_why: reason of a failure, static text. Return:
 * true if the target was reached. */
bool lk_rig_advance(struct lk_rig *rig, const struct lk_rig_target *target, const char **ret_why);
/** lk_rig_keep(), lk_rig_return() - store the poses, and restore them. */
void lk_rig_keep(struct lk_rig *rig);
void lk_rig_return(struct lk_rig *rig);

/* ---- suspension_measure.c ---- */

/** lk_rig_place() - compute wheel centre, spin axis to the left, and contact point; world axes. */
void lk_rig_place(const struct lk_rig_wheel *wheel, const struct lk_pose *pose, double centre[3],
                  double axle[3], double contact[3]);
/** lk_rig_measure() - compute the values of an axle in the present pose, except wheel rates. Needs
 * the motions for a unit of travel and of steering. */
void lk_rig_measure(const struct lk_rig *rig, const struct lk_suspension_axle *axle,
                    enum lk_suspension_sweep sweep, struct lk_suspension_row *ret);
/** lk_rig_way() - return the travel of the wheels of an axle for a unit of the sweep. */
struct lk_rig_target lk_rig_way(const struct lk_suspension_axle *axle,
                                enum lk_suspension_sweep sweep);
/** lk_rig_is_spring() - return whether a law stores elastic energy. */
bool lk_rig_is_spring(const struct lk_system *sys, const struct lk_law *law);
/** lk_rig_force() - compute the derivative of the elastic energy along @motion in the present pose
 * [N]. */
double lk_rig_force(const struct lk_rig *rig, const double *motion);

#endif
