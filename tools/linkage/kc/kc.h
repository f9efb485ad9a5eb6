/* SPDX-License-Identifier: Apache-2.0 */
/* linkage kc: kinematics of wheel suspensions over wheel travel and steering. Data flow:
 *
 *     choose.c   names, tyres, drives  -> struct lk_suspension_request
 *     kc.c       options, sweeps       -> struct kc
 *     print.c, rows.c, json.c, picture.c: text, CSV, JSON, picture of it */
#ifndef TOOLS_LINKAGE_KC_H
#define TOOLS_LINKAGE_KC_H

#include "linkage/linkage.h"
#include "linkage/suspension.h"
#include <stdbool.h>

#define KC_NAME_SIZE 16

/** struct kc_options - options of the command.
 * @output, @steer_output: CSV files of the jounce sweep and of the steering sweep, or NULL
 * @wheels:      names of joints, separated by commas, or NULL
 * @radius:      radius of all wheels [m], NAN: those of their tyres
 * @range:       wheel travel [m];  @steer_range: steering travel [m or rad], NAN: as the model says
 * @brake_share, @drive_share: share of the front axle, 0 to 1, NAN: not given */
struct kc_options {
    const char *path;
    const char *output;
    const char *steer_output;
    const char *picture;
    const char *wheels;
    const char *chassis;
    const char *steer;
    double radius;
    double range;
    double steer_range;
    double brake_share;
    double drive_share;
    int points;
    bool opposite;
    bool is_json;
};

#define KC_SPRINGS 16 /* most springs of an axle that are listed */

/** struct kc_axle - results of an axle.
 * @name: in CSV and JSON: "front", "rear", "axle", or "axle_1";  @title: in messages: "front axle"
 * @jounce, @steer: curves, n = 0: not computed;  @spring: @n_springs springs */
struct kc_axle {
    char name[KC_NAME_SIZE];
    char title[KC_NAME_SIZE];
    struct lk_suspension_axle of;
    struct lk_suspension_curve jounce;
    struct lk_suspension_curve steer;
    int n_springs;
    struct lk_suspension_spring spring[KC_SPRINGS + 1]; /* one more: some are left out */
};

/** struct kc - all results.
 * @anti:      anti-dive and the like [1], NAN: not asked for, see kc_anti()
 * @is_steer_angle: the steering travel is an angle */
struct kc {
    const struct kc_options *o;
    const struct lk_model *model;
    struct lk_system *system;
    struct lk_suspension_request request;
    struct lk_suspension *suspension;
    bool is_steer_angle;
    double steer_range;
    int n_axles;
    struct kc_axle axle[LK_SUSPENSION_WHEELS_MAX];
    double anti[4];
};

/** enum kc_anti - of a braked and of a driven car: share of the load transfer that the suspension
 * carries without its springs. */
enum kc_anti { KC_ANTI_DIVE, KC_ANTI_LIFT, KC_ANTI_DRIVE_LIFT, KC_ANTI_SQUAT };

/** struct kc_quantity - a value of struct lk_suspension_point. @name: in CSV and JSON;  @label: in
 * the text;  @unit: SI;  @shown: unit in text and pictures, @factor times the SI value;  @offset:
 * of the value in the structure
 * @is_rate: a derivative along the sweep */
struct kc_quantity {
    const char *name;
    const char *label;
    const char *unit;
    const char *shown;
    double factor;
    size_t offset;
    bool is_rate;
};

extern const struct kc_quantity kc_quantities[]; /* a row without a name ends the list */

/** kc_value() - return the value of a wheel, SI. */
double kc_value(const struct kc_quantity *q, const struct lk_suspension_point *point);
/** kc_is_known() - return whether the quantity has a value in some row of a curve. */
bool kc_is_known(const struct kc_quantity *q, const struct kc_axle *axle,
                 const struct lk_suspension_curve *curve);
/** kc_side() - return "left" or "right". */
const char *kc_side(int side);
/** kc_wheel() - return the name of the joint of a wheel. */
const char *kc_wheel(const struct kc *kc, const struct kc_axle *axle, int side);
/** kc_steering() - return the name of the steering joint, NULL: none. */
const char *kc_steering(const struct kc *kc);

/** kc_choose() - find wheels, chassis and steering. Return: EXIT_DONE, or another status after an
 * error message. */
int kc_choose(struct kc *kc);

void kc_print(const struct kc *kc);
void kc_print_json(const struct kc *kc);
/** kc_write() - write the CSV files. kc_draw() - draw the picture. Return: EXIT_DONE, EXIT_REFUSED
 * after a message. */
int kc_write(const struct kc *kc);
int kc_draw(const struct kc *kc);

#endif
