/* SPDX-License-Identifier: Apache-2.0 */
/* Built-in models of the bench, generated as text, so that they are read like any other model.
 *
 * chain: as made by tools/make-chain, links 1 m long with 1 kg and 1 kg m^2 about each axis, which
 * fall from the horizontal. four-bar: the parallelogram of the index-3 DCA paper, with an initial
 * crank rate that is high enough to pass its singular poses. ladder: the N-four-bar of the IFToMM
 * library of multibody benchmarks (problem A02). tree: a binary tree of links like those of the
 * chain, with revolute joints; each link has two successors, turned by a sixth of a turn to either
 * side. net: a square of N x N plates 1 m apart, joined to their neighbours by bushings; it hangs
 * from one corner and falls from the horizontal. hub: a body on a bearing with N links around it.
 * free: bodies without joints. */
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_MAX   4096 /* largest number of bodies of a model */
#define NET_MAX 64   /* largest N of a net: square root of N_MAX */

const char *const bench_built_in[] = {
    "chain-2",
    "chain-8",
    "chain-32",
    "chain-128",
    "chain-512",
    "chain-1024",
    "chain-2-revolute",
    "chain-8-revolute",
    "chain-32-revolute",
    "chain-128-revolute",
    "chain-512-revolute",
    "chain-1024-revolute",
    "four-bar",
    "ladder-2",
    "ladder-10",
    "ladder-40",
    "tree-255",
    NULL,
};

static void print_head(FILE *f, const char *name)
{
    fprintf(f, "linkage: 1\nname: %s\ngravity: [0, -9.81, 0]\nbodies:\n", name);
}

static void print_tail(FILE *f)
{
    fprintf(f, "solver: {step: 0.001}\n");
}

static void print_chain(FILE *f, int n, const char *joint)
{
    for (int i = 1; i <= n; i++)
        fprintf(f, "  link%d: {mass: 1, inertia: [1, 1, 1], position: [%.1f, 0, 0]}\n", i, i - 0.5);
    fprintf(f, "joints:\n");
    for (int i = 1; i <= n; i++) {
        fprintf(f, "  joint%d: {type: %s, bodies: [", i, joint);
        if (i == 1)
            fprintf(f, "ground");
        else
            fprintf(f, "link%d", i - 1);
        fprintf(f, ", link%d], point: [%d, 0, 0]%s}\n", i, i - 1,
                strcmp(joint, "revolute") == 0 ? ", axis: [0, 0, 1]" : "");
    }
}

static void print_spherical(FILE *f, int n)
{
    print_chain(f, n, "spherical");
}

static void print_revolute(FILE *f, int n)
{
    print_chain(f, n, "revolute");
}

static void print_hinge(FILE *f, const char *name, int number, const char *bodies, double x,
                        double y)
{
    fprintf(f,
            "  %s%d: {type: revolute, bodies: [%s], point: [%.15g, %.15g, 0], axis: [0, 0, 1]}\n",
            name, number, bodies, x, y);
}

static void print_four_bar(FILE *f, int n)
{
    const double c = 0.707106781186548;
    const char *tilt = "orientation: {axis: [0, 0, 1], angle: 0.785398163397448}, "
                       "angular_velocity: [0, 0, -6]";

    (void)n;
    fprintf(f,
            "  crank: {mass: 1, inertia: [1, 1, 1], position: [%.15g, %.15g, 0], %s,\n"
            "    velocity: [%.15g, %.15g, 0]}\n",
            c / 2, c / 2, tilt, 3 * c, -3 * c);
    fprintf(f,
            "  coupler: {mass: 1, inertia: [1, 1, 1], position: [%.15g, %.15g, 0],\n"
            "    velocity: [%.15g, %.15g, 0]}\n",
            c + 0.5, c, 6 * c, -6 * c);
    fprintf(f,
            "  rocker: {mass: 1, inertia: [1, 1, 1], position: [%.15g, %.15g, 0], %s,\n"
            "    velocity: [%.15g, %.15g, 0]}\njoints:\n",
            1 + c / 2, c / 2, tilt, 3 * c, -3 * c);
    print_hinge(f, "pin", 1, "ground, crank", 0, 0);
    print_hinge(f, "pin", 2, "crank, coupler", c, c);
    print_hinge(f, "pin", 3, "coupler, rocker", 1 + c, c);
    print_hinge(f, "pin", 4, "rocker, ground", 1, 0);
}

