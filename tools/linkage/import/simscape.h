/* SPDX-License-Identifier: Apache-2.0 */
/* An assembly between its reader, simscape.c, and the tree that is made of it, simscape_tree.c. */
#ifndef TOOLS_LINKAGE_IMPORT_SIMSCAPE_H
#define TOOLS_LINKAGE_IMPORT_SIMSCAPE_H

#include "import.h"

#define PARTS_MAX 6 /* primitives of a joint */

/** struct place - a frame that joints name by @ref. @at: in the world [m] */
struct place {
    int ref, link;
    double at[3];
};

/** struct part - a primitive. @axis: unit vector in the world */
struct part {
    enum joint_kind kind;
    double axis[3];
};

/** struct tie - a joint of the file between two links. @at: where either side of it is */
struct tie {
    char *name;
    long line;
    int link[2], n;
    double at[2][3];
    struct part part[PARTS_MAX];
    bool done;
};

/** struct reading - @origin, @cg, @turn: of each link;  @ground: the link, LINK_NONE */
struct reading {
    struct robot *robot;
    struct notes *notes;
    struct place *place;
    struct tie *tie;
    int n_places, n_ties, ground;
    double (*origin)[3], (*cg)[3], (*turn)[4];
};

/** simscape_make_tree() - the limbs of the robot from @r->tie: a tree from the ground on, or from
 * the first link, over sides of joints in either order; what no joint leads to is free; the joints
 * that are left close loops. Then the centres of the links, whose origins are known by now. */
void simscape_make_tree(struct reading *r);

#endif
