/* SPDX-License-Identifier: Apache-2.0 */
/* A model is included as a part that is rotated, shifted or mirrored. Its motion must be the
 * rotated, shifted or mirrored motion of the model itself. All models are tested, and thereby all
 * elements. */
#include "cmocka_all.h"
#include "linkage/errors.h"
#include "linkage/linkage.h"
#include "model/model.h"
#include "undisturbed.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 40

/* struct placement - x -> position + rotation mirror x, with the quaternion of the rotation */
struct placement {
    const char *keys;
    double position[3];
    double q[4];
    double mirror[3];
};

static const struct placement placements[] = {
    {"position: [3, -2, 1]", {3, -2, 1}, {1, 0, 0, 0}, {1, 1, 1}},
    {"position: [0.5, 0, 0], mirror: x", {0.5, 0, 0}, {1, 0, 0, 0}, {-1, 1, 1}},
    {"mirror: y", {0, 0, 0}, {1, 0, 0, 0}, {1, -1, 1}},
    {"position: [1, 2, 0], mirror: z", {1, 2, 0}, {1, 0, 0, 0}, {1, 1, -1}},
    {"position: [0, 0.25, 0], orientation: {quaternion: [0.5, 0.5, 0.5, 0.5]}",
     {0, 0.25, 0},
     {0.5, 0.5, 0.5, 0.5},
     {1, 1, 1}},
    {"position: [0.3, 0.7, -1], orientation: {quaternion: [0.8, 0, 0.36, 0.48]}",
     {0.3, 0.7, -1},
     {0.8, 0, 0.36, 0.48},
     {1, 1, 1}},
    {"mirror: y, orientation: {quaternion: [0.8, 0, 0.36, 0.48]}",
     {0, 0, 0},
     {0.8, 0, 0.36, 0.48},
     {1, -1, 1}},
};

static void turn(const double q[4], const double v[3], double ret[3])
{
    double t[3] = {2 * (q[2] * v[2] - q[3] * v[1]), 2 * (q[3] * v[0] - q[1] * v[2]),
                   2 * (q[1] * v[1] - q[2] * v[0])};

    ret[0] = v[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1];
    ret[1] = v[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2];
    ret[2] = v[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0];
}

static double handedness(const struct placement *p)
{
    return p->mirror[0] * p->mirror[1] * p->mirror[2];
}

static void place_vector(const struct placement *p, const double v[3], double ret[3])
{
    const double mirrored[3] = {p->mirror[0] * v[0], p->mirror[1] * v[1], p->mirror[2] * v[2]};

    turn(p->q, mirrored, ret);
}

