/* SPDX-License-Identifier: Apache-2.0 */
/* Findings in a model: for each identifier, one model with only this fault, and a similar model
 * just without it. */
#include "linkage/analysis.h"
#include "linkage/findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HEAD    "linkage: 1\nname: m\ngravity: [0, -9.81, 0]\nbodies:\n"
#define ARM     "  arm: {mass: 1, inertia: [0.08, 0.08, 0.08], position: [0.5, 0, 0]}\n"
#define PIN     "  pin: {type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 0, 1]}\n"
#define ONE_ARM HEAD ARM "joints:\n" PIN
#define ARM_OF(inertia, place, more)                                                               \
    HEAD "  arm: {mass: 1, inertia: " inertia ", position: " place more "}\njoints:\n" PIN
#define TWO_ENDS(inertia)                                                                          \
    HEAD "  arm: {mass: 1, inertia: " inertia ", position: [0.5, 0, 0]}\njoints:\n"                \
         "  pin: {type: spherical, bodies: [ground, arm], point: [0, 0, 0]}\n"                     \
         "  tip: {type: spherical, bodies: [ground, arm], point: [1, 0, 0]}\n"
#define STOP(k) "forces:\n  end: {type: stop, joint: pin, lower: -2, upper: 2, stiffness: " k "}\n"
#define LADEN(force)                                                                               \
    "linkage: 1\nname: m\nstart: equilibrium\nflexible:\n  rod: {type: beam, from: [0, 0, 0], "    \
    "to: [1, 0, "                                                                                  \
    "0], elements: 4, EA: 1e6, EI: [9e3, 9e3], GJ: 1, mass_per_length: 1}\njoints:\n"              \
    "  root: {type: fixed, bodies: [ground, rod@0], point: [0, 0, 0]}\nforces:\n"                  \
    "  pull: {body: rod@1, " force "}\n"
/* a torque of @M on a mode of 1 rad/s: its node turns by 0.01 M */
#define BENT(M)                                                                                    \
    "linkage: 1\nname: m\nstart: equilibrium\nbodies:\n"                                           \
    "  arm: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], "                                   \
    "modes: {frequency: [0.15915494309189535], nodes: {root: {position: [0, 0, 0], shape: "        \
    "[[0, 0, 0, 0, 0, 0]]}, tip: {position: [1, 0, 0], shape: [[0, 0, 0, 0.1, 0, "                 \
    "0]]}}}}\njoints:\n  "                                                                         \
    "root: {type: fixed, bodies: [ground, arm.root], point: [0, 0, 0]}\nforces:\n  turn: "         \
    "{type: constant-torque, body: arm.tip, torque: [" M ", 0, 0]}\n"
/* joints 0.01 mm beside nodes, and one @x beside its node, which is far from no body */
#define NODES(x)                                                                                   \
    "linkage: 1\nname: m\nbodies:\n  arm: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], "     \
    "modes: "                                                                                      \
    "{frequency: [5], nodes: {a: {position: [1, 0, 0], shape: [[0, 0, 0.1, 0, 0, 0]]}, b: "        \
    "{position: "                                                                                  \
    "[-1, 0, 0], shape: [[0, 0, 0.1, 0, 0, 0]]}, c: {position: [0, 1, 0], shape: [[0, 0, 0.1, 0, " \
    "0, "                                                                                          \
    "0]]}}}}\njoints:\n  a: {type: spherical, bodies: [ground, arm.a], point: [1.00001, 0, 0]}\n " \
    " b: "                                                                                         \
    "{type: spherical, bodies: [ground, arm.b], point: [-1.00001, 0, 0]}\n  c: {type: "            \
    "spherical, bodies: [ground, arm.c], point: [0, " x ", 0]}\n"
#define ROD(damping)                                                                               \
    "linkage: 1\nname: m\nflexible:\n  rod: {type: beam, from: [0, 0, 0], to: [1, 0, 0], "         \
    "elements: 4, profile: "                                                                       \
    "{shape: round, diameter: 0.02}, damping: " damping "}\njoints:\n"                             \
    "  root: {type: fixed, bodies: [ground, rod@0], point: [0, 0, 0]}\n"
