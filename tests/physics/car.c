/* SPDX-License-Identifier: Apache-2.0 */
#include "car.h"
#include "cmocka_all.h"
#include "linkage/parameters.h"
#include "maths/vec.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void car_read(const char *path, char *text)
{
    struct lk_errors errors;
    char *own = NULL;
    size_t n = 0;
    int is_flat;

    assert_int_equal(lk_model_text(path, NULL, 0, &is_flat, &own, &n, &errors), 0);
    assert_true(n < CAR_TEXT - 1);
    memcpy(text, own, n);
    text[n] = '\0';
    free(own);
}

void car_replace(char *text, const char *from, const char *to)
{
    char *at = strstr(text, from);
    size_t length = strlen(to), rest;

    if (at == NULL)
        fail_msg("no '%s' in the model", from);
    rest = strlen(at + strlen(from)) + 1;
    assert_true((size_t)(at - text) + length + rest <= CAR_TEXT);
    memmove(at + length, at + strlen(from), rest);
    memcpy(at, to, length);
}

void car_stand_iltis(char *text)
{
    static const char *const turning[] = {"rate: 54.8960406", "rate: 54.8960406",
                                          "rate: 54.9734478", "rate: 54.9734478"};

    car_replace(text, "{input: rack, period: 0.005}", "{harmonic: {amplitude: 0, omega: 1}}");
    car_replace(text, "inputs:\n  rack: {type: drive, limits: [-0.05, 0.05], rate: 0.5}\n", "");
    car_replace(text, "A: [2625, 14.47, 12930, 2.29, 18175]", "A: [1e-9, 0, 12930, 0, 18175]");
    for (size_t i = 0; i < sizeof(turning) / sizeof(*turning); i++)
        car_replace(text, turning[i], "rate: 0");
}

int car_offset(const struct lk_system *sys, const char *name)
{
    int n;
    const struct lk_channel *channels = lk_system_output_channels(sys, &n);

    for (int i = 0; i < n; i++)
        if (strcmp(channels[i].name, name) == 0)
            return channels[i].offset;
    fail_msg("no output '%s'", name);
    return 0;
}

void car_angles(const double q[4], double ret[3])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];

    ret[0] = atan2(2 * (x * z + w * y), 1 - 2 * (x * x + y * y));
    ret[1] = -asin(2 * (y * z - w * x));
    ret[2] = atan2(2 * (x * y + w * z), 1 - 2 * (x * x + z * z));
}

int car_read_row(FILE *file, int n, double *row)
{
    char line[512];
    char *at = line;

    if (!fgets(line, sizeof(line), file))
        return 0;
    for (int i = 0; i < n; i++) {
        row[i] = strtod(at, &at);
        at += *at == ',';
    }
    return 1;
}

/* ---- a car at another place ---- */

static void move_vector(const struct car_place *to, int is_turning, double a[3])
{
    double R[9], r[3];

    if (to->is_mirrored)
        for (int i = 0; i < 3; i++)
            a[i] = (i == 1) == is_turning ? a[i] : -a[i];
    lk_quat_matrix(to->q, R);
    lk_rotate(R, a, r);
    memcpy(a, r, sizeof(r));
}

void car_move_point(const struct car_place *to, double a[3])
{
    move_vector(to, 0, a);
    for (int i = 0; i < 3; i++)
        a[i] += to->shift[i];
}

/* Rotate a body: multiply its orientation from the left by that of the place. */
static void move_orientation(const struct car_place *to, double q[4])
{
    const double *a = to->q;
    double r[4] = {a[0] * q[0] - a[1] * q[1] - a[2] * q[2] - a[3] * q[3],
                   a[0] * q[1] + a[1] * q[0] + a[2] * q[3] - a[3] * q[2],
                   a[0] * q[2] + a[2] * q[0] + a[3] * q[1] - a[1] * q[3],
                   a[0] * q[3] + a[3] * q[0] + a[1] * q[2] - a[2] * q[1]};

    memcpy(q, r, sizeof(r));
}

static void move_force(const struct car_place *to, struct lk_force_def *f)
{
    for (int side = 0; side < 2; side++)
        car_move_point(to, f->point[side]);
    move_vector(to, 0, f->vector);
    if (f->type == LK_FORCE_DRAG) /* its axes are those of the world */
        memcpy(f->orientation, to->q, sizeof(to->q));
}

void car_move(const struct car_place *to, struct lk_model *m)
{
    move_vector(to, 0, m->gravity);
    for (int b = 0; b < m->n_bodies; b++) {
        car_move_point(to, m->bodies[b].position);
        move_orientation(to, m->bodies[b].orientation);
        move_vector(to, 0, m->bodies[b].velocity);
        move_vector(to, 1, m->bodies[b].angular_velocity);
    }
    for (int i = 0; i < m->n_joints; i++)
        for (int side = 0; side < 2; side++) {
            car_move_point(to, m->joints[i].point[side]);
            move_vector(to, m->joints[i].type != LK_JOINT_PRISMATIC, m->joints[i].axis[side]);
        }
    for (int i = 0; i < m->n_forces; i++)
        move_force(to, &m->forces[i]);
    for (int i = 0; i < m->n_roads; i++) {
        car_move_point(to, m->roads[i].point);
        move_vector(to, 0, m->roads[i].normal);
        move_vector(to, 0, m->roads[i].direction);
    }
    for (int i = 0; i < m->n_tyres && to->is_mirrored; i++)
        m->tyres[i].track = m->tyres[i].track == LK_TRACK_LEFT ? LK_TRACK_RIGHT : LK_TRACK_LEFT;
}
