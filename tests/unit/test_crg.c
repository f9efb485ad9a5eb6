/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCRG files: text and binary give the same numbers, a road along a curved line has the heights
 * from which it was made, and each mistake has one line with its place. */
#include "../physics/road_scene.h"
#include "linkage/errors.h"
#include "model/crg.h"
#include <math.h>
#include <stdarg.h>
#include <stdint.h>

/* ---- files made by this test ---- */

/** struct writing - a file in memory, to which bytes are appended */
struct writing {
    char bytes[1 << 20];
    size_t size;
};

static void add(struct writing *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct writing *w, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    w->size += (size_t)vsnprintf(w->bytes + w->size, sizeof(w->bytes) - w->size, format, arguments);
    va_end(arguments);
}

static void add_binary(struct writing *w, double value, int is_double)
{
    float half = (float)value;
    uint64_t bits = 0;
    uint32_t low;

    if (is_double) {
        memcpy(&bits, &value, sizeof(bits));
    } else {
        memcpy(&low, &half, sizeof(low));
        bits = low;
    }
    for (int i = is_double ? 7 : 3; i >= 0; i--)
        w->bytes[w->size++] = (char)(bits >> (8 * i));
}

/* Append numbers of a text format in their columns, at most one record in a line. */
static void add_row(struct writing *w, const double *value, int n, int width)
{
    for (int i = 0; i < n; i++) {
        if (isnan(value[i]))
            add(w, "%-*s", width, "*missing*");
        else
            add(w, "%*.*f", width, width - 4, value[i]);
        if ((i + 1) % (80 / width) == 0 || i + 1 == n)
            add(w, "\n");
    }
}

#define CURVE    (1 / 40.0) /* curvature of the line [1/m] */
#define ROWS     241        /* 0.25 m apart: 60 m, 1.5 rad */
#define SECTIONS 7
#define STEP     0.25

static const double places[SECTIONS] = {-2, -1.5, -0.5, 0, 0.75, 1.5, 2};

static double bump_at(double u, double v)
{
    return 0.03 * sin(0.5 * u) * cos(0.7 * v);
}

/* Write an arc that climbs with a slope of 5 % and has a bank of 4 % at its end.
 * @format: LRFI and so on */
static void write_arc(struct writing *w, const char *format)
{
    int is_double = format[1] == 'D', is_binary = format[0] == 'K';

    w->size = 0;
    add(w,
        "$CT                            ! what it is\nan arc, = and $ and * are text here\n$\n"
        "$ROAD_CRG\nREFERENCE_LINE_START_U = 100\nreference_line_start_x = 10 ! here\n"
        "REFERENCE_LINE_START_Y = -5\nREFERENCE_LINE_START_Z=2\n"
        "REFERENCE_LINE_INCREMENT = 0.25\nREFERENCE_LINE_END_U = 160\n$!****\n"
        "* a comment\n$KD_Definition\n#:%s\nU:reference line u,m,0,0.25\n"
        "D:reference line phi,rad\nD:reference line banking,m/m\nD:reference line slope,m/m\n",
        format);
    for (int i = 0; i < SECTIONS; i++)
        add(w, "D:long section at v = %.3f,m\n", places[i]);
    add(w, "$\n$$$$$$$$10$$$$\n");
    for (int k = 0; k < ROWS; k++) {
        double row[3 + SECTIONS] = {k == 0 ? NAN : (k - 0.5) * STEP * CURVE, 0.04 * k / (ROWS - 1),
                                    k == 0 ? NAN : 0.05};

        for (int i = 0; i < SECTIONS; i++)
            row[3 + i] = bump_at(k * STEP, places[i]);
        if (!is_binary)
            add_row(w, row, 3 + SECTIONS, is_double ? 20 : 10);
        for (int i = 0; i < 3 + SECTIONS && is_binary; i++)
            add_binary(w, row[i], is_double);
    }
    for (size_t n = ROWS * (3 + SECTIONS) * (is_double ? 8 : 4); is_binary && n % 80 != 0;
         n += is_double ? 8 : 4)
        add_binary(w, NAN, is_double);
}

