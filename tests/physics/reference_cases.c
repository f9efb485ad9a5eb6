/* SPDX-License-Identifier: Apache-2.0 */
#include "reference_cases.h"
#include "cmocka_all.h"
#include <math.h>
#include <string.h>

#define MODEL(name)     "config/models/" name ".yaml"
#define REFERENCE(path) "tests/reference/" path ".csv"

static const char *const without_damper[] = {"damping: 0.05", "damping: 0", NULL};
static const char *const tip_rate[] = {"tip.vx", "tip_velocity.vx", "tip.vy", "tip_velocity.vy",
                                       "tip.vz", "tip_velocity.vz", NULL};
static const char *const K_rate[] = {"K.vx", "K_velocity.vx", "K.vy", "K_velocity.vy", NULL};
static const char *const P_rate[] = {"P.vx", "P_velocity.vx", "P.vy", "P_velocity.vy", NULL};

/* columns of one motion in the file of the mathematical pendulum */
#define MOTION(m)                                                                                  \
    {                                                                                              \
        m ".x", "mass.x", m ".y", "mass.y", m ".lambda", "rod.lambda", m ".vx", "mass.vx",         \
            m ".vy", "mass.vy", NULL                                                               \
    }
static const char *const ex1[] = MOTION("ex1");
static const char *const ex8a[] = MOTION("ex8a");
static const char *const ex8b[] = MOTION("ex8b");

/* The two initial states of ex8a and ex8b for the bob on a massless rod. The centre of the rod
 * moves half as fast as the bob, and the rod rotates with speed over length. An initial velocity of
 * the bob alone would be inconsistent, and its projection would slow the bob down. */
static const char *const tension[] = {"lambda", "tip.lambda", NULL};
#define START(rod, rod_velocity, rate, bob, bob_velocity)                                          \
    {                                                                                              \
        "position: [0.5, 0, 0]",                                                                   \
            "position: " rod "\n    velocity: " rod_velocity                                       \
            "\n    angular_velocity: [0, 0, " rate "]",                                            \
            "position: [1, 0, 0]", "position: " bob "\n    velocity: " bob_velocity,               \
            "point: [1, 0, 0]", "point: " bob, NULL                                                \
    }
static const char *const start_bottom[] =
    START("[0, -0.5, 0]", "[0.5, 0, 0]", "1", "[0, -1, 0]", "[1, 0, 0]");
static const char *const start_x02[] =
    START("[0.1, -0.4898979485566355, 0]", "[0.380608618303595, 0.077691408879128, 0]",
          "0.776914088791278", "[0.2, -0.979795897113271, 0]",
          "[0.76121723660719, 0.155382817758256, 0]");

/* The oscillator with another light mass. From 1e-3 kg on, its own mode at sqrt(2000 / mass) is too
 * fast for a step of 1 ms, but it decays: the slow motion is compared after the transient. At 1e-7
 * kg the mode is so strongly damped that the trapezoidal rule only reverses its sign, by -(1 -
 * 2e-3) per step of 1 ms: comparing the rate of the light mass would need a longer run. Without
 * mass the initial rate is not free: p1' = 50 m/s, at which the dampers balance the springs at the
 * start. */
#define MOTION_OF(m)                                                                               \
    {                                                                                              \
        m ".p1", "light.x", m ".p2", "heavy.x", m ".v1", "light.vx", m ".v2", "heavy.vx", NULL     \
    }
#define LIGHT(mass, inertia)                                                                       \
    "mass: 1e-6", "mass: " mass, "[1e-8, 1e-8, 1e-8]", "[" inertia ", " inertia ", " inertia "]"
#define OSCILLATOR(id, from)                                                                       \
    {                                                                                              \
        .name = "oscillator-" #id, .model = MODEL("small-mass-oscillator"),                        \
        .csv = REFERENCE("small-mass-oscillator/reference"), .replace = mass_##id,                 \
        .rename = columns_##id, .begin = from, .end = 5                                            \
    }
#define OSCILLATOR_TEXTS(id, columns, mass, inertia)                                               \
    static const char *const columns_##id[] = MOTION_OF(columns);                                  \
    static const char *const mass_##id[] = {LIGHT(mass, inertia), NULL}

OSCILLATOR_TEXTS(1, "m1e-1", "0.1", "1e-3");
OSCILLATOR_TEXTS(2, "m1e-2", "1e-2", "1e-4");
OSCILLATOR_TEXTS(3, "m1e-3", "1e-3", "1e-5");
OSCILLATOR_TEXTS(4, "m1e-4", "1e-4", "1e-6");
OSCILLATOR_TEXTS(5, "m1e-5", "1e-5", "1e-7");
OSCILLATOR_TEXTS(6, "m1e-6", "1e-6", "1e-8");
static const char *const mass_7[] = {LIGHT("1e-7", "1e-9"), NULL};
static const char *const columns_7[] = {"m1e-7.p1", "light.x",  "m1e-7.p2", "heavy.x",
                                        "m1e-7.v2", "heavy.vx", NULL};
static const char *const columns_0[] = MOTION_OF("m0");
static const char *const mass_0[] = {LIGHT("0", "0"), "position: [0.02, 0, 0]",
                                     "position: [0.02, 0, 0]\n    velocity: [50, 0, 0]", NULL};

/* The crank rotates about x only. Its moment about its own length does not affect the motion, so a
 * crank without this moment has the same reference. */
