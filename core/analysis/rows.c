/* SPDX-License-Identifier: Apache-2.0 */
/* Names of elements, and descriptions of the motion that a row forbids. The description is derived
 * from the Jacobian, so a joint type needs a text here only if its row is neither a shift nor a
 * turn. */
#include "linkage/analysis.h"
#include "maths/arithmetic.h"
#include "maths/vec.h"
#include "step/system.h"
#include <stdio.h>
#include <string.h>

#define ALONG_AXIS 1e-6 /* sine of the angle below which a direction gets the name of an axis */
/* a row with a shorter translation part than this counts as a rotation */
#define NO_SHIFT 1e-9

/* Return the description of a coordinate: "pin", or "tube angle" if the joint has several
 * coordinates. */
static const char *describe_coordinate(const struct lk_system *sys, const struct lk_joint *joint,
                                       int k, char *text, size_t size)
{
    const struct lk_joint_traits *traits = &lk_joint_traits[joint->of[k]->type];
    const char *name = traits->n_coordinates > 1 ? traits->coordinate[joint->which[k]] : "";

    snprintf(text, size, "%s%s%s", sys->joint_name[joint->of[k] - sys->joint],
             name[0] != '\0' ? " " : "", name);
    return text;
}

/* Return the number of a body among the parts of a split body; the first part has the index of
 * that body. */
static int part_number(const struct lk_system *sys, int i)
{
    int number = 2;

    for (int b = sys->n_named_bodies; b < i; b++)
        number += sys->body[b].of == sys->body[i].of;
    return number;
}

const char *lk_body_text(const struct lk_system *sys, int i, char *text, size_t size)
{
    if (i > sys->n_bodies)
        snprintf(text, size, "driven frame %d", i - sys->n_bodies);
    else if (i == sys->n_bodies)
        snprintf(text, size, "ground");
    else if (i >= sys->n_named_bodies)
        snprintf(text, size, "part %d of %s", part_number(sys, i), sys->body_name[sys->body[i].of]);
    else
        snprintf(text, size, "%s", sys->body_name[i]);
    return text;
}

/* Describe an element between two bodies that has no name as a joint. */
static void describe_element(const struct lk_system *sys, int i, char *text, size_t size)
{
    const char *what = sys->joint[i].type == LK_JOINT_BUSHING   ? "bushing"
                       : sys->joint[i].type == LK_JOINT_CREEP   ? "creep"
                       : sys->joint[i].type == LK_JOINT_TYRE    ? "tyre"
                       : sys->joint[i].type == LK_JOINT_CONTACT ? "contact"
                       : sys->joint[i].type == LK_JOINT_AIR     ? "drag"
                       : sys->joint[i].type == LK_JOINT_SWAY    ? "across"
                                                                : "spring";
    int part = sys->joint[i].body[1];
    char first[LK_TEXT_SIZE], second[LK_TEXT_SIZE];

    if (!lk_is_compliant(&sys->joint[i])) {
        snprintf(text, size, "weld %d-%d of %s", part_number(sys, part) - 1, part_number(sys, part),
                 sys->body_name[sys->body[part].of]);
        return;
    }
    snprintf(text, size, "%s %s, %.60s-%.60s", what, sys->joint_name[i],
             lk_body_text(sys, sys->joint[i].body[0], first, sizeof(first)),
             lk_body_text(sys, sys->joint[i].body[1], second, sizeof(second)));
}

const char *lk_joint_text(const struct lk_system *sys, int i, char *text, size_t size)
{
    const struct lk_joint *joint = &sys->joint[i];
    char name[LK_TEXT_SIZE / 2];

    if (i < sys->n_named_joints)
        snprintf(text, size, "%s", sys->joint_name[i]);
    else if (joint->of[0])
        snprintf(text, size, "%s of %s", joint->kind == LK_ROWS_DRIVEN ? "drive" : "force element",
                 describe_coordinate(sys, joint, 0, name, sizeof(name)));
    else
        describe_element(sys, i, text, size);
    return text;
}

/* Scale to unit length, with the largest component positive, because a row forbids both senses. */
static void normalise(double d[3])
{
    int largest = 0;
    double length = lk_norm(d);

    for (int i = 1; i < 3; i++)
        if (fabs(d[i]) > fabs(d[largest]) + ALONG_AXIS * length)
            largest = i;
    if (d[largest] < 0)
        length = -length;
    for (int i = 0; i < 3 && length != 0; i++)
        d[i] /= length;
}

