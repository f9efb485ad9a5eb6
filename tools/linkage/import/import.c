/* SPDX-License-Identifier: Apache-2.0 */
/* linkage import: options, and conversion of a file to a model. The model is written only after its
 * own reader and compiler have accepted it. */
#include "import.h"
#include "commands.h"

#include "linkage/analysis.h"
#include "linkage/errors.h"
#include "linkage/file.h"
#include "linkage/findings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Default stiffness of an end stop: an impact without rebound for most robots. */
#define STOP_STIFFNESS 1e6
#define STOP_DAMPING   1e4

/* ---- options ---- */

static int take_root(const struct option_row *row, const char *text)
{
    struct import_options *o = row->data;
    o->floating = strcmp(text, "floating") == 0;
    o->has_root = true;
    if (!o->floating && strcmp(text, "fixed") != 0)
        return refuse_value(row, text, "fixed or floating");
    return EXIT_DONE;
}

static int take_stops(const struct option_row *row, const char *text)
{
    struct import_options *o = row->data;
    const char *at = text;

    o->no_stops = strcmp(text, "none") == 0;
    if (o->no_stops)
        return EXIT_DONE;
    if (!take_value(&at, &o->stops[0]) || *at++ != ',' || !take_value(&at, &o->stops[1]) ||
        *at != '\0' || !(o->stops[0] > 0) || !(o->stops[1] >= 0) || o->stops[0] > 1e15 ||
        o->stops[1] > 1e15)
        return refuse_value(row, text, "STIFFNESS,DAMPING, or none");
    return EXIT_DONE;
}

static int take_gravity(const struct option_row *row, const char *text)
{
    struct import_options *o = row->data;
    const char *at = text;

    o->has_gravity = true;
    for (int i = 0; i < 3; i++)
        if (!take_value(&at, &o->gravity[i]) || fabs(o->gravity[i]) > 1e6 ||
            *at++ != (i < 2 ? ',' : '\0'))
            return refuse_value(row, text, "X,Y,Z [m/s^2]");
    return EXIT_DONE;
}

static int take_joint(const struct option_row *row, const char *text)
{
    struct import_options *o = row->data;
    const char *sign = strrchr(text, '=');
    double value;

    if (sign == NULL || sign == text || !parse_number(sign + 1, &value))
        return refuse_value(row, text, "NAME=VALUE [rad or m]");
    if (o->n_values == (int)(sizeof(o->values) / sizeof(o->values[0])))
        return usage_error("too many --joint, expected at most %d", o->n_values);
    o->values[o->n_values++] = text;
    return EXIT_DONE;
}

static int parse_options(int argc, char *argv[], struct import_options *o)
{
    static const char expected[] = "import: expected one file and -o MODEL.yaml";
    const struct option_row rows[] = {
        {"output", 'o', .text = &o->output},
        OUTPUT_FORCE_ROW,
        {"root", .take = take_root, .data = o},
        {"loops", .text = &o->loops},
        {"joint", .take = take_joint, .data = o},
        {"stops", .take = take_stops, .data = o},
        {"repair", .flag = &o->repair},
        {"density", .number = &o->density, .low = OPTIONS_ABOVE_0, .high = 1e5,
         .expected = "a number above 0 to 1e5 kg/m^3"},
        {"help", 'h', .end = print_help},
        {"gravity", .take = take_gravity, .data = o},
        {NULL},
    };
    int code = parse_command(argc, argv, rows, expected, &o->path);

    return code == EXIT_DONE && o->output == NULL ? usage_error("%s", expected) : code;
}

/* Check that the ground is defined, either by the file or by the options. */
static int check_root(const struct import_options *o, const struct robot *robot)
{
    if (robot->says_root && o->has_root)
        return usage_error("import: %s says itself what stands, expected no --root", o->path);
    if (!robot->says_root && !o->has_root)
        return usage_error("import: say whether the root link stands, --root fixed, or is free, "
                           "--root floating");
    return EXIT_DONE;
}

/* ---- the resulting model ---- */

static void print_findings(const char *path, const struct lk_model *model, struct lk_system *system)
{
    struct lk_findings findings;

    if (lk_findings_init(model, system, NULL, NULL, NULL, &findings) != 0)
        return;
    for (int i = 0; i < findings.n; i++) /* stops are reported at the line of their joint instead */
        if (strcmp(findings.list[i].id, "stop-violated") != 0)
            file_warning("%s: warning: %s: %s", path, findings.list[i].where,
                         findings.list[i].text);
    lk_findings_fini(&findings);
}

/* Check the written model with the reader and the compiler of this program.
 * Return: true if both accept it. */
