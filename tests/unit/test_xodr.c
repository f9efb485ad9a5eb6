/* SPDX-License-Identifier: Apache-2.0 */
/* Roads of OpenDRIVE files: values of the unit tests of esmini (a public player of scenarios),
 * closed forms of lines, sections with lanes of all kinds, points found again from their places,
 * OpenCRG files on roads, and one line for each mistake. */
#include "../physics/road_scene.h"
#include "xodr.h"
#include <math.h>
#include <stdarg.h>
#include <unistd.h>

/* ---- files ---- */

#define WIDTH(a)         "<width sOffset='0' a='" a "' b='0' c='0' d='0'/>"
#define LANE(id, inside) "<lane id='" id "' type='driving' level='false'>" inside "</lane>"
#define TWO_LANES                                                                                  \
    "<lanes><laneSection s='0'><left>" LANE("1", WIDTH("3")) "</left><right>" LANE(                \
        "-1", WIDTH("4")) "</right></laneSection></lanes>"
#define ROAD(line, profiles, lanes)                                                                \
    "<road id='7' length='1'><planView>" line "</planView>" profiles lanes "</road>"
#define FILE_OF(roads) "<?xml version='1.0'?>\n<OpenDRIVE>" roads "</OpenDRIVE>"
#define STRAIGHT(length)                                                                           \
    "<geometry s='0' x='10' y='20' hdg='0.5' length='" length "'><line/></geometry>"

static const char no_notes[] = "";

/* read @text and check the text of its first note */
static struct xodr read_noted(const char *path, const char *text, const char *wanted)
{
    struct notes notes = {.path = path};
    struct xodr xodr;
    bool is_good = xodr_read(text, strlen(text), &xodr, &notes);

    if (notes.n > 0 && strcmp(notes.note[0].text, wanted) != 0)
        fail_msg("%s", notes.note[0].text);
    if (notes.n == 0 && wanted != no_notes)
        fail_msg("no note, expected: %s", wanted);
    assert_int_equal(is_good, notes.n_errors == 0);
    notes_free(&notes);
    return xodr;
}

static struct xodr read_good(const char *text)
{
    struct xodr xodr = read_noted("roads.xodr", text, no_notes);

    assert_true(xodr.n > 0);
    return xodr;
}

static struct xodr_place place_of(const struct xodr *xodr, double s, double t)
{
    struct xodr_place place;
    double tangent[2];

    if (!xodr_at(&xodr->road[0], s, t, &place, tangent))
        fail_msg("no road at s %g", s);
    return place;
}

static void is_near(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.15g, expected %.15g", value, wanted);
}

/* return the height of the surface at a place; NAN: no road */
static double height_at(struct xodr_surface *surface, double x, double y)
{
    const struct lk_road_patch patch = {.origin = {x, y}, .step = {1, 1}, .n = {1, 1}};
    double z = NAN;

    return xodr_surface_patch(surface, &patch, &z) ? z : (double)NAN;
}

/* points between @low and @high beside the line are found again from their places */
static void finds_again(const struct xodr *xodr, double low, double high)
{
    struct xodr_surface *surface = xodr_surface_new(xodr, 0, NAN);

    assert_non_null(surface);
    for (int i = 0; i < 500; i++) {
        double s = xodr->road[0].length * fmod(i * 0.618034, 1);
        struct xodr_place p = place_of(xodr, s, low + (high - low) * fmod(i * 0.7548777, 1));

        is_near(height_at(surface, p.x, p.y), p.z, 1e-8);
    }
    xodr_surface_free(surface);
}

/* ---- lines ---- */

/* the road of esmini's tests straight_500_superelevation_elevation_curve: an arc with a hill and
 * with superelevation */
static const char hill[] = FILE_OF(
    ROAD("<geometry s='0' x='0' y='0' hdg='0' length='500'><arc curvature='0.01'/></geometry>",
         "<elevationProfile><elevation s='0' a='0' b='0' c='0' d='0'/>"
         "<elevation s='250' a='0' b='0' c='0.006' d='-4e-5'/>"
         "<elevation s='350' a='20' b='0' c='-0.006' d='4e-5'/>"
         "<elevation s='450' a='0' b='0' c='0' d='0'/></elevationProfile>"
         "<lateralProfile><superelevation s='0' a='0' b='0' c='0' d='0'/>"
         "<superelevation s='50' a='0' b='0' c='0.00015' d='-1e-6'/>"
         "<superelevation s='150' a='0.5' b='0' c='-0.00015' d='1e-6'/>"
         "<superelevation s='250' a='0' b='0' c='0' d='0'/></lateralProfile>",
         TWO_LANES));

