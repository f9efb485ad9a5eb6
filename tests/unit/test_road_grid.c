/* SPDX-License-Identifier: Apache-2.0 */
/* Height fields: a surface through its nodes with continuous slopes, its edges and holes, and its
 * files, intact or damaged. */
#include "../physics/road_scene.h"
#include <math.h>
#include <stdint.h>

static const double zero[2] = {0, 0};

static struct lk_road_height at(const struct lk_road_file *f, double x, double y)
{
    struct lk_road_height h;

    if (!lk_road_grid_at(&f->grid, (const double[]){x, y}, &h))
        fail_msg("no road at %g %g", x, y);
    return h;
}

static int is_there(const struct lk_road_file *f, double x, double y)
{
    struct lk_road_height h;

    return lk_road_grid_at(&f->grid, (const double[]){x, y}, &h);
}

/* ---- the surface ---- */

static double dish(void *context, const double p[2])
{
    (void)context;
    return 0.5 + 0.25 * p[0] - 0.125 * p[1] + p[0] * p[0] / 64 - p[0] * p[1] / 32 +
           p[1] * p[1] / 128;
}

/* Quadratic surfaces are reproduced to the quantum, also in tiles after the first one. */
static void reproduces_quadratics(void **state)
{
    struct lk_road_file f = road_scene_grid(
        (const double[]){-10, -8}, (const double[]){0.25, 0.125}, (const int[]){100, 150}, dish);

    (void)state;
    assert_int_equal(f.grid.n_tiles, 2 * 3);
    for (int k = 0; k < 2000; k++) {
        double x = -9.5 + 24 * fmod(k * 0.618034, 1), y = -7.75 + 18 * fmod(k * 0.7548777, 1);
        struct lk_road_height h = at(&f, x, y);

        assert_true(fabs(h.z - dish(NULL, (const double[]){x, y})) < 1e-6);
        assert_true(fabs(h.slope[0] - (0.25 + x / 32 - y / 32)) < 2e-6);
        assert_true(fabs(h.slope[1] - (-0.125 - x / 32 + y / 64)) < 2e-6);
    }
    lk_road_file_free(&f);
}

static double waves(void *context, const double p[2])
{
    (void)context;
    return 0.1 * sin(2 * p[0]) * cos(1.5 * p[1] + 0.3);
}

/* the error decreases with the third power of the distance between nodes */
static void converges_to_a_smooth_surface(void **state)
{
    double worst[2] = {0, 0};

    (void)state;
    for (int k = 0; k < 2; k++) {
        double d = k == 0 ? 0.1 : 0.05;
        struct lk_road_file f = road_scene_grid(zero, (const double[]){d, d},
                                                (const int[]){(int)(6 / d), (int)(6 / d)}, waves);

        for (int i = 0; i < 3000; i++) {
            double x = 0.5 + 5 * fmod(i * 0.618034, 1), y = 0.5 + 5 * fmod(i * 0.7548777, 1);

            worst[k] = fmax(worst[k], fabs(at(&f, x, y).z - waves(NULL, (const double[]){x, y})));
        }
        lk_road_file_free(&f);
    }
    assert_true(worst[0] < 1e-4 && worst[0] / worst[1] > 7);
}

static double rough(void *context, const double p[2])
{
    uint64_t bits = (uint64_t)llround(p[0] * 1000) * 6364136223846793005u +
                    (uint64_t)llround(p[1] * 1000) * 1442695040888963407u;

    (void)context;
    if (p[0] > 2.05 && p[0] < 2.35 && p[1] > 1.05 && p[1] < 1.35)
        return NAN;
    bits ^= bits >> 29;
    bits *= 0xbf58476d1ce4e5b9u;
    return 0.02 * (double)(int64_t)(bits ^ (bits >> 32)) / 9.3e18;
}

/* For arbitrary heights, height and slopes are continuous across cells and tiles, around a hole and
 * at the edges. */
static void is_smooth_across_cells(void **state)
{
    struct lk_road_file f =
        road_scene_grid(zero, (const double[]){0.1, 0.1}, (const int[]){130, 70}, rough);
    const double little = 1e-9;
    int n = 0;

    (void)state;
    for (int i = 0; i <= 130; i++)
        for (int j = 0; j <= 70; j++)
            for (int side = 0; side < 2; side++) {
                double x = 0.1 * i + (side ? 0.037 : 0), y = 0.1 * j + (side ? 0 : 0.041);
                double dx = side ? 0 : little, dy = side ? little : 0;
                struct lk_road_height a, b;

                if (!is_there(&f, x - dx, y - dy) || !is_there(&f, x + dx, y + dy))
                    continue;
                a = at(&f, x - dx, y - dy);
                b = at(&f, x + dx, y + dy);
                assert_true(fabs(a.z - b.z) < 1e-8);
                assert_true(fabs(a.slope[0] - b.slope[0]) < 1e-6);
                assert_true(fabs(a.slope[1] - b.slope[1]) < 1e-6);
                n++;
            }
    assert_true(n > 2 * 130 * 69);
    lk_road_file_free(&f);
}

