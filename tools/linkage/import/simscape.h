/* SPDX-License-Identifier: Apache-2.0 */
/* Data between the readers of an assembly, simscape.c (first generation) and simscape_assembly.c
 * (second generation), and its conversion to a tree, simscape_tree.c. */
#ifndef TOOLS_LINKAGE_IMPORT_SIMSCAPE_H
#define TOOLS_LINKAGE_IMPORT_SIMSCAPE_H

#include "import.h"

#define PARTS_MAX 6    /* largest number of primitives of a joint */
#define APART     1e-4 /* tolerated distance between the frames of a joint, above rounding [m] */

/** struct place - a frame that joints refer to by @ref. @at: position in the world [m] */
struct place {
    int ref, link;
    double at[3];
};

/** struct part - a primitive of a joint.
 * @axis: unit vector in the world */
struct part {
    enum joint_kind kind;
    double axis[3];
};

/** struct tie - a joint of the file between two links.
 * @at:    position of the joint on each side, in the world [m]
 * @value: value of its coordinate at these positions */
struct tie {
    char *name;
    long line;
    int link[2], n;
    double at[2][3], value;
    struct part part[PARTS_MAX];
    bool done;
};

/** struct reading - state of the reader.
 * @origin, @cg, @turn: origin, centre of gravity and orientation of each link
 * @ground:             link that is the ground, or LINK_NONE */
struct reading {
    struct robot *robot;
    struct notes *notes;
    struct place *place;
    struct tie *tie;
    int n_places, n_ties, ground;
    double (*origin)[3], (*cg)[3], (*turn)[4];
};

/** simscape_make_tree() - Create the limbs of the robot from @r->tie: a spanning tree from the
 * ground, or from the first link, with joints in either direction. Links not reached by a joint are
 * free; the remaining joints are cut joints of loops. Then compute the centres of the links,
 * because the tree determines their origins. */
void simscape_make_tree(struct reading *r);

/** simscape_find_turn() - Compute the quaternion of the matrix with columns @x[0..2], @x[3..5],
 * @x[6..8], from its largest entry.
 * Return: true if the matrix is a rotation. */
bool simscape_find_turn(const double x[9], double q[4]);

/** simscape_read_assembly() - Read the second generation: links, ties and their tree in @r. */
void simscape_read_assembly(struct reading *r, const struct _xmlNode *root);

#endif
