/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes for viewers. They do not affect the motion, so an invalid shape is omitted and counted;
 * it never prevents the import. */
#include "import.h"

#include "model/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PLACE_MAX (1e-3 * LK_NUMBER_MAX) /* leaves room for the sum of frames [m] */
#define FLAT      1e-3 /* thickness of a flat box, as a share of its longest edge */

static bool is_valid(const struct shape *shape)
{
    bool good = true;

    for (int i = 0; i < 3; i++)
        good &= fabs(shape->at.r[i]) < PLACE_MAX && shape->size[i] > LK_POSITIVE_MIN &&
                shape->size[i] < PLACE_MAX;
    for (int i = 0; i < 4; i++)
        good &= isfinite(shape->at.q[i]);
    return good;
}

bool robot_shape(struct robot *robot, const struct shape *shape)
{
    if (!is_valid(shape) || robot->n_shapes >= IMPORT_ITEMS_MAX)
        return false;
    if (robot->n_shapes == robot->room_shapes) {
        int room = 2 * robot->room_shapes + 32;
        struct shape *more = realloc(robot->shapes, (size_t)room * sizeof(*more));

        if (more == NULL)
            return false;
        robot->shapes = more;
        robot->room_shapes = room;
    }
    robot->shapes[robot->n_shapes++] = *shape;
    return true;
}

bool robot_capsule(struct robot *robot, const struct shape *capsule)
{
    const double half = 0.5 * capsule->size[2];
    struct shape part = *capsule;
    bool good;

    part.kind = LK_SHAPE_CYLINDER;
    good = robot_shape(robot, &part);
    part.kind = LK_SHAPE_SPHERE;
    part.size[2] = part.size[0];
    for (int side = -1; side <= 1 && good; side += 2) {
        frame_point(&capsule->at, (const double[]){0, 0, side * half}, part.at.r);
        good = robot_shape(robot, &part);
    }
    return good;
}

bool robot_box_of(struct robot *robot, const struct shape *box, const double low[3],
                  const double high[3])
{
    struct shape part = *box;
    double middle[3], longest = 0;

    for (int i = 0; i < 3; i++) {
        middle[i] = 0.5 * (low[i] + high[i]);
        longest = fmax(longest, high[i] - low[i]);
    }
    for (int i = 0; i < 3; i++)
        part.size[i] = fmax(high[i] - low[i], FLAT * longest);
    part.kind = LK_SHAPE_BOX;
    frame_point(&box->at, middle, part.at.r);
    return robot_shape(robot, &part);
}

void undrawn_add(struct undrawn *undrawn, const char *name)
{
    size_t length = strlen(undrawn->names), room = sizeof(undrawn->names) - length;

    bool is_full = length >= 3 && strcmp(undrawn->names + length - 3, "...") == 0;

    undrawn->n++;
    if (is_full || strstr(undrawn->names, name) != NULL)
        return;
    is_full = strlen(name) + sizeof(", , ...") > room;
    snprintf(undrawn->names + length, room, "%s%s", length > 0 ? ", " : "", is_full ? "..." : name);
}