static struct lk_crg read_good(const struct writing *w)
{
    struct lk_errors errors;
    struct lk_crg crg;

    if (lk_crg_read("m", w->bytes, w->size, &crg, &errors) != 0)
        fail_msg("%s", errors.line[0].text);
    assert_int_equal(crg.notes.n, 0);
    return crg;
}

static struct writing file;

static void formats_agree(void **state)
{
    static const char *const formats[] = {"LDFI", "LRFI", "KRBI", "KDBI"};
    static const double tolerance[] = {1e-15, 6e-7, 1e-7, 0};

    (void)state;
    for (int f = 0; f < 4; f++) {
        struct lk_crg crg;

        write_arc(&file, formats[f]);
        crg = read_good(&file);
        assert_int_equal(crg.n, ROWS);
        assert_int_equal(crg.n_v, SECTIONS);
        assert_true(crg.step == STEP && crg.x[0] == 10 && crg.y[0] == -5 && crg.z0[0] == 2);
        assert_true(isnan(crg.x[1]) && isnan(crg.phi[0]) && isnan(crg.slope[0]));
        for (int k = 0; k < ROWS; k++) {
            assert_true(k == 0 || fabs(crg.phi[k] - (k - 0.5) * STEP * CURVE) <= 2 * tolerance[f]);
            assert_true(fabs(crg.banking[k] - 0.04 * k / (ROWS - 1)) <= tolerance[f]);
            for (int i = 0; i < SECTIONS; i++)
                assert_true(fabs(crg.z[k * SECTIONS + i] - bump_at(k * STEP, places[i])) <=
                            tolerance[f]);
        }
        lk_crg_free(&crg);
    }
}

/* Return the point on the circle at u, v. */
static void place_of(double u, double v, double ret[2])
{
    double angle = u * CURVE, radius = 1 / CURVE - v;

    ret[0] = 10 + radius * sin(angle);
    ret[1] = -5 + 1 / CURVE - radius * cos(angle);
}

/* The reference line is a polygon with edges of 0.25 m on a circle with a radius of 40 m: it is
 * within 0.2 mm of the circle. */
static void follows_a_curved_line(void **state)
{
    struct lk_crg_surface *s;
    struct lk_crg crg;
    double gap, out[2];

    (void)state;
    write_arc(&file, "KDBI");
    crg = read_good(&file);
    assert_int_equal(lk_crg_surface_new(&crg, 0, &s, &gap), 0);
    assert_true(gap == 0);
    for (int k = 1; k < 60; k++)
        for (int i = 0; i < SECTIONS; i++) {
            double u = k, v = places[i] * 0.99, place[2], z;

            place_of(u, v, place);
            z = 2 + 0.05 * u + 0.04 * u / 60 * v + bump_at(u, v);
            assert_true(fabs(lk_crg_surface_at(s, place) - z) < 2e-3);
        }
    place_of(30, 2.01, out);
    assert_true(isnan(lk_crg_surface_at(s, out)));
    place_of(30, -2.01, out);
    assert_true(isnan(lk_crg_surface_at(s, out)));
    place_of(60.01, 0, out);
    assert_true(isnan(lk_crg_surface_at(s, out)));
    lk_crg_surface_free(s);
    lk_crg_free(&crg);
}

/* On a straight road, the rows and sections are nodes of the grid: each height is exact to the
 * quantum. */
