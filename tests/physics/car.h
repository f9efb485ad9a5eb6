/* SPDX-License-Identifier: Apache-2.0 */
/* Cars of config/models that are compared with recorded motions: model text, outputs, rows of CSV
 * files. */
#ifndef TESTS_CAR_H
#define TESTS_CAR_H

#include "linkage/linkage.h"
#include "model/model.h"
#include <stddef.h>
#include <stdio.h>

#define CAR_TEXT (1 << 17)

/** car_read() - Read the text of a model into @text, which has CAR_TEXT characters. */
void car_read(const char *path, char *text);

/** car_replace() - Replace the first @from in @text with @to. Fail the test if there is none. */
void car_replace(char *text, const char *from, const char *to);

/** car_stand_iltis() - Change the text of iltis.yaml to the state of its published eigenvalues:
 * wheels that do not rotate, a fixed rack, no side force. */
void car_stand_iltis(char *text);

/** struct car_place - another place of a car: it is rotated by @q, moved by @shift, and possibly
 * mirrored in its own plane of symmetry */
struct car_place {
    double q[4];
    double shift[3];
    int is_mirrored;
};

/** car_move() - Move a model with all its points and directions to another place; car_move_point()
 * - move one point. In a mirrored car, coordinates of sliding joints and angles keep their
 * signs. */
void car_move(const struct car_place *to, struct lk_model *model);
void car_move_point(const struct car_place *to, double point[3]);

/** car_offset() - Return the position of an output among the values of all outputs. Fail the test
 * if there is none. */
int car_offset(const struct lk_system *sys, const char *name);

/** car_angles() - Compute pitch, roll and yaw of the rotation Ry(pitch) Rx(roll) Rz(yaw).
 * @q: w x y z */
void car_angles(const double q[4], double ret[3]);

/** car_read_row() - Read the next @n numbers of a CSV file. Return 0 at its end, 1 otherwise. */
int car_read_row(FILE *file, int n, double *row);

#endif
