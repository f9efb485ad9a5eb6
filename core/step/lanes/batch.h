/* SPDX-License-Identifier: Apache-2.0 */
/* The step in lanes: tree nodes of the same shape are processed together, one in each lane of a
 * vector register. Such a group is a batch.
 *
 * The mechanism is cut into similar pieces (see compile/batch/pieces.h), one for each lane. Whole
 * subtrees are then processed together, and all operands of a front, a joint or a body are in the
 * same lane. The top of the tree, which joins the pieces, gathers its operands by index. The last
 * fronts of the top are one dense matrix, see struct lk_batch_root_row. All values of a step are
 * vectors of `lanes` doubles in one array, in the order of use:
 *
 *   bodies    pose, velocities, motion within the step, weights            enum lk_body_field
 *   joints    constants, Jacobian, E, lambda, right-hand side, scatter     struct lk_joint_kind
 *   fronts    factor; the remainder and its right-hand side on a stack
 *
 * Here rotations are about world axes: the Jacobian of a point row is its arm R p, and a square row
 * has one vector for both sides. In the iterations these axes belong to R0, the orientation at the
 * Jacobian: R0 R^T maps torques on a body, and the increment in body axes is dtheta (body) = R0^T
 * dtheta. Newton method and projections are therefore the same as in step/scripts/ali3.c and
 * step/scripts/rattle.c, whose residual is about the body's axes at R0 already. In
 * step/scripts/rk4.c, R0 is the orientation at the last stage.
 *
 * The number of lanes is fixed when a model is compiled; engines.c has the table of engines.
 * Results differ between engines by round-off, never between runs. */
#ifndef LK_STEP_BATCH_BATCH_H
#define LK_STEP_BATCH_BATCH_H

#include "step/executor.h"
#include "step/lanes/fields.h"
#include "step/system.h"
#include <stdbool.h>

#define LK_LANES_MAX 8

/** struct lk_ref - reference to a block of vectors.
 * @at:   offset [vectors] of the block if @map is negative, else of the values for lanes that are
 *        not gathered
 * @map:  index of @n entries of struct lk_batches.map: offset [doubles] of the block of each of
 *        the first @n lanes. `lanes` entries follow: the lane of block @one that each lane reads
 * @one:  the only block that lanes are gathered from, negative if there are several
 * @live: bit mask of the gathered lanes */
struct lk_ref {
    int at;
    int map;
    int n;
    int one;
    unsigned live;
};

/** struct lk_batch_side - one side of a joint at each body of a block. @joint: reference to the
 * blocks of the joints;
 * @side: side of the joints, the same in all lanes;  @point: point rows of the joints
 * @n_scatter: number of values scattered to the bodies: 0, 3, 9, or, of a coupling, 6 to this
 *             side
 * @lambda .. @scatter: offsets of these fields in the joints' blocks, see fields.h */
struct lk_batch_side {
    struct lk_ref joint;
    int side;
    enum lk_point_rows point;
    int n_scatter;
    int lambda;
    int x;
    int arm_own; /* the joint's point, body axes */
    int arm;     /* the joint's point along the world axes, at the pose of the factor */
    int scatter;
};

/** struct lk_batch_bodies - bodies in lanes. @at: offset of their fields
 * @shown: bit mask of the lanes whose poses are copied to system->pose, for rows evaluated one
 *         by one
 * @tense: bit mask of bodies whose tension is included, see tension.h;  @first_tense: index of the
 *         first of these bodies in lk_batches.tense
 * @are_linear: there are no rare fields, and all bodies are balls, whose moments of inertia are
 *         the same about all axes, or all move in a plane, see compile/passes/plane.h. Then A is
 *         constant, there are no gyroscopic terms, and momentum is linear in the rotation of a
 *         step
 * @are_balls: all bodies are balls
 * @body:  index of the body in each lane, -1 in empty lanes */
struct lk_batch_bodies {
    int at;
    int are_linear;
    int are_balls;
    int first_side;
    int n_sides;
    unsigned shown;
    unsigned tense;
    int first_tense;
    int body[LK_LANES_MAX];
};