#define SLIDER(spring)                                                                             \
    HEAD "  box: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\njoints:\n"            \
         "  guide: {type: prismatic, bodies: [ground, box], point: [0, 0, 0], axis: [1, 0, 0]}\n"  \
         "forces:\n  spring: {type: joint-spring-damper, joint: guide, " spring "}\n"
#define GEARS(drive)                                                                               \
    HEAD "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}\n"                         \
         "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}\njoints:\n"                \
         "  a: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 0, 1],\n"         \
         "    drive: {harmonic: {amplitude: 0.1, omega: 1}}}\n"                                    \
         "  b: {type: revolute, bodies: [ground, b], point: [1, 0, 0], axis: [0, 0, 1]" drive      \
         "}\n  teeth: {type: gear, joints: [a, b], ratio: 2}\n"
#define LOADED_LINK(load)                                                                          \
    HEAD "  link: {mass: 0.1, inertia: [8.3e-5, 8.3e-5, 8.3e-5], position: [0, -0.05, 0]}\n"       \
         "  load: {mass: " load ", inertia: [0.2, 0.2, 0.2], position: [0, -0.2, 0]}\njoints:\n"   \
         "  top: {type: spherical, bodies: [ground, link], point: [0, 0, 0]}\n"                    \
         "  hook: {type: spherical, bodies: [link, load], point: [0, -0.1, 0]}\n"                  \
         "solver: {formulation: ali3}\n"

/* the same pendulum released from the horizontal: at the start nothing loads the link */
#define LYING_LINK(load)                                                                           \
    HEAD "  link: {mass: 0.1, inertia: [8.3e-5, 8.3e-5, 8.3e-5], position: [0.05, 0, 0]}\n"        \
         "  load: {mass: " load ", inertia: [0.2, 0.2, 0.2], position: [0.2, 0, 0]}\njoints:\n"    \
         "  top: {type: spherical, bodies: [ground, link], point: [0, 0, 0]}\n"                    \
         "  hook: {type: spherical, bodies: [link, load], point: [0.1, 0, 0]}\n"                   \
         "solver: {formulation: ali3}\n"

/* three bars between two fixed hinges */
#define BARS(first, second, third, p1, p2, p3)                                                     \
    HEAD "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: " first "}\n"                         \
         "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: " second "}\n"                        \
         "  c: {mass: 1, inertia: [0.1, 0.1, 0.1], position: " third "}\njoints:\n"                \
         "  one: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 0, 1]}\n"       \
         "  two: {type: revolute, bodies: [a, b], point: " p1 ", axis: [0, 0, 1]}\n"               \
         "  three: {type: revolute, bodies: [b, c], point: " p2 ", axis: [0, 0, 1]}\n"             \
         "  four: {type: revolute, bodies: [c, ground], point: " p3 ", axis: [0, 0, 1]}\n"

/* a point mass at x on a rod whose end is at 0.5 */
#define BOB(x)                                                                                     \
    "linkage: 1\nname: bob\ngravity: [0, -9.81, 0]\nbodies:\n"                                     \
    "  bob: {mass: 1, inertia: [0, 0, 0], position: [" x ", 0, 0]}\njoints:\n"                     \
    "  rod: {type: distance, bodies: [ground, bob], points: [[0, 0, 0], [0.5, 0, 0]]}\n"

#define ROPE(formulation)                                                                          \
    "linkage: 1\nname: rope\ngravity: [0, -9.81, 0]\nsolver: {formulation: " formulation           \
    ", iterations: 20}\nbodies:\n"                                                                 \
    "  knot: {mass: 0.01, inertia: [1e-6, 1e-6, 1e-6], position: [0, -0.1, 0]}\n"                  \
    "  load: {mass: 50, inertia: [1, 1, 1], position: [0, -0.2, 0]}\njoints:\n"                    \
    "  upper: {type: distance, bodies: [ground, knot], points: [[0, 0, 0], [0, -0.1, 0]]}\n"       \
    "  lower: {type: distance, bodies: [knot, load], points: [[0, -0.1, 0], [0, -0.2, 0]]}\n"