static void has_values_of_esmini(void **state)
{
    struct xodr xodr = read_good(hill);
    struct xodr_place p = place_of(&xodr, 300, -1.535), q = place_of(&xodr, 300.001, -1.535);
    double tangent[2];

    (void)state;
    is_near(p.x, 14.329, 1e-3);
    is_near(p.y, 200.519, 1e-3);
    is_near(p.z, 10, 1e-9);
    is_near((q.z - p.z) / 0.001, 0.3, 1e-5);
    assert_true(xodr_at(&xodr.road[0], 300, 0, &p, tangent));
    is_near(atan2(tangent[1], tangent[0]), 3, 1e-12);
    is_near(xodr_value(&xodr.road[0].superelevation, 140), 0.486, 1e-12);
    is_near(place_of(&xodr, 150, 1).z, sin(0.5), 1e-12);
    finds_again(&xodr, -4, 3);
    xodr_free(&xodr);
}

/* x and y of a spiral from a straight line, by their series in its turn */
static void spiral(double length, double curvature, double *x, double *y)
{
    double half = 0.5 * curvature * length, term = 1;

    *x = *y = 0;
    for (int n = 0; n < 40; n++) {
        double part = length * term / (2 * n + 1);

        if (n % 2 == 0)
            *x += n % 4 == 0 ? part : -part;
        else
            *y += n % 4 == 1 ? part : -part;
        term *= half / (n + 1);
    }
}

static void follows_spirals(void **state)
{
    static const char text[] =
        FILE_OF(ROAD("<geometry s='0' x='0' y='0' hdg='0' length='200'><spiral curvStart='0' "
                     "curvEnd='0.04'/></geometry>",
                     "", TWO_LANES));
    struct xodr xodr = read_good(text);
    double tangent[2], x, y;
    struct xodr_place p;

    (void)state;
    assert_true(xodr_at(&xodr.road[0], 200, 0, &p, tangent));
    spiral(200, 0.04, &x, &y);
    is_near(p.x, x, 1e-10);
    is_near(p.y, y, 1e-10);
    is_near(atan2(tangent[1], tangent[0]), fmod(4, 2 * M_PI) - 2 * M_PI, 1e-12);
    finds_again(&xodr, -4, 3);
    xodr_free(&xodr);
}

/* a parabola, with the parameter from 0 to 1 and from 0 to its length */
static void follows_cubics(void **state)
{
    static const char normalized[] = FILE_OF(
        ROAD("<geometry s='0' x='1' y='2' hdg='1.5707963267948966' length='50'><paramPoly3 "
             "aU='0' bU='50' cU='0' dU='0' aV='0' bV='0' cV='5' dV='2' pRange='normalized'/>"
             "</geometry>",
             "", TWO_LANES));
    static const char by_length[] = FILE_OF(
        ROAD("<geometry s='0' x='1' y='2' hdg='1.5707963267948966' length='50'><paramPoly3 "
             "aU='0' bU='1' cU='0' dU='0' aV='0' bV='0' cV='0.002' dV='1.6e-5' pRange='arcLength'/>"
             "</geometry>",
             "", TWO_LANES));
    struct xodr a = read_good(normalized), b = read_good(by_length);

    (void)state;
    for (int i = 0; i <= 50; i++) {
        struct xodr_place p = place_of(&a, i, 1.5), q = place_of(&b, i, 1.5);

        is_near(p.x, q.x, 1e-12);
        is_near(p.y, q.y, 1e-12);
    }
    for (int i = 0; i < 50;
         i++) { /* s is the length along the line, stretched to what the file says */
        struct xodr_place p = place_of(&a, i, 0), q = place_of(&a, i + 1e-3, 0);

        is_near(hypot(q.x - p.x, q.y - p.y) / 1e-3, 1.013907, 1e-5);
    }
    is_near(place_of(&a, 50, 0).x, 1 - 7, 1e-12);
    is_near(place_of(&a, 50, 0).y, 2 + 50, 1e-12);
    finds_again(&a, -4, 3);
    xodr_free(&a);
    xodr_free(&b);
}