/* Print a ladder with @n windows side by side: n + 1 upright links and n couplers. */
static void print_ladder(FILE *f, int n)
{
    const char *bar = "{mass: 1, inertia: [0.0833333333333333, 0.0833333333333333, "
                      "0.0833333333333333],";
    char bodies[64];

    for (int i = 0; i <= n; i++)
        fprintf(f,
                "  link%d: %s position: [%d, 0.5, 0],\n"
                "    orientation: {axis: [0, 0, 1], angle: 1.5707963267949}, velocity: "
                "[0.5, 0, 0], angular_velocity: [0, 0, -1]}\n",
                i, bar, i);
    for (int i = 0; i < n; i++)
        fprintf(f, "  coupler%d: %s position: [%d.5, 1, 0], velocity: [1, 0, 0]}\n", i, bar, i);
    fprintf(f, "joints:\n");
    for (int i = 0; i <= n; i++) {
        snprintf(bodies, sizeof(bodies), "ground, link%d", i);
        print_hinge(f, "G", i, bodies, i, 0);
    }
    for (int i = 0; i < n; i++) {
        snprintf(bodies, sizeof(bodies), "link%d, coupler%d", i, i);
        print_hinge(f, "A", i, bodies, i, 1);
    }
    for (int i = 0; i < n; i++) {
        snprintf(bodies, sizeof(bodies), "link%d, coupler%d", i + 1, i);
        print_hinge(f, "B", i, bodies, i + 1, 1);
    }
}

/* Compute position and angle of body @i of a tree. Its parent is body (i - 1) / 2. */
static void place_branch(int i, double *ret_x, double *ret_y, double *ret_angle)
{
    double angle;

    if (i == 0) {
        *ret_x = *ret_y = *ret_angle = 0;
        return;
    }
    place_branch((i - 1) / 2, ret_x, ret_y, &angle);
    *ret_x += cos(angle);
    *ret_y += sin(angle);
    *ret_angle = angle + (i % 2 ? 1 : -1) * acos(-1) / 3;
}

static void print_tree(FILE *f, int n)
{
    double x, y, angle;
    char bodies[64];

    for (int i = 0; i < n; i++) {
        place_branch(i, &x, &y, &angle);
        fprintf(f,
                "  body%d: {mass: 1, inertia: [1, 1, 1], position: [%.15g, %.15g, 0],\n"
                "    orientation: {axis: [0, 0, 1], angle: %.15g}}\n",
                i, x + 0.5 * cos(angle), y + 0.5 * sin(angle), angle);
    }
    fprintf(f, "joints:\n");
    for (int i = 0; i < n; i++) {
        place_branch(i, &x, &y, &angle);
        if (i == 0)
            snprintf(bodies, sizeof(bodies), "ground, body0");
        else
            snprintf(bodies, sizeof(bodies), "body%d, body%d", (i - 1) / 2, i);
        print_hinge(f, "joint", i, bodies, x, y);
    }
}

/* Print the bushing of a net between plate (@i, @k) and the next plate along x (@along: 0) or z
 * (1). */
static void print_bushing(FILE *f, int i, int k, int along)
{
    fprintf(
        f,
        "  hold%c%d_%d: {type: fixed, bodies: [plate%d_%d, plate%d_%d], point: [%.1f, 0, %.1f],\n"
        "    compliance: {stiffness: [1e5, 1e5, 1e5, 1e4, 1e4, 1e4],\n"
        "      damping: [1e2, 1e2, 1e2, 1e1, 1e1, 1e1]}}\n",
        along ? 'z' : 'x', i, k, i, k, along ? i : i + 1, along ? k + 1 : k, along ? i : i + 0.5,
        along ? k + 0.5 : k);
}