/** struct lk_batch_joints - joints of one kind in lanes, see fields.h. @joint: index of the joint
 * in each lane, -1 in empty lanes, where both sides are the ground;  @joins_linear: all bodies are
 * in blocks that are_linear */
struct lk_batch_joints {
    int kind;
    int joins_linear;
    int at;
    struct lk_ref body[LK_SIDES_MAX]; /* only the first lk_kind_sides() entries are used */
    int joint[LK_LANES_MAX];
    int row[LK_LANES_MAX]; /* first row of each joint in the state */
};

/** struct lk_batch_block - rows of a joint in the element of a body. @at: first row in the front */
struct lk_batch_block {
    struct lk_ref joint;
    int kind;
    int side;
    int at;
};

/** struct lk_batch_element - contribution of a body to a front, as blocks in the order of their
 * rows.
 * @kind: kind of all joints, or -1 if the kinds differ */
struct lk_batch_element {
    struct lk_ref body;
    int kind;
    int first_block;
    int n_blocks;
};

/** struct lk_batch_child - contribution of a child to a front. Entry from[k] of the remainder
 * (entry k if the offset of from is negative) adds to place[k] of the matrix. Right-hand sides
 * (sums) are treated in the same way.
 * @n_entries, @n_rows: number of matrix entries, and of sums;  @from_*, @places, @rows: offsets
 *                      into the table */
struct lk_batch_child {
    struct lk_ref remainder;
    struct lk_ref sums;
    int n_entries;
    int n_rows;
    int from_entry;
    int from_row;
    int places;
    int rows;
};

/** struct lk_batch_slot - rows of a joint in a front; slots with eliminated rows come first.
 * @regular, @x: offsets of these fields of the joint */
struct lk_batch_slot {
    struct lk_ref joint;
    int rows;
    int regular;
    int x;
};

/* sizes (e, n) of the fronts for which the kernels have specialised instances: the fronts of chains
 * and loops of joints with 2, 3, 5 and 6 rows. */
#define LK_BATCH_SHAPES(X)                                                                         \
    X(2, 2)                                                                                        \
    X(2, 4)                                                                                        \
    X(2, 6) X(3, 3) X(3, 6) X(3, 9) X(5, 5) X(5, 10) X(5, 15) X(6, 6) X(6, 11) X(6, 12) X(6, 18)

enum lk_batch_shape {
    LK_BATCH_SHAPE_ANY,
#define X(E, N) LK_BATCH_SHAPE_##E##_##N,
    LK_BATCH_SHAPES(X)
#undef X
};

/** enum lk_batch_form - a part of a merge: a body, or the remainder of a child. The remainder
 * is over one joint, or over two joints of which the first or the second is eliminated. */
enum lk_batch_form { LK_BATCH_BODY, LK_BATCH_ONE, LK_BATCH_FIRST, LK_BATCH_SECOND };

/** struct lk_batch_part - one part of a merge of two parts that eliminates the joint between
 * them, as in a link of a chain. Each part keeps one more joint or none. All joints have the
 * same number of rows.
 * @block:  weights of the bodies, or the remainder;  @sums: right-hand side of the remainder
 * @joint, @side: of bodies: the eliminated joint, then the kept joint
 * @mask:   a vector that is zero in lanes that lack the kept joint of their body; -1: no lane
 *          lacks it */
struct lk_batch_part {
    enum lk_batch_form form;
    struct lk_ref block;
    struct lk_ref sums;
    struct lk_ref joint[2];
    int side[2];
    int kind;
    int mask;
};

/** enum lk_batch_root - position of a front relative to the root. All fronts of the root are
 * eliminated together, in place of the last one (IS_ROOT) */
enum lk_batch_root { LK_BATCH_BELOW_ROOT, LK_BATCH_IN_ROOT, LK_BATCH_IS_ROOT };

/** struct lk_batch_front - a front with @n rows, of which @e are eliminated.
 * @factor:    D^-1 (e), L^-1 (strictly lower, column by column), U (column by column)
 * @remainder: lower triangle, column by column;  @sums: its right-hand side
 * @merge:     index of the first of two parts if the front merges two parts, else -1
 * @n_kept:    joints that remain: 2, 1 (in the first part), or 0
 * @n_masks:   number of rows of its elements that some lanes lack;  @root: enum lk_batch_root */
