/* SPDX-License-Identifier: Apache-2.0 */
/* Models made of parts: names, ports, parameters, repetition, flat texts, refused texts. */
#include "cmocka_all.h"
#include "linkage/parameters.h"
#include "model/model.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define M(entry) "linkage: 1\nname: m\nparts:\n  a: {" entry "}\n"

static char folder[] = "/tmp/parts-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

#define HEAD "linkage: 1\nname: p\n"
#define LINK                                                                                       \
    HEAD "ports: [before]\n"                                                                       \
         "parameters:\n  mass: {value: 2}\n  soft: {acts: forces.spring.stiffness, value: 100, "   \
         "limits: [0, 500], tunable: true}\n"                                                      \
         "points: {joint: [0, 0, 0], end: [1, =0.25*mass, 0]}\n"                                   \
         "bodies:\n  rod: {mass: =mass, inertia: [2, 2, 3, 0.1, 0.2, 0.3], position: [0.5, 0, "    \
         "0]}\n"                                                                                   \
         "joints:\n  hinge: {type: revolute, bodies: [before, rod], point: joint, axis: [0, 0, "   \
         "1]}\n"                                                                                   \
         "forces:\n  spring: {type: joint-spring-damper, joint: hinge, stiffness: 1}\n"            \
         "outputs:\n  angle: {type: joint-position, joint: hinge}\n"

/* Write a part with so many numbers that not all of its copies fit into a model. */
static void write_table(void)
{
    char text[8192] = HEAD "bodies: {a: {mass: [0";
    size_t used = strlen(text);

    for (int i = 0; i < 4000; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, ",0");
    snprintf(text + used, sizeof(text) - used, "]}}\n");
    write_file("table.yaml", text);
}

static int make_folder(void **state)
{
    char below[64];

    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(below, sizeof(below), "%s/below", folder);
    mkdir(below, 0700);
    write_file("link.yaml", LINK);
    write_file("below/pair.yaml", HEAD "ports: [base]\nparts:\n"
                                       "  inner: {file: link.yaml, position: [0, 0, 2], mirror: x, "
                                       "ports: {before: base}}\n"
                                       "  outer: {file: link.yaml, position: [3, 0, 2], ports: "
                                       "{before: inner.rod}}\n");
    write_file("below/link.yaml", LINK);
    write_file("self.yaml", HEAD "parts: {me: {file: self.yaml}}\n");
    write_file("wrong.yaml", HEAD "bodies:\n  a: {mass: =heavy, inertia: [1, 1, 1], position: [0, "
                                  "0, 0]}\n");
    write_file("key.yaml", HEAD "body:\n  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n");
    write_file("unknown.yaml",
               HEAD "joints:\n  h: {type: revolute, bodies: [ground, ghost], point: [0, 0, 0], "
                    "axis: [0, 0, 1]}\n");
    write_file("rod.yaml",
               HEAD "bodies:\n  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
                    "joints:\n  h: {type: cylindrical, bodies: [ground, a], point: [0, 0, 0], "
                    "axis: [0, 0, 1], coordinate: {angle: 0.1}}\n");
    write_file("alone.yaml", HEAD
               "gravity: [0, 0, -9.81]\nsolver: {rate: 1000}\n"
               "parameters: {fall: {acts: [gravity.3], value: -9.81}}\n"
               "bodies: {a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}}\n"
               "joints:\n  h: {type: cylindrical, bodies: [ground, a], point: [0, 0, 0], "
               "axis: [0, 0, 1]}\n"
               "inputs: {t: {type: joint-torque, joint: h}}\n"
               "blocks: {b: {type: gain, input: {velocity: h, coordinate: angle}, gain: 1}}\n");
    write_table();
    snprintf(below, sizeof(below), "%s/below/far", folder);
    mkdir(below, 0700);
    write_file("line.yaml", HEAD "points: {p: [1, 0, 0], q: [0, 2, 0]}\n"
                                 "shapes: {s: {type: line, body: ground, points: [p, q, p]}}\n");
    write_file("below/two.yaml", HEAD "parts: {i: {file: far/road.yaml}}\n");
    write_file("below/far/road.yaml", HEAD "roads: {r: {type: grid, file: a.road}}\n");
    return 0;
}

