/* SPDX-License-Identifier: Apache-2.0 */
/* Errors in a model file, with the whole message for each. Each row replaces one piece of one of
 * two good models; the messages were reviewed one by one. */
#include "linkage/errors.h"
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

/* struct row - if the first @old of the good text is replaced with @new, the model is refused with
 * the message @line */
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
    {"name: test", "\tname: test", "m:2:1: a tab indents this line, expected spaces"},
    {"  arm: {", "  \tarm: {", "m:5:3: a tab indents this line, expected spaces"},
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
     "m:2:1: unknown key 'nam' in a model, did you mean 'name'? Expected linkage, name, gravity, "
     "bodies, joints, forces, inputs, outputs, solver, start, roads, laws, parameters, "
     "points, shapes, blocks, parts, ports, flexible"},
    {"gravity: [0, -9.81, 0]", "start: resting",
     "m:3:8: start is 'resting', expected drawn, equilibrium"},
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
     "m:5:3: 'arm x' is no name for a body, expected a letter or '_', then letters, digits, '_', "
     "'-' "
     "or single dots, at most 63 in all"},
    {"arm: {mass", "ground: {mass",
     "m:5:3: a body is called ground, which is the name of the world, expected another name"},
    {"  arm:", "  box:", "m:6:3: 'box' is given twice, expected once (it is in line 5 already)"},
    {"arm: {mass: 1,", "arm: {", "m:5:8: the key 'mass' is missing, expected a number"},
    {"mass: 1,", "mass: -1,", "m:5:15: mass is -1, expected 0 or at least 1e-15 kg"},
    {"mass: 1,", "mass: heavy,", "m:5:15: mass is 'heavy', expected a finite number"},
    {"mass: 1,", "mass: [1],", "m:5:15: mass is a list, expected a finite number"},
    {"mass: 1,", "weight: 1,",
     "m:5:9: unknown key 'weight' in a body, expected mass, inertia, position, orientation, "
     "velocity, angular_velocity, modes"},
    {"inertia: [1, 1, 1], ", "",
     "m:5:8: the key 'inertia' is missing, expected [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, "
     "Iyz]"},
    {"[1, 1, 1]", "[1, 1]",
     "m:5:27: inertia has 2 entries, expected [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz]"},
    {"[1, 1, 1]", "1", "m:5:27: inertia is '1', expected a list of 3 numbers"},
    {"[1, 1, 1]", "[1, 1, -1]",
     "m:5:27: inertia has the principal moments -1, 1, 1, expected each to be 0 or at least 1e-30 "
     "and 1e-12 of the largest"},
    {"[1, 1, 1]", "[1, 1, 2.1]",
     "m:5:27: inertia has the principal moments 1, 1, 2.1, expected the largest to be at most the "
     "sum of the others"},
    {"[1, 1, 1]", "[1, 1, 1, 0.7, 0, 0]",
     "m:5:27: inertia has the principal moments 0.3, 1, 1.7, expected the largest to be at most "
     "the sum of the others"},
    {"[1, 1, 1]", "[1, 1, 1, 2, 0, 0]",
     "m:5:27: inertia has the principal moments -1, 1, 3, expected each to be 0 or at least 1e-30 "
     "and 1e-12 of the largest"},
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
     "velocity, angular_velocity, modes"},
    {"revolute", "hinge",
     "m:8:17: type is 'hinge', expected revolute, spherical, prismatic, fixed, cylindrical, "
     "universal, planar, screw, point-on-line, distance, constant-velocity, cone-on-rail, skate, "
     "rolling, gear, rack, differential"},
    {"type: revolute, ", "",
     "m:8:10: the key 'type' is missing, expected revolute, spherical, prismatic, fixed, "
     "cylindrical, universal, planar, screw, point-on-line, distance, constant-velocity, "
     "cone-on-rail, skate, rolling, gear, rack, differential"},
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
     "m:10:68: unknown key 'axis' in a spherical joint, expected type, bodies, point, points, "
     "compliance"},
    {"axis: [0, 0, 1]", "axis: [0, 0, 1], coordinate: [1]",
     "m:8:97: coordinate is a list, expected a finite number"},
    {"  guide:", "  hinge:",
     "m:9:3: 'hinge' is given twice, expected once (it is in line 8 already)"},
    {"joints:\n", "joints: [1]\nxs:\n",
     "m:7:9: joints is a list, expected a map from names to maps"},
    {"hinge: {type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 0, 1]}",
     "hinge: []", "m:8:10: a joint is a list, expected a map with keys out of type, ..."},
    {"joint-spring-damper", "spring",
     "m:12:18: type is 'spring', expected joint-spring-damper, spring-damper, bushing, creep, "
     "friction, "
     "impedance, force-map, callback, line, stop, constant-force, constant-torque, harmonic-force, "
     "harmonic-torque, tyre, drag, contact"},
    {"type: joint-spring-damper, ", "",
     "m:12:11: the key 'type' is missing, expected joint-spring-damper, spring-damper, bushing, "
     "creep, friction, impedance, force-map, callback, line, stop, constant-force, "
     "constant-torque, "
     "harmonic-force, "
     "harmonic-torque, "
     "tyre, drag, contact"},
    {"joint: hinge, stiff", "joint: hing, stiff",
     "m:12:46: unknown joint 'hing', expected hinge, guide, ball"},
    {"joint: hinge, stiff", "joint: ball, stiff",
     "m:12:46: joint 'ball' is a spherical joint, expected one with a coordinate (revolute, "
     "prismatic, cylindrical, universal, planar, screw, point-on-line)"},
    {"joint: hinge, stiff", "stiff",
     "m:12:11: the key 'joint' is missing, expected the name of a joint"},
    {"stiffness: 10", "stiffness: -10", "m:12:64: stiffness is -10, expected at least 0"},
    {"damping: 0.1", "damping: -0.1", "m:12:77: damping is -0.1, expected at least 0"},
    {"damping: 0.1", "body: arm",
     "m:12:68: unknown key 'body' in a joint-spring-damper, expected type, joint, coordinate, "
     "stiffness, damping, stiffness_table, damping_table, scale, rest"},
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
    {"joint-spring-damper, joint: hinge, stiffness: 10, damping: 0.1",
     "impedance, joint: hinge, stiffness: 10, rest: 0.1",
     "m:12:11: an impedance without inputs, expected {input: NAME} for at least one of force, "
     "stiffness, damping and rest, or a joint-spring-damper"},
    {"joint-spring-damper, joint: hinge, stiffness: 10, damping: 0.1",
     "impedance, joint: hinge, stiffness: -1, rest: {input: k}",
     "m:12:54: stiffness is -1, expected at least 0"},
    {"joint-spring-damper, joint: hinge, stiffness: 10, damping: 0.1",
     "impedance, joint: hinge, bodies: [a, b], rest: {input: k}",
     "m:12:11: expected either the key 'joint', with 'coordinate' where it has several, or "
     "'bodies' and 'points'"},
    {"joint-spring-damper, joint: hinge, stiffness: 10, damping: 0.1}\ninputs:\n",
     "impedance, joint: hinge, stiffness: {input: k}, rest: 0.1}\ninputs:\n  k: {type: signal, "
     "limits: [-1, 1]}\n",
     "m:12:62: input 'k' has limits from -1 on, expected 0 or more for a stiffness"},
    {"joint-spring-damper, joint: hinge, stiffness: 10, damping: 0.1}\ninputs:\n",
     "impedance, joint: hinge, stiffness: {input: k}, rest: {input: k}}\ninputs:\n  k: {type: "
     "signal}\n",
     "m:12:80: input 'k' is in N m/rad elsewhere, expected one in rad"},
    {"joint-spring-damper, joint: hinge, stiffness: 10, damping: 0.1",
     "impedance, joint: ball, rest: {input: k}",
     "m:12:36: joint 'ball' is a spherical joint, expected one with a coordinate (revolute, "
     "prismatic, cylindrical, universal, planar, screw, point-on-line)"},
    {"joint-spring-damper, joint: hinge, stiffness: 10, damping: 0.1",
     "impedance, joint: hinge, rest: {input: motor}",
     "m:12:57: input 'motor' is not of type signal, expected one that is"},
    {"joint-torque", "torque",
     "m:14:17: type is 'torque', expected joint-torque, joint-force, body-force, body-torque, "
     "drive, signal, ground"},
    {"joint-torque, joint: hinge", "joint-torque, joint: guide",
     "m:14:38: joint 'guide' is a prismatic joint, expected one with an angle (revolute, "
     "cylindrical, universal, planar, screw)"},
    {"joint-torque, joint: hinge", "joint-force, joint: ball",
     "m:14:37: joint 'ball' is a spherical joint, expected one with a length (prismatic, "
     "cylindrical, planar, point-on-line)"},
    {"joint-torque, joint: hinge", "joint-torque",
     "m:14:10: the key 'joint' is missing, expected the name of a joint"},
    {"joint-torque, joint: hinge", "joint-torque, joint: hinge, body: arm",
     "m:14:45: unknown key 'body' in a joint-torque, expected type, joint, coordinate, limits, "
     "rate, initial"},
    {"body: box}", "body: bax}", "m:15:34: unknown body 'bax', expected box, arm"},
    {"body: box}", "body: [box]}", "m:15:34: body is a list, expected the name of a body"},
    {"push:", "motor:", "m:15:3: 'motor' is given twice, expected once (it is in line 14 already)"},
    {"push:", "1push:",
     "m:15:3: '1push' is no name for a channel, expected a letter or '_', then letters, digits, "
     "'_', '-' or single dots, at most 63 in all"},
    {"angle:", "motor:", "m:17:3: output 'motor' has the name of an input, expected another name"},
    {"joint-position, joint: hinge", "joint-position, joint: ball",
     "m:17:40: joint 'ball' is a spherical joint, expected one with a coordinate (revolute, "
     "prismatic, cylindrical, universal, planar, screw, point-on-line)"},
    {"joint-position, joint: hinge", "joint-position, joint: x",
     "m:17:40: unknown joint 'x', expected ball, hinge, guide"},
    {"joint-position", "position",
     "m:17:17: type is 'position', expected joint-position, joint-velocity, joint-acceleration, "
     "joint-reaction, body-pose, body-velocity, body-acceleration, point-position, point-velocity, "
     "point-acceleration, inertial-sensor, force, drive-force, energy, work, residual, condition, "
     "tyre, tyre-contact, input, mobility, port-work, block, mode, "
     "recovery, contact"},
    {", point: [2, 0, 0]}\nsolver", "}\nsolver",
     "m:18:8: the key 'point' is missing, expected a list of 3 numbers"},
    {"joint-position, joint: hinge", "energy, body: arm",
     "m:17:25: unknown key 'body' in an energy output, expected type"},
    {"angle: {type: joint-position, joint: hinge}",
     "angle:", "m:17:9: an output is empty, expected a map with keys out of type, ..."},
    {"ali3", "rk5",
     "m:19:23: formulation is 'rk5', did you mean 'rk4'? Expected auto, ali3, rattle, rk4, dca, "
     "hdca, recursive, "
     "complement, absolute"},
    {"ali3, step: 0.001, iterations: 3", "rk4, order: 4",
     "m:19:35: an order is given, expected none with formulation: rk4"},
    {"step: 0.001", "step: 0", "m:19:35: step is 0, expected 1e-6 to 0.1 s"},
    {"step: 0.001", "step: 0.5", "m:19:35: step is 0.5, expected 1e-6 to 0.1 s"},
    {"step: 0.001", "rate: 9.9", "m:19:35: rate is 9.9, expected 10 to 1e6 Hz"},
    {"step: 0.001", "rate: 1e7", "m:19:35: rate is 1e7, expected 10 to 1e6 Hz"},
    {"step: 0.001", "rate: fast", "m:19:35: rate is 'fast', expected a finite number"},
    {"iterations: 3", "rate: 3000", "m:19:48: a rate and a step are given, expected one of them"},
    {"iterations: 3", "iterations: 0",
     "m:19:54: iterations is '0', expected a whole number from 1 to 20"},
    {"iterations: 3", "iterations: 21",
     "m:19:54: iterations is '21', expected a whole number from 1 to 20"},
    {"iterations: 3", "iterations: 2.5",
     "m:19:54: iterations is '2.5', expected a whole number from 1 to 20"},
    {"iterations: 3", "tolerance: 1",
     "m:19:42: unknown key 'tolerance' in the solver, expected formulation, coordinates, penalty, "
     "redundancy, step, rate, iterations, order, engine, reductions, variant"},
    {"iterations: 3", "engine: fast",
     "m:19:50: engine is 'fast', expected auto, avx512, avx2, portable, scalar, none"},
    {"iterations: 3", "order: 1", "m:19:49: order is '1', expected a whole number from 2 to 6"},
    {"iterations: 3", "order: 7", "m:19:49: order is '7', expected a whole number from 2 to 6"},
    {"iterations: 3", "order: 5",
     "m:19:49: order 5 with formulation ali3, did you mean 4? Expected 2, 3 or 4"},
    {"ali3, step: 0.001, iterations: 3", "rattle, order: 3",
     "m:19:38: order 3 with formulation rattle, did you mean 4? Expected 2, 4 or 6"},
    {"iterations: 3", "order: high",
     "m:19:49: order is 'high', expected a whole number from 2 to 6"},
    {"solver: {", "solver: 1\nx: {",
     "m:19:9: the solver is '1', expected a map with keys out of formulation, coordinates, "
     "penalty, redundancy, step, rate, iterations, order, engine, reductions, variant"},
    {"formulation: ali3", "formulation: [ali3]",
     "m:19:23: formulation is a list, expected auto, ali3, rattle, rk4, dca, hdca, recursive, "
     "complement, absolute"},
};