/* ---- sections ---- */

static const char section[] = FILE_OF(ROAD(
    STRAIGHT("100"),
    "<lateralProfile><superelevation s='0' a='0.1' b='0' c='0' d='0'/></lateralProfile>",
    "<lanes><laneOffset s='0' a='0.5' b='0.01' c='0' d='0'/><laneSection s='0'>"
    "<left><lane id='2' type='sidewalk' level='true'>" WIDTH(
        "2") "<height sOffset='0' inner='0.12' outer='0.15'/></lane>"
             "<lane id='1' type='driving'><width sOffset='0' a='3' b='0' c='0' d='0'/>"
             "<width sOffset='50' a='3' b='0.02' c='0' d='0'/><material sOffset='0' "
             "friction='0.9'/>"
             "<material sOffset='20' friction='0.3'/></lane></left>"
             "<right>" LANE(
                 "-1", "<border sOffset='0' a='-4' b='0' c='0' d='0'/>") "</right></laneSection></"
                                                                         "lanes>"));

static void has_lanes_of_all_kinds(void **state)
{
    struct xodr xodr = read_good(section);
    double offset = 0.5 + 0.6, t[2 * XODR_LANES_MAX + 1], level, s = sin(0.1), c = cos(0.1);
    struct xodr_place p;

    (void)state;
    assert_int_equal(xodr_borders(&xodr.road[0], 0, 60, t), 4);
    is_near(t[0], offset - 4, 1e-12); /* a border lies relative to the offset of the lanes */
    is_near(t[1], offset, 1e-12);
    is_near(t[2], offset + 3.2, 1e-12); /* the width from s 50 on */
    is_near(t[3], offset + 5.2, 1e-12);
    p = place_of(&xodr, 60, offset + 1);
    is_near(p.z, (offset + 1) * s, 1e-12);
    is_near(p.mu, 0.3, 0);
    is_near(place_of(&xodr, 19.9, 1).mu, 0.9, 0);
    assert_true(isnan(place_of(&xodr, 19.9, 0).mu));
    /* beside the line by t cos phi, to the left of its heading 0.5 */
    is_near(p.x, 10 + 60 * cos(0.5) - (offset + 1) * c * sin(0.5), 1e-12);
    is_near(p.y, 20 + 60 * sin(0.5) + (offset + 1) * c * cos(0.5), 1e-12);
    /* a level lane goes on from its inner border, above it by its own height */
    level = (offset + 3.2) * s;
    is_near(place_of(&xodr, 60, offset + 3.2 + 0.5).z, level + 0.12 + 0.03 * 0.25, 1e-12);
    finds_again(&xodr, -2.4, 3.4);
    xodr_free(&xodr);
}

/* a crown: two straight slopes at s 0, none at s 50, in between linear over s */
static void has_shapes(void **state)
{
    static const char text[] =
        FILE_OF(ROAD(STRAIGHT("100"),
                     "<lateralProfile><shape s='0' t='-4' a='0.1' b='0.02' c='0' d='0'/>"
                     "<shape s='0' t='0' a='0.18' b='-0.03' c='0' d='0'/>"
                     "<shape s='50' t='-4' a='0' b='0' c='0' d='0'/></lateralProfile>",
                     TWO_LANES));
    struct xodr xodr = read_good(text);

    (void)state;
    is_near(place_of(&xodr, 0, -2).z, 0.14, 1e-12);
    is_near(place_of(&xodr, 0, 2).z, 0.12, 1e-12);
    is_near(place_of(&xodr, 25, 2).z, 0.06, 1e-12);
    is_near(place_of(&xodr, 75, 2).z, 0, 1e-12);
    finds_again(&xodr, -4, 3);
    xodr_free(&xodr);
}

/* ---- surfaces ---- */