static int remove_folder(void **state)
{
    char command[64];

    (void)state;
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return system(command);
}

static struct lk_model *read_model(const char *text, const struct lk_setting *settings, int n)
{
    struct lk_model *model = NULL;
    struct lk_errors errors;

    if (lk_model_read_text_with(folder, "m", text, strlen(text), settings, n, &model, &errors) != 0)
        fail_msg("%s", errors.line[0].text);
    return model;
}

static char *flatten(const char *text, const struct lk_setting *settings, int n)
{
    char *flat = NULL;
    size_t size = 0;
    struct lk_errors errors;

    if (lk_model_flatten(folder, "m", text, strlen(text), settings, n, &flat, &size, &errors) != 0)
        fail_msg("%s", errors.line[0].text);
    assert_int_equal(strlen(flat), size);
    return flat;
}

static const struct lk_body_def *body(const struct lk_model *model, const char *name)
{
    for (int i = 0; i < model->n_bodies; i++)
        if (strcmp(model->bodies[i].name, name) == 0)
            return &model->bodies[i];
    fail_msg("no body %s", name);
    return NULL;
}

static void names_ports_and_parameters(void **state)
{
    static const char text[] =
        "linkage: 1\nname: m\nparameters: {heavy: {value: 3}}\npoints: {at: [=heavy, 0, 1]}\n"
        "bodies:\n  base: {mass: 10, inertia: [1, 1, 1], position: [=arm.end.y, 0, 0]}\n"
        "parts:\n  arm: {file: link.yaml, position: at, parameters: {mass: =2*heavy}, ports: "
        "{before: base}}\n  other: {file: link.yaml, names: \"*_x\", ports: {before: ground}, "
        "parameters: {bodies.rod.mass: 7}}\n";
    const struct lk_setting settings[] = {{"heavy", 4}, {"bodies.arm.rod.inertia.2", 2.5}};
    const struct lk_setting deep[] = {{"parts.arm.parameters.mass", 9}};
    struct lk_model *m = read_model(text, NULL, 0);

    (void)state;
    assert_int_equal(m->n_bodies, 3);
    assert_true(body(m, "arm.rod")->mass == 6 && body(m, "arm.rod")->position[0] == 3.5);
    assert_true(body(m, "rod_x")->mass == 7 && body(m, "rod_x")->position[2] == 0);
    assert_true(body(m, "base")->position[0] == 1.5); /* a point of the part, moved with it */
    assert_string_equal(m->joints[0].name, "arm.hinge");
    assert_int_equal(m->joints[0].body[0], 0);
    assert_int_equal(m->joints[1].body[0], LK_GROUND);
    assert_string_equal(m->outputs[1].name, "angle_x");
    assert_string_equal(m->inputs[0].name, "arm.soft"); /* a tunable parameter of the part */
    assert_true(m->inputs[0].initial == 100 && m->inputs[0].limits[1] == 500);
    lk_model_free(m);

    m = read_model(text, settings, 2);
    assert_true(body(m, "arm.rod")->mass == 8 && body(m, "arm.rod")->position[0] == 4.5);
    assert_true(body(m, "arm.rod")->inertia[1] == 2.5 && body(m, "rod_x")->inertia[1] == 2);
    lk_model_free(m);
    m = read_model(text, deep, 1);
    assert_true(body(m, "arm.rod")->mass == 9 && body(m, "base")->position[0] == 2.25);
    lk_model_free(m);
}