static void nodes_of_a_straight_road_are_exact(void **state)
{
    static const char head[] =
        "$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 0.5\nLONG_SECTION_V_INCREMENT = 0.5\n$\n"
        "$KD_DEFINITION\n#:LDFI\nD:long section 1,m\nD:long section 2,m\nD:long section "
        "3,m\n$\n$$\n";
    struct lk_crg_surface *s;
    struct lk_road_grid like = {
        .origin = {0, -0.5}, .step = {0.5, 0.5}, .cells = {20, 2}, .quantum = 1e-9};
    struct lk_road_file road;
    struct lk_crg crg;
    struct lk_error error;
    double gap;

    (void)state;
    file.size = 0;
    add(&file, "%s", head);
    for (int k = 0; k <= 20; k++)
        add_row(&file, (const double[]){0.01 * k, k == 7 ? NAN : 0.001 * k * k, -0.02 * k}, 3, 20);
    crg = read_good(&file);
    assert_true(crg.v[0] == -0.5 && crg.v[2] == 0.5);
    assert_int_equal(lk_crg_surface_new(&crg, 0, &s, &gap), 0);
    assert_int_equal(lk_road_file_fill(&like, lk_crg_surface_patch, s, &road, &error), 0);
    for (int k = 0; k <= 20; k++) {
        struct lk_road_height h;
        double node[2] = {0.5 * k, -0.5};
        int is_there = lk_road_grid_at(&road.grid, node, &h);

        assert_int_equal(is_there, k != 7 && k != 6); /* the two cells at the hole */
        if (is_there)
            assert_true(fabs(h.z - 0.01 * k) < 1e-9);
    }
    lk_road_file_free(&road);
    lk_crg_surface_free(s);
    lk_crg_free(&crg);
}

/* The road ends at the given end of its line, and the margin continues the heights of the
 * border. */
static void ends_where_it_says(void **state)
{
    struct lk_crg_surface *s;
    struct lk_crg crg;
    double gap, low[2], high[2], z[2];

    (void)state;
    file.size = 0;
    add(&file, "$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 1\nLONG_SECTION_V_RIGHT = -1\n"
               "LONG_SECTION_V_LEFT = 1\nREFERENCE_LINE_END_X = 10\nREFERENCE_LINE_END_Y = 0.1\n"
               "REFERENCE_LINE_END_Z = 1\nREFERENCE_LINE_START_PHI = 0\n$\n"
               "$KD_DEFINITION\n#:LRFI\nD:long section 1,m\nD:long section 2,m\n$\n$$\n");
    for (int k = 0; k <= 10; k++)
        add_row(&file, (const double[]){0.25, 0.5}, 2, 10);
    crg = read_good(&file);
    assert_int_equal(lk_crg_surface_new(&crg, 0.5, &s, &gap), 0);
    assert_true(fabs(gap - 0.1) < 1e-12);
    lk_crg_surface_box(s, low, high, z);
    assert_true(low[0] < -0.49 && high[0] > 10.49 && low[1] < -1.49 && high[1] > 1.59);
    assert_true(z[0] == 0 && fabs(z[1] - 1) < 1e-12);
    assert_true(fabs(lk_crg_surface_at(s, (const double[]){10, 0.1}) - 1.375) < 1e-9);
    assert_true(fabs(lk_crg_surface_at(s, (const double[]){5, 1.5}) - 1.0) < 2e-3);
    assert_true(fabs(lk_crg_surface_at(s, (const double[]){-0.4, 0}) - 0.375) < 2e-3);
    assert_true(isnan(lk_crg_surface_at(s, (const double[]){-0.6, 0})));
    lk_crg_surface_free(s);
    lk_crg_free(&crg);
}

/* The crossing of a loop of 400 m that climbs over its own start is reported. */
static void tells_where_it_crosses_itself(void **state)
{
    struct lk_crg_surface *s;
    struct lk_crg crg;
    double gap, place[2] = {0, 0};

    (void)state;
    file.size = 0;
    add(&file, "$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 1\nLONG_SECTION_V_INCREMENT = 2\n$\n"
               "$KD_DEFINITION\n#:LDFI\nD:reference line phi,rad\nD:reference line slope,m/m\n"
               "D:long section 1,m\nD:long section 2,m\n$\n$$\n");
    for (int k = 0; k <= 420; k++)
        add_row(&file, (const double[]){(k - 0.5) * M_PI / 200, 0.01, 0, 0}, 4, 20);
    crg = read_good(&file);
    assert_int_equal(lk_crg_surface_new(&crg, 0, &s, &gap), 0);
    for (int i = 0; i < 40; i++) {
        double at[2] = {10, -0.2 + i / 20.0};

        lk_crg_surface_at(s, at);
    }
    assert_true(lk_crg_surface_crossings(s, place) > 0 && place[0] == 10);
    lk_crg_surface_free(s);
    lk_crg_free(&crg);
}