/* a ring of two half circles, whose numbers are rounded to a millimetre, has no holes */
static void has_no_holes(void **state)
{
    static const char text[] =
        FILE_OF(ROAD("<geometry s='0' x='0' y='0' hdg='0' length='62.832'>"
                     "<arc curvature='0.05'/></geometry>"
                     "<geometry s='62.832' x='0' y='40' hdg='3.142' length='62.832'>"
                     "<arc curvature='0.05'/></geometry>",
                     "", TWO_LANES));
    struct xodr xodr = read_good(text);
    struct xodr_surface *surface = xodr_surface_new(&xodr, 0, NAN);
    struct lk_road_patch patch = {.origin = {-25, -5}, .step = {0.7501, 0.7501}, .n = {67, 67}};
    double z[67 * 67];

    (void)state;
    assert_non_null(surface);
    assert_true(xodr_surface_patch(surface, &patch, z));
    for (int i = 0; i < 67 * 67; i++) {
        double x = -25 + 0.7501 * (i % 67), y = -25 + 0.7501 * (i / 67), r = hypot(x, y);

        if (r > 17.02 && r < 23.98 && isnan(z[i]))
            fail_msg("a hole at %g %g", x, y);
        if ((r < 16.9 || r > 24.1) && !isnan(z[i]))
            fail_msg("a road at %g %g", x, y);
    }
    xodr_surface_free(surface);
    xodr_free(&xodr);
}

/* one road on a bridge over another: both are counted where they meet, and the nearer line wins; a
 * margin never wins over a road */
static void tells_of_crossings(void **state)
{
    static const char text[] = FILE_OF(
        ROAD("<geometry s='0' x='0' y='0' hdg='0' length='100'><line/></geometry>", "", TWO_LANES)
            ROAD("<geometry s='0' x='50' y='-50' hdg='1.5707963267948966' length='100'><line/>"
                 "</geometry>",
                 "<elevationProfile><elevation s='0' a='6' b='0' c='0' d='0'/></elevationProfile>",
                 TWO_LANES));
    struct xodr xodr = read_good(text);
    struct xodr_surface *surface = xodr_surface_new(&xodr, 2, NAN);
    double place[2];

    (void)state;
    assert_non_null(surface);
    is_near(height_at(surface, 20, 0), 0, 0);
    assert_int_equal(xodr_surface_crossings(surface, place), 0);
    is_near(height_at(surface, 52, 1), 0, 0);
    is_near(height_at(surface, 51, 2), 6, 0);
    assert_int_equal(xodr_surface_crossings(surface, place), 2);
    is_near(place[0], 52, 0);
    is_near(height_at(surface, 52, -5), 6, 0); /* 1 m beyond the first road */
    is_near(height_at(surface, 40, -5.5), 0, 0);
    assert_true(isnan(height_at(surface, 40, -6.1)));
    is_near(height_at(surface, -1.5, 1), 0, 0); /* before its start */
    assert_true(isnan(height_at(surface, -2.1, 1)));
    xodr_surface_free(surface);
    xodr_free(&xodr);
}

/* margins go over into level ground, which is everywhere else */
static void lies_on_level_ground(void **state)
{
    static const char text[] = FILE_OF(
        ROAD("<geometry s='0' x='0' y='0' hdg='0' length='100'><line/></geometry>",
             "<elevationProfile><elevation s='0' a='2' b='0' c='0' d='0'/></elevationProfile>",
             TWO_LANES));
    struct xodr xodr = read_good(text);
    struct xodr_surface *surface = xodr_surface_new(&xodr, 10, -1);

    (void)state;
    assert_non_null(surface);
    is_near(height_at(surface, 50, 2.9), 2, 0);
    is_near(height_at(surface, 50, 3 + 5), 0.5, 1e-9);
    is_near(height_at(surface, 50, 3 + 2.5), 2 - 3 * 0.15625, 1e-9);
    is_near(height_at(surface, 50, 14), -1, 0);
    is_near(height_at(surface, 1e4, -1e4), -1, 0);
    xodr_surface_free(surface);
    xodr_free(&xodr);
}