/* a loop of four hinges on a prismatic joint; @axis is the axis of one hinge */
#define CARRIED_LOOP(axis)                                                                         \
    HEAD "  base: {mass: 4, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"                    \
         "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0.5, 0]}\n"                       \
         "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 1, 0]}\n"                       \
         "  c: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0.5, 0]}\njoints:\n"              \
         "  w: {type: prismatic, bodies: [ground, base], point: [0, 0, 0], axis: [1, 0, 0]}\n"     \
         "  p: {type: revolute, bodies: [base, a], point: [0, 0, 0], axis: [0, 0, 1]}\n"           \
         "  q: {type: revolute, bodies: [a, b], point: [0, 1, 0], axis: " axis "}\n"               \
         "  r: {type: revolute, bodies: [b, c], point: [1.2, 1, 0], axis: [0, 0, 1]}\n"            \
         "  s: {type: revolute, bodies: [c, base], point: [1, 0, 0], axis: [0, 0, 1]}\n"

/* struct row - models for a finding
 * @wrong: this model has @n findings with the identifier @id
 * @right: this similar model has none */
static const struct row {
    const char *id;
    int n;
    const char *wrong;
    const char *right;
} rows[] = {
    {"inertia-too-large", 1, ARM_OF("[26, 26, 26]", "[0.5, 0, 0]", ""),
     ARM_OF("[24, 24, 24]", "[0.5, 0, 0]", "")},
    {"inertia-too-large", 1, TWO_ENDS("[7, 7, 7]"), TWO_ENDS("[6, 6, 6]")},
    {"centre-far-from-joints", 1, ARM_OF("[0.08, 0.08, 0.08]", "[6, 0, 0]", ""),
     ARM_OF("[0.08, 0.08, 0.08]", "[5, 0, 0]", "")},
    {"point-far-away", 1,
     BARS("[0, 0.5, 0]", "[0.5, 1, 0]", "[1, 0.5, 0]", "[0, 1, 0]", "[1000, 1000, 0]", "[1, 0, 0]"),
     BARS("[0, 0.5, 0]", "[0.5, 1, 0]", "[1, 0.5, 0]", "[0, 1, 0]", "[1, 1, 0]", "[1, 0, 0]")},
    {"point-beside-joint", 1, BOB("0.50001"), BOB("0.500000001")},
    {"body-in-no-joint", 1,
     HEAD ARM "  box: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\njoints:\n" PIN,
     HEAD ARM "  box: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}\njoints:\n" PIN
              "forces:\n  s: {type: spring-damper, bodies: [arm, box], stiffness: 10,\n"
              "    points: [[0.5, 0, 0], [1.5, 0, 0]]}\n"},
    {"no-degree-of-freedom", 1,
     HEAD ARM "joints:\n  weld: {type: fixed, bodies: [ground, arm], point: [0, 0, 0]}\n", ONE_ARM},
    {"driven-twice", 2, GEARS(", drive: {harmonic: {amplitude: 0.2, omega: 1}}"), GEARS("")},
    {"stuck-pose", 1,
     BARS("[0.5, 0, 0]", "[1.5, 0, 0]", "[2.5, 0, 0]", "[1, 0, 0]", "[2, 0, 0]", "[3, 0, 0]"),
     BARS("[0, 0.5, 0]", "[0.5, 1, 0]", "[1, 0.5, 0]", "[0, 1, 0]", "[1, 1, 0]", "[1, 0, 0]")},
    {"nearly-dependent", 1, CARRIED_LOOP("[1e-6, 5e-7, 1]"), CARRIED_LOOP("[0, 0, 1]")},
    {"nearly-dependent", 1, CARRIED_LOOP("[1e-6, 5e-7, 1]"),
     CARRIED_LOOP("[1e-6, 5e-7, 1]") "solver: {formulation: ali3, redundancy: soft}\n"},
    {"joint-gap", 1,
     HEAD ARM "joints:\n  pin: {type: revolute, bodies: [ground, arm], axis: [0, 0, 1],\n"
              "    points: [[0, 0, 0], [0.01, 0, 0]]}\n",
     HEAD ARM "joints:\n  pin: {type: revolute, bodies: [ground, arm], axis: [0, 0, 1],\n"
              "    points: [[0, 0, 0], [0.0003, 0, 0]]}\n"},
    {"velocity-change", 1, ARM_OF("[0.08, 0.08, 0.08]", "[0.5, 0, 0]", ", velocity: [1, 0, 0]"),
     ARM_OF("[0.08, 0.08, 0.08]", "[0.5, 0, 0]",
            ", velocity: [0, 1, 0], angular_velocity: [0, 0, 2]")},
    {"stop-violated", 1,
     ONE_ARM "forces:\n  end: {type: stop, joint: pin, lower: 0.1, upper: 1, stiffness: 100}\n",
     ONE_ARM "forces:\n  end: {type: stop, joint: pin, lower: 0, upper: 1, stiffness: 100}\n"},
    /* an equilibrium start may press against the stop */
    {"stop-violated", 1,
     ONE_ARM "forces:\n  end: {type: stop, joint: pin, lower: -1, upper: -0.2, stiffness: 1e4}\n",
     "start: equilibrium\n" ONE_ARM
     "forces:\n  end: {type: stop, joint: pin, lower: -1, upper: -0.2, stiffness: 1e4}\n"},
    {"spring-too-stiff", 1, SLIDER("stiffness: 1.2e6"), SLIDER("stiffness: 0.9e6")},
    /* 2 %: 2e4 N, or 0.02 sqrt(EA EI/3) = 1095.4 N m */
    {"beam-strain", 1, LADEN("type: constant-force, force: [2.02e4, 0, 0]"),
     LADEN("type: constant-force, force: [1.98e4, 0, 0]")},
    {"beam-strain", 1, LADEN("type: constant-torque, torque: [0, 1106, 0]"),
     LADEN("type: constant-torque, torque: [0, 1085, 0]")},
    {"beam-strain", 1, LADEN("type: constant-torque, torque: [0, 0, 1106]"),
     LADEN("type: constant-torque, torque: [0, 0, 1085]")},
    {"beam-undamped", 1, ROD("1e-6"), ROD("5e-5")},
    {"modes-large", 1, BENT("31"), BENT("29")},
    {"point-far-away", 1, NODES("500"), NODES("1.1")},
    /* with a damper so strong that nothing oscillates */
    {"spring-too-stiff", 1, SLIDER("stiffness: 1.2e6, damping: 2000"),
     SLIDER("stiffness: 1.2e6, damping: 2400")},
    {"rotor-too-fast", 1,
     ARM_OF("[0.08, 0.08, 0.08]", "[0.1, 0, 0]",
            ", velocity: [0, 72, 0], angular_velocity: [0, 0, 720]"),
     ARM_OF("[0.08, 0.08, 0.08]", "[0.1, 0, 0]",
            ", velocity: [0, 68, 0], angular_velocity: [0, 0, 680]")},
    /* a balanced rotor is integrated exactly */
    {"rotor-too-fast", 1,
     ARM_OF("[0.08, 0.08, 0.08]", "[0.01, 0, 0]",
            ", velocity: [0, 15, 0], angular_velocity: [0, 0, 1500]"),
     ARM_OF("[0.08, 0.08, 0.08]", "[0, 0, 0]", ", angular_velocity: [0, 0, 1500]")},
    /* a turn of 180 degrees per step is too fast, balanced or not */
    {"rotor-too-fast", 1,
     ARM_OF("[0.08, 0.08, 0.08]", "[0, 0, 0]", ", angular_velocity: [0, 0, 3200]"),
     ARM_OF("[0.08, 0.08, 0.08]", "[0, 0, 0]", ", angular_velocity: [0, 0, 3100]")},
    /* a hard stop is hit too fast; a soft one may be hit at this speed */
    {"stop-too-fast", 1,
     ARM_OF("[0.08, 0.08, 0.08]", "[0.1, 0, 0]",
            ", velocity: [0, 22, 0], angular_velocity: [0, 0, 220]") STOP("1e8"),
     ARM_OF("[0.08, 0.08, 0.08]", "[0.1, 0, 0]",
            ", velocity: [0, 18, 0], angular_velocity: [0, 0, 180]") STOP("1e8")},
    {"stop-too-fast", 1,
     ARM_OF("[0.08, 0.08, 0.08]", "[0.1, 0, 0]",
            ", velocity: [0, 22, 0], angular_velocity: [0, 0, 220]") STOP("1e8"),
     ARM_OF("[0.08, 0.08, 0.08]", "[0.1, 0, 0]",
            ", velocity: [0, 22, 0], angular_velocity: [0, 0, 220]") STOP("1e3")},
    {"tension-too-fast", 1, LOADED_LINK("100"), LOADED_LINK("25")},
    {"tension-too-fast", 1, LYING_LINK("100"), LYING_LINK("25")},
    {"tension-too-fast", 1, ROPE("ali3"), ROPE("rattle")},
    {"input-without-limits", 1,
     ONE_ARM "inputs:\n  motor: {type: joint-torque, joint: pin, rate: 100}\n",
     ONE_ARM "inputs:\n  motor: {type: joint-torque, joint: pin, limits: [-1, 1], rate: 100}\n"},
    {"input-without-rate", 1,
     ONE_ARM "inputs:\n  motor: {type: joint-torque, joint: pin, limits: [-1, 1]}\n",
     ONE_ARM "inputs:\n  motor: {type: joint-torque, joint: pin, limits: [-1, 1], rate: 1}\n"},
};