/* a model with the joints, drives and force elements that are not in the first model */
static const char rich[] =
    "linkage: 1\n"
    "name: rich\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
    "  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
    "joints:\n"
    "  gears: {type: gear, joints: [hinge, {joint: tube, coordinate: angle}], ratio: 2}\n"
    "  pinion: {type: rack, joints: [bolt, slide], radius: 0.1}\n"
    "  hinge: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 0, 1],\n"
    "    coordinate: 0.1, drive: {input: steer, period: 0.01}}\n"
    "  tube: {type: cylindrical, bodies: [ground, b], point: [0, 0, 0], axis: [1, 0, 0],\n"
    "    start: {angle: 1}, drive: {travel: {harmonic: {amplitude: 1, omega: 2}}}}\n"
    "  cross: {type: universal, bodies: [a, b], point: [0, 0, 0], axes: [[0, 0, 1], [0, 1, 0]]}\n"
    "  table: {type: planar, bodies: [a, b], point: [0, 0, 0], axis: [0, 0, 1],\n"
    "    direction: [0, 1, 1]}\n"
    "  bolt: {type: screw, bodies: [a, b], point: [0, 0, 0], axis: [0, 0, 1], pitch: 0.002}\n"
    "  slide: {type: prismatic, bodies: [a, b], point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  rod: {type: distance, bodies: [a, b], points: [[0, 0, 0], [1, 0, 0]], length: 1.1}\n"
    "  mount: {type: fixed, bodies: [ground, a], point: [0, 0, 0],\n"
    "    drive: {x: {table: {time: [0, 1, 2], value: [0, 1, 0]}, periodic: true}}}\n"
    "  soft: {type: fixed, bodies: [a, b], point: [0, 0, 0],\n"
    "    compliance: {stiffness: [1, 2, 3, 4, 5, 6], damping: [6, 5, 4, 3, 2, 1]}}\n"
    "forces:\n"
    "  twist: {type: joint-spring-damper, joint: cross, coordinate: second, damping: 3,\n"
    "    stiffness_table: {deflection: [-1, 0, 1], force: [-2, 0, 3]}}\n"
    "  strut: {type: spring-damper, bodies: [a, b], points: [[0, 0, 1], [1, 0, 2]],\n"
    "    stiffness: 8, rest_length: 0.5, damping_table: {rate: [-1, 1], force: [-4, 4]}}\n"
    "  pad: {type: bushing, bodies: [a, b], point: [0, 0, 0], stiffness: [0, 0, 0, 7, 7, 7]}\n"
    "  drag: {type: friction, joint: hinge, coulomb: 2, stick: 2.5, stribeck: 0.1}\n"
    "  end: {type: stop, joint: hinge, lower: -1, upper: 1, stiffness: 1e5}\n"
    "  shake: {type: harmonic-force, body: b, amplitude: [0, 1, 0], omega: 3}\n"
    "inputs:\n"
    "  steer: {limits: [-1, 2], type: drive}\n"
    "  torque: {type: joint-torque, joint: tube}\n"
    "  push: {type: joint-force, joint: table, coordinate: y}\n"
    "outputs:\n"
    "  pose: {type: joint-position, joint: table}\n"
    "  load: {type: joint-reaction, joint: rod}\n"
    "  imu: {type: inertial-sensor, body: a}\n"
    "  grip: {type: force, force: drag}\n"
    "  motor: {type: drive-force, joint: hinge}\n"
    "solver: {coordinates: euler-parameters, penalty: 1e7, redundancy: soft}\n";

