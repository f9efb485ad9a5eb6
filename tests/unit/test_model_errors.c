/* SPDX-License-Identifier: Apache-2.0 */
/* What a model file may get wrong, and the whole line that says so. Each row replaces one piece of
 * a good model; the lines were read one by one when the table was made. */
#include "linkage/linkage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char good[] =
    "linkage: 1\n"
    "name: test\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  arm: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n"
    "  box: {mass: 2, inertia: [1, 2, 3], position: [1, 0, 0], velocity: [0, 0, 0]}\n"
    "joints:\n"
    "  hinge: {type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  guide: {type: prismatic, bodies: [arm, box], point: [1, 0, 0], axis: [1, 0, 0]}\n"
    "  ball: {type: spherical, bodies: [box, ground], point: [2, 0, 0]}\n"
    "forces:\n"
    "  spring: {type: joint-spring-damper, joint: hinge, stiffness: 10, damping: 0.1}\n"
    "inputs:\n"
    "  motor: {type: joint-torque, joint: hinge}\n"
    "  push: {type: body-force, body: box}\n"
    "outputs:\n"
    "  angle: {type: joint-position, joint: hinge}\n"
    "  tip: {type: point-position, body: box, point: [2, 0, 0]}\n"
    "solver: {formulation: ali3, step: 0.001, iterations: 3}\n";

