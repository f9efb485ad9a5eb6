/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of parts: models that a model includes, each with a placement, a mirror, values of
 * its parameters and names of its own.
 *
 * A part is lowered as a model is (parameters.h), then its items are copied into the document that
 * includes it: names by a pattern, references to ports by what the model gives for them, numbers by
 * how they move. So the flat text defines the meaning of a part. */
#ifndef LK_MODEL_PARTS_H
#define LK_MODEL_PARTS_H

#include "document_tree.h"
#include "parameters.h"
#include "reader.h"

#define LK_PARTS_MAX      4096 /* parts of one model, those within parts included */
#define LK_PARTS_DEPTH    8    /* parts within parts */
#define LK_PART_PORTS_MAX 64

/** enum lk_move - how the numbers at a path change with the placement x -> p + R M x, where M is
 * the mirror, a diagonal matrix, and R the rotation. LK_MOVE_PLACE:     a point: p + R M x
 * LK_MOVE_DIRECTION: a polar vector: R M x
 * LK_MOVE_AXIAL:     an axis of rotation, a torque: det(M) R M x, so that the mirrored motion has
 *                    the same angle
 * LK_MOVE_INERTIA:   in the axes of the body: M J M
 * LK_MOVE_HANDED:    the lead of a screw: det(M) x */
enum lk_move {
    LK_MOVE_NONE,
    LK_MOVE_PLACE,
    LK_MOVE_DIRECTION,
    LK_MOVE_AXIAL,
    LK_MOVE_INERTIA,
    LK_MOVE_HANDED
};

/** lk_item_move() - return how the numbers at @keys move, in an item of @type in @section; see
 * units.c. @keys: joined by dots, "" for the item itself */
enum lk_move lk_item_move(const char *section, const char *type, const char *keys);

/** struct lk_placement - see enum lk_move. @is_turned: @rotation is not the identity;
 * @is_mirrored: @mirror is -1 along one axis;  @quaternion: of @rotation */
struct lk_placement {
    double position[3];
    double rotation[9];
    double quaternion[4];
    double mirror[3];
    bool is_turned;
    bool is_mirrored;
};

/** struct lk_port - a port of a part: its name, and the name in the model that includes it. */
struct lk_port {
    char name[LK_NAME_SIZE];
    char outside[LK_NAME_SIZE];
};

/** lk_sections - sections whose items are copied, LK_SECTIONS of them. */
#define LK_SECTIONS 10
extern const char *const lk_sections[LK_SECTIONS];

/** struct lk_copy - a part that is copied into @to.
 * @from:    the lowered part;  @folder: of its file, below that of @to, "" or with a '/'
 * @pattern: of names: '*' is the name in the part
 * @entries: for each section, the keys and values to be added;  @n, @room: their numbers
 * @last:    offsets of file and words in @from, and in @to: those of the node before */
struct lk_copy {
    struct lk_document *to;
    struct lk_node from;
    const char *folder;
    char pattern[LK_NAME_SIZE];
    struct lk_placement place;
    struct lk_port port[LK_PART_PORTS_MAX];
    int n_ports;
    int *entries[LK_SECTIONS];
    size_t n[LK_SECTIONS];
    size_t room[LK_SECTIONS];
    struct {
        int from;
        int to;
    } last_file, last_part;
};

/** lk_part_copy() - copy the items of all sections of @copy->from. Return: 0, LK_E_TEXT (an item
 * that cannot be turned or mirrored, a name that is too long), -ENOMEM. */
int lk_part_copy(struct lk_copy *copy, struct lk_error *err);

/** lk_parts_include() - replace the section `parts` of @document by the items of its parts.
 * Return: 0, LK_E_TEXT, -ENOMEM. */
int lk_parts_include(struct lk_document *document, const struct lk_parameters *parameters,
                     const struct lk_source *source, struct lk_error *err);

#endif
