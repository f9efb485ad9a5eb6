/* SPDX-License-Identifier: Apache-2.0 */
/* See sheet.h. */
#include "sheet.h"
#include "cmocka_all.h"
#include "maths/vec.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAME      1e-9 /* tolerance relative to the size of a quantity */
#define SAME_ALI3 1e-7 /* tolerance for ali3, whose iterations leave a larger error */

void sheet_put(struct sheet *s, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    s->n += (size_t)vsnprintf(s->text + s->n, TEXT - s->n, format, list);
    va_end(list);
    assert_true(s->n < TEXT);
}

static void put_vector(struct sheet *s, const char *key, const double v[3])
{
    sheet_put(s, "%s: [%.17g, %.17g, %.17g]", key, v[0], v[1], v[2]);
}

/* Add a key with a vector: x and y along the sheet, @z along its normal. */
void sheet_along(struct sheet *s, const char *key, double x, double y, double z)
{
    double v[3];

    for (int i = 0; i < 3; i++)
        v[i] = x * s->e[0][i] + y * s->e[1][i] + z * s->e[2][i];
    put_vector(s, key, v);
}

void sheet_place(struct sheet *s, const char *key, double x, double y, double z)
{
    double v[3];

    for (int i = 0; i < 3; i++)
        v[i] = s->origin[i] + x * s->e[0][i] + y * s->e[1][i] + z * s->e[2][i];
    put_vector(s, key, v);
}

void sheet_lay(struct dice *dice, int across, struct sheet *s)
{
    static const double along[3][4] = {{0.5, 0.5, 0.5, 0.5}, {0.5, -0.5, -0.5, -0.5}, {0, 0, 0, 1}};
    double R[9];

    s->n = 0;
    dice_unit(dice, s->q, 4);
    if (across >= 0)
        memcpy(s->q, along[across], sizeof(s->q));
    lk_quat_matrix(s->q, R);
    for (int i = 0; i < 3; i++) {
        s->origin[i] = dice_uniform(dice, -1, 1);
        for (int k = 0; k < 3; k++)
            s->e[k][i] = R[3 * i + k];
    }
}

struct lk_system *compile_by(const char *formulation, const char *text,
                             const struct lk_options *options)
{
    struct lk_model *model = NULL;
    struct lk_system *sys = NULL;
    struct lk_error error;

    if (lk_model_read_text("plane", text, strlen(text), &model, &error) != 0)
        fail_msg("%s\n%s", error.text, text);
    if (formulation)
        strcpy(model->solver.formulation, formulation);
    if (lk_system_new(model, options, &sys, &error) != 0)
        fail_msg("%s\n%s", error.text, text);
    lk_model_free(model);
    return sys;
}

int count_rows(const struct lk_system *sys)
{
    struct lk_summary s;

    lk_system_summary(sys, &s);
    return s.n_rows_rigid;
}

int count_upright(const struct lk_system *sys)
{
    struct lk_summary s;

    lk_system_summary(sys, &s);
    return s.n_in_plane;
}

void assert_near(const char *by, const double *a, const double *b, int n, double size,
                 const char *text)
{
    double same = strcmp(by, "ali3") == 0 ? SAME_ALI3 : SAME;

    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= same * size))
            fail_msg("%s: %.17g and %.17g differ by more than %g of %g\n%s", by, a[i], b[i], same,
                     size, text);
}

void assert_same_motion(const char *by, const struct lk_system *a, const struct lk_system *b,
                        const char *text)
{
    struct lk_summary s;

    lk_system_summary(a, &s);
    for (int i = 0; i < s.n_bodies; i++) {
        struct lk_body_state x, y;

        lk_system_body_state(a, i, &x);
        lk_system_body_state(b, i, &y);
        assert_near(by, x.position, y.position, 3, 1, text);
        assert_near(by, x.orientation, y.orientation, 4, 1, text);
        assert_near(by, x.velocity, y.velocity, 3, 1 + lk_norm(y.velocity), text);
        assert_near(by, x.angular_velocity, y.angular_velocity, 3, 1 + lk_norm(y.angular_velocity),
                    text);
        assert_near(by, x.acceleration, y.acceleration, 3, 100 + lk_norm(y.acceleration), text);
    }
}