/* Write a road with edges of @step [m], each turned by @turn [rad] relative to the last, and the
 * height 0.02 m.
 * @half: half of its width [m] */
static void write_ring(struct writing *w, double step, int rows, double turn, double half)
{
    w->size = 0;
    add(w,
        "$ROAD_CRG\nREFERENCE_LINE_INCREMENT = %g\n$\n$KD_DEFINITION\n#:LDFI\n"
        "D:reference line phi,rad\nD:long section at v = %g,m\nD:long section at v = %g,m\n$\n$$\n",
        step, -half, half);
    for (int k = 0; k < rows; k++)
        add_row(w, (const double[]){(k - 0.5) * turn, 0.02, 0.02}, 3, 20);
}

/* Check that points on both sides of the line, as far as the bisectors that bound the area of each
 * row, are on the road. They are queried from the last row to the first, three in each: the result
 * must not depend on earlier queries. */
static void has_road_all_along(const struct lk_crg *crg, double turn, double half)
{
    double p[2] = {0, 0}, gap, (*row)[2] = calloc((size_t)crg->n, sizeof(*row));
    struct lk_crg_surface *s;

    assert_int_equal(lk_crg_surface_new(crg, 0, &s, &gap), 0);
    for (int k = 0; k < crg->n; k++) {
        row[k][0] = p[0];
        row[k][1] = p[1];
        p[0] += crg->step * cos((k + 0.5) * turn);
        p[1] += crg->step * sin((k + 0.5) * turn);
    }
    for (int i = 0; i < 5 * (crg->n - 1); i++) {
        int k = crg->n - 2 - i / 3 % (crg->n - 1);
        double f = (i % 5 + 0.5) / 5, v = half * (i % 9 - 4) / 4.1, angle = (k + 0.5) * turn,
               place[2];

        if (v * turn > 0 && fabs(v) * tan(fabs(turn) / 2) > f * crg->step)
            continue; /* on the inner side this place belongs to other edges */
        place[0] = row[k][0] + f * (row[k + 1][0] - row[k][0]) - v * sin(angle);
        place[1] = row[k][1] + f * (row[k + 1][1] - row[k][1]) + v * cos(angle);
        if (!(fabs(lk_crg_surface_at(s, place) - 0.02) < 1e-9))
            fail_msg("step %g, turn %g: no road at u = %g, v = %g", crg->step, turn,
                     (k + f) * crg->step, v);
    }
    lk_crg_surface_free(s);
    free(row);
}

/* Rings, ramps, loops and corners whose rows are coarse relative to the curvature have no hole. */
static void has_no_hole_in_a_ring(void **state)
{
    static const struct {
        double step, turn, half;
        int rows;
    } rings[] = {
        {2, 0.2, 1.75, 29},      {2, 0.2, 1.75, 30},     {2, -0.2, 1.75, 33},
        {1, 1 / 6.0, 1.75, 36},  {10, M_PI / 12, 5, 25}, {10, -M_PI / 12, 5, 24},
        {1, M_PI / 32, 2, 260},  {1, M_PI / 4, 0.5, 9},  {3, M_PI / 2, 2, 40},
        {3, 2 * M_PI / 3, 1, 4}, {0.1, 0.01, 1.75, 629}, {5, 2.5, 1, 32},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rings) / sizeof(rings[0]); i++) {
        struct lk_crg crg;

        write_ring(&file, rings[i].step, rings[i].rows, rings[i].turn, rings[i].half);
        crg = read_good(&file);
        has_road_all_along(&crg, rings[i].turn, rings[i].half);
        lk_crg_free(&crg);
    }
}

