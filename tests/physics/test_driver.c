/* SPDX-License-Identifier: Apache-2.0 */
/* The car of config/models on the circuit of config/roads, with the driver model: it stays in its
 * lane around all corners, slows down on the wet lane, comes over the hill, and finds its lane
 * again after somebody else has driven it off. */
#include "driver_model.h"
#include "linkage/errors.h"
#include "linkage/linkage.h"
#include "road_scene.h"
#include <math.h>

#define PERIOD 10 /* steps between two calls of the driver */

static char folder[] = "/tmp/linkage-circuit-XXXXXX";
static struct xodr circuit;
static struct lk_system *car;

static char *read_whole(const char *path)
{
    char *text;
    size_t size;

    if (lk_file_read(path, 1 << 20, &text, &size) != 0)
        fail_msg("%s", path);
    return text;
}

/* write the height field of the circuit, with level ground beside it */
static void write_circuit(void)
{
    struct lk_road_grid like = {.step = {0.25, 0.25}, .quantum = 1e-7};
    struct xodr_surface *surface = xodr_surface_new(&circuit, 5, 0);
    double low[2], high[2], z[2];
    struct lk_road_file road;
    struct lk_error error;

    assert_non_null(surface);
    xodr_surface_box(surface, low, high, z);
    for (int k = 0; k < 2; k++) {
        like.origin[k] = floor(low[k]);
        like.cells[k] = (int)((high[k] - low[k]) / 0.25);
    }
    if (lk_road_file_fill(&like, xodr_surface_patch, surface, &road, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(lk_road_file_rub(&road, xodr_surface_frictions, surface), 0);
    road_scene_write(&road.grid, folder, "circuit.road");
    lk_road_file_free(&road);
    xodr_surface_free(surface);
}

/* compile the sedan with the circuit as its road */
static struct lk_system *compile_car(void)
{
    static const char grid[] =
        "{type: grid, file: circuit.road, samples: 4, friction: {input: grip}}";
    char *text = read_whole("config/models/sedan.yaml"), *road = strstr(text, "  ground: {"), *end;
    static char whole[1 << 16];
    struct lk_model *model;
    struct lk_errors errors;
    struct lk_system *sys;
    struct lk_error error;

    assert_non_null(road);
    end = strchr(road, '\n');
    snprintf(whole, sizeof(whole), "%.*s  ground: %s%s", (int)(road - text), text, grid, end);
    free(text);
    if (lk_model_read_text_in(folder, "sedan", whole, strlen(whole), &model, &errors) != 0)
        fail_msg("%s", errors.line[0].text);
    if (lk_system_new(model, NULL, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return sys;
}

static int set_up(void **state)
{
    struct notes notes = {.path = "config/roads/circuit.xodr"};
    char *text = read_whole(notes.path), command[128];

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_true(xodr_read(text, strlen(text), &circuit, &notes));
    assert_int_equal(notes.n, 0); /* the line has neither gaps nor kinks */
    free(text);
    snprintf(command, sizeof(command), "cp -r config/models/parts %s", folder);
    assert_int_equal(system(command), 0);
    write_circuit();
    car = compile_car();
    return 0;
}

static int tear_down(void **state)
{
    char command[64];

    (void)state;
    lk_system_free(car);
    xodr_free(&circuit);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

/** struct drive - what a drive was like. @aside: largest distance from the lane [m];  @lateral:
 * largest lateral acceleration on the wet lane, @dry: elsewhere [m/s^2];  @way: along the path [m]
 * @height: of the car, the largest [m] */
struct drive {
    double aside;
    double wet;
    double dry;
    double way;
    double height;
};

/* drive for so many seconds; @forced: inputs in place of those of the driver, or NULL */
static struct drive drive(struct driver *d, double seconds, const double *forced)
{
    double inputs[5] = {0, 0, 0, 1, 0}, outputs[256];
    struct drive ret = {.aside = 0};
    int last = -1;

    for (int i = 0; i < (int)(1000 * seconds); i++) {
        struct driver_car now;

        if (i % PERIOD == 0) {
            const struct driver_point *p;
            double lateral, *most;

            lk_system_outputs(car, outputs);
            now = driver_see(outputs); /* chassis and motion are the first ones */
            driver_act(d, &now, 0.001 * PERIOD, inputs);
            p = &d->point[d->nearest];
            lateral = fabs(now.speed * now.yaw_rate);
            most = p->grip < 1 ? &ret.wet : &ret.dry;
            *most = fmax(*most, lateral);
            ret.aside = fmax(ret.aside, hypot(p->x - now.at[0], p->y - now.at[1]));
            ret.height = fmax(ret.height, outputs[2]);
            ret.way += last >= 0 ? 0.5 * ((d->nearest - last + d->n) % d->n) : 0;
            last = d->nearest;
        }
        if (forced != NULL)
            memcpy(inputs, forced, 3 * sizeof(double));
        assert_int_equal(lk_system_step(car, inputs), 0);
    }
    return ret;
}

static const struct driver_limits limits = {.aside = -1.75, .speed = 30, .a_x = 3, .a_y = 3.5};

static void drives_a_lap(void **state)
{
    struct driver d;
    struct drive start, lap;

    (void)state;
    assert_true(driver_new(&circuit, &limits, 0.02, &d));
    assert_true(d.is_closed);
    start = drive(&d, 4, NULL); /* from the middle of the road into the lane */
    assert_true(start.aside < 1.8);
    lap = drive(&d, 66, NULL);
    if (!(lap.aside < 0.9 && lap.way > 860 && lap.dry > 3 && lap.wet < 2.6 && lap.height > 3.4))
        fail_msg("%g m aside, %g m, lateral %g dry and %g wet, height %g", lap.aside, lap.way,
                 lap.dry, lap.wet, lap.height);
    driver_free(&d);
}

/* the car is driven off the road, by someone who pulls the wheel over, and given back */
static void finds_its_lane_again(void **state)
{
    static const double away[3] = {1, 0.3, 0};
    struct driver d;
    struct drive off, back;

    (void)state;
    lk_system_reset(car);
    assert_true(driver_new(&circuit, &limits, 0.02, &d));
    drive(&d, 5, NULL);
    off = drive(&d, 2, away);
    assert_true(off.aside > 3);
    driver_forget(&d);
    drive(&d, 18, NULL);
    back = drive(&d, 4, NULL);
    if (!(back.aside < 0.9))
        fail_msg("%g m aside, after %g m", back.aside, off.aside);
    driver_free(&d);
}

/* a road with ends is driven to its end, where the car stops; on the left lane against s */
static void knows_where_a_road_ends(void **state)
{
    static const char text[] =
        "<OpenDRIVE><road id='1'><planView><geometry s='0' x='5' y='0' hdg='0' length='100'><line/>"
        "</geometry></planView><lanes><laneSection s='0'><left><lane id='1'><width sOffset='0' "
        "a='3' "
        "b='0' c='0' d='0'/></lane></left></laneSection></lanes></road></OpenDRIVE>";
    const struct driver_limits left = {.aside = 1.5, .speed = 20, .a_x = 2, .a_y = 3};
    struct notes notes = {.path = "road"};
    struct xodr xodr;
    struct driver d;

    (void)state;
    assert_true(xodr_read(text, strlen(text), &xodr, &notes));
    assert_true(driver_new(&xodr, &left, 0.02, &d));
    assert_false(d.is_closed);
    assert_true(d.point[0].x > d.point[d.n - 1].x);
    assert_true(fabs(d.point[0].y - 1.5) < 1e-12);
    assert_true(d.point[d.n - 1].speed == 0);
    /* v^2 = 2 a s before the end */
    assert_true(fabs(d.point[d.n - 41].speed - sqrt(2 * 2 * 20)) < 1e-9);
    driver_free(&d);
    xodr_free(&xodr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drives_a_lap),
        cmocka_unit_test(finds_its_lane_again),
        cmocka_unit_test(knows_where_a_road_ends),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