/* lanes with friction give the cells of the grid theirs, the others 1 */
static void has_friction_of_lanes(void **state)
{
    struct xodr xodr = read_good(section);
    struct xodr_surface *surface = xodr_surface_new(&xodr, 0, NAN);
    struct lk_road_grid like = {
        .origin = {0, 10}, .step = {0.25, 0.25}, .cells = {450, 320}, .quantum = 1e-8};
    struct lk_road_file road, back;
    struct lk_road_point *line;
    struct lk_road_height h;
    struct lk_error error;
    struct xodr_place p;
    int n = xodr_lines(&xodr, &line);
    size_t size;
    void *bytes;

    (void)state;
    assert_true(n > 4 * 50 && isnan(line[0].at[0]) && !isnan(line[1].at[0]));
    assert_int_equal(lk_road_file_fill(&like, xodr_surface_patch, surface, &road, &error), 0);
    assert_int_equal(lk_road_file_rub(&road, xodr_surface_frictions, surface), 0);
    assert_int_equal(lk_road_file_bytes(&road.grid, n, line, &bytes, &size), 0);
    assert_int_equal(lk_road_file_take(bytes, size, &back, &error), 0);
    assert_int_equal(back.n_points, n);
    assert_memory_equal(back.line, line, (size_t)n * sizeof(*line));
    for (int i = 0; i < 100; i++) {
        double s = 5 + 90 * fmod(i * 0.618034, 1), t = fmod(i * 0.7548777, 1);
        double wanted;

        p = place_of(&xodr, s, i % 2 == 0 ? 1.8 + t : -t);
        wanted = i % 2 != 0 ? 1 : s < 19 ? 0.9 : 0.3;
        if (fabs(s - 20) < 1)
            continue;
        assert_true(lk_road_grid_at(&back.grid, (const double[]){p.x, p.y}, &h));
        is_near(h.grip, wanted, 1e-12);
        is_near(h.z, p.z, 1e-6);
    }
    free(bytes);
    free(line);
    lk_road_file_free(&road);
    lk_road_file_free(&back);
    xodr_surface_free(surface);
    xodr_free(&xodr);
}

/* ---- OpenCRG on a road ---- */

#define GRID                                                                                       \
    "$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 1\nLONG_SECTION_V_INCREMENT = 1\n"                      \
    "LONG_SECTION_V_RIGHT = -1\nLONG_SECTION_V_LEFT = 1\n$\n$KD_DEFINITION\n#:LRFI\n"              \
    "D:long section 1,m\nD:long section 2,m\nD:long section 3,m\n$\n$$$$\n"                        \
    " 0.0000000 0.0100000 0.0200000\n 0.1000000 0.1100000 0.1200000\n"                             \
    " 0.2000000 0.2100000 0.2200000\n"

/* return the height at (s, t) of a road with a grid from s 10 to 12, its attributes @how */
static double height_with(const char *folder, const char *how, double s, double t)
{
    char text[2048], path[256];
    struct xodr xodr;
    double z;

    snprintf(text, sizeof(text),
             FILE_OF(ROAD(STRAIGHT("100"),
                          "<elevationProfile><elevation s='0' a='3' b='0' c='0' d='0'/>"
                          "</elevationProfile><surface><CRG file='bump.crg' sStart='10' sEnd='12' "
                          "%s/></surface>",
                          TWO_LANES)),
             how);
    snprintf(path, sizeof(path), "%s/roads.xodr", folder);
    xodr = read_noted(path, text, no_notes);
    z = place_of(&xodr, s, t).z;
    xodr_free(&xodr);
    return z;
}

static void lays_grids_on_roads(void **state)
{
    char folder[] = "/tmp/test-xodr-XXXXXX", path[256];
    FILE *file;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/bump.crg", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(GRID, file);
    assert_int_equal(fclose(file), 0);
    is_near(height_with(folder, "mode='attached' orientation='same'", 11.5, 0.5), 3.165, 1e-6);
    is_near(height_with(folder, "mode='attached' orientation='opposite'", 11.5, 0.5), 3.055, 1e-6);
    is_near(height_with(folder, "mode='attached0' zScale='2' zOffset='0.5'", 11.5, 0.5), 0.83,
            1e-6);
    is_near(height_with(folder, "mode='attached' sOffset='0.5' tOffset='-1'", 11.5, -0.5), 3.115,
            1e-6);
    is_near(height_with(folder, "mode='attached'", 11.5, 1.5), 3, 0); /* beside it */
    is_near(height_with(folder, "mode='attached'", 12.5, 0.5), 3, 0); /* after it */
    unlink(path);
    rmdir(folder);
}

/* ---- mistakes ---- */

#define ON(line)        FILE_OF(ROAD(line, "", TWO_LANES))
#define GEOMETRY(curve) ON("<geometry s='0' x='0' y='0' hdg='0' length='10'>" curve "</geometry>")

