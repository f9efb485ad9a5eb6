/* SPDX-License-Identifier: Apache-2.0 */
/* linkage equilibrium: equilibrium pose of a mechanism, with its reactions and forces. */
#include "commands.h"
#include "linkage/json.h"

#include <stdio.h>
#include <stdlib.h>

static void print_head(const char *path, const struct lk_system *system,
                       const struct lk_model *model)
{
    struct lk_equilibrium e;

    lk_system_equilibrium(system, &e);
    printf("%s: %s rests after %d iterations\n", path, lk_model_name(model), e.iterations);
    printf("force left          %.3g N at most, where the largest is %.6g\n", e.residual, e.force);
    printf("moved               %.6g m at most from the drawing\n", e.moved);
    if (lk_system_note(system)[0] != '\0')
        printf("note                %s\n", lk_system_note(system));
}

static void print_bodies(const struct lk_system *system, int n)
{
    struct lk_body_state b;

    puts("bodies              x y z [m]  qw qx qy qz [1]");
    for (int i = 0; i < n; i++) {
        lk_system_body_state(system, i, &b);
        printf("  %-17s %.9g %.9g %.9g  %.9g %.9g %.9g %.9g\n", lk_system_body_name(system, i),
               b.position[0], b.position[1], b.position[2], b.orientation[0], b.orientation[1],
               b.orientation[2], b.orientation[3]);
    }
}

static void print_joints(const struct lk_system *system, int n)
{
    double f[6];

    if (n > 0)
        puts("joints              fx fy fz [N]  tx ty tz [N m], on the second body, world axes");
    for (int i = 0; i < n; i++) {
        lk_system_joint_reaction(system, i, f);
        printf("  %-17s %.6g %.6g %.6g  %.6g %.6g %.6g\n", lk_system_joint_name(system, i), f[0],
               f[1], f[2], f[3], f[4], f[5]);
    }
}

static bool print_outputs(const struct lk_system *system)
{
    int n;
    const struct lk_channel *channels = lk_system_output_channels(system, &n);
    double *values = calloc((size_t)lk_system_output_size(system) + 1, sizeof(*values));

    if (values == NULL) {
        complain("out of memory");
        return false;
    }
    lk_system_outputs(system, values);
    if (n > 0)
        puts("outputs");
    for (int i = 0; i < n; i++) {
        const struct lk_channel *c = &channels[i];

        printf("  %-17s", c->name);
        for (int k = 0; k < c->size; k++)
            printf(" %s%s%.9g %s%s", c->component[k], *c->component[k] ? " " : "",
                   values[c->offset + k], c->unit[k], k + 1 < c->size ? "," : "");
        putchar('\n');
    }
    free(values);
    return true;
}

static bool print_text(const char *path, const struct lk_model *model,
                       const struct lk_system *system)
{
    struct lk_summary summary;

    lk_system_summary(system, &summary);
    print_head(path, system, model);
    print_bodies(system, summary.n_bodies);
    print_joints(system, summary.n_joints);
    return print_outputs(system);
}

/* ---- JSON ---- */

static void put_vector(struct lk_json *json, const char *key, const double *values, int n)
{
    lk_json_open(json, key, '[');
    for (int i = 0; i < n; i++)
        lk_json_number(json, NULL, values[i]);
    lk_json_close(json, ']');
}

static void put_bodies(struct lk_json *json, const struct lk_system *system, int n)
{
    struct lk_body_state b;

    lk_json_open(json, "bodies", '[');
    for (int i = 0; i < n; i++) {
        lk_system_body_state(system, i, &b);
        lk_json_line(json, 2);
        lk_json_open(json, NULL, '{');
        lk_json_text(json, "name", lk_system_body_name(system, i));
        put_vector(json, "position_m", b.position, 3);
        put_vector(json, "orientation", b.orientation, 4);
        lk_json_close(json, '}');
    }
    lk_json_close(json, ']');
}

static void put_joints(struct lk_json *json, const struct lk_system *system, int n)
{
    double f[6];

    lk_json_open(json, "joints", '[');
    for (int i = 0; i < n; i++) {
        lk_system_joint_reaction(system, i, f);
        lk_json_line(json, 2);
        lk_json_open(json, NULL, '{');
        lk_json_text(json, "name", lk_system_joint_name(system, i));
        put_vector(json, "force_N", f, 3);
        put_vector(json, "torque_Nm", f + 3, 3);
        lk_json_close(json, '}');
    }
    lk_json_close(json, ']');
}

static void put_outputs(struct lk_json *json, const struct lk_system *system, const double *values)
{
    int n;
    const struct lk_channel *channels = lk_system_output_channels(system, &n);

    lk_json_open(json, "outputs", '[');
    for (int i = 0; i < n; i++) {
        const struct lk_channel *c = &channels[i];

        lk_json_line(json, 2);
        lk_json_open(json, NULL, '{');
        lk_json_text(json, "name", c->name);
        lk_json_texts(json, "components", c->component, (size_t)c->size);
        lk_json_texts(json, "units", c->unit, (size_t)c->size);
        put_vector(json, "values", values + c->offset, c->size);
        lk_json_close(json, '}');
    }
    lk_json_close(json, ']');
}

static bool print_json(const struct lk_model *model, const struct lk_system *system)
{
    double *values = calloc((size_t)lk_system_output_size(system) + 1, sizeof(*values));
    struct lk_json json = {.file = stdout, .spaced = true};
    struct lk_summary summary;
    struct lk_equilibrium e;

    if (values == NULL) {
        complain("out of memory");
        return false;
    }
    lk_system_summary(system, &summary);
    lk_system_equilibrium(system, &e);
    lk_system_outputs(system, values);
    lk_json_open(&json, NULL, '{');
    lk_json_text(&json, "model", lk_model_name(model));
    lk_json_number(&json, "iterations", e.iterations);
    lk_json_number(&json, "force_left_N", e.residual);
    lk_json_number(&json, "largest_force_N", e.force);
    lk_json_number(&json, "moved_m", e.moved);
    lk_json_text(&json, "note", lk_system_note(system));
    put_bodies(&json, system, summary.n_bodies);
    put_joints(&json, system, summary.n_joints);
    put_outputs(&json, system, values);
    lk_json_close(&json, '}');
    lk_json_end(&json);
    free(values);
    return true;
}

static int show(const char *path, bool is_json)
{
    const struct lk_options options = {.equilibrium = 1, .all_rows = 1};
    struct lk_model *model = load_model(path);
    struct lk_system *system = model != NULL ? compile_model(path, model, &options) : NULL;
    bool good =
        system != NULL && (is_json ? print_json(model, system) : print_text(path, model, system));

    lk_system_free(system);
    lk_model_free(model);
    return good ? EXIT_DONE : EXIT_REFUSED;
}

int command_equilibrium(int argc, char *argv[])
{
    bool is_json = false;
    const struct option_row rows[] = {
        {"param", 'p', .take = take_param},
        {"json", 'j', .flag = &is_json},
        {"help", 'h', .end = print_help},
        {NULL},
    };
    const char *path = NULL;
    int code = parse_command(argc, argv, rows, "equilibrium takes one model", &path);

    return code == EXIT_DONE ? show(path, is_json) : code;
}