const char *lk_direction_text(const double direction[3], char *text, size_t size)
{
    double d[3] = {direction[0], direction[1], direction[2]};

    normalise(d);
    for (int i = 0; i < 3; i++)
        if (fabs(d[(i + 1) % 3]) < ALONG_AXIS && fabs(d[(i + 2) % 3]) < ALONG_AXIS) {
            snprintf(text, size, "%c", "xyz"[i]);
            return text;
        }
    /* adding zero turns a rounded -0 into 0 */
    snprintf(text, size, "(%.3g, %.3g, %.3g)", round(1e3 * d[0]) / 1e3 + 0.0,
             round(1e3 * d[1]) / 1e3 + 0.0, round(1e3 * d[2]) / 1e3 + 0.0);
    return text;
}

/* Describe rows that relate coordinates of other joints. */
static void describe_relation(const struct lk_system *sys, const struct lk_joint *joint, char *text,
                              size_t size)
{
    char first[LK_TEXT_SIZE / 2], second[LK_TEXT_SIZE / 2], third[LK_TEXT_SIZE / 2];

    describe_coordinate(sys, joint, 0, first, sizeof(first));
    if (joint->of[2])
        snprintf(text, size, "mean of %.50s and %.50s to %.50s",
                 describe_coordinate(sys, joint, 1, second, sizeof(second)),
                 describe_coordinate(sys, joint, 2, third, sizeof(third)), first);
    else if (joint->of[1])
        snprintf(text, size, "ratio of %.80s to %.80s",
                 describe_coordinate(sys, joint, 1, second, sizeof(second)), first);
    else
        snprintf(text, size, "coordinate of %s", first);
}

const char *lk_row_text(const struct lk_system *sys, struct lk_row row, char *text, size_t size)
{
    LK_ARITHMETIC;
    const struct lk_joint *joint = &sys->joint[row.joint];
    const char *what = "shift along";
    double J[6], direction[3];
    char where[64];

    if (joint->of[0]) {
        describe_relation(sys, joint, text, size);
        return text;
    }
    lk_jacobian_row(sys->jacobian[row.joint], 1, row.row, J);
    memcpy(direction, J, sizeof(direction));
    if (lk_norm(direction) < NO_SHIFT) {
        what = "turn about";
        lk_rotate(sys->pose[joint->body[1]].R, J + 3, direction);
    } else if (joint->type == LK_JOINT_SCREW && row.row == joint->n_length - 1) {
        what = "thread along"; /* a shift for each turn */
    }
    snprintf(text, size, "%s %s", what, lk_direction_text(direction, where, sizeof(where)));
    return text;
}

const char *lk_free_coordinate_text(const struct lk_system *sys, struct lk_free_coordinate c,
                                    char *text, size_t size)
{
    static const char *const directions[] = {"shift along x", "shift along y", "shift along z",
                                             "turn about x",  "turn about y",  "turn about z"};
    const struct lk_joint *joint = &sys->joint[c.joint < 0 ? 0 : c.joint];
    const char *name;
    char side[2][LK_TEXT_SIZE];

    if (c.joint < 0 && c.direction >= 6) {
        snprintf(text, size, "%s: mode %d", sys->body_name[sys->body[c.body].of], c.direction - 5);
        return text;
    }
    if (c.joint < 0) {
        snprintf(text, size, "%s: %s", sys->body_name[sys->body[c.body].of],
                 directions[c.direction]);
        return text;
    }
    name = lk_joint_traits[joint->type].coordinate[c.which];
    if (name[0] == '\0')
        name = lk_joint_coordinate_is_angle(joint->type, c.which) ? "angle" : "travel";
    for (int s = 0; s < 2; s++) {
        int b = joint->body[s ^ joint->is_exchanged];

        lk_body_text(sys, b < sys->n_bodies ? sys->body[b].of : b, side[s], sizeof(side[s]));
    }
    snprintf(text, size, "%s %s (%s, %.45s to %.45s)", sys->joint_name[c.joint], name,
             lk_joint_traits[joint->type].name, side[0], side[1]);
    return text;
}