/* struct row - the first @old of the good text becomes @new, which is refused with @line. */
static const struct row {
    const char *old;
    const char *new;
    const char *line;
} rows[] = {
    {"name: test", "name: [test",
     "m:3:8: did not find expected ',' or ']' while parsing a flow sequence, expected YAML"},
    {"name: test", "name: 'test",
     "m:20:1: found unexpected end of stream while scanning a quoted scalar, expected YAML"},
    {"name: test", "name: &a test", "m:2:7: an anchor (&) is not supported, expected a value"},
    {"name: test", "name: *a", "m:2:7: an alias (*) is not supported, expected a value"},
    {"name: test", "name: !!str test", "m:2:7: a tag (!) is not supported, expected a value"},
    {"name: test", "name: test\nname: again",
     "m:3:1: 'name' is given twice, expected once (it is in line 2 already)"},
    {"name: test", "name: \"te\\0st\"", "m:2:7: a text contains a zero byte, expected none"},
    {"name: test", "name: te\tst: x",
     "m:2:12: mapping values are not allowed in this context, expected YAML"},
    {"name: test", "name: test\n---\nname: two",
     "m:3:1: a second document starts here, expected one"},
    {"name: test", "name: \001",
     "m:2:7: control characters are not allowed, expected printable UTF-8"},
    {"name: test", "name: caf\351",
     "m:2:11: invalid trailing UTF-8 octet, expected printable UTF-8"},
    {"name: test", "name: {[a]: 1}", "m:2:8: a list or map is used as a key, expected a name"},
    {"name: test", "name: [[[[[[[[[[[[[[[[[[x]]]]]]]]]]]]]]]]]]",
     "m:2:22: nested too deeply, expected at most 16 levels"},
    {"name: test", "\tname: test",
     "m:2:1: found a tab character that violates indentation while scanning a plain scalar, "
     "expected YAML"},
    {"linkage: 1\n", "", "m:1:1: the key 'linkage' is missing, expected 1"},
    {"linkage: 1", "linkage: 2", "m:1:10: linkage is '2', expected 1"},
    {"linkage: 1", "linkage: [1]", "m:1:10: linkage is a list, expected 1"},
    {"name: test\n", "", "m:1:1: the key 'name' is missing, expected a name"},
    {"name: test", "name: 4bar",
     "m:2:7: '4bar' is no name for a model, expected a letter or '_', then letters, digits, '_' or "
     "'-', at most 63 in all"},
    {"name: test", "name: a b",
     "m:2:7: 'a b' is no name for a model, expected a letter or '_', then letters, digits, '_' or "
     "'-', at most 63 in all"},
    {"name: test", "name:",
     "m:2:6: '' is no name for a model, expected a letter or '_', then letters, digits, '_' or "
     "'-', at most 63 in all"},
    {"name: test", "nam: test",
     "m:2:1: unknown key 'nam' in a model, expected linkage, name, gravity, bodies, joints, "
     "forces, inputs, outputs, solver"},
    {"gravity: [0, -9.81, 0]", "gravity: -9.81",
     "m:3:10: gravity is '-9.81', expected a list of 3 numbers"},
    {"gravity: [0, -9.81, 0]", "gravity: [0, -9.81]",
     "m:3:10: gravity has 2 entries, expected a list of 3 numbers"},
    {"gravity: [0, -9.81, 0]", "gravity: [0, fast, 0]",
     "m:3:14: entry 2 of gravity is 'fast', expected a finite number"},
    {"gravity: [0, -9.81, 0]", "gravity: [0, .nan, 0]",
     "m:3:14: entry 2 of gravity is '.nan', expected a finite number"},
    {"-9.81", "nan", "m:3:14: entry 2 of gravity is 'nan', expected a finite number"},
    {"-9.81", "inf", "m:3:14: entry 2 of gravity is 'inf', expected a finite number"},
    {"-9.81", "0x10", "m:3:14: entry 2 of gravity is '0x10', expected a finite number"},
    {"-9.81", "1e999", "m:3:14: entry 2 of gravity is '1e999', expected a finite number"},
    {"-9.81", "1e16", "m:3:14: entry 2 of gravity is 1e16, expected at most 1e+15 in magnitude"},
    {"-9.81", "'-9,81'", "m:3:14: entry 2 of gravity is '-9,81', expected a finite number"},
    {"arm: {", "arm x: {",
     "m:5:3: 'arm x' is no name for a body, expected a letter or '_', then letters, digits, '_' or "
     "'-', at most 63 in all"},
    {"arm: {mass", "ground: {mass",
     "m:5:3: a body is called ground, which is the name of the world, expected another name"},
    {"  arm:", "  box:", "m:6:3: 'box' is given twice, expected once (it is in line 5 already)"},
    {"arm: {mass: 1,", "arm: {", "m:5:8: the key 'mass' is missing, expected a positive number"},
    {"mass: 1,", "mass: 0,", "m:5:15: mass is 0, expected a positive mass (at least 1e-15 kg)"},
    {"mass: 1,", "mass: -1,", "m:5:15: mass is -1, expected a positive mass (at least 1e-15 kg)"},
    {"mass: 1,", "mass: heavy,", "m:5:15: mass is 'heavy', expected a finite number"},
    {"mass: 1,", "mass: [1],", "m:5:15: mass is a list, expected a finite number"},
    {"mass: 1,", "weight: 1,",
     "m:5:9: unknown key 'weight' in a body, expected mass, inertia, position, orientation, "
     "velocity, angular_velocity"},
    {"inertia: [1, 1, 1], ", "",
     "m:5:8: the key 'inertia' is missing, expected [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, "
     "Iyz]"},
    {"[1, 1, 1]", "[1, 1]",
     "m:5:27: inertia has 2 entries, expected [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz]"},
    {"[1, 1, 1]", "1", "m:5:27: inertia is '1', expected a list of 3 numbers"},
    {"[1, 1, 1]", "[1, 1, 0]",
     "m:5:27: inertia has the principal moments 0, 1, 1, expected positive ones"},
    {"[1, 1, 1]", "[1, 1, -1]",
     "m:5:27: inertia has the principal moments -1, 1, 1, expected positive ones"},
    {"[1, 1, 1]", "[1, 1, 2.1]",
     "m:5:27: inertia has the principal moments 1, 1, 2.1, expected the largest to be at most the "
     "sum of the others"},
    {"[1, 1, 1]", "[1, 1, 1, 0.7, 0, 0]",
     "m:5:27: inertia has the principal moments 0.3, 1, 1.7, expected the largest to be at most "
     "the sum of the others"},
    {"[1, 1, 1]", "[1, 1, 1, 2, 0, 0]",
     "m:5:27: inertia has the principal moments -1, 1, 3, expected positive ones"},
    {"[1, 1, 1]", "[1, 1, x]", "m:5:34: entry 3 of inertia is 'x', expected a finite number"},
    {", position: [0.5, 0, 0]", "",
     "m:5:8: the key 'position' is missing, expected a list of 3 numbers"},
    {"[0.5, 0, 0]", "[0.5, 0, 0, 0]",
     "m:5:48: position has 4 entries, expected a list of 3 numbers"},
    {"[0.5, 0, 0]", "{x: 1}", "m:5:48: position is a map, expected a list of 3 numbers"},
    {"velocity: [0, 0, 0]", "velocity: [0, 0, .inf]",
     "m:6:76: entry 3 of velocity is '.inf', expected a finite number"},
    {"velocity: [0, 0, 0]", "angular_velocity: 3",
     "m:6:77: angular_velocity is '3', expected a list of 3 numbers"},
    {"velocity: [0, 0, 0]", "orientation: {quaternion: [0, 0, 0, 0]}",
     "m:6:85: quaternion has length 0, expected 1 (within 1e-6)"},
    {"velocity: [0, 0, 0]", "orientation: {quaternion: [1, 1, 0, 0]}",
     "m:6:85: quaternion has length 1.41421356, expected 1 (within 1e-6)"},
    {"velocity: [0, 0, 0]", "orientation: {quaternion: [1, 0, 0]}",
     "m:6:85: quaternion has 3 entries, expected a list of 4 numbers"},
    {"velocity: [0, 0, 0]", "orientation: {axis: [0, 0, 0], angle: 1}",
     "m:6:79: axis has no direction (length 0), expected a vector that is not zero"},
    {"velocity: [0, 0, 0]", "orientation: {axis: [0, 0, 1]}",
     "m:6:72: the key 'angle' is missing, expected a finite number"},
    {"velocity: [0, 0, 0]", "orientation: {angle: 1}",
     "m:6:72: the key 'axis' is missing, expected a list of 3 numbers"},
    {"velocity: [0, 0, 0]", "orientation: {axis: [0, 0, 1], angle: 1, quaternion: [1, 0, 0, 0]}",
     "m:6:73: unknown key 'axis' in an orientation by quaternion, expected quaternion"},
    {"velocity: [0, 0, 0]", "orientation: [0, 0, 1]",
     "m:6:72: orientation is a list, expected a map with keys out of axis, angle, quaternion"},
    {"arm: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}", "arm: 3",
     "m:5:8: a body is '3', expected a map with keys out of mass, inertia, position, orientation, "
     "velocity, angular_velocity"},
    {"revolute", "hinge",
     "m:8:17: type is 'hinge', expected revolute, spherical, prismatic, fixed"},
    {"type: revolute, ", "",
     "m:8:10: the key 'type' is missing, expected revolute, spherical, prismatic, fixed"},
    {"bodies: [ground, arm], ", "",
     "m:8:10: the key 'bodies' is missing, expected a list of 2 bodies"},
    {"[ground, arm]", "[ground, amr]", "m:8:44: unknown body 'amr', expected ground, arm, box"},
    {"[ground, arm]", "[ground]",
     "m:8:35: bodies is not a list of 2 names, expected [first, second]"},
    {"[ground, arm]", "[arm, arm]",
     "m:8:35: a joint has 'arm' on both sides, expected two different bodies"},
    {"[ground, arm]", "[ground, ground]",
     "m:8:35: a joint has 'ground' on both sides, expected two different bodies"},
    {"[ground, arm]", "[[ground], arm]", "m:8:36: body is a list, expected the name of a body"},
    {"point: [0, 0, 0], ", "", "m:8:10: the key 'point' is missing, expected point or points"},
    {"point: [0, 0, 0]", "points: [0, 0, 0]",
     "m:8:58: points is not a list of 2 vectors, expected one for each body"},
    {"point: [0, 0, 0]", "points: [[0, 0, 0], [0, 0]]",
     "m:8:70: points has 2 entries, expected a list of 3 numbers"},
    {"point: [0, 0, 0]", "point: [0, 0, 0], points: [[0, 0, 0], [0, 0, 0]]",
     "m:8:76: both point and points are given, expected one of them"},
    {", axis: [0, 0, 1]", "", "m:8:10: the key 'axis' is missing, expected axis or axes"},
    {"axis: [0, 0, 1]", "axis: [0, 0, 0]",
     "m:8:74: axis has no direction (length 0), expected a vector that is not zero"},
    {"axis: [0, 0, 1]", "axes: [[0, 0, 1], [0, 0, 1e-12]]",
     "m:8:86: axes has no direction (length 1e-12), expected a vector that is not zero"},
    {"point: [2, 0, 0]}\nforces", "point: [2, 0, 0], axis: [0, 0, 1]}\nforces",
     "m:10:68: unknown key 'axis' in a spherical joint, expected type, bodies, point, points"},
    {"axis: [0, 0, 1]", "axis: [0, 0, 1], coordinate: [1]",
     "m:8:97: coordinate is a list, expected a finite number"},
    {"  guide:", "  hinge:",
     "m:9:3: 'hinge' is given twice, expected once (it is in line 8 already)"},
    {"joints:\n", "joints: [1]\nxs:\n",
     "m:8:1: unknown key 'xs' in a model, expected linkage, name, gravity, bodies, joints, forces, "
     "inputs, outputs, solver"},
    {"hinge: {type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 0, 1]}",
     "hinge: []",
     "m:8:10: a joint is a list, expected a map with keys out of type, bodies, point, points, "
     "axis, axes, coordinate"},
    {"joint-spring-damper", "spring",
     "m:12:18: type is 'spring', expected joint-spring-damper, constant-force, constant-torque"},
    {"type: joint-spring-damper, ", "",
     "m:12:11: the key 'type' is missing, expected joint-spring-damper, constant-force, "
     "constant-torque"},
    {"joint: hinge, stiff", "joint: hing, stiff",
     "m:12:46: unknown joint 'hing', expected hinge, guide, ball"},
    {"joint: hinge, stiff", "joint: ball, stiff",
     "m:12:46: joint 'ball' is spherical, expected a revolute or prismatic joint"},
    {"joint: hinge, stiff", "stiff",
     "m:12:11: the key 'joint' is missing, expected the name of a joint"},
    {"stiffness: 10", "stiffness: -10", "m:12:64: stiffness is -10, expected at least 0"},
    {"damping: 0.1", "damping: -0.1", "m:12:77: damping is -0.1, expected at least 0"},
    {"damping: 0.1", "body: arm",
     "m:12:68: unknown key 'body' in a joint-spring-damper, expected type, joint, stiffness, "
     "damping, rest"},
    {"damping: 0.1", "rest: soft", "m:12:74: rest is 'soft', expected a finite number"},
    {"joint-spring-damper, joint: hinge, stiffness: 10, damping: 0.1", "constant-force, body: arm",
     "m:12:11: the key 'force' is missing, expected a list of 3 numbers"},
    {"joint-spring-damper, joint: hinge, stiffness: 10, damping: 0.1",
     "constant-force, body: ground, force: [1, 0, 0]",
     "m:12:40: the ground does not move, expected a body"},
    {"joint-spring-damper, joint: hinge, stiffness: 10, damping: 0.1",
     "constant-torque, body: arm, torque: [1, 0, 0], frame: local",
     "m:12:72: frame is 'local', expected world, body"},
    {"joint-spring-damper, joint: hinge, stiffness: 10, damping: 0.1",
     "constant-torque, body: arm, torque: [1, 0, 0], point: [0, 0, 0]",
     "m:12:65: unknown key 'point' in a constant-torque, expected type, body, torque, frame"},
    {"joint-torque", "torque",
     "m:14:17: type is 'torque', expected joint-torque, joint-force, body-force, body-torque"},
    {"joint-torque, joint: hinge", "joint-torque, joint: guide",
     "m:14:38: joint 'guide' is prismatic, expected a revolute joint"},
    {"joint-torque, joint: hinge", "joint-force, joint: ball",
     "m:14:37: joint 'ball' is spherical, expected a prismatic joint"},
    {"joint-torque, joint: hinge", "joint-torque",
     "m:14:10: the key 'joint' is missing, expected the name of a joint"},
    {"joint-torque, joint: hinge", "joint-torque, joint: hinge, body: arm",
     "m:14:45: unknown key 'body' in a joint-torque, expected type, joint"},
    {"body: box}", "body: bax}", "m:15:34: unknown body 'bax', expected box, arm"},
    {"body: box}", "body: [box]}", "m:15:34: body is a list, expected the name of a body"},
    {"push:", "motor:", "m:15:3: 'motor' is given twice, expected once (it is in line 14 already)"},
    {"push:", "1push:",
     "m:15:3: '1push' is no name for a channel, expected a letter or '_', then letters, digits, "
     "'_' or '-', at most 63 in all"},
    {"angle:", "motor:", "m:17:3: output 'motor' has the name of an input, expected another name"},
    {"joint-position, joint: hinge", "joint-position, joint: ball",
     "m:17:40: joint 'ball' is spherical, expected a revolute or prismatic joint"},
    {"joint-position, joint: hinge", "joint-position, joint: x",
     "m:17:40: unknown joint 'x', expected ball, hinge, guide"},
    {"joint-position", "position",
     "m:17:17: type is 'position', expected joint-position, joint-velocity, joint-reaction, "
     "body-pose, body-velocity, point-position, point-velocity, energy, work, residual"},
    {", point: [2, 0, 0]}\nsolver", "}\nsolver",
     "m:18:8: the key 'point' is missing, expected a list of 3 numbers"},
    {"joint-position, joint: hinge", "energy, body: arm",
     "m:17:25: unknown key 'body' in an energy output, expected type"},
    {"angle: {type: joint-position, joint: hinge}", "angle:",
     "m:17:9: an output is empty, expected a map with keys out of type, joint, body, point, frame"},
    {"ali3", "rk4", "m:19:23: formulation is 'rk4', expected ali3"},
    {"step: 0.001", "step: 0", "m:19:35: step is 0, expected 1e-6 to 0.1 s"},
    {"step: 0.001", "step: 0.5", "m:19:35: step is 0.5, expected 1e-6 to 0.1 s"},
    {"iterations: 3", "iterations: 0",
     "m:19:54: iterations is '0', expected a whole number from 1 to 20"},
    {"iterations: 3", "iterations: 21",
     "m:19:54: iterations is '21', expected a whole number from 1 to 20"},
    {"iterations: 3", "iterations: 2.5",
     "m:19:54: iterations is '2.5', expected a whole number from 1 to 20"},
    {"iterations: 3", "tolerance: 1",
     "m:19:42: unknown key 'tolerance' in the solver, expected formulation, step, iterations"},
    {"solver: {", "solver: 1\nx: {",
     "m:20:1: unknown key 'x' in a model, expected linkage, name, gravity, bodies, joints, forces, "
     "inputs, outputs, solver"},
    {"formulation: ali3", "formulation: [ali3]", "m:19:23: formulation is a list, expected ali3"},
};

static size_t replace(const struct row *row, char *text, size_t size)
{
    const char *at = strstr(good, row->old);

    assert_non_null(at);
    return (size_t)snprintf(text, size, "%.*s%s%s", (int)(at - good), good, row->new,
                            at + strlen(row->old));
}

static void test_good_text_loads(void **state)
{
    struct lk_model *model = NULL;

    (void)state;
    assert_int_equal(lk_model_read_text("m", good, strlen(good), &model, NULL), 0);
    lk_model_free(model);
}

static void test_bad_texts_are_refused(void **state)
{
    char text[sizeof(good) + 256];

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct lk_model *model = NULL;
        struct lk_error error = {""};
        size_t size = replace(&rows[i], text, sizeof(text));

        assert_int_equal(lk_model_read_text("m", text, size, &model, &error), LK_E_TEXT);
        assert_string_equal(error.text, rows[i].line);
        assert_null(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_text_loads),
        cmocka_unit_test(test_bad_texts_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