static void mirrors_and_parts_within_parts(void **state)
{
    static const char text[] = "linkage: 1\nname: m\nparts:\n  p: {file: below/pair.yaml, ports: "
                               "{base: ground}, mirror: y}\n";
    struct lk_model *m = read_model(text, NULL, 0);
    const struct lk_body_def *inner = body(m, "p.inner.rod"), *outer = body(m, "p.outer.rod");

    (void)state;
    assert_true(inner->position[0] == -0.5 && inner->position[2] == 2);
    assert_true(outer->position[0] == 3.5 && outer->position[2] == 2);
    /* products of inertia: twice mirrored, then once */
    assert_true(inner->inertia[3] == 0.1 && inner->inertia[4] == -0.2 && inner->inertia[5] == -0.3);
    assert_true(outer->inertia[3] == -0.1 && outer->inertia[4] == 0.2 && outer->inertia[5] == -0.3);
    /* the hinge turns back: its axis is that of the mirrored motion */
    assert_true(m->joints[0].axis[0][2] == 1 && m->joints[1].axis[0][2] == -1);
    assert_int_equal(m->joints[1].body[0], 0);
    lk_model_free(m);
}

static void repetition(void **state)
{
    static const char text[] =
        "linkage: 1\nname: m\nparameters: {pitch: {value: 0.5}}\nparts:\n"
        "  first: {file: link.yaml, names: chain.1.*, ports: {before: ground}}\n"
        "  chain: {file: link.yaml, repeat: [2, 12], position: [=pitch*(index - 1), 0, 0], "
        "ports: {before: \"chain.#-1.rod\"}, parameters: {mass: =index}}\n";
    struct lk_model *m = read_model(text, NULL, 0);
    char name[32];

    (void)state;
    assert_int_equal(m->n_bodies, 12);
    for (int i = 1; i <= 12; i++) {
        snprintf(name, sizeof(name), "chain.%d.rod", i);
        assert_string_equal(m->bodies[i - 1].name, name);
        assert_true(i == 1 || m->bodies[i - 1].mass == i);
        assert_true(m->bodies[i - 1].position[0] == 0.5 + 0.5 * (i - 1));
        assert_int_equal(m->joints[i - 1].body[0], i == 1 ? LK_GROUND : i - 2);
    }
    lk_model_free(m);
}

/* Three names of points are points of a line, no vector. */
static void names_of_points(void **state)
{
    struct lk_model *m = read_model(
        M("file: line.yaml, position: [0, 0, 3]") "bodies: {b: {mass: 1, inertia: [1, 1, 1], "
                                                  "position: [0, 0, 0]}}\n",
        NULL, 0);

    (void)state;
    assert_int_equal(m->shapes[0].n_points, 3);
    assert_true(m->shapes[0].points[1][1] == 2 && m->shapes[0].points[2][2] == 3);
    lk_model_free(m);
}