struct lk_batch_front {
    int shape;
    int root;
    int n;
    int e;
    int factor;
    int remainder;
    int sums;
    int merge;
    int n_kept;
    int first_mask;
    int n_masks;
    int first_slot;
    int n_elim;
    int n_slots;
    int first_element;
    int n_elements;
    int first_child;
    int n_children;
};

/** struct lk_batch_mask - a row of a front that only some lanes have. @at: vector of ones in those
 * lanes, zeros elsewhere */
struct lk_batch_mask {
    int at;
    int row;
    unsigned lanes;
};

/** struct lk_batch_root_row - a row of the root. The root combines the last fronts of the
 * elimination tree, which occupy few lanes each, in one dense matrix whose rows fill the lanes (as
 * the root node of multifrontal solvers, P. R. Amestoy, I. S. Duff, J.-Y. L'Excellent, Multifrontal
 * parallel distributed symmetric and unsymmetric solvers, 2000).
 * @x, @regular: indices in the values of the solution and of E of this row
 * @first_sum, @n_sums: range in root_sums: indices of the right-hand sides that the children add
 * to this row */
struct lk_batch_root_row {
    int x;
    int regular;
    int first_sum;
    int n_sums;
};

/** struct lk_batch_root_entry - one entry of a remainder and the matrix entry that it is added to.
 * @from: index of the entry in the values;  @to: index of the matrix entry */
struct lk_batch_root_entry {
    int from;
    int to;
};

#define LK_ROOT_ROWS_MAX 24
#define LK_ROOT_MATRICES 3 /* matrices of the root: C, L^-1 by columns, L^-1 by rows */
#define LK_ROOT_VECTORS  2 /* D^-1 and a solution; columns have lk_root_stride() numbers */

/** lk_root_stride() - return @rows rounded up to whole vectors. RT: yes. */
static inline int lk_root_stride(int lanes, int rows)
{
    return (rows + lanes - 1) / lanes * lanes;
}

/** struct lk_batch_op - one operation of a sweep. The order upwards is bodies, joints, front;
 * downwards it is reversed. */
enum lk_batch_what { LK_BATCH_BODIES, LK_BATCH_JOINTS, LK_BATCH_FRONT };
struct lk_batch_op {
    enum lk_batch_what what;
    int index;
};

/** struct lk_batch_task - operations in order, independent of other tasks; the last task is the top
 * of the tree, which runs after all others (upwards) or before them (downwards).
 * @scratch: vectors for one front's matrix */
struct lk_batch_task {
    int first_op;
    int n_ops;
    int scratch;
};

/** struct lk_batch_soft - a joint with compliant rows. @block, @lane: its block and lane; -1 if its
 * rows are loads. */
struct lk_batch_soft {
    int joint;
    int block;
    int lane;
};

/** struct lk_batch_tense - a body whose tension is included. @root: root of its J, see
 * lk_tension_root()
 * @first, @n: range of its sides at joints with point rows;  @lead: index in the list of the first
 *             part of a split body; -1 for bodies that are not split */
struct lk_batch_tense {
    int body;
    int block;
    int first;
    int n;
    int lead;
    double root[6];
};

struct lk_batch_tense_side {
    int joint;
    int side;
};

/* the lists of struct lk_batches, and their numbers of entries. All entries are integers without
 * padding, so that a byte-by-byte comparison finds two equal lists */
#define LK_BATCHES_LISTS(X)                                                                        \
    X(ops, n_ops)                                                                                  \
    X(tasks, n_tasks)                                                                              \
    X(bodies, n_bodies)                                                                            \
    X(sides, n_sides)                                                                              \
    X(joints, n_joints)                                                                            \
    X(fronts, n_fronts)                                                                            \
    X(slots, n_slots)                                                                              \
    X(parts, n_parts)                                                                              \
    X(elements, n_elements)                                                                        \
    X(blocks, n_blocks)                                                                            \
    X(children, n_children)                                                                        \
    X(table, n_table)                                                                              \
    X(map, n_map)                                                                                  \
    X(masks, n_masks)                                                                              \
    X(root_rows, n_root_rows)                                                                      \
    X(root_entries, n_root_entries)                                                                \
    X(root_sums, n_root_sums)