/* The area counts ground once, even if a ring is driven twice. Tolerance: the ground of one node
 * along the border, 2 pi (R + r) step. */
static void knows_its_area(void **state)
{
    const double ring = 2 * M_PI * 10 * 3.5, border = 2 * M_PI * (11.75 + 8.25) * 0.05;
    struct lk_crg crg;
    double gap, low[2], high[2], heights[2];
    struct lk_crg_surface *s;

    (void)state;
    write_ring(&file, 0.1, 1258, 0.01, 1.75);
    crg = read_good(&file);
    assert_int_equal(lk_crg_surface_new(&crg, 0, &s, &gap), 0);
    lk_crg_surface_box(s, low, high, heights);
    assert_true(fabs(lk_road_area(lk_crg_surface_patch, s, low, high, 0.05) - ring) < border);
    lk_crg_surface_free(s);
    lk_crg_free(&crg);
}

/* ---- mistakes ---- */

#define HEAD                                                                                       \
    "$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 1\nLONG_SECTION_V_INCREMENT = 1\n$\n"                   \
    "$KD_DEFINITION\n#:LRFI\nD:long section 1,m\nD:long section 2,m\n$\n$$\n"
#define TWO_ROWS " 0.0000000 0.0000000\n 0.0000000 0.0000000\n"

static const struct {
    const char *text;
    const char *wanted;
} mistakes[] = {
    {"", "m: there are no numbers, expected them behind a line of $$$$"},
    {"hello\n$$\n", "m:1: 'hello' is in no section, expected $ and its name before"},
    {"$ROAD_CRG\nREFERENCE_LINE_INCREMENT 1\n$$\n",
     "m:2: 'REFERENCE_LINE_INCREMENT 1' has no '=', expected KEY = value"},
    {"$ROAD_CRG\nREFERENCE_LINE_INCREMENT = nan\n$$\n",
     "m:2: REFERENCE_LINE_INCREMENT is 'nan', expected a number"},
    {"$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 0\n$$\n",
     "m: REFERENCE_LINE_INCREMENT is 0, expected 0.1 mm to 1 km"},
    {"$$\n", "m: REFERENCE_LINE_INCREMENT is missing, expected 0.1 mm to 1 km"},
    {"$ROAD_CRG_MODS\nSCALE_Z_GRID = 2\n$\n$$\n",
     "m:2: the modifier SCALE_Z_GRID is not applied here, expected a file with its modifiers "
     "applied"},
    {"$ROAD_CRG_FILE\nother.crg\n$\n$$\n",
     "m:2: the road is in another file, 'other.crg', expected that one"},
    {"$KD_DEFINITION\n#:LRBI\n$$\n",
     "m:2: the format is 'LRBI', expected LRFI, LDFI, KRBI or KDBI"},
    {"$KD_DEFINITION\nX:y\n$$\n",
     "m:2: 'X:y' defines nothing, expected D: for a channel, U: or #:"},
    {"$KD_DEFINITION\nD:reference line phi,rad\nD:reference line phi,rad\n$$\n",
     "m:3: the channel 'reference line phi,rad' is there already, expected one of it"},
    {"$KD_DEFINITION\nD:long section at v = left,m\n$$\n", "m:2: v is 'left', expected a number"},
    {"$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 1\n$\n$KD_DEFINITION\nD:long section 1,m\n$\n$$\n",
     "m: 1 long sections, expected at least 2"},
    {"$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 1\n$\n$KD_DEFINITION\n#:LRFI\nD:long section 1,m\n"
     "D:long section 2,m\n$\n$$\n" TWO_ROWS,
     "m: nothing says where long section 1 is, expected LONG_SECTION_V_INCREMENT, or its v in its "
     "name"},
    {"$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 1\n$\n$KD_DEFINITION\n#:LRFI\nD:long section at v = "
     "1,m\n"
     "D:long section at v = 0,m\n$\n$$\n" TWO_ROWS,
     "m: long section 2 is at v = 0, expected one to the left of 1, by its order"},
    {HEAD " 0.0000000 0.0000000\n", "m: 1 rows of numbers, expected 2 to 10000000"},
    {HEAD " 0.0000000 0.0000000\n 0.0000000\n",
     "m:12: 1 numbers, expected 2 in this line, 10 characters each"},
    {HEAD " 0.0000000 0.0000000\n 0.00000x0 0.0000000\n",
     "m:12: number 1 is ' 0.00000x0', expected one in columns 1 to 10"},
    {HEAD " 0.0000000 0.0000000\n 0.0000000       inf\n",
     "m:12: number 2 is '       inf', expected one in columns 11 to 20"},
    {"$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 1\nREFERENCE_LINE_END_U = 5\n"
     "LONG_SECTION_V_INCREMENT = 1\n$\n$KD_DEFINITION\n#:LRFI\nD:long section 1,m\n"
     "D:long section 2,m\n$\n$$\n" TWO_ROWS,
     "m: 2 rows of numbers, expected 6 from REFERENCE_LINE_START_U to _END_U"},
    {"$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 1\nLONG_SECTION_V_INCREMENT = 1\n$\n$KD_DEFINITION\n"
     "#:LRFI\nD:reference line phi,rad\nD:long section 1,m\nD:long section 2,m\n$\n$$\n"
     " 0.0000000 0.0000000 0.0000000\n*missing*  0.0000000 0.0000000\n",
     "m: phi is missing in row 2, expected a number"},
};