static const struct row rich_rows[] = {
    {"limits: [-1, 2]", "limits: [0.5, 2]",
     "m:33:19: limits of 0.5 to 2, expected 0 between them, which an input has until a bench "
     "speaks, or an initial value that is"},
    {"limits: [-1, 2]", "limits: [2, -1]",
     "m:33:19: limits of 2 to -1, expected a lowest and a highest value"},
    {"limits: [-1, 2]", "limits: [-1, 2], initial: 3",
     "m:33:37: an initial value of 3, expected one within the limits of -1 to 2"},
    {"limits: [-1, 2]", "rate: 0", "m:33:17: a rate of 0, expected a change per second above 0"},
    {"limits: [-1, 2]", "limits: 2", "m:33:19: limits is '2', expected a list of 2 numbers"},
    {"joints: [hinge, {joint: tube, coordinate: angle}], ", "",
     "m:7:10: the key 'joints' is missing, expected a list of 2 joints"},
    {"[hinge, {joint: tube, coordinate: angle}]", "[hinge]",
     "m:7:31: joints is not a list of 2 joints, expected [first, second]"},
    {"[hinge, {joint: tube, coordinate: angle}]", "[hinge, hinge]",
     "m:7:31: 'hinge' is coupled with itself, expected two joints"},
    {"[hinge, {joint: tube, coordinate: angle}]", "[hinge, pinion]",
     "m:7:39: joint 'pinion' is a coupling itself, expected a joint between two bodies"},
    {"[hinge, {joint: tube, coordinate: angle}]", "[gears, hinge]",
     "m:7:32: joint 'gears' is a coupling itself, expected a joint between two bodies"},
    {"[hinge, {joint: tube, coordinate: angle}]", "[hinge, rod]",
     "m:7:39: joint 'rod' is a distance joint, expected one with an angle (revolute, cylindrical, "
     "universal, planar, screw)"},
    {"[hinge, {joint: tube, coordinate: angle}]", "[hinge, slide]",
     "m:7:39: joint 'slide' is a prismatic joint, expected one with an angle (revolute, "
     "cylindrical, universal, planar, screw)"},
    {"[hinge, {joint: tube, coordinate: angle}]", "[hinge, tub]",
     "m:7:39: unknown joint 'tub', expected tube, table, rod, bolt, mount, soft or another of 11"},
    {"[hinge, {joint: tube, coordinate: angle}]", "[hinge, cross]",
     "m:7:39: joint 'cross' has several coordinates, expected {joint: cross, coordinate: first}"},
    {"[hinge, {joint: tube, coordinate: angle}]", "[hinge, {coordinate: angle}]",
     "m:7:39: the key 'joint' is missing, expected the name of a joint"},
    {"[hinge, {joint: tube, coordinate: angle}]", "[hinge, {joint: tube, axis: 1}]",
     "m:7:53: unknown key 'axis' in a coupled joint, expected joint, coordinate"},
    {"coordinate: angle}", "coordinate: travel}", "m:7:65: coordinate is 'travel', expected angle"},
    {"[hinge, {joint: tube, coordinate: angle}]", "[{joint: hinge, coordinate: angle}, bolt]",
     "m:7:59: joint 'hinge' has one coordinate, expected no key 'coordinate'"},
    {", ratio: 2", "", "m:7:10: the key 'ratio' is missing, expected a finite number"},
    {"ratio: 2", "ratio: 0",
     "m:7:81: ratio is 0, expected a number that is not 0, in magnitude at least 1e-15"},
    {"ratio: 2", "ratio: 2, radius: 1",
     "m:7:84: unknown key 'radius' in a gear joint, expected type, joints, ratio, compliance"},
    {"ratio: 2", "ratio: 2, compliance: {stiffness: [1, 2]}",
     "m:7:108: stiffness has 2 entries, expected a list of 1 numbers"},
    {"ratio: 2", "ratio: 2, bodies: [a, b]",
     "m:7:84: unknown key 'bodies' in a gear joint, expected type, joints, ratio, compliance"},
    {"radius: 0.1", "ratio: 0.1",
     "m:8:47: unknown key 'ratio' in a rack joint, expected type, joints, radius, compliance"},
    {"radius: 0.1", "radius: 1e-16",
     "m:8:55: radius is 1e-16, expected a number that is not 0, in magnitude at least 1e-15"},
    {"[bolt, slide]", "[slide, bolt]",
     "m:8:33: joint 'slide' is a prismatic joint, expected one with an angle (revolute, "
     "cylindrical, universal, planar, screw)"},
    {"coordinate: 0.1,", "coordinate: {angle: 0.1},",
     "m:10:17: coordinate is a map, expected a finite number"},
    {"start: {angle: 1}", "start: 1",
     "m:12:12: start is '1', expected a map with keys out of travel, angle"},
    {"start: {angle: 1}", "start: {turn: 1}",
     "m:12:13: unknown key 'turn' in start, expected travel, angle"},
    {"start: {angle: 1}", "start: {angle: x}", "m:12:20: angle is 'x', expected a finite number"},
    {"start: {angle: 1}", "coordinate: {angle: 1, travel: [1]}",
     "m:12:36: travel is a list, expected a finite number"},
    {"start: {angle: 1}", "start: {travel: 1}",
     "m:12:41: joint 'tube' has both start and drive, expected one of them: a drive says where the "
     "joint starts"},
    {"axes: [[0, 0, 1], [0, 1, 0]]", "axis: [0, 0, 1]",
     "m:13:62: unknown key 'axis' in a universal joint, did you mean 'axes'? Expected type, "
     "bodies, point, points, compliance, axes, coordinate, start, drive"},
    {", axes: [[0, 0, 1], [0, 1, 0]]", "",
     "m:13:10: the key 'axes' is missing, expected a list of 2 vectors, one for each body"},
    {"[[0, 0, 1], [0, 1, 0]]", "[[0, 0, 1], [0, 1, 1]]",
     "m:13:68: axes are 0.785398 rad apart, expected a right angle (within 0.001 rad)"},
    {"[[0, 0, 1], [0, 1, 0]]", "[[0, 0, 1], [0, 1, 0.0011]]",
     "m:13:68: axes are 1.5697 rad apart, expected a right angle (within 0.001 rad)"},
    {"[[0, 0, 1], [0, 1, 0]]", "[[0, 0, 1]]",
     "m:13:68: axes is not a list of 2 vectors, expected one for each body"},
    {"direction: [0, 1, 1]", "direction: [0, 0, -2]",
     "m:15:16: direction is along the axis, expected a vector in the plane"},
    {"direction: [0, 1, 1]", "direction: [0, 0, 0]",
     "m:15:16: direction has no direction (length 0), expected a vector that is not zero"},
    {"direction: [0, 1, 1]", "pitch: 1",
     "m:15:5: unknown key 'pitch' in a planar joint, expected type, bodies, point, points, "
     "compliance, axis, axes, direction, coordinate, start, drive"},
    {"  bolt:",
     "  shafts: {type: constant-velocity, bodies: [a, b], point: [0, 0, 0],\n    axes: [[1, 0, 0], "
     "[-1, 0, 0]]}\n  bolt:",
     "m:17:11: axes point against each other, expected those of two shafts that run on from one "
     "another"},
    {", pitch: 0.002", "", "m:16:9: the key 'pitch' is missing, expected a finite number"},
    {"pitch: 0.002", "pitch: 0",
     "m:16:81: pitch is 0, expected a number that is not 0, in magnitude at least 1e-15"},
    {"points: [[0, 0, 0], [1, 0, 0]], length", "point: [0, 0, 0], length",
     "m:18:41: unknown key 'point' in a distance joint, did you mean 'points'? Expected type, "
     "bodies, points, length, compliance"},
    {"points: [[0, 0, 0], [1, 0, 0]], length", "length",
     "m:18:8: the key 'points' is missing, expected a list of 2 vectors, one for each body"},
    {"[[0, 0, 0], [1, 0, 0]], length", "[[0, 0, 0], [0, 0, 0]], length",
     "m:18:49: points are 0 m apart, expected two different points"},
    {"type: gear, joints: [hinge, {joint: tube, coordinate: angle}], ratio: 2",
     "type: differential, joints: [hinge, {joint: tube, coordinate: angle}], ratio: 2",
     "m:7:39: joints is not a list of 3 joints, expected [first, second, third]"},
    {"type: gear, joints: [hinge, {joint: tube, coordinate: angle}], ratio: 2",
     "type: differential, joints: [hinge, bolt, hinge], ratio: 2",
     "m:7:39: 'hinge' is coupled with itself, expected three joints"},
    {"type: gear, joints: [hinge, {joint: tube, coordinate: angle}], ratio: 2",
     "type: differential, joints: [hinge, bolt, slide], ratio: 2",
     "m:7:53: joint 'slide' is a prismatic joint, expected one with an angle (revolute, "
     "cylindrical, universal, planar, screw)"},
    {"type: gear, joints: [hinge, {joint: tube, coordinate: angle}], ratio: 2",
     "type: differential, joints: [hinge, {joint: tube, coordinate: angle}, bolt], ratio: 0",
     "m:7:95: ratio is 0, expected a number that is not 0, in magnitude at least 1e-15"},
    {"length: 1.1", "length: 0", "m:18:81: length is 0, expected more than 0, at least 1e-15"},
    {"length: 1.1", "length: -1", "m:18:81: length is -1, expected more than 0, at least 1e-15"},
    {"length: 1.1", "length: 1, axis: [1, 0, 0]",
     "m:18:84: unknown key 'axis' in a distance joint, expected type, bodies, points, length, "
     "compliance"},
    {"{input: steer, period: 0.01}", "",
     "m:10:29: a drive is empty, expected a map with keys out of input, period, table, periodic, "
     "harmonic, ramp, block"},
    {"{input: steer, period: 0.01}", "{}",
     "m:10:29: a drive has no source, expected one of input, table, harmonic, ramp, block"},
    {"{input: steer, period: 0.01}", "{input: steer, harmonic: {amplitude: 1, omega: 1}}",
     "m:10:29: a drive has several sources, expected one of input, table, harmonic, ramp, block"},
    {"{input: steer, period: 0.01}", "{speed: 1}",
     "m:10:30: unknown key 'speed' in a drive, expected input, period, table, periodic, harmonic, "
     "ramp, block"},
    {"{input: steer, period: 0.01}", "{input: stear}",
     "m:10:37: unknown input 'stear', expected steer, push, torque"},
    {"{input: steer, period: 0.01}", "{input: [steer]}",
     "m:10:37: input is a list, expected the name of an input"},
    {"{input: steer, period: 0.01}", "{input: torque}",
     "m:10:37: input 'torque' is not of type drive, expected one that is"},
    {"{input: steer, period: 0.01}", "{input: steer, periodic: true}",
     "m:10:44: unknown key 'periodic' in a drive by input, did you mean 'period'? Expected input, "
     "period"},
    {"period: 0.01", "period: -1", "m:10:52: period is -1, expected at least 0"},
    {"{harmonic: {amplitude: 1, omega: 2}}", "{input: steer}",
     "m:12:48: input 'steer' drives an angle already, expected another input for a length"},
    {"{input: steer, period: 0.01}", "{harmonic: {amplitude: 1, omega: 1}}",
     "m:33:3: input 'steer' drives nothing, expected a joint with drive: {input: steer}"},
    {"{travel: {harmonic: {amplitude: 1, omega: 2}}}", "{harmonic: {amplitude: 1, omega: 2}}",
     "m:12:32: unknown key 'harmonic' in drive, expected travel, angle"},
    {"{travel: {harmonic: {amplitude: 1, omega: 2}}}", "{}",
     "m:12:31: drive has no entries, expected at least one"},
    {"{travel: {harmonic", "{angle: {harmonic",
     "m:12:39: joint 'tube' has both start and drive, expected one of them: a drive says where the "
     "joint starts"},
    {"amplitude: 1, omega: 2", "amplitude: 1",
     "m:12:51: the key 'omega' is missing, expected a finite number"},
    {"amplitude: 1, omega: 2", "omega: 1",
     "m:12:51: the key 'amplitude' is missing, expected a finite number"},
    {"amplitude: 1, omega: 2", "amplitude: 1, omega: 2, phase: x",
     "m:12:83: phase is 'x', expected a finite number"},
    {"amplitude: 1, omega: 2", "amplitude: 1, omega: 2, rate: 3",
     "m:12:76: unknown key 'rate' in harmonic, expected amplitude, omega, phase, offset"},
    {"{harmonic: {amplitude: 1, omega: 2}}", "{ramp: {start: 1}}",
     "m:12:47: the key 'rate' is missing, expected a finite number"},
    {"{harmonic: {amplitude: 1, omega: 2}}", "{ramp: {start: 1, speed: 2}}",
     "m:12:58: unknown key 'speed' in ramp, expected start, rate"},
    {"{harmonic: {amplitude: 1, omega: 2}}", "{ramp: {rate: 2}, periodic: true}",
     "m:12:58: unknown key 'periodic' in a ramp, expected ramp"},
    {"{harmonic: {amplitude: 1, omega: 2}}", "{ramp: 2}",
     "m:12:47: ramp is '2', expected a map with keys out of start, rate"},
    {"mount: {type: fixed, bodies: [ground, a]", "mount: {type: fixed, bodies: [a, ground]",
     "m:20:12: fixed joint 'mount' drives a body against another, expected ground as its first "
     "body"},
    {"drive: {x: {table", "compliance: {stiffness: [1, 1, 1, 1, 1, 1]}, drive: {x: {table",
     "m:20:57: fixed joint 'mount' has both drive and compliance, expected one of them"},
    {"drive: {x: {table", "drive: {angle: {table",
     "m:20:13: unknown key 'angle' in drive, expected x, y, z, roll, pitch, yaw"},
    {"{time: [0, 1, 2], value: [0, 1, 0]}", "[0, 1]",
     "m:20:24: table is a list, expected a map with keys out of time, value"},
    {"time: [0, 1, 2], value", "value",
     "m:20:24: the key 'time' is missing, expected a list of 2 to 4096 numbers"},
    {"time: [0, 1, 2]", "time: 0",
     "m:20:31: time is not a list, expected a list of 2 to 4096 numbers"},
    {"time: [0, 1, 2]", "time: [0]",
     "m:20:31: time has 1 entries, expected a list of 2 to 4096 numbers"},
    {"time: [0, 1, 2]", "time: [0, 1, x]",
     "m:20:38: entry 3 of time is 'x', expected a finite number"},
    {"time: [0, 1, 2]", "time: [0, 1, 1]",
     "m:20:38: entry 3 of time is 1, expected more than the one before, by at least 1e-15"},
    {"time: [0, 1, 2]", "time: [0, 1, 1e-16]",
     "m:20:38: entry 3 of time is 1e-16, expected more than the one before, by at least 1e-15"},
    {"time: [0, 1, 2]", "time: [0, 1]",
     "m:20:46: value has 3 entries, expected a list of 2 numbers"},
    {", value: [0, 1, 0]", "", "m:20:24: the key 'value' is missing, expected a list of 3 numbers"},
    {"value: [0, 1, 0]", "value: [0, 1, 0.5]",
     "m:20:49: value begins with 0 and ends with 0.5, expected a periodic table to end as it "
     "begins"},
    {"periodic: true", "periodic: yes", "m:20:71: periodic is 'yes', expected true or false"},
    {"periodic: true", "period: 2",
     "m:20:61: unknown key 'period' in a drive by table, did you mean 'periodic'? Expected table, "
     "periodic"},
    {"rod: {type: distance,", "rod: {type: distance, drive: {input: steer},",
     "m:18:25: unknown key 'drive' in a distance joint, expected type, bodies, points, length, "
     "compliance"},
    {"pose: {type: joint-position", "steer: {type: joint-position",
     "m:37:3: output 'steer' has the name of an input, expected another name"},
    {"stiffness: [1, 2, 3, 4, 5, 6], ", "",
     "m:22:17: the key 'stiffness' is missing, expected a list of 6 numbers"},
    {"[1, 2, 3, 4, 5, 6]", "[1, 2, 3, 4, 5]",
     "m:22:29: stiffness has 5 entries, expected a list of 6 numbers"},
    {"[1, 2, 3, 4, 5, 6]", "[1, 2, 3, 4, -5, 6]",
     "m:22:42: entry 5 of stiffness is -5, expected at least 0"},
    {"[6, 5, 4, 3, 2, 1]", "[6, 5, 4, 3, 2, -1]",
     "m:22:74: entry 6 of damping is -1, expected at least 0"},
    {"[1, 2, 3, 4, 5, 6], damping: [6, 5, 4, 3, 2, 1]", "[0, 0, 0, 0, 0, 0]",
     "m:22:29: stiffness and damping are 0 in all directions, expected more than 0 in at least "
     "one"},
    {"{stiffness: [1, 2, 3, 4, 5, 6], damping: [6, 5, 4, 3, 2, 1]}", "5",
     "m:22:17: compliance is '5', expected a map with keys out of stiffness, damping"},
    {"joint: cross, coordinate: second", "joint: cross",
     "m:24:10: the key 'coordinate' is missing, expected first, second"},
    {"joint: cross, coordinate: second", "joint: cross, coordinate: angle",
     "m:24:64: coordinate is 'angle', expected first, second"},
    {"joint: cross, coordinate: second", "joint: rod",
     "m:24:45: joint 'rod' is a distance joint, expected one with a coordinate (revolute, "
     "prismatic, cylindrical, universal, planar, screw, point-on-line)"},
    {"joint: cross, coordinate: second", "joint: gears",
     "m:24:45: joint 'gears' is a gear joint, expected one with a coordinate (revolute, prismatic, "
     "cylindrical, universal, planar, screw, point-on-line)"},
    {"joint: cross, coordinate: second", "joint: hinge, coordinate: angle",
     "m:24:64: joint 'hinge' has one coordinate, expected no key 'coordinate'"},
    {"damping: 3", "stiffness: 3",
     "m:25:22: both stiffness and stiffness_table are given, expected one of them"},
    {"deflection: [-1, 0, 1], force: [-2, 0, 3]", "deflection: [-1, 0, 1], force: [-2, 0, -1]",
     "m:25:62: entry 3 of force is -1, expected no less than the one before: an element whose "
     "force falls is unstable"},
    {"deflection: [-1, 0, 1], force: [-2, 0, 3]", "deflection: [-1, 0, 1], force: [-2, 0]",
     "m:25:54: force has 2 entries, expected a list of 3 numbers"},
    {"deflection: [-1, 0, 1], force", "rate: [-1, 0, 1], force",
     "m:25:23: unknown key 'rate' in stiffness_table, expected deflection, force"},
    {"rate: [-1, 1], force: [-4, 4]", "rate: [1, -1], force: [-4, 4]",
     "m:27:63: entry 2 of rate is -1, expected more than the one before, by at least 1e-15"},
    {"rate: [-1, 1], force: [-4, 4]", "rate: [-1, 1], force: [4, -4]",
     "m:27:79: entry 2 of force is -4, expected no less than the one before: an element whose "
     "force falls is unstable"},
    {"damping_table: {", "damping: 1, damping_table: {",
     "m:27:64: both damping and damping_table are given, expected one of them"},
    {"strut: {type: spring-damper, bodies: [a, b]", "strut: {type: spring-damper, bodies: [a, a]",
     "m:26:40: a force has 'a' on both sides, expected two different bodies"},
    {"[[0, 0, 1], [1, 0, 2]]", "[[0, 0, 1], [0, 0, 1]]",
     "m:26:56: points are 0 m apart, expected two different points"},
    {"points: [[0, 0, 1], [1, 0, 2]],", "point: [0, 0, 1],",
     "m:26:48: unknown key 'point' in a spring-damper, did you mean 'points'? Expected type, "
     "bodies, points, stiffness, damping, stiffness_table, damping_table, scale, rest_length"},
    {"rest_length: 0.5", "rest_length: -0.5", "m:27:32: rest_length is -0.5, expected at least 0"},
    {"rest_length: 0.5", "rest: 0.5",
     "m:27:19: unknown key 'rest' in a spring-damper, expected type, bodies, points, stiffness, "
     "damping, stiffness_table, damping_table, scale, rest_length"},
    {"pad: {type: bushing, bodies: [a, b], point: [0, 0, 0]", "pad: {type: bushing, bodies: [a, b]",
     "m:28:8: the key 'point' is missing, expected a list of 3 numbers"},
    {"stiffness: [0, 0, 0, 7, 7, 7]", "damping: [0, 0, 0, 7, 7, 7]",
     "m:28:8: the key 'stiffness' is missing, expected a list of 6 numbers"},
    {"stiffness: [0, 0, 0, 7, 7, 7]", "stiffness: 7",
     "m:28:69: stiffness is '7', expected a list of 6 numbers"},
    {"stiffness: [0, 0, 0, 7, 7, 7]", "stiffness: [0, 0, 0, 0, 0, 0], damping: [0, 0, 0, 0, 0, 0]",
     "m:28:69: stiffness and damping are 0 in all directions, expected more than 0 in at least "
     "one"},
    {"coulomb: 2, ", "mu: -1, radius: 1, ", "m:29:44: mu is -1, expected at least 0"},
    {"coulomb: 2, ", "mu: 0.1, ", "m:29:9: the key 'radius' is missing, expected a finite number"},
    {"coulomb: 2, stick: 2.5", "mu: 0.1, radius: 0.1, mu_stick: 0.05",
     "m:29:72: mu_stick is 0.05, expected at least 0.1"},
    {"coulomb: 2, ", "coulomb: 2, length: 1, ",
     "m:29:60: length without mu, expected mu: the coefficient on the normal force of the joint"},
    {"joint: hinge, coulomb: 2", "joint: cross, coordinate: first, mu: 0.1, radius: 1",
     "m:29:33: joint 'cross' is of type universal, expected a revolute, prismatic or cylindrical "
     "one for friction by its normal force"},
    {"joint: hinge, coulomb: 2", "joint: slide, mu: 0.1, radius: 1",
     "m:29:57: the coordinate is a length, expected no radius; that of a pin is for an angle"},
    {"coulomb: 2, ", "", "m:29:9: the key 'coulomb' is missing, expected a finite number"},
    {"coulomb: 2", "coulomb: 0", "m:29:49: coulomb is 0, expected more than 0, at least 1e-15"},
    {"stick: 2.5", "stick: 1.5", "m:29:59: stick is 1.5, expected at least 2"},
    {"stribeck: 0.1", "stribeck: 0",
     "m:29:74: stribeck is 0, expected more than 0, at least 1e-15"},
    {"stribeck: 0.1", "creep: -1", "m:29:71: creep is -1, expected at least 0"},
    {"stribeck: 0.1", "damping: -1", "m:29:73: damping is -1, expected at least 0"},
    {"lower: -1, upper: 1, ", "",
     "m:30:8: the keys 'lower' and 'upper' are missing, expected one or both"},
    {"lower: -1, upper: 1", "lower: 1, upper: 1",
     "m:30:52: upper is 1, expected more than lower, 1"},
    {"stiffness: 1e5", "stiffness: 0",
     "m:30:67: stiffness is 0, expected more than 0, at least 1e-15"},
    {", stiffness: 1e5", "", "m:30:8: the key 'stiffness' is missing, expected a finite number"},
    {"stiffness: 1e5", "stiffness: 1e5, onset: -1", "m:30:79: onset is -1, expected at least 0"},
    {", omega: 3", "", "m:31:10: the key 'omega' is missing, expected a finite number"},
    {"amplitude: [0, 1, 0], ", "",
     "m:31:10: the key 'amplitude' is missing, expected a list of 3 numbers"},
    {"amplitude: [0, 1, 0]", "force: [0, 1, 0]",
     "m:31:42: unknown key 'force' in a harmonic-force, expected type, body, point, amplitude, "
     "omega, phase, frame"},
    {"harmonic-force, body: b", "harmonic-torque, point: [0, 0, 0], body: b",
     "m:31:34: unknown key 'point' in a harmonic-torque, expected type, body, amplitude, omega, "
     "phase, frame"},
    {"type: drive}", "type: drive, joint: hinge}",
     "m:33:41: unknown key 'joint' in a drive, expected type, limits, rate, initial"},
    {"joint-torque, joint: tube", "joint-torque, joint: tube, coordinate: travel",
     "m:34:57: coordinate is 'travel', expected angle"},
    {"joint-torque, joint: tube", "joint-torque, joint: cross",
     "m:34:11: the key 'coordinate' is missing, expected first, second"},
    {"joint-torque, joint: tube", "joint-torque, joint: slide",
     "m:34:39: joint 'slide' is a prismatic joint, expected one with an angle (revolute, "
     "cylindrical, universal, planar, screw)"},
    {"joint: table, coordinate: y", "joint: table",
     "m:35:9: the key 'coordinate' is missing, expected x, y"},
    {"joint: table, coordinate: y", "joint: table, coordinate: angle",
     "m:35:55: coordinate is 'angle', expected x, y"},
    {"joint: table, coordinate: y", "joint: bolt",
     "m:35:36: joint 'bolt' is a screw joint, expected one with a length (prismatic, cylindrical, "
     "planar, point-on-line)"},
    {"joint-position, joint: table", "joint-position, joint: rod",
     "m:37:39: joint 'rod' is a distance joint, expected one with a coordinate (revolute, "
     "prismatic, cylindrical, universal, planar, screw, point-on-line)"},
    {"joint-position, joint: table", "joint-acceleration, joint: soft",
     "m:37:43: joint 'soft' is a fixed joint, expected one with a coordinate (revolute, prismatic, "
     "cylindrical, universal, planar, screw, point-on-line)"},
    {"joint-reaction, joint: rod", "joint-reaction, joint: gears",
     "m:38:39: joint 'gears' is a gear joint, expected one between two bodies"},
    {"inertial-sensor, body: a", "inertial-sensor, body: a, frame: body",
     "m:39:41: unknown key 'frame' in an inertial-sensor, expected type, body, point, orientation"},
    {"inertial-sensor, body: a", "inertial-sensor, body: a, orientation: [1, 0, 0]",
     "m:39:54: orientation is a list, expected a map with keys out of axis, angle, quaternion"},
    {"force: drag", "force: dragg",
     "m:40:30: unknown force 'dragg', expected drag, pad, shake, twist, strut, end"},
    {"force: drag", "force: shake",
     "m:40:30: force 'shake' is given by the model, expected a joint-spring-damper, spring-damper, "
     "bushing, creep, friction, impedance, force-map, callback, line, stop, drag or contact"},
    {"stribeck: 0.1}", "wind_up: 3}",
     "m:29:73: wind_up is '3', expected a map with keys out of stiffness, damping"},
    {"stribeck: 0.1}", "wind_up: {stiffness: 0}}",
     "m:29:85: stiffness is 0, expected more than 0, at least 1e-15"},
    {"stribeck: 0.1}", "wind_up: {slack: 1}}",
     "m:29:74: unknown key 'slack' in wind_up, expected stiffness, damping"},
    {"stribeck: 0.1}", "wind_up: {}, creep: 0.1}",
     "m:29:84: friction has both creep and wind_up, expected one of them: what winds up does not "
     "creep"},
    {"stribeck: 0.1}", "scale: -1}", "m:29:71: scale is -1, expected at least 0"},
    {"stribeck: 0.1}", "scale: {input: steer}}",
     "m:29:79: input 'steer' is not of type signal, expected one that is"},
    {"stribeck: 0.1}", "scale: {signal: steer}}",
     "m:29:72: unknown key 'signal' in scale, expected input, block"},
    {"stribeck: 0.1}", "scale: {input: level}}",
     "m:29:79: unknown input 'level', expected steer, push, torque"},
    {"{type: joint-torque, joint: tube}", "{type: signal}",
     "m:34:3: input 'torque' is a signal that nothing takes, expected a force element with {input: "
     "torque}, a block, or an output that shows it"},
    {"friction, joint: hinge, coulomb: 2, stick: 2.5, stribeck: 0.1",
     "constant-force, body: a, force: [1, 0, 0]",
     "m:40:30: force 'drag' is given by the model, expected a joint-spring-damper, spring-damper, "
     "bushing, creep, friction, impedance, force-map, callback, line, stop, drag or contact"},
    {", force: drag", "", "m:40:9: the key 'force' is missing, expected the name of a force"},
    {"drive-force, joint: hinge", "drive-force, joint: bolt",
     "m:41:37: joint 'bolt' has no drive, expected a joint with one"},
    {"drive-force, joint: hinge", "condition, joint: bolt",
     "m:41:28: unknown key 'joint' in a condition output, expected type"},
    {"euler-parameters", "euler",
     "m:42:23: coordinates is 'euler', expected lie, euler-parameters"},
    {"coordinates: euler-parameters, ", "",
     "m:42:19: a penalty is given, expected none without coordinates: euler-parameters"},
    {"penalty: 1e7", "variant: printed",
     "m:42:50: variant is 'printed', expected default, as-printed"},
    {"coordinates: euler-parameters, penalty: 1e7", "variant: as-printed",
     "m:42:19: a variant is given, expected none without coordinates: euler-parameters; variants "
     "of formulations follow a colon, as in hdca:as-printed"},
    {"penalty: 1e7", "penalty: 0", "m:42:50: penalty is 0, expected more than 0, at least 1e-15"},
    {"redundancy: soft", "redundancy: none", "m:42:67: redundancy is 'none', expected rigid, soft"},
    {"a: {mass: 1", "a: {mass: 1e-16", "m:4:13: mass is 1e-16, expected 0 or at least 1e-15 kg"},
    {"inertia: [1, 1, 1]", "inertia: [0, 0, 1]",
     "m:4:25: inertia has the principal moments 0, 0, 1, expected the largest to be at most the "
     "sum of the others"},
    {"inertia: [1, 1, 1]", "inertia: [1e-13, 1, 1]",
     "m:4:25: inertia has the principal moments 1e-13, 1, 1, expected each to be 0 or at least "
     "1e-30 and 1e-12 of the largest"},
    {"inertia: [1, 1, 1]", "inertia: [1e-31, 1e-31, 1e-31]",
     "m:4:25: inertia has the principal moments 1e-31, 1e-31, 1e-31, expected each to be 0 or at "
     "least 1e-30 and 1e-12 of the largest"},
};