/** struct lk_batches - all data of a step in lanes. Constant after compilation, except @values,
 * @n_phases, @watch and @sums.
 * @effort: work of the formulation;  @body_size: number of fields of a body
 * @loaded:  bodies that loads and inputs act on
 * @watched: bodies whose pose and twist are read after a step: by loads, outputs, coordinates
 * @place:   offset of each body [doubles]
 * @soft: the joints of soft blocks, in their order; or compliant joints that act as loads, with
 *        @n_law_loads rows
 * @rare: offset in a body of the fields of enum lk_rare_field, 0: there are none
 * @factors_twice: the iterations have a separate factor
 * @carries: multipliers of rigid rows are kept from step to step, because bodies without inertia
 * transmit forces
 * @keeps_gaps: of `rattle`, rows may depend on each other, see lk_one_find_gaps()
 * @tense, @tense_sides: see rare.h */
struct lk_batches {
    const struct lk_engine *engine;
    int lanes;
    double *values;
    int n_values; /* number of vectors */
    struct lk_lane_effort effort;
    int body_size;
    int ground;  /* fields of a body that does not move */
    int nothing; /* block for empty lanes: zeros, then ones; results written to it are not used */
    int n_nothing;
    int n_bodies;
    struct lk_batch_bodies *bodies;
    int n_joints;
    struct lk_batch_joints *joints;
    int n_fronts;
    struct lk_batch_front *fronts;
    int n_ops;
    struct lk_batch_op *ops;
    int n_tasks;
    struct lk_batch_task *tasks;
    int n_sides, n_blocks, n_elements, n_children, n_slots, n_parts, n_map, n_table, n_masks;
    struct lk_batch_side *sides;
    struct lk_batch_block *blocks;
    struct lk_batch_element *elements;
    struct lk_batch_child *children;
    struct lk_batch_slot *slots;
    struct lk_batch_part *parts;
    int *map;
    int *table;
    struct lk_batch_mask *masks;
    int root; /* offset of the root's matrices in @values */
    int n_root_rows, n_root_entries, n_root_sums;
    struct lk_batch_root_row *root_rows;
    struct lk_batch_root_entry *root_entries;
    int *root_sums;
    int n_loaded, n_watched;
    int *loaded;
    int *watched;
    int *place;
    int n_soft;
    struct lk_batch_soft *soft;
    int n_law_loads;
    int rare;
    int carries;
    int factors_twice;
    int keeps_gaps;
    int n_tense, n_tense_sides;
    struct lk_batch_tense *tense;
    struct lk_batch_tense_side *tense_sides;
    int n_phases;  /* number of joins since the last step began, without a pool; for tests */
    double *watch; /* a struct watch of each task, see bodies_inl.h */
    double *sums;  /* a struct sums of each task, see rattle_bodies_inl.h */
};

/** lk_batches_dependent_rows() - see lk_system_dependent_rows(). The result may include empty
 * lanes, the same number in every pose. RT: yes. */
LK_RT int lk_batches_dependent_rows(const struct lk_batches *batches, double share);

/** struct lk_engine - one build of engine_inl.h. @is_supported: return whether this processor
 * can run it;  @executor: executor of each script */
struct lk_engine {
    const char *name;
    int lanes;
    int (*is_supported)(void);
    struct lk_executor executor[LK_SCRIPTS];
};

#define LK_WATCHES 7                           /* vectors of a struct watch */
#define LK_SUMS    (2 + 2 * LK_ITERATIONS_MAX) /* vectors of a struct sums */

/** lk_engines - all engines of this program (build option `engines`), the widest first; NULL at the
 * end. In engines.c. */
extern const struct lk_engine *const lk_engines[];

/** lk_engine_find() - return the engine called @name, or NULL if this processor does not support it
 * or it was not built. */
const struct lk_engine *lk_engine_find(const char *name);
#define LK_ENGINES_MAX 4
/** lk_engines_here() - list the engines that this processor supports; NULL at the end. */
void lk_engines_here(const struct lk_engine *ret[LK_ENGINES_MAX + 1]);

#endif