static const char *const slender[] = {"[4e-4, 4e-4, 1e-5]", "[4e-4, 4e-4, 0]", NULL};
#define SLIDER_CRANK(id, texts)                                                                    \
    {                                                                                              \
        .name = id, .model = MODEL("slider-crank-3d"),                                             \
        .csv = REFERENCE("slider-crank-3d/reference"), .replace = texts,                           \
        .forces = {{"Fpin.", "pin"}, {"F0.", "main"}, {"Fs.", "cross"}}, .end = 2                  \
    }

#define MATHEMATICAL(id, text, columns)                                                            \
    {                                                                                              \
        .name = id, .model = MODEL(text), .csv = REFERENCE("mathematical-pendulum/reference"),     \
        .rename = columns, .body = "mass", .end = 10                                               \
    }
#define POINT(id, file, texts)                                                                     \
    {                                                                                              \
        .name = id, .model = MODEL("point-pendulum"), .csv = REFERENCE("pendulum/" file),          \
        .replace = texts, .rename = tension, .body = "bob", .forces = {{"F.", "tip"}}, .end = 10   \
    }

static const struct reference_case cases[] = {
    {.name = "pendulum",
     .model = MODEL("pendulum"),
     .csv = REFERENCE("pendulum/reference-rigid"),
     .forces = {{"F.", "hinge"}},
     .end = 10},
    {.name = "double-pendulum",
     .model = MODEL("double-pendulum"),
     .csv = REFERENCE("double-pendulum/reference"),
     .rename = tip_rate,
     .forces = {{"F1.", "joint_1"}},
     .end = 10},
    {.name = "heavy-top",
     .model = MODEL("heavy-top"),
     .csv = REFERENCE("heavy-top/reference"),
     .body = "top",
     .forces = {{"F.", "tip"}},
     .end = 2},
    {.name = "four-bar",
     .model = MODEL("four-bar"),
     .csv = REFERENCE("four-bar/reference"),
     .replace = without_damper,
     .forces = {{"F0.", "pin_a"}, {"FB.", "pin_b"}},
     .skip_column = "theta",
     .skip_below = 0.1,
     .end = 30},
    {.name = "four-bar-vertical",
     .model = MODEL("four-bar-vertical"),
     .csv = REFERENCE("four-bar-vertical/reference"),
     .forces = {{"joint1.F", "joint1"}},
     .skip_column = "phi",
     .skip_at = M_PI / 2,
     .skip_below = 0.1,
     .end = 30},
    {.name = "chain-8",
     .model = MODEL("chain-8"),
     .csv = REFERENCE("chain-8/reference"),
     .forces = {{"F1.", "joint1"}},
     .end = 10},
    {.name = "chain-128",
     .model = MODEL("chain-128"),
     .csv = REFERENCE("chain-128/reference"),
     .forces = {{"F1.", "joint1"}},
     .end = 10},
    {.name = "arm",
     .model = "tests/physics/machines/arm.yaml",
     .csv = REFERENCE("arm/reference"),
     .rename = tip_rate,
     .forces = {{"F1.", "hinge_1"}},
     .end = 2},
    {.name = "sprung-car",
     .model = "tests/physics/machines/sprung-car.yaml",
     .csv = REFERENCE("sprung-car/reference"),
     .rename = tip_rate,
     .forces = {{"F1.", "hinge_1"}},
     .end = 2},
    {.name = "free-body",
     .model = MODEL("free-body"),
     .csv = REFERENCE("free-body/reference"),
     .body = "rotor",
     .end = 60},
    {.name = "closed-loop-four",
     .model = MODEL("closed-loop-four"),
     .csv = REFERENCE("closed-loop-four/reference"),
     .rename = K_rate,
     .forces = {{"joint1.F", "joint1"}, {"joint5.F", "joint5"}},
     .end = 10},
    {.name = "strut",
     .model = MODEL("strut"),
     .csv = REFERENCE("strut/reference"),
     .forces = {{"A.F", "A"}, {"B.F", "B"}, {"K.F", "K"}, {"I.F", "I"}, {"L.F", "L"}},
     .end = 10},
    {.name = "ladder-2",
     .model = MODEL("ladder-2"),
     .csv = REFERENCE("ladder-2/reference"),
     .rename = P_rate,
     .end = 10},
    SLIDER_CRANK("slider-crank-3d", NULL),
    SLIDER_CRANK("slider-crank-slender", slender),
    MATHEMATICAL("ex1", "mathematical-pendulum", ex1),
    MATHEMATICAL("ex8a", "pendulum-bottom", ex8a),
    MATHEMATICAL("ex8b", "pendulum-aside", ex8b),
    POINT("point-horizontal", "reference", NULL),
    POINT("point-bottom", "reference-bottom", start_bottom),
    POINT("point-x02", "reference-x02", start_x02),
    OSCILLATOR(1, 0),
    OSCILLATOR(2, 0),
    OSCILLATOR(3, 0.5),
    OSCILLATOR(4, 0.5),
    OSCILLATOR(5, 0.5),
    OSCILLATOR(6, 2.5),
    OSCILLATOR(7, 2.5),
    OSCILLATOR(0, 2.5),
};

const struct reference_case *reference_case(const char *name)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        if (strcmp(cases[i].name, name) == 0)
            return &cases[i];
    fail_msg("no reference case %s", name);
    return NULL;
}