/* a wheel on a rail */
static const char rolling[] =
    "linkage: 1\n"
    "name: rolling\n"
    "bodies:\n"
    "  axle: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
    "joints:\n"
    "  hinge: {type: revolute, bodies: [ground, axle], point: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  wheel: {type: cone-on-rail, bodies: [ground, axle], points: [[0, 0, -0.9], [0, 0, 0]],\n"
    "    axes: [[1, 0, 0], [0, 1, 0]], half_angle: 0.05, rail_radius: 0.4, wheel_radius: 0.5}\n"
    "forces:\n"
    "  grip: {type: creep, joint: wheel, longitudinal: 1e4, lateral: 2e4, speed: 30,\n"
    "    rail_speed: -30, limit: 100}\n";

static const struct row rolling_rows[] = {
    {", points: [[0, 0, -0.9], [0, 0, 0]]", "",
     "m:7:10: the key 'points' is missing, expected a list of 2 vectors, one for each body"},
    {"[0, 0, -0.9]", "[0, 0, 0]", "m:7:63: points are 0 m apart, expected two different points"},
    {"axes: [[1, 0, 0], [0, 1, 0]], ", "",
     "m:7:10: the key 'axes' is missing, expected a list of 2 vectors, one for each body"},
    {"[0, 1, 0]], ", "[1, 0.1, 0]], ",
     "m:8:11: axes of rail and axle are 0.0996687 rad apart, too near for this half_angle, "
     "expected an axle across the rail"},
    {"half_angle: 0.05", "half_angle: -1.6", "m:8:47: half_angle is -1.6, expected -1.5 to 1.5"},
    {"rail_radius: 0.4", "rail_radius: -1", "m:8:66: rail_radius is -1, expected at least 0"},
    {"wheel_radius: 0.5", "wheel_radius: 0",
     "m:8:85: wheel_radius is 0, expected more than 0, at least 1e-15"},
    {"wheel_radius: 0.5", "radius: 0.5",
     "m:8:71: unknown key 'radius' in a cone-on-rail joint, expected type, bodies, points, axes, "
     "half_angle, rail_radius, wheel_radius, compliance"},
    {"joint: wheel", "joint: hinge",
     "m:10:30: joint 'hinge' is of type revolute, expected a cone-on-rail"},
    {"lateral: 2e4, ", "", "m:10:9: the key 'lateral' is missing, expected a finite number"},
    {"speed: 30,", "speed: 0,", "m:10:77: speed is 0, expected more than 0, at least 1e-15"},
    {"limit: 100", "limit: -1", "m:11:29: limit is -1, expected more than 0, at least 1e-15"},
    {"limit: 100", "slip: 1",
     "m:11:22: unknown key 'slip' in a creep, expected type, joint, longitudinal, lateral, speed, "
     "rail_speed, limit, load, spin, follows_load"},
    {"limit: 100", "spin: -1", "m:11:28: spin is -1, expected at least 0"},
    {"lateral: 2e4, speed: 30,", "lateral: 0, speed: 30, spin: 1,",
     "m:10:85: spin is more than 0, but lateral is 0, expected a lateral above 0"},
    {"limit: 100", "follows_load: yes", "m:11:36: follows_load is 'yes', expected false, true"},
    {"wheel, longitudinal: 1e4, lateral: 2e4, speed: 30,",
     "whel, longitudinal: 1e4, lateral: 2e4, speed: 30, load: 1, follows_load: true,",
     "m:10:30: unknown joint 'whel', expected wheel, hinge"},
    {"limit: 100", "follows_load: true",
     "m:11:36: creep follows its load, but no load is given, expected the normal force to which "
     "the "
     "coefficients belong"},
};

