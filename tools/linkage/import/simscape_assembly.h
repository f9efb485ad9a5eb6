/* SPDX-License-Identifier: Apache-2.0 */
/* An assembly of the second generation, shared by the files that read it:
 *
 *     simscape_assembly.c  units, parts, instances  -> links with masses, poses in the world
 *     simscape_mates.c     constraints and joints   -> rows between two instances; ties
 *     simscape_match.c     constraints of two bodies -> a tie
 *     simscape_freedoms.c  rows of two bodies       -> the joint with the remaining freedoms
 *
 * simscape_tree.c processes the ties like those of the first generation. */
#ifndef TOOLS_LINKAGE_IMPORT_SIMSCAPE_ASSEMBLY_H
#define TOOLS_LINKAGE_IMPORT_SIMSCAPE_ASSEMBLY_H

#include "simscape.h"
#include "xml.h"

#define ROWS_MAX 6

/** struct entity - type of instances.
 * @uid:  identifier that instances refer to
 * @node: <Assembly>, or NULL for a part, whose mass is in @link */
struct entity {
    char *uid;
    const xmlNode *node;
    struct link link;
};

/** struct piece - an instance of a part or of an assembly; the first is the assembly itself.
 * @parent: the assembly that contains the piece
 * @path:   names of all pieces that contain it, from the first piece on, for messages
 * @node:   <Instance>
 * @entity: type of the instance
 * @frame:  pose in the world [m]
 * @link:   LINK_NONE for an assembly until a constraint refers to its axes
 * @held:   number common to pieces joined rigidly */
struct piece {
    char *uid, *path;
    int parent, link, held;
    long line;
    const xmlNode *node;
    const struct entity *entity;
    struct frame frame;
};

/** struct row - a constraint row: a quantity that stays constant while two bodies move. It is the
 * component of a point of one body along a direction of the other body, or the dot product of a
 * direction of each body. The order of the bodies does not matter, because a joint that allows a
 * motion also allows its reverse. Unit vectors and points are given in the world as drawn.
 * @turns: the row is a dot product of the two directions @along and @point */
struct row {
    bool turns;
    double along[3], point[3];
};

/** struct mate - a constraint of the file between two pieces, as rows. @name: name in the file */
struct mate {
    char *name;
    long line;
    int piece[2], n;
    struct row row[ROWS_MAX];
};

/** struct assembly - state of the reader of an assembly.
 * @entity, @piece, @mate: arrays with their numbers of elements
 * @length, @mass: units of the file in SI units
 * @root:          first element of the file */
struct assembly {
    struct reading *r;
    const xmlNode *root;
    struct entity *entity;
    struct piece *piece;
    struct mate *mate;
    int n_entities, n_pieces, n_mates;
    double length, mass;
};

/** assembly_numbers() - Read @n numbers from the element @name of @node.
 * Return: false after a note. */
bool assembly_numbers(const struct assembly *a, const xmlNode *node, const char *name, int n,
                      double *ret);
/** assembly_frame() - Read <Transform> of @node; the identity if it is missing.
 * Return: false after a note. */
bool assembly_frame(const struct assembly *a, const xmlNode *node, struct frame *ret);
/** assembly_link() - Return the link of a piece; the link of an assembly is created at the first
 * call.
 * Return: LINK_NONE after a note. */
int assembly_link(struct assembly *a, int piece);
/** assembly_hold() - Join two pieces rigidly. */
void assembly_hold(struct assembly *a, int one, int other);
/** assembly_tie() - Add a tie between the links of two pieces at their points @at0 and @at1.
 * Return: NULL after a note. */
struct tie *assembly_tie(struct assembly *a, const char *name, long line, const int piece[2],
                         const double at0[3], const double at1[3]);

/** piece_name() - Return the name of a piece for messages. */
const char *piece_name(const struct assembly *a, int piece);

/** read_mates() - Read all constraints and joints in <Constraints> and <Joints> of @node. Paths of
 * instances begin at piece @base. */
void read_mates(struct assembly *a, const xmlNode *node, int base);

/** match_mates() - Create ties from all constraints in @a->mate. Pieces without relative motion are
 * merged first. Then one joint is created for each pair of bodies. Notes list these joints. A set
 * of constraints that no joint represents is an error. */
void match_mates(struct assembly *a);

/** find_joint() - Find the joint primitives for the relative motions of two bodies that @n rows
 * allow.
 * @tie:   its parts and points are written
 * @ret_n: numbers of rotations and translations that the rows allow
 * Return: NULL, or the reason why no joint fits. */
const char *find_joint(const struct row *row, int n, struct tie *tie, int ret_n[2]);

#endif
