/* SPDX-License-Identifier: Apache-2.0 */
/* An assembly of the second generation between those who read it:
 *
 *   simscape_assembly.c  units, parts and instances  -> links with masses, poses in the world
 *   simscape_mates.c     constraints and joints      -> rows between two instances; ties
 *   simscape_match.c     constraints of two bodies   -> a tie
 *   simscape_freedoms.c  their rows                  -> the joint that they leave
 *
 * The ties go the way of the first generation, simscape_tree.c. */
#ifndef TOOLS_LINKAGE_IMPORT_SIMSCAPE_ASSEMBLY_H
#define TOOLS_LINKAGE_IMPORT_SIMSCAPE_ASSEMBLY_H

#include "simscape.h"
#include "xml.h"

#define ROWS_MAX 6

/** struct entity - what instances are of. @uid: by which they name it;  @node: <Assembly>, or NULL:
 * a part, then @link has its mass, and no name */
struct entity {
    char *uid;
    const xmlNode *node;
    struct link link;
};

/** struct piece - an instance of a part or of an assembly; the first is the assembly itself.
 * @parent: the assembly that it is in;  @path: its names from there on, for messages
 * @node: <Instance>;  @entity: of which it is one;  @frame: in the world [m]
 * @link: LINK_NONE as long as nothing holds on to the axes of an assembly
 * @held: pieces held together have the same */
struct piece {
    char *uid, *path;
    int parent, link, held;
    long line;
    const xmlNode *node;
    const struct entity *entity;
    struct frame frame;
};

/** struct row - what keeps to its value, two bodies moving: the component of a point of one along a
 * direction of the other, or the product of two directions. Which of the bodies is which does not
 * matter: a joint allows a motion if and only if it allows the way back.
 * @turns: of directions, @along and @point
 * Unit vectors and points in the world as drawn. */
struct row {
    bool turns;
    double along[3], point[3];
};

/** struct mate - a constraint of the file between two pieces, as rows. @name: of the file */
struct mate {
    char *name;
    long line;
    int piece[2], n;
    struct row row[ROWS_MAX];
};

/** struct assembly - @entity, @piece, @mate: n of each;  @length, @mass: units of the file in SI
 * @root: first element */
struct assembly {
    struct reading *r;
    const xmlNode *root;
    struct entity *entity;
    struct piece *piece;
    struct mate *mate;
    int n_entities, n_pieces, n_mates;
    double length, mass;
};

/** assembly_numbers() - @n numbers in the element @name of @node. Return: whether they are there;
 * else after a note. */
bool assembly_numbers(const struct assembly *a, const xmlNode *node, const char *name, int n,
                      double *ret);
/** assembly_frame() - <Transform> of @node, unity without one. Return: false after a note. */
bool assembly_frame(const struct assembly *a, const xmlNode *node, struct frame *ret);
/** assembly_link() - the link of a piece; that of an assembly is made when it is asked for.
 * Return: LINK_NONE after a note. */
int assembly_link(struct assembly *a, int piece);
/** assembly_hold() - two pieces move as one from now on. */
void assembly_hold(struct assembly *a, int one, int other);
/** assembly_tie() - one more tie between the links of two pieces, which touch at @at0 and @at1.
 * Return: NULL after a note. */
struct tie *assembly_tie(struct assembly *a, const char *name, long line, const int piece[2],
                         const double at0[3], const double at1[3]);

/** piece_name() - for messages */
const char *piece_name(const struct assembly *a, int piece);

/** read_mates() - all in <Constraints> and <Joints> of @node; paths begin at piece @base. */
void read_mates(struct assembly *a, const xmlNode *node, int base);

/** match_mates() - ties of all @a->mate: pieces that nothing moves are held, then a joint for each
 * two bodies. A note says which; one that is an error, what no joint allows. */
void match_mates(struct assembly *a);

/** find_joint() - the primitives that @n rows leave of the freedoms of two bodies.
 * @tie: its parts and points are written;  @ret_n: freedoms, rotations and displacements
 * Return: NULL, or why there is no such joint. */
const char *find_joint(const struct row *row, int n, struct tie *tie, int ret_n[2]);

#endif