static size_t replace(const char *base, const struct row *row, char *text, size_t size)
{
    const char *at = strstr(base, row->old);

    assert_non_null(at);
    return (size_t)snprintf(text, size, "%.*s%s%s", (int)(at - base), base, row->new,
                            at + strlen(row->old));
}

static void test_good_texts_load(void **state)
{
    static const char *const texts[] = {good, rich, rolling};

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct lk_model *model = NULL;
        struct lk_error error = {""};

        if (lk_model_read_text("m", texts[i], strlen(texts[i]), &model, &error) != 0)
            fail_msg("%s", error.text);
        lk_model_free(model);
    }
}

static void expect_refusal(const char *base, const struct row *row)
{
    static char text[2 * sizeof(rich)];
    struct lk_model *model = NULL;
    struct lk_error error = {""};
    size_t size = replace(base, row, text, sizeof(text));

    assert_true(size < sizeof(text));
    assert_int_equal(lk_model_read_text("m", text, size, &model, &error), LK_E_TEXT);
    assert_string_equal(error.text, row->line);
    assert_null(model);
}

static void test_bad_texts_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        expect_refusal(good, &rows[i]);
}

static void test_bad_elements_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rich_rows) / sizeof(rich_rows[0]); i++)
        expect_refusal(rich, &rich_rows[i]);
}