static const struct {
    const char *text;
    const char *wanted;
} mistakes[] = {
    {"<OpenDRIVE>", "not XML: Premature end of data in tag OpenDRIVE line 1"},
    {"<robot/>", "the file is <robot>, expected <OpenDRIVE>"},
    {"<OpenDRIVE/>", "there is no <road>"},
    {FILE_OF("<road id='3'/>"), "road '3' has no line, expected <planView> with <geometry>"},
    {FILE_OF(ROAD(STRAIGHT("10"), "", "<lanes/>")),
     "road '7' has no lanes, expected <lanes> with <laneSection>"},
    {GEOMETRY("<poly3 a='0' b='0' c='0' d='0'/>"),
     "<geometry> has the curve <poly3>, expected line, arc, spiral or paramPoly3"},
    {GEOMETRY(""), "<geometry> has the curve <none>, expected line, arc, spiral or paramPoly3"},
    {GEOMETRY("<arc/>"), "<arc> has no 'curvature', expected a number"},
    {GEOMETRY("<arc curvature='x'/>"), "'curvature' of <arc> is 'x', expected a number within 1e9"},
    {GEOMETRY("<arc curvature='nan'/>"),
     "'curvature' of <arc> is 'nan', expected a number within 1e9"},
    {GEOMETRY("<arc curvature='20'/>"), "the curvature is 20 1/m, expected at most 10"},
    {ON(STRAIGHT("-1")), "a piece is -1 m long, expected a length above 0"},
    {ON(STRAIGHT("2e6")), "the roads are longer than 1e+06 m"},
    {ON("<geometry s='0' x='0' y='0' hdg='0' length='1000'><arc curvature='2'/></geometry>"),
     "the line turns by 2000 rad, expected at most 1000"},
    {FILE_OF(ROAD(STRAIGHT("10"),
                  "<elevationProfile><elevation s='5' a='0' b='0' c='0' d='0'/>"
                  "<elevation s='4' a='0' b='0' c='0' d='0'/></elevationProfile>",
                  TWO_LANES)),
     "'s' of <elevation> is 4 after 5, expected rising values"},
    {FILE_OF(
         ROAD(STRAIGHT("10"), "<lateralProfile><crossfall s='0'/></lateralProfile>", TWO_LANES)),
     "<crossfall> of OpenDRIVE 1.4 is not read, expected <shape>"},
    {FILE_OF(ROAD(STRAIGHT("10"), "",
                  "<lanes><laneSection s='0'><left>" LANE(
                      "-1", WIDTH("3")) "</left></laneSection></lanes>")),
     "the lane -1 is on the left, expected a whole number above 0 there"},
    {FILE_OF(ROAD(
         STRAIGHT("10"), "",
         "<lanes><laneSection s='0'><left>" LANE(
             "1",
             WIDTH("3") "<material sOffset='0' friction='-1'/>") "</left></laneSection></lanes>")),
     "the friction of <material> is -1, expected 0 to 2.5"},
    {FILE_OF(ROAD(STRAIGHT("10"),
                  "<surface><CRG file='a.crg' sStart='0' sEnd='1' mode='genuine'/>"
                  "</surface>",
                  TWO_LANES)),
     "the mode of <CRG> is 'genuine', expected 'attached' or 'attached0'; convert a file with a "
     "place of its own by itself"},
    {FILE_OF(ROAD(STRAIGHT("10"),
                  "<surface><CRG file='a.crg' sStart='0' sEnd='1' mode='attached'/>"
                  "</surface>",
                  TWO_LANES)),
     "'nowhere/a.crg': No such file or directory"},
    {ON("<geometry s='0' x='0' y='0' hdg='0' length='10'><line/></geometry>"
        "<geometry s='10' x='10' y='0.5' hdg='0.1' length='10'><line/></geometry>"),
     "road '7': this piece begins 0.5 m from the end of the one before, turned by 0.1 rad"},
};

static void tells_mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
        struct xodr xodr = read_noted("nowhere/roads.xodr", mistakes[i].text, mistakes[i].wanted);

        xodr_free(&xodr);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_values_of_esmini), cmocka_unit_test(follows_spirals),
        cmocka_unit_test(follows_cubics),       cmocka_unit_test(has_lanes_of_all_kinds),
        cmocka_unit_test(has_shapes),           cmocka_unit_test(has_no_holes),
        cmocka_unit_test(tells_of_crossings),   cmocka_unit_test(has_friction_of_lanes),
        cmocka_unit_test(lies_on_level_ground), cmocka_unit_test(lays_grids_on_roads),
        cmocka_unit_test(tells_mistakes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
