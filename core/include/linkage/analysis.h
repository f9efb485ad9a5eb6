/* SPDX-License-Identifier: Apache-2.0 */
/* Offline analysis of a compiled model in its present pose: rank, degrees of freedom,
 * redundant rows, singular poses, the elimination tree.
 *
 * These functions form the library liblinkage-analysis, because mobility and pose checks use
 * LAPACK. The texts and the elimination tree do not use LAPACK. The systems must come from the
 * liblinkage of the same build. The daemon links neither LAPACK nor this library. Allocates.
 * Thread: any but the cycle.  RT: no. */
#ifndef LINKAGE_ANALYSIS_H
#define LINKAGE_ANALYSIS_H

#include "linkage/linkage.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LK_TEXT_SIZE 192 /* enough for each text of this header with its terminating zero */

/** lk_joint_text(), lk_body_text() - write a readable name of joint or body @i of a compiled
 * system. Elements without a name in the file (springs, drives, parts of a split body) have a
 * generated name.
 * @text: @size bytes, written and returned */
const char *lk_joint_text(const struct lk_system *system, int i, char *text, size_t size);
const char *lk_body_text(const struct lk_system *system, int i, char *text, size_t size);

/** lk_direction_text() - write the direction of an axis as text: "x", "(0.6, 0, 0.8)". Opposite
 * directions have the same text: x and -x both give "x".
 * @direction: world axes, not 0
 * @text: @size bytes, written and returned */
const char *lk_direction_text(const double direction[3], char *text, size_t size);

/** struct lk_row - one scalar constraint.  @row: index of the row within the joint */
struct lk_row {
    int joint;
    int row;
};

/** lk_row_text() - write the motion that a rigid row forbids in the present pose: "shift
 * along z", "turn about (0.6, 0, 0.8)"; directions in world axes.
 * @text: @size bytes, written and returned */
const char *lk_row_text(const struct lk_system *system, struct lk_row row, char *text, size_t size);

/** struct lk_free_coordinate - a coordinate that the rigid rows leave free in the present
 * pose.
 * @joint:     the joint that measures the motion as its coordinate @which; -1: no joint measures
 *             the motion. Then @body and @direction define the motion
 * @body:      body that shifts along (@direction 0 to 2) or turns about (3 to 5) the world's x, y
 *             or z */
struct lk_free_coordinate {
    int joint;
    int which;
    int body;
    int direction;
};

/** lk_free_coordinate_text() - write a free coordinate as text: "pin angle (revolute, ground
 * to crank)", "rod: turn about x".
 * @text: @size bytes, written and returned */
const char *lk_free_coordinate_text(const struct lk_system *system,
                                    struct lk_free_coordinate coordinate, char *text, size_t size);

/** struct lk_mobility - rank of the rigid rows in the present pose.
 * @rank:        rank of the rigid rows
 * @dof:         degrees of freedom, 6 * bodies - rank
 * @n_redundant: rigid rows - rank
 * @n_driven:    rows that prescribe a coordinate over time; they count as rigid rows
 * @n_joints:    number of joints whose rows depend on other rows
 * @joints:      indices of these joints
 * @rows:        the dependent rows of these joints, joint by joint;  @n_rows: their number
 * @coordinates: @dof free coordinates whose rates determine every velocity that the rows allow:
 *               first coordinates of joints, in the order of the file, then of bodies. The choice
 *               is not unique, but well conditioned. NULL: the loops have too many motions for a
 *               choice */
struct lk_mobility {
    int rank;
    int dof;
    int n_redundant;
    int n_driven;
    int n_joints;
    int n_rows;
    int n_coordinates;
    int *joints;
    struct lk_row *rows;
    struct lk_free_coordinate *coordinates;
};

/** lk_mobility_init() - compute the rank by a rank-revealing QR (LAPACK dgeqp3) of the rigid rows
 * of loops, each scaled to unit length. All rows outside of loops are independent.
 * Return: 0, LK_E_MODEL (the loops are too large for a dense matrix of their rows), -ENOMEM,
 * -EINVAL (not finite, or planar reduction removed rows, see struct lk_options.all_rows).
 * Release with lk_mobility_fini(). */