static void test_bad_wheels_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rolling_rows) / sizeof(rolling_rows[0]); i++)
        expect_refusal(rolling, &rolling_rows[i]);
}

/* a text with several errors: each is reported once, and errors that follow from others are not */
static const char several[] =
    "linkage: 1\n"
    "name: test\n"
    "gravty: [0, -9.81, 0]\n"
    "bodies:\n"
    "  arm: {mas: 1, inertia: [1, 1, 3], position: [0.5, 0, 0]}\n"
    "  box: {mass: -2, inertia: [1, 2, 3], velocity: [0, 0]}\n"
    "joints:\n"
    "  hinge: {type: revolut, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  guide: {type: prismatic, bodies: [arn, bax], point: [1, 0], axis: [0, 0, 0]}\n"
    "forces:\n"
    "  spring: {type: joint-spring-damper, joint: hinge, stiffness: soft, damping: -1}\n"
    "inputs:\n"
    "  motor: {type: joint-torque, joint: hinge, limits: [1, -1], rate: 0}\n"
    "outputs:\n"
    "  angle: {type: joint-position, joint: hinge}\n"
    "  push: {type: force, force: spring}\n"
    "  shaft: {type: joint-position, joint: shaft}\n"
    "solver: {step: 1, iterations: 0}\n";