static void print_net(FILE *f, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            fprintf(f, "  plate%d_%d: {mass: 1, inertia: [1, 1, 1], position: [%d, 0, %d]}\n", i, k,
                    i, k);
    fprintf(f, "joints:\n"
               "  corner: {type: spherical, bodies: [ground, plate0_0], point: [0, 0, 0]}\n");
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            if (i + 1 < n)
                print_bushing(f, i, k, 0);
            if (k + 1 < n)
                print_bushing(f, i, k, 1);
        }
}

static void print_hub(FILE *f, int n)
{
    fprintf(f, "  hub: {mass: 10, inertia: [10, 10, 10], position: [0, 0, 0]}\n");
    for (int i = 0; i < n; i++) {
        double angle = 2 * acos(-1) * i / n;

        fprintf(f,
                "  link%d: {mass: 1, inertia: [1, 1, 1], position: [%.15g, %.15g, 0],\n"
                "    orientation: {axis: [0, 0, 1], angle: %.15g}}\n",
                i, 1.5 * cos(angle), 1.5 * sin(angle), angle);
    }
    fprintf(f, "joints:\n");
    print_hinge(f, "bearing", 0, "ground, hub", 0, 0);
    for (int i = 0; i < n; i++) {
        double angle = 2 * acos(-1) * i / n;
        char bodies[64];

        snprintf(bodies, sizeof(bodies), "hub, link%d", i);
        print_hinge(f, "joint", i, bodies, cos(angle), sin(angle));
    }
}

static void print_free(FILE *f, int n)
{
    for (int i = 1; i <= n; i++)
        fprintf(f,
                "  body%d: {mass: 1, inertia: [1, 2, 3], position: [%d, 0, 0], "
                "angular_velocity: [1, 2, 3]}\n",
                i, i);
}

/* Families of built-in models.
 * @before, @after: text around the number of a name
 * @n_max:          largest number, 0: the name has no number */
static const struct family {
    const char *before;
    const char *after;
    int n_max;
    void (*print)(FILE *file, int n);
} families[] = {
    {"chain-", "", N_MAX, print_spherical},
    {"chain-", "-revolute", N_MAX, print_revolute},
    {"ladder-", "", (N_MAX - 1) / 2, print_ladder},
    {"tree-", "", N_MAX, print_tree},
    {"net-", "", NET_MAX, print_net},
    {"hub-", "", N_MAX - 1, print_hub},
    {"free-", "", N_MAX, print_free},
    {"four-bar", "", 0, print_four_bar},
};

/* Return the number between the two parts of a name, 0 if the family has no numbers, -1 if the name
 * does not match. */
static int match_name(const struct family *family, const char *name)
{
    size_t n = strlen(family->before);
    char *end;
    long number = 0;

    if (strncmp(name, family->before, n) != 0)
        return -1;
    name += n;
    if (family->n_max > 0) {
        if (*name < '1' || *name > '9')
            return -1;
        number = strtol(name, &end, 10);
        if (number > family->n_max)
            return -1;
        name = end;
    }
    return strcmp(name, family->after) == 0 ? (int)number : -1;
}

static const struct family *find_family(const char *name, int *ret_n)
{
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        *ret_n = match_name(&families[i], name);
        if (*ret_n >= 0)
            return &families[i];
    }
    return NULL;
}

bool bench_is_built_in(const char *name)
{
    int n;

    return find_family(name, &n) != NULL;
}

char *bench_model_text(const char *name, size_t *ret_size)
{
    int n;
    const struct family *family = find_family(name, &n);
    char *text = NULL;
    FILE *f;

    if (family == NULL) {
        errno = EINVAL;
        return NULL;
    }
    f = open_memstream(&text, ret_size);
    if (f == NULL)
        return NULL;
    print_head(f, name);
    family->print(f, n);
    print_tail(f);
    if (fclose(f) == 0)
        return text;
    free(text);
    errno = ENOMEM;
    return NULL;
}
