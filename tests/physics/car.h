/* SPDX-License-Identifier: Apache-2.0 */
/* Cars of config/models against recorded motions: their text, their outputs, rows of a CSV. */
#ifndef TESTS_CAR_H
#define TESTS_CAR_H

#include "linkage/linkage.h"
#include "model/model.h"
#include <stddef.h>
#include <stdio.h>

#define CAR_TEXT (1 << 17)

/** car_read() - the text of a model into @text of CAR_TEXT characters. */
void car_read(const char *path, char *text);

/** car_replace() - the first @from in @text by @to; fails the test where there is none. */
void car_replace(char *text, const char *from, const char *to);

/** car_stand_iltis() - the text of iltis.yaml as it stands for its published eigenvalues: wheels
 * that do not turn, a rack that stands, no side force. */
void car_stand_iltis(char *text);

/** struct car_place - where a car is: turned by @q, moved by @shift, or mirrored in its own plane
 */
struct car_place {
    double q[4];
    double shift[3];
    int is_mirrored;
};

/** car_move() - a model with all that belongs to it elsewhere; car_move_point() - one of its
 * points. Of a mirrored car the coordinates of sliding joints and of angles keep their signs. */
void car_move(const struct car_place *to, struct lk_model *model);
void car_move_point(const struct car_place *to, double point[3]);

/** car_offset() - of an output among the values of all; fails the test where there is none. */
int car_offset(const struct lk_system *sys, const char *name);

/** car_angles() - pitch, roll, yaw of Ry(pitch) Rx(roll) Rz(yaw). @q: w x y z */
void car_angles(const double q[4], double ret[3]);

/** car_read_row() - the next @n numbers of a CSV; 0 at its end, 1 else. */
int car_read_row(FILE *file, int n, double *row);

#endif