int lk_mobility_init(const struct lk_system *system, struct lk_mobility *ret_mobility);

/** lk_mobility_fini() - release the memory allocated by lk_mobility_init(). */
void lk_mobility_fini(struct lk_mobility *mobility);

/** enum lk_pose_kind - REGULAR: nearby poses have the same rank;  SINGULAR: nearby poses have
 * a larger rank;  STUCK: no nearby pose was found in the directions that the rows allow */
enum lk_pose_kind { LK_POSE_REGULAR, LK_POSE_SINGULAR, LK_POSE_STUCK };

/** struct lk_pose_check - type of the present pose, and its distance from a singular pose.
 * @n_loop_rows: rigid rows in loops; 0: nothing can be singular and no field below is set
 * @n_extra:     SINGULAR: degrees of freedom of this pose that nearby poses do not have
 * @can_move:    the rows (without drives) allow some motion within the loops
 * @n_nearby:    number of nearby poses that were found
 * @bodies:      the @n_bodies bodies that move most in motions that nearby poses do not have
 * @smallest:    smallest nonzero singular value of the rows of the loops, each scaled to unit
 *               length, with translations in units of the size of a body: approximately the
 *               distance to a singular pose in turns [rad] and body lengths;  @largest: largest
 *               singular value
 * @joints:      the @n_joints joints whose rows are nearly dependent in this pose */
struct lk_pose_check {
    enum lk_pose_kind kind;
    int n_loop_rows;
    int n_extra;
    int can_move;
    int n_nearby;
    int n_bodies;
    int n_joints;
    int *bodies;
    int *joints;
    double smallest;
    double largest;
};

/** lk_pose_check_init() - compare the rank with the rank in a few nearby poses that the mechanism
 * can reach, and compute the singular values of the rows (LAPACK dgesdd).
 * Return: 0, LK_E_MODEL (the loops are too large), -ENOMEM, -EINVAL as lk_mobility_init(). Release
 * with lk_pose_check_fini(). */
int lk_pose_check_init(const struct lk_system *system, struct lk_pose_check *ret_check);
void lk_pose_check_fini(struct lk_pose_check *check);

/** struct lk_tree_front - one dense block of the factorisation.
 * @parent:    the front that receives the remaining rows, -1: none
 * @children:  fronts whose remaining rows are added here;  @bodies: bodies whose terms are added
 *             here
 * @joints:    @n_joints joints: first the @n_eliminated joints eliminated here, then the joints
 *             that remain
 * @hub:       body with many joints whose motion is eliminated here, as six rows, -1: none
 * @hangs_on:  body with many joints whose motion remains for the parent, -1: none
 * @factor_flops, @solve_flops: floating point operations of one factorisation, and of one solve */
struct lk_tree_front {
    int parent;
    int n_children;
    int children[2];
    int n_bodies;
    int bodies[2];
    int n_joints;
    int n_eliminated;
    int hub;
    int hangs_on;
    int rows_eliminated;
    int rows_remaining;
    int *joints;
    double factor_flops;
    double solve_flops;
};

/** struct lk_tree_view - the elimination tree, children before parents.
 * @depth: number of levels;  @largest: number of rows of the largest front;  @joints: joints of all
 *         fronts */
struct lk_tree_view {
    int n_fronts;
    int depth;
    int largest;
    struct lk_tree_front *fronts;
    int *joints;
};

/** lk_tree_view_init() - build a description of the elimination tree of @system.
 * Return: 0, -ENOMEM. Release with lk_tree_view_fini(). */
int lk_tree_view_init(const struct lk_system *system, struct lk_tree_view *ret_view);
void lk_tree_view_fini(struct lk_tree_view *view);

#ifdef __cplusplus
}
#endif
#endif