static const struct row *row_of(const char *id)
{
    const struct row *row = rows;

    while (strcmp(row->id, id) != 0)
        row++;
    return row;
}

/* struct subject - a model with its findings. */
struct subject {
    struct lk_model *model;
    struct lk_system *system;
    struct lk_mobility mobility;
    struct lk_findings findings;
};

static struct subject inspect_text(const char *text)
{
    struct subject s = {0};
    struct lk_error error = {""};
    struct lk_pose_check pose = {0};
    int r;

    if (lk_model_read_text("m", text, strlen(text), &s.model, &error) != 0 ||
        lk_system_new(s.model, &(struct lk_options){.all_rows = 1}, &s.system, &error) != 0)
        fail_msg("%s in\n%s", error.text, text);
    assert_int_equal(lk_mobility_init(s.system, &s.mobility), 0);
    r = lk_pose_check_init(s.system, &pose); /* bodies with modes are not examined */
    assert_true(r == 0 || (r == LK_E_MODEL && strstr(text, "modes:")));
    assert_int_equal(lk_findings_init(s.model, s.system, &s.mobility, &pose, NULL, &s.findings), 0);
    lk_pose_check_fini(&pose);
    return s;
}

static void release(struct subject *s)
{
    lk_findings_fini(&s->findings);
    lk_mobility_fini(&s->mobility);
    lk_system_free(s->system);
    lk_model_free(s->model);
}