static void flat_texts(void **state)
{
    static const char text[] =
        "linkage: 1\nname: m\nsolver: {step: 0.002}\nparameters:\n"
        "  heavy: {value: 3, unit: kg}\n  slow: {acts: bodies.arm.rod.inertia.2, value: 2.5}\n"
        "  base_mass: {acts: bodies.base.mass, limits: [1, 20]}\n  speed: {acts: [gravity.1], "
        "value: 1}\ngravity: [0, 0, -9.81]\npoints: {at: [=heavy, 0, 1]}\n"
        "bodies:\n  base: {mass: 10, inertia: [1, 1, =heavy/4], position: arm.end}\n"
        "parts:\n  arm: {file: link.yaml, position: at, parameters: {mass: =2*heavy}, ports: "
        "{before: base}}\n  far: {file: below/pair.yaml, mirror: x, orientation: {axis: [1, 1, 0], "
        "angle: 0.3}, ports: {base: arm.rod}}\n";
    const struct lk_setting settings[] = {{"heavy", 4}, {"base_mass", 12}, {"solver.step", 0.001}};
    const struct lk_setting kept[] = {{"base_mass", 13}}, spent[] = {{"heavy", 4}};
    const struct lk_setting moved[] = {{"points.arm.end.2", 4}};
    char *flat = flatten(text, NULL, 0), *again = flatten(flat, NULL, 0);
    struct lk_model *m = read_model(text, NULL, 0), *f = read_model(flat, NULL, 0);
    struct lk_errors errors;
    int n;

    (void)state;
    assert_string_equal(flat, again);
    assert_true(m->hash == f->hash);
    assert_null(strstr(flat, "heavy"));
    assert_null(strstr(flat, "parts"));
    assert_null(strchr(flat, '='));
    lk_model_parameters(f, &n);
    assert_int_equal(n, 3);
    lk_model_free(m);
    lk_model_free(f);
    f = read_model(flat, kept, 1);
    assert_true(body(f, "base")->mass == 13);
    lk_model_free(f);
    f = NULL; /* a parameter that flattening replaced by numbers is refused by name */
    assert_int_equal(
        lk_model_read_text_with(folder, "m", flat, strlen(flat), spent, 1, &f, &errors), LK_E_TEXT);
    assert_non_null(strstr(errors.line[0].text, "there is no parameter 'heavy'"));
    assert_int_equal(
        lk_model_read_text_with(folder, "m", flat, strlen(flat), moved, 1, &f, &errors), LK_E_TEXT);
    assert_non_null(strstr(errors.line[0].text, "there is no 'points' here"));
    free(flat);
    free(again);

    flat = flatten(text, settings, 3);
    m = read_model(text, settings, 3);
    f = read_model(flat, NULL, 0);
    assert_true(body(f, "base")->mass == 12 && body(f, "arm.rod")->mass == 8);
    assert_true(f->solver.step == 0.001 && m->n_bodies == f->n_bodies);
    lk_model_free(m);
    lk_model_free(f);
    free(flat);
}

static void texts_to_send(void **state)
{
    char path[64], *text = NULL;
    struct lk_errors errors;
    struct lk_model *model = NULL;
    size_t size = 0;
    int is_flat;

    (void)state;
    write_file("whole.yaml", "linkage: 1\nname: m\nparts: {a: {file: link.yaml, ports: {before: "
                             "ground}}}\n");
    snprintf(path, sizeof(path), "%s/whole.yaml", folder);
    assert_int_equal(lk_model_text(path, NULL, 0, &is_flat, &text, &size, &errors), 0);
    assert_true(is_flat);
    /* it needs no folder */
    assert_int_equal(lk_model_read_text_with(NULL, "m", text, size, NULL, 0, &model, &errors), 0);
    lk_model_free(model);
    free(text);
    write_file("plain.yaml", "anything, even [wrong");
    snprintf(path, sizeof(path), "%s/plain.yaml", folder);
    assert_int_equal(lk_model_text(path, NULL, 0, &is_flat, &text, &size, &errors), 0);
    assert_false(is_flat);
    assert_string_equal(text, "anything, even [wrong");
    free(text);
    assert_int_equal(lk_model_text("/nowhere.yaml", NULL, 0, &is_flat, &text, &size, &errors),
                     LK_E_TEXT);
    assert_int_equal(errors.n, 1);
}

/* Write @text with the folder in place of FOLDER. */
static void put_folder(const char *text, char *ret, size_t size)
{
    size_t used = 0;

    for (const char *at = text, *mark; *at != '\0'; at = mark + (*mark != '\0' ? 6 : 0)) {
        mark = strstr(at, "FOLDER");
        mark = mark != NULL ? mark : at + strlen(at);
        used += (size_t)snprintf(ret + used, size - used, "%.*s%s", (int)(mark - at), at,
                                 *mark != '\0' ? folder : "");
    }
}