static const char *const several_lines[] = {
    "m:3:1: unknown key 'gravty' in a model, did you mean 'gravity'? Expected linkage, name, "
    "gravity, bodies, joints, forces, inputs, outputs, solver, start, roads, laws, parameters, "
    "points, shapes, blocks, parts, ports, flexible",
    "m:5:9: unknown key 'mas' in a body, did you mean 'mass'? Expected mass, inertia, position, "
    "orientation, velocity, angular_velocity, modes",
    "m:5:26: inertia has the principal moments 1, 1, 3, expected the largest to be at most the sum "
    "of the others",
    "m:6:8: the key 'position' is missing, expected a list of 3 numbers",
    "m:6:15: mass is -2, expected 0 or at least 1e-15 kg",
    "m:6:49: velocity has 2 entries, expected a list of 3 numbers",
    "m:8:17: type is 'revolut', did you mean 'revolute'? Expected revolute, spherical, prismatic, "
    "fixed, cylindrical, universal, planar, screw, point-on-line, distance, constant-velocity, "
    "cone-on-rail, skate, rolling, gear, rack, differential",
    "m:9:37: unknown body 'arn', expected ground, arm, box",
    "m:9:42: unknown body 'bax', expected ground, box, arm",
    "m:9:55: point has 2 entries, expected a list of 3 numbers",
    "m:9:69: axis has no direction (length 0), expected a vector that is not zero",
    "m:11:64: stiffness is 'soft', expected a finite number",
    "m:11:79: damping is -1, expected at least 0",
    "m:13:53: limits of 1 to -1, expected a lowest and a highest value",
    "m:13:68: a rate of 0, expected a change per second above 0",
    "m:17:40: unknown joint 'shaft', expected hinge, guide",
    "m:18:16: step is 1, expected 1e-6 to 0.1 s",
    "m:18:31: iterations is '0', expected a whole number from 1 to 20",
};