static void expect(const char *text, const char *id, int n)
{
    struct subject s = inspect_text(text);

    for (int i = 0; i < s.findings.n; i++) {
        const struct lk_finding *f = &s.findings.list[i];

        print_message("[%s] %s: %s\n", f->id, f->where, f->text);
        assert_true(f->where[0] != '\0' && f->text[0] != '\0');
        if (n > 0)
            assert_string_equal(f->id, id);
    }
    if (s.findings.n != n)
        fail_msg("%d findings, expected %d of %s in\n%s", s.findings.n, n, id, text);
    release(&s);
}

static void test_each_fault_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        expect(rows[i].wrong, rows[i].id, rows[i].n);
        expect(rows[i].right, rows[i].id, 0);
    }
}

/* Models whose initial velocity the hinge does not permit: one whose spin it blocks, and one whose
 * bearing would have to move. */
static const char *const astray[] = {
    HEAD
    "  arm: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0], velocity: [0, 0.5, -0.5], "
    "angular_velocity: [0, 1, 1]}\n"
    "  bob: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0], velocity: [0, 1.5, -1], "
    "angular_velocity: [0, 0, 1]}\njoints:\n" PIN
    "  ball: {type: spherical, bodies: [arm, bob], point: [1, 0, 0]}\n",
    HEAD
    "  arm: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0], velocity: [0, 0.5, 0]}\n"
    "  bob: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}\njoints:\n" PIN
    "  cardan: {type: universal, bodies: [arm, bob], point: [0.5, 0, 0], axes: [[0, 1, 0], [0, "
    "0, 1]]}\n",
};