static void mistakes_have_their_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
        struct lk_errors errors;
        struct lk_crg crg;

        assert_int_equal(
            lk_crg_read("m", mistakes[i].text, strlen(mistakes[i].text), &crg, &errors), LK_E_TEXT);
        assert_string_equal(errors.line[0].text, mistakes[i].wanted);
    }
}

static void tells_what_has_no_effect(void **state)
{
    static const char text[] =
        "$ROAD_CRG_OPTS\nBORDER_MODE_U = 2\n$\n$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 1\n"
        "REFERENCE_LINE_START_LAT = 48\nLONG_SECTION_V_INCREMENT = 1\n$\n$MINE\nx\n$\n"
        "$KD_DEFINITION\n#:LRFI\nD:friction,1\nD:long section 1,m\nD:long section 2,m\n$\n$$\n"
        " 0.9000000 0.5000000 0.2500000\n 0.9000000 0.5000000 0.2500000\n";
    struct lk_errors errors;
    struct lk_crg crg;

    (void)state;
    assert_int_equal(lk_crg_read("m", text, sizeof(text) - 1, &crg, &errors), 0);
    assert_int_equal(crg.notes.n, 3);
    assert_string_equal(crg.notes.line[0].text, "m:6: REFERENCE_LINE_START_LAT has no effect here");
    assert_string_equal(crg.notes.line[1].text, "m:9: the section $MINE has no effect here");
    assert_string_equal(crg.notes.line[2].text,
                        "m:14: the channel 'friction,1' has no effect here");
    assert_true(crg.z[0] == 0.5 && crg.z[3] == 0.25);
    lk_crg_free(&crg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_agree),
        cmocka_unit_test(follows_a_curved_line),
        cmocka_unit_test(nodes_of_a_straight_road_are_exact),
        cmocka_unit_test(ends_where_it_says),
        cmocka_unit_test(tells_where_it_crosses_itself),
        cmocka_unit_test(has_no_hole_in_a_ring),
        cmocka_unit_test(knows_its_area),
        cmocka_unit_test(mistakes_have_their_line),
        cmocka_unit_test(tells_what_has_no_effect),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