static bool accept(const struct import_options *o, const char *text, size_t size)
{
    struct lk_model *model = NULL;
    struct lk_system *system = NULL;
    struct lk_errors errors;
    struct lk_error error;
    int result = lk_model_read_text_all(o->output, text, size, &model, &errors);

    for (int i = 0; i < errors.n; i++)
        file_error("%s", errors.line[i].text);
    if (result == 0) {
        result = lk_system_new(model, NULL, &system, &error);
        if (result > 0)
            file_error("%s: %s", o->path, error.text);
    }
    if (result == 0)
        print_findings(o->output, model, system);
    lk_system_free(system);
    lk_model_free(model);
    if (result < 0)
        complain("%s: %s", o->path, strerror(-result));
    return result == 0;
}

static void describe(const struct robot *robot, const struct import_options *o)
{
    double mass = 0, centre[3] = {0};
    int bodies = 0, joints = 0, rotors = 0;

    for (int b = 0; b < robot->n_bodies; b++) {
        const struct body *body = &robot->bodies[b];

        rotors += robot->links[body->first].is_rotor;
        if (stands(robot, o, b) || robot->links[body->first].is_rotor)
            continue;
        bodies++;
        mass += body->mass;
        for (int i = 0; i < 3; i++)
            centre[i] += body->mass * body->position[i];
    }
    for (int i = 0; i < robot->n_limbs; i++)
        joints += robot->limbs[i].kind != KIND_FIXED && robot->limbs[i].kind != KIND_FLOATING &&
                  !robot->limbs[i].locked && !robot->limbs[i].is_rotor;
    for (int i = 0; i < 3 && mass > 0; i++)
        centre[i] /= mass;
    printf("%s: %d bodies of %d links, %d joints of %d, ", o->output, bodies,
           robot->n_links - rotors, joints, robot->n_limbs - rotors);
    if (rotors > 0)
        printf("%d %s, ", rotors, rotors == 1 ? "rotor" : "rotors");
    printf("%.6g kg, centre %.6g, %.6g, %.6g m\n", mass, centre[0], centre[1], centre[2]);
}

static int write_model(struct robot *robot, const struct import_options *o)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    int code = EXIT_REFUSED;
    bool good;

    if (memory == NULL) {
        complain("out of memory");
        return code;
    }
    name_robot(robot);
    good = write_robot(robot, o, memory);
    if (fclose(memory) != 0 || !good)
        complain("out of memory");
    else if (accept(o, text, size))
        code = write_output(o->output, IMPORT_MARK, text, size);
    if (code == EXIT_DONE)
        describe(robot, o);
    free(text);
    return code;
}

/* Convert a robot that was read from a file to the model file. Print the notes, except after a
 * usage error. */
static int import_robot(const struct import_options *o, struct robot *robot, struct notes *notes)
{
    int code = notes->n_errors == 0 ? check_root(o, robot) : EXIT_REFUSED;

    if (code == EXIT_USAGE)
        return code;
    if (notes->n_errors == 0 && o->loops != NULL)
        loops_read(o->loops, robot, notes);
    if (notes->n_errors == 0)
        place_robot(robot, o, notes);
    if (notes->n_errors == 0)
        sum_masses(robot, o, notes);
    notes_print(notes, stderr);
    if (notes->lost)
        complain("out of memory");
    return notes->n_errors == 0 && !notes->lost ? write_model(robot, o) : EXIT_REFUSED;
}

static int import_text(const struct import_options *o, const char *text, size_t size)
{
    struct robot robot = {.density = o->density, .reads_meshes = true};
    struct notes notes = {.path = o->path};
    int code;

    robot_read(o->path, text, size, &robot, &notes);
    if (o->has_gravity)
        memcpy(robot.gravity, o->gravity, sizeof(robot.gravity));
    else if (robot.lacks_gravity)
        note(&notes, NOTE_SAID, 0, "the file has no gravity: it is along -z, --gravity says more");
    code = import_robot(o, &robot, &notes);
    notes_free(&notes);
    robot_free(&robot);
    return code;
}

int command_import(int argc, char *argv[])
{
    struct import_options o = {.stops = {STOP_STIFFNESS, STOP_DAMPING}};
    int code = parse_options(argc, argv, &o), result;
    size_t size;
    char *text;

    if (code != EXIT_DONE)
        return code;
    result = lk_file_read(o.path, IMPORT_SIZE_MAX + 1, &text, &size);
    if (result == 0 && size > IMPORT_SIZE_MAX) {
        free(text);
        result = -EFBIG;
    }
    if (result != 0) {
        complain("%s: %s", o.path, lk_file_error(result));
        return EXIT_REFUSED;
    }
    code = import_text(&o, text, size);
    free(text);
    return code;
}