/* Planar reduction removes the rows that keep bodies from tilting. The finding about the initial
 * velocity is the same with and without these rows. */
static void test_rows_that_are_left_out_are_missed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(astray) / sizeof(*astray); i++)
        for (int all_rows = 0; all_rows < 2; all_rows++) {
            const struct lk_options how = {.all_rows = all_rows};
            struct lk_error error = {""};
            struct lk_findings findings;
            struct lk_model *model;
            struct lk_system *system;
            struct lk_summary summary;
            int n = 0;

            if (lk_model_read_text("m", astray[i], strlen(astray[i]), &model, &error) != 0 ||
                lk_system_new(model, &how, &system, &error) != 0)
                fail_msg("%s in\n%s", error.text, astray[i]);
            lk_system_summary(system, &summary);
            assert_int_equal(summary.n_in_plane, !all_rows);
            assert_int_equal(lk_findings_init(model, system, NULL, NULL, NULL, &findings), 0);
            for (int k = 0; k < findings.n; k++)
                n += strcmp(findings.list[k].id, "velocity-change") == 0 &&
                     strcmp(findings.list[k].where, "joint pin (ground, arm)") == 0;
            assert_int_equal(n, 1);
            lk_findings_fini(&findings);
            lk_system_free(system);
            lk_model_free(model);
        }
}

/* The finding names the joint and its bodies, and has numbers with units. */
static void test_a_gap_has_its_place_and_numbers(void **state)
{
    struct subject s = inspect_text(row_of("joint-gap")->wrong);
    const struct lk_finding *f = &s.findings.list[0];

    (void)state;
    assert_string_equal(f->where, "joint pin (ground, arm)");
    assert_string_equal(f->number[0].name, "gap");
    assert_string_equal(f->number[0].unit, "m");
    assert_true(f->number[0].value > 0.0099 && f->number[0].value < 0.0101);
    release(&s);
}

/* The analysis moves the system. Afterwards the system steps with the same results as one that was
 * never analysed. */
static void test_the_system_is_left_at_its_start(void **state)
{
    struct subject s = inspect_text(row_of("velocity-change")->wrong);
    struct lk_system *untouched = NULL;
    struct lk_body_state a, b;

    (void)state;
    assert_int_equal(lk_system_new(s.model, &(struct lk_options){.all_rows = 1}, &untouched, NULL),
                     0);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(lk_system_step(s.system, NULL), 0);
        assert_int_equal(lk_system_step(untouched, NULL), 0);
    }
    lk_system_body_state(s.system, 0, &a);
    lk_system_body_state(untouched, 0, &b);
    assert_memory_equal(&a, &b, sizeof(a));
    lk_system_free(untouched);
    release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_fault_alone),
        cmocka_unit_test(test_rows_that_are_left_out_are_missed),
        cmocka_unit_test(test_a_gap_has_its_place_and_numbers),
        cmocka_unit_test(test_the_system_is_left_at_its_start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