static void ends_level_and_has_holes(void **state)
{
    struct lk_road_file f =
        road_scene_grid(zero, (const double[]){0.1, 0.1}, (const int[]){130, 70}, rough);
    struct lk_road_height edge = at(&f, 13, 3.33), out = at(&f, 1e9, 3.33),
                          corner = at(&f, -5, 1e3);

    (void)state;
    assert_true(out.z == edge.z && out.slope[0] == 0 && out.slope[1] == edge.slope[1]);
    assert_true(out.is_beyond && !edge.is_beyond && edge.slope[0] == 0);
    assert_true(corner.slope[0] == 0 && corner.slope[1] == 0);
    assert_true(!is_there(&f, 2.2, 1.2) && !is_there(&f, 2.01, 1.2) && is_there(&f, 1.99, 1.2));
    assert_true(is_there(&f, NAN, NAN)); /* must only do no harm */
    lk_road_file_free(&f);
}

static double beaded(void *context, const double p[2])
{
    (void)context;
    return fabs(p[1] - 3 * sin(p[0] / 20)) < 2 ? 0.25 * p[0] : NAN;
}

/* The memory of a road through a large box depends on the road, not on the box. */
static void leaves_out_empty_tiles(void **state)
{
    struct lk_road_file f =
        road_scene_grid((const double[]){0, -500}, (const double[]){0.125, 0.125},
                        (const int[]){1600, 8000}, beaded);
    double place[2] = {100.0625, 3 * sin(5)};

    (void)state;
    assert_true(f.grid.n_tiles < 100 && lk_road_grid_places(&f.grid) == 25 * 125);
    assert_true(fabs(at(&f, place[0], place[1]).z - 0.25 * place[0]) < 1e-6);
    assert_false(is_there(&f, place[0], place[1] + 2.2));
    lk_road_file_free(&f);
}

/* The result does not depend on the position of the box. */
static void is_the_same_far_away(void **state)
{
    struct lk_road_file near =
        road_scene_grid(zero, (const double[]){0.25, 0.25}, (const int[]){40, 40}, dish);
    struct lk_road_grid far = near.grid;

    (void)state;
    far.origin[0] = 1 << 24;
    far.origin[1] = -(1 << 25);
    far.base = 4096;
    for (int i = 0; i < 100; i++) {
        double x = i / 16.0, y = 9.5 - i / 32.0;
        struct lk_road_height h, same = at(&near, x, y);

        assert_true(
            lk_road_grid_at(&far, (const double[]){x + far.origin[0], y + far.origin[1]}, &h));
        assert_true(fabs(h.z - 4096 - same.z) < 1e-12 && h.slope[0] == same.slope[0]);
    }
    lk_road_file_free(&near);
}

/* ---- the file ---- */

static void goes_through_a_file(void **state)
{
    struct lk_road_file f = road_scene_grid(zero, (const double[]){0.1, 0.2},
                                            (const int[]){130, 70}, rough),
                        back;
    struct lk_error error;
    void *bytes;
    size_t size;

    (void)state;
    assert_int_equal(lk_road_file_bytes(&f.grid, 0, NULL, &bytes, &size), 0);
    assert_int_equal(lk_road_file_take(bytes, size, &back, &error), 0);
    assert_true(back.size == size && back.grid.n_tiles == f.grid.n_tiles);
    for (int i = 0; i < 500; i++) {
        double x = 13 * fmod(i * 0.618034, 1), y = 14 * fmod(i * 0.7548777, 1);
        struct lk_road_height a, b;

        assert_int_equal(lk_road_grid_at(&f.grid, (const double[]){x, y}, &a),
                         lk_road_grid_at(&back.grid, (const double[]){x, y}, &b));
        assert_true(a.z == b.z && a.slope[0] == b.slope[0] && a.slope[1] == b.slope[1]);
    }
    free(bytes);
    lk_road_file_free(&f);
    lk_road_file_free(&back);
}

/** struct damage - the @size bytes at @offset of a good file are replaced with @with. @wanted:
 * reason of the refusal */
struct damage {
    size_t offset;
    size_t size;
    const void *with;
    const char *wanted;
};

#define DOUBLE(x)                                                                                  \
    sizeof(double), &(const double)                                                                \
    {                                                                                              \
        x                                                                                          \
    }
#define INT(x)                                                                                     \
    sizeof(int32_t), &(const int32_t)                                                              \
    {                                                                                              \
        x                                                                                          \
    }