static void refusals(void **state)
{
    static const struct {
        const char *text;
        const char *line; /* FOLDER stands for the folder */
    } rows[] = {
        {M("fle: link.yaml"),
         "m:4:7: unknown key 'fle' in a part, did you mean 'file'? Expected "
         "file, names, position, orientation, mirror, repeat, parameters, points, "
         "ports"},
        {M("mirror: y"), "m:4:6: the key 'file' is missing, expected the name of a model's file"},
        {M("file: ../link.yaml"), "m:4:13: the file '../link.yaml' is outside of the folder of the "
                                  "model, expected a name within it"},
        {M("file: self.yaml"),
         "FOLDER/self.yaml:3:13: the model has more than 4096 parts, or parts within parts deeper "
         "than 8, expected fewer; a part must not include itself (in part a.me.me.me.me.me.me.me)"},
        {M("file: wrong.yaml"), "FOLDER/wrong.yaml:4:13: '=heavy': there is no 'heavy', expected a "
                                "name of parameters, or POINT.x of points (in part a)"},
        {M("file: key.yaml"),
         "FOLDER/key.yaml:3:1: unknown key 'body' in a part, expected linkage, name, gravity, "
         "bodies, "
         "joints, forces, inputs, outputs, solver, start, roads, laws, parameters, points, shapes, "
         "blocks, parts, ports, flexible (in part a)"},
        {"linkage: 1\nname: m\nbodies: {g: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}}\n"
         "parts: {a: {file: unknown.yaml}}\n",
         "FOLDER/unknown.yaml:4:40: unknown body 'a.ghost', expected ground, g (in part a)"},
        {M("file: link.yaml, ports: {befor: ground}"),
         "m:4:32: the part has no port 'befor', did you mean 'before'?"},
        {M("file: link.yaml, names: left_"),
         "m:4:31: names is 'left_', expected one '*' for the name in the part"},
        {M("file: link.yaml, names: \"4*\""),
         "m:4:31: names is '4*', expected a letter or '_', then letters, digits, '_', '-' and "
         "single dots, with one '*'"},
        {M("file: link.yaml, names: \"*#\""),
         "m:4:31: '*#' has a '#' in a part that is not repeated, expected none, or 'repeat'"},
        {M("file: link.yaml, mirror: xy"), "m:4:32: mirror is 'xy', expected x, y, z"},
        {M("file: link.yaml, repeat: 2.5"),
         "m:4:32: repeat is 1 to 2.5, expected whole numbers from 1 to 1024"},
        {M("file: link.yaml, parameters: {mas: 3}"),
         "FOLDER/link.yaml:1:1: there is no parameter 'mas', did you mean 'mass'? (in part a)"},
        {M("file: link.yaml, parameters: {mass: heavy}"),
         "m:4:43: mass is 'heavy', expected a finite number"},
        {M("file: rod.yaml, mirror: y"),
         "FOLDER/rod.yaml:6:6: the angle of a cylindrical joint, whose sign is not that of its "
         "mirror image, in a part that is mirrored, expected a prismatic and a revolute joint (in "
         "part a)"},
        {"linkage: 1\nname: m\nparts:\n  a: {file: link.yaml, names: \"*_1\", ports: {before: "
         "ground}}\n  b: {file: link.yaml, names: \"*_1\", ports: {before: ground}}\n",
         "FOLDER/link.yaml:9:3: 'rod_1' is given twice, expected once (it is in FOLDER/link.yaml:9 "
         "already) (in part b)"},
        {M("file: link.yaml, ports: {before: ground}") "bodies: {a.rod: {mass: 1, inertia: [1, 1, "
                                                       "1], position: [0, 0, 0]}}\n",
         "FOLDER/link.yaml:9:3: 'a.rod' is given twice, expected once (it is in m:5 already) (in "
         "part a)"},
        {M("file: link.yaml, repeat: 2, ports: {before: \"a.#-2000.rod\"}"),
         "m:4:51: 'a.#-2000.rod' adds more than 1024 to the index, expected less"},
        {"linkage: 1\nname: m\nparameters: {index: {value: 2}}\nparts: {a: {file: link.yaml, "
         "repeat: 2, ports: {before: ground}, parameters: {mass: =index}}}\n",
         "m:4:85: '=index': 'index' is a parameter and the index of the repeated part, expected "
         "another name of the parameter"},
        {M("file: alone.yaml, parameters: {solver.rate: 500}"),
         "m:4:38: 'solver.rate' sets gravity or solver of a part, which do not count, expected "
         "them in the model"},
        {M("file: alone.yaml, parameters: {fall: 2}"),
         "m:4:38: 'fall' sets gravity or solver of a part, which do not count, expected them in "
         "the model"},
        {M("file: alone.yaml, mirror: y"),
         "FOLDER/alone.yaml:10:13: the angle of a cylindrical joint, whose sign is not that of "
         "its mirror image, in a part that is mirrored, expected a prismatic and a revolute joint "
         "(in part a)"},
        {M("file: alone.yaml, mirror: y"),
         "FOLDER/alone.yaml:9:13: the angle of a cylindrical joint, whose sign is not that of its "
         "mirror image, in a part that is mirrored, expected a prismatic and a revolute joint (in "
         "part a)"},
        {M("file: below/two.yaml") "bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, "
                                   "0]}}\n",
         "FOLDER/below/far/road.yaml:3:31: the file 'below/far/a.road': No such file or directory "
         "(in part a.i)"},
        {M("file: table.yaml, repeat: 1024"),
         "FOLDER/table.yaml:1:1: too many values, expected at most 1048576 (in part a.262)"},
        {HEAD "ports: [x]\nbodies: {g: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}}\n",
         "m:3:8: a model with ports is a part, expected a model that includes it under 'parts'"},
        {"linkage: 1\nname: m\nparameters: {k: {acts: bodies.a.rod.mass}}\nparts: {a: {file: "
         "link.yaml, ports: {before: ground}, parameters: {mass: =k}}}\n",
         "m:4:74: '=k': the value of parameter 'k' is that of a number of the whole model, "
         "expected "
         "a parameter with a value"},
        {"linkage: 1\nname: m\nbodies: {g: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}}\n"
         "outputs: {g: {type: body-pose, body: g}, g.x: {type: energy}}\n",
         "m:4:42: channel 'g.x' reads as a component of channel 'g', expected another name"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct lk_model *model = NULL;
        struct lk_errors errors;
        char line[512];
        bool found = false;

        put_folder(rows[i].line, line, sizeof(line));
        assert_int_equal(
            lk_model_read_text_in(folder, "m", rows[i].text, strlen(rows[i].text), &model, &errors),
            LK_E_TEXT);
        for (int k = 0; k < errors.n; k++)
            found |= strcmp(errors.line[k].text, line) == 0;
        if (!found)
            fail_msg("row %zu: '%s' instead of '%s'", i, errors.line[0].text, line);
    }
}

/* A text from elsewhere has no folder, so that it cannot read files. */
static void texts_from_elsewhere(void **state)
{
    struct lk_model *model = NULL;
    struct lk_error error;

    (void)state;
    assert_int_equal(
        lk_model_read_text("m", M("file: link.yaml"), strlen(M("file: link.yaml")), &model, &error),
        LK_E_TEXT);
    assert_string_equal(error.text, "m:4:13: the part 'link.yaml' is not read for a text from "
                                    "elsewhere, expected the text that 'linkage flatten' writes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_ports_and_parameters),
        cmocka_unit_test(mirrors_and_parts_within_parts),
        cmocka_unit_test(repetition),
        cmocka_unit_test(names_of_points),
        cmocka_unit_test(flat_texts),
        cmocka_unit_test(texts_to_send),
        cmocka_unit_test(refusals),
        cmocka_unit_test(texts_from_elsewhere),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