static void place_turn(const struct placement *p, const double q[4], double ret[4])
{
    const double *a = p->q;
    double b[4] = {q[0]};

    for (int i = 0; i < 3; i++)
        b[i + 1] = handedness(p) * p->mirror[i] * q[i + 1];
    ret[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    ret[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    ret[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    ret[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

static struct lk_system *compile(const struct lk_model *model)
{
    struct lk_options options = {.all_rows = 1};
    struct lk_system *system = NULL;
    struct lk_error error;

    if (lk_system_new(model, &options, &system, &error) != 0)
        fail_msg("%s: %s", model->name, error.text);
    return system;
}

/* Return the largest distance of the placed motion of @own from that of @part, relative to its
 * extent and its speed. */
static double distance(const struct lk_model *model, const struct placement *p,
                       const struct lk_system *own, const struct lk_system *part)
{
    double far = 0, size = 1, fast = 1;

    for (int k = 0; k < model->n_bodies; k++) {
        struct lk_body_state a, b;
        double x[3], v[3], q[4], sign;

        lk_system_body_state(own, k, &a);
        lk_system_body_state(part, k, &b);
        place_vector(p, a.position, x);
        place_vector(p, a.velocity, v);
        place_turn(p, a.orientation, q);
        sign = q[0] * b.orientation[0] + q[1] * b.orientation[1] + q[2] * b.orientation[2] +
               q[3] * b.orientation[3];
        for (int i = 0; i < 3; i++) {
            size = fmax(size, fabs(a.position[i]));
            fast = fmax(fast, fmax(fabs(v[i]), fabs(a.angular_velocity[i])));
        }
        for (int i = 0; i < 4; i++)
            far = fmax(far, fabs(copysign(1, sign) * q[i] - b.orientation[i]));
        for (int i = 0; i < 3; i++) {
            far = fmax(far, fabs(x[i] + p->position[i] - b.position[i]) / size);
            far = fmax(far, fabs(v[i] - b.velocity[i]) / fast);
            far = fmax(far, fabs(handedness(p) * p->mirror[i] * a.angular_velocity[i] -
                                 b.angular_velocity[i]) /
                                fast);
        }
    }
    return far;
}

static int read_part(const char *folder, const char *file, const struct lk_model *own,
                     const struct placement *p, struct lk_model **ret, struct lk_errors *errors)
{
    double g[3];
    char text[1024];
    int result;

    place_vector(p, own->gravity, g);
    snprintf(text, sizeof(text),
             "linkage: 1\nname: %s\ngravity: [%.17g, %.17g, %.17g]\n"
             "parts: {m: {file: %s, names: \"*\", %s}}\n",
             own->name, g[0], g[1], g[2], file, p->keys);
    result = lk_model_read_text_in(folder, "m", text, strlen(text), ret, errors);
    if (result == 0) {
        (*ret)->solver = own->solver;
    }
    return result;
}

static int n_refused, n_compared;
static double largest;

/* What a refused part says: these elements do not turn, or have no mirror image. */
static bool is_known_refusal(const char *line)
{
    return (strstr(line, " in a part that is turned") != NULL ||
            strstr(line, " in a part that is mirrored") != NULL) &&
           strstr(line, ", expected ") != NULL;
}

/* Return the tolerance. The rubber bushing swings at 912 Hz, 5.7 rad a step: how the step treats
 * that depends on the directions of its rows. */
static double tolerance(const struct lk_model *model)
{
    return strcmp(model->name, "rubber-bushing-arm") == 0 ? 2e-4 : 2e-9;
}

static void compare(const char *folder, const char *file, const struct placement *p)
{
    struct lk_model *own, *part;
    struct lk_system *a, *b;
    struct lk_errors errors;
    struct lk_error error;
    char path[512];
    double far;

    snprintf(path, sizeof(path), "%s/%s", folder, file);
    assert_int_equal(lk_model_read_file(path, &own, &error), 0);
    own->starts_balanced = 0; /* a car may stand in balance at any place along its road */
    if (read_part(folder, file, own, p, &part, &errors) != 0) {
        if (!is_known_refusal(errors.line[0].text))
            fail_msg("%s: %s", path, errors.line[0].text);
        if (getenv("TELL") != NULL)
            printf("    %s\n", errors.line[0].text);
        n_refused++;
        lk_model_free(own);
        return;
    }
    a = compile(own);
    b = compile(part);
    assert_int_equal(step_undisturbed(a, STEPS), step_undisturbed(b, STEPS));
    far = distance(own, p, a, b);
    if (getenv("TELL") != NULL)
        printf("    %.1e %s {%s}\n", far, own->name, p->keys);
    if (strcmp(own->name, "rubber-bushing-arm") != 0)
        largest = fmax(largest, far);
    if (!(far < tolerance(own)))
        fail_msg("%s {%s}: %g off", path, p->keys, far);
    n_compared++;
    lk_system_free(a);
    lk_system_free(b);
    lk_model_free(own);
    lk_model_free(part);
}

static void compare_folder(const char *folder, const struct placement *p)
{
    DIR *all = opendir(folder);
    struct dirent *entry;

    assert_non_null(all);
    while ((entry = readdir(all)))
        if (strstr(entry->d_name, ".yaml"))
            compare(folder, entry->d_name, p);
    closedir(all);
}

static void all_models_as_parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(placements) / sizeof(placements[0]); i++) {
        compare_folder("config/models", &placements[i]);
        compare_folder("tests/physics/machines", &placements[i]);
    }
    printf("    %d compared, at most %.1e off after %d steps; %d refused\n", n_compared, largest,
           STEPS, n_refused);
    assert_true(n_compared > 400 && n_refused < 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_models_as_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