static void test_all_mistakes_are_told(void **state)
{
    struct lk_model *model = NULL;
    struct lk_errors errors;

    (void)state;
    assert_int_equal(lk_model_read_text_all("m", several, strlen(several), &model, &errors),
                     LK_E_TEXT);
    for (int i = 0; i < errors.n && i < (int)(sizeof(several_lines) / sizeof(char *)); i++)
        assert_string_equal(errors.line[i].text, several_lines[i]);
    assert_int_equal(errors.n, sizeof(several_lines) / sizeof(char *));
}

/* If a text has more errors than messages are kept, the reader stops there, whatever the size of
 * the text. */
static void test_there_is_an_end_of_mistakes(void **state)
{
    static char text[200000];
    struct lk_model *model = NULL;
    struct lk_errors errors;
    size_t used = (size_t)snprintf(text, sizeof(text), "linkage: 1\nname: m\nbodies:\n");

    (void)state;
    for (int i = 0; i < 4000; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "  b%d: {mass: x}\n", i);
    assert_int_equal(lk_model_read_text_all("m", text, used, &model, &errors), LK_E_TEXT);
    assert_int_equal(errors.n, LK_ERRORS_MAX);
    assert_string_equal(errors.line[0].text, "m:4:7: the key 'inertia' is missing, expected [Ixx, "
                                             "Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz]");
}

/* A byte order mark at the beginning, as Windows editors write it, is ignored. */
static void test_a_byte_order_mark_is_passed_over(void **state)
{
    static const struct row wrong = {"mass: 1", "mass: x",
                                     "m:5:15: mass is 'x', expected a finite number"};
    static char text[2 * sizeof(good)] = "\xef\xbb\xbf";
    struct lk_model *model = NULL;
    struct lk_error error = {""};
    size_t size;

    (void)state;
    strcpy(text + 3, good);
    if (lk_model_read_text("m", text, strlen(text), &model, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    size = replace(good, &wrong, text + 3, sizeof(text) - 3);
    assert_int_equal(lk_model_read_text("m", text, size + 3, &model, &error), LK_E_TEXT);
    assert_string_equal(error.text, wrong.line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_texts_load),
        cmocka_unit_test(test_bad_texts_are_refused),
        cmocka_unit_test(test_bad_elements_are_refused),
        cmocka_unit_test(test_bad_wheels_are_refused),
        cmocka_unit_test(test_all_mistakes_are_told),
        cmocka_unit_test(test_there_is_an_end_of_mistakes),
        cmocka_unit_test(test_a_byte_order_mark_is_passed_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