static const struct damage damages[] = {
    {0, 4, "road",
     "it is no road: it does not begin with LKROAD1, expected a file that 'linkage road' wrote"},
    {8, DOUBLE(2e9), "its first node is 2e+09, expected a place within 1e9 m"},
    {16, DOUBLE(NAN), "its first node is nan, expected a place within 1e9 m"},
    {24, DOUBLE(0), "its distance of nodes is 0, expected 1 mm to 1 km"},
    {32, DOUBLE(-1), "its distance of nodes is -1, expected 1 mm to 1 km"},
    {40, DOUBLE(INFINITY), "its base is inf, expected a height within 1e9 m"},
    {48, DOUBLE(1), "its quantum is 1, expected 1e-12 to 1e-3 m"},
    {56, INT(0), "its number of cells is 0, expected 1 to 1000000"},
    {60, INT(2000000), "its number of cells is 2e+06, expected 1 to 1000000"},
    {60, INT(1000000),
     "it has 18476 bytes after its head, expected 80972 for 1 tiles in 15625 "
     "places"},
    {64, INT(0), "its number of tiles is 0, expected at least one"},
    {64, INT(2147483647),
     "it has 18476 bytes after its head, expected 39668317927388 for "
     "2147483647 tiles in 1 places"},
    {68, INT(0), "its checksum is not that of its content: it was damaged or changed"},
    {72, INT(2), "its mark of friction is 2, expected 0 or 1"},
    {76, INT(-1), "its number of points of lines is -1, expected none or more"},
    {600, 1, "x", "its checksum is not that of its content: it was damaged or changed"},
};

static void refuses_what_is_damaged(void **state)
{
    struct lk_road_file f = road_scene_grid(zero, (const double[]){0.1, 0.2}, (const int[]){20, 30},
                                            dish),
                        back;
    struct lk_error error;
    char *bytes, *copy;
    size_t size;

    (void)state;
    assert_int_equal(lk_road_file_bytes(&f.grid, 0, NULL, (void **)&bytes, &size), 0);
    copy = malloc(size);
    for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
        memcpy(copy, bytes, size);
        memcpy(copy + damages[i].offset, damages[i].with, damages[i].size);
        assert_int_equal(lk_road_file_take(copy, size, &back, &error), LK_E_TEXT);
        assert_string_equal(error.text, damages[i].wanted);
    }
    for (size_t n = 0; n < size; n += n < 100 ? 1 : 997)
        assert_int_equal(lk_road_file_take(bytes, n, &back, &error), LK_E_TEXT);
    free(copy);
    free(bytes);
    lk_road_file_free(&f);
}

static void names_what_is_not_there(void **state)
{
    static const struct lk_road_point far[2] = {{{NAN, 0, 0}}, {{0, (float)INFINITY, 0}}};
    struct lk_road_file f = road_scene_grid(zero, (const double[]){0.1, 0.2}, (const int[]){20, 30},
                                            dish),
                        back;
    struct lk_error error;
    void *bytes;
    size_t size;

    (void)state;
    f.index[0] = 1;
    assert_int_equal(lk_road_file_bytes(&f.grid, 0, NULL, &bytes, &size), 0);
    assert_int_equal(lk_road_file_take(bytes, size, &back, &error), LK_E_TEXT);
    assert_string_equal(error.text, "place 0 names tile 1, expected -1 to 0");
    free(bytes);
    f.index[0] = 0;
    assert_int_equal(lk_road_file_bytes(&f.grid, 2, far, &bytes, &size), 0);
    assert_int_equal(lk_road_file_take(bytes, size, &back, &error), LK_E_TEXT);
    assert_string_equal(error.text, "point 1 of its lines is inf, expected a place within 1e9 m");
    free(bytes);
    lk_road_file_free(&f);
}

/* ---- surfaces that cannot be built ---- */

static double cliff(void *context, const double p[2])
{
    (void)context;
    return p[0] > 1 ? 1000 : 0;
}

static double nowhere(void *context, const double p[2])
{
    (void)context;
    (void)p;
    return NAN;
}

static void refuse_to_build(lk_road_heights *heights, int cells, const char *wanted)
{
    struct lk_road_grid like = {
        .step = {0.1, 0.1}, .cells = {cells, cells}, .quantum = 1.0 / (1 << 24)};
    struct lk_road_file f;
    struct lk_error error;

    assert_int_equal(lk_road_file_build(&like, heights, NULL, &f, &error), LK_E_TEXT);
    assert_string_equal(error.text, wanted);
}

static void refuses_to_build(void **state)
{
    (void)state;
    refuse_to_build(nowhere, 100, "no cell of the grid has a road");
    refuse_to_build(cliff, 100, "a height of 1000 m, expected one within 119.209 m of 0 m");
    refuse_to_build(dish, 1000000, "1000000 by 1000000 cells are too many");
    refuse_to_build(rough, 4000, "the road needs more than 64 MiB, expected fewer or larger cells");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reproduces_quadratics),   cmocka_unit_test(converges_to_a_smooth_surface),
        cmocka_unit_test(is_smooth_across_cells),  cmocka_unit_test(ends_level_and_has_holes),
        cmocka_unit_test(leaves_out_empty_tiles),  cmocka_unit_test(is_the_same_far_away),
        cmocka_unit_test(goes_through_a_file),     cmocka_unit_test(refuses_what_is_damaged),
        cmocka_unit_test(names_what_is_not_there), cmocka_unit_test(refuses_to_build),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
