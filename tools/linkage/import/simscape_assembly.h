/* SPDX-License-Identifier: Apache-2.0 */
/* An assembly of the second generation, shared by the files that read it:
 *
 *   simscape_assembly.c  units, parts and instances  -> links with masses, poses in the world
 *   simscape_mates.c     constraints and joints      -> rows between two instances; ties
 *   simscape_match.c     constraints of two bodies -> a tie simscape_freedoms.c rows of two bodies
 *   -> the joint with the remaining freedoms
 *
 * The ties are processed like those of the first generation, by simscape_tree.c. */
#ifndef TOOLS_LINKAGE_IMPORT_SIMSCAPE_ASSEMBLY_H
#define TOOLS_LINKAGE_IMPORT_SIMSCAPE_ASSEMBLY_H

#include "simscape.h"
#include "xml.h"

#define ROWS_MAX 6

/** struct entity - type of instances. @uid: identifier by which instances refer to it; @node:
 * <Assembly>, or NULL for a part, whose mass is in @link */
struct entity {
    char *uid;
    const xmlNode *node;
    struct link link;
};

/** struct piece - an instance of a part or of an assembly; the first is the assembly itself.
 * @parent: the assembly that contains the piece; @path: names of the pieces from the first piece
 *          on, for messages @node: <Instance>; @entity: type of the instance; @frame: pose in the
 *          world [m]
 * @link: LINK_NONE for an assembly until a constraint refers to its axes
 * @held: number common to pieces joined rigidly */
struct piece {
    char *uid, *path;
    int parent, link, held;
    long line;
    const xmlNode *node;
    const struct entity *entity;
    struct frame frame;
};

/** struct row - a quantity that stays constant while two bodies move: the component of a point of
 * one along a direction of the other, or the dot product of two directions. The order of the bodies
 * does not matter, because a joint that allows a motion also allows its reverse.
 * @turns: the row is a dot product of two directions, @along and @point
 * Unit vectors and points are given in the world as drawn. */
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

/** struct assembly - @entity, @piece, @mate: arrays with their numbers of elements; @length, @mass:
 * units of the file in SI @root: first element of the file */
struct assembly {
    struct reading *r;
    const xmlNode *root;
    struct entity *entity;
    struct piece *piece;
    struct mate *mate;
    int n_entities, n_pieces, n_mates;
    double length, mass;
};

/** assembly_numbers() - Read @n numbers from the element @name of @node. Return: false after a
 * note. */
bool assembly_numbers(const struct assembly *a, const xmlNode *node, const char *name, int n,
                      double *ret);
/** assembly_frame() - Read <Transform> of @node; the identity if it is missing. Return: false after
 * a note. */
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

/** read_mates() - Read all constraints and joints in <Constraints> and <Joints> of @node; paths
 * begin at piece @base. */
void read_mates(struct assembly *a, const xmlNode *node, int base);

/** match_mates() - Create ties from all @a->mate: join pieces without relative motion, then create
 * one joint for each pair of bodies. Notes list them; a set of constraints that no joint represents
 * is an error. */
void match_mates(struct assembly *a);

/** find_joint() - Find the joint primitives for the freedoms of two bodies that remain under @n
 * rows.
 * @tie: the function writes its parts and points;  @ret_n: freedoms, rotations and displacements
 * Return: NULL, or the reason why no joint fits. */
const char *find_joint(const struct row *row, int n, struct tie *tie, int ret_n[2]);

#endif
