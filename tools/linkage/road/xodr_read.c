/* SPDX-License-Identifier: Apache-2.0 */
/* Reads OpenDRIVE files: reference lines, profiles, lanes, and the OpenCRG files of roads. What
 * does not change the surface (signals, objects, junctions, marks) is not read. */
#include "linkage/file.h"
#include "linkage/text.h"
#include "numbers.h"
#include "xml.h"
#include "xodr.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NUMBER_MAX    1e9  /* largest magnitude of a number */
#define CURVATURE_MAX 10   /* largest curvature of a line [1/m] */
#define TURN_MAX      1000 /* largest turn of a piece [rad] */
#define GAP_MAX       0.01 /* largest gap between pieces that is no warning [m] */
#define KINK_MAX      1e-3 /* largest change of heading between pieces that is no warning [rad] */

/** struct reading - @length: of all roads so far [m] */
struct reading {
    struct notes *notes;
    double length;
};

/* ---- numbers ---- */

/* Read a number. @fallback: NAN: the attribute is needed. Return: whether it is there and good, or
 * not needed. */
static bool read_number(struct reading *r, const xmlNode *node, const char *name, double fallback,
                        double *ret)
{
    char *text = xml_attribute(node, name);
    bool is_good = text != NULL && xml_parse_numbers(text, 1, ret) && fabs(*ret) <= NUMBER_MAX;

    if (text == NULL && !isnan(fallback)) {
        *ret = fallback;
        return true;
    }
    if (text == NULL)
        note(r->notes, NOTE_ERROR, xmlGetLineNo(node), "<%s> has no '%s', expected a number",
             xml_name(node), name);
    else if (!is_good)
        note(r->notes, NOTE_ERROR, xmlGetLineNo(node),
             "'%s' of <%s> is '%s', expected a number within 1e9", name, xml_name(node), text);
    xmlFree(text);
    return is_good;
}

/* read the numbers with the @names, all of them needed */
static bool read_numbers(struct reading *r, const xmlNode *node, const char *const names[],
                         double *ret)
{
    bool is_good = true;

    for (int i = 0; names[i] != NULL; i++)
        is_good = read_number(r, node, names[i], NAN, &ret[i]) && is_good;
    return is_good;
}

static bool read_flag(const xmlNode *node, const char *name)
{
    char *text = xml_attribute(node, name);
    bool is_set = text != NULL && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0);

    xmlFree(text);
    return is_set;
}

static int count(const xmlNode *node, const char *name)
{
    int n = 0;

    if (node != NULL)
        FOR_EACH_CHILD(child, node)
    n += xml_is(child, name);
    return n;
}

/* Allocate memory for the elements of a name in @node. Return: NULL after a note; also if there is
 * none. */
static void *room_for(struct reading *r, const xmlNode *node, const char *name, size_t size)
{
    int n = count(node, name);
    void *room = n > 0 ? calloc((size_t)n, size) : NULL;

    if (n > 0 && room == NULL)
        note(r->notes, NOTE_ERROR, 0, "no memory");
    return room;
}

/* Check that a list rises with @s. Return: whether it does */
static bool rises(struct reading *r, const xmlNode *node, const char *name, double before, double s)
{
    if (s >= before)
        return true;
    note(r->notes, NOTE_ERROR, xmlGetLineNo(node),
         "'%s' of <%s> is %g after %g, expected rising values", name, xml_name(node), s, before);
    return false;
}

/* ---- profiles ---- */

/* Read the cubics named @name in @node, whose @key is the place relative to @from. */
static void read_profile(struct reading *r, const xmlNode *node, const char *name, const char *key,
                         double from, struct xodr_profile *ret)
{
    static const char *const coefficients[] = {"a", "b", "c", "d", NULL};
    double before = -INFINITY;

    ret->at = room_for(r, node, name, sizeof(*ret->at));
    if (ret->at == NULL)
        return;
    FOR_EACH_CHILD(child, node)
    {
        struct xodr_cubic *c = &ret->at[ret->n];
        double s;

        if (!xml_is(child, name))
            continue;
        if (!read_number(r, child, key, NAN, &s) || !read_numbers(r, child, coefficients, c->c) ||
            !rises(r, child, key, before, s))
            return;
        c->s = from + s;
        before = s;
        ret->n++;
    }
}

static int compare_shapes(const void *a, const void *b)
{
    const struct xodr_shape *one = a, *other = b;

    if (one->s != other->s)
        return one->s < other->s ? -1 : 1;
    return (one->over_t.s > other->over_t.s) - (one->over_t.s < other->over_t.s);
}

static void read_shapes(struct reading *r, const xmlNode *node, struct xodr_road *road)
{
    static const char *const names[] = {"s", "t", "a", "b", "c", "d", NULL};

    road->shape = room_for(r, node, "shape", sizeof(*road->shape));
    if (road->shape == NULL)
        return;
    FOR_EACH_CHILD(child, node)
    {
        struct xodr_shape *shape = &road->shape[road->n_shapes];
        double value[6];

        if (!xml_is(child, "shape") || !read_numbers(r, child, names, value))
            continue;
        shape->s = value[0];
        shape->over_t.s = value[1];
        memcpy(shape->over_t.c, value + 2, sizeof(shape->over_t.c));
        road->n_shapes++;
    }
    qsort(road->shape, (size_t)road->n_shapes, sizeof(*road->shape), compare_shapes);
}

/* ---- the reference line ---- */

static bool read_param(struct reading *r, const xmlNode *node, struct xodr_piece *p)
{
    static const char *const names[] = {"aU", "bU", "cU", "dU", "aV", "bV", "cV", "dV", NULL};
    char *range = xml_attribute(node, "pRange");
    double value[8];

    p->kind = XODR_PARAM;
    p->range = range != NULL && strcmp(range, "arcLength") == 0 ? p->length : 1;
    xmlFree(range);
    if (!read_numbers(r, node, names, value))
        return false;
    memcpy(p->u, value, sizeof(p->u));
    memcpy(p->v, value + 4, sizeof(p->v));
    return true;
}

/* return the element that states the curve of a <geometry> */
static const xmlNode *curve_of(const xmlNode *node)
{
    static const char *const others[] = {"userData", "include", "dataQuality", NULL};

    FOR_EACH_CHILD(child, node)
    if (!xml_is_one_of(child, others))
        return child;
    return NULL;
}

static bool read_curve(struct reading *r, const xmlNode *node, struct xodr_piece *p)
{
    const xmlNode *curve = curve_of(node);
    double *k = p->curvature;
    bool is_good = true;

    if (curve != NULL && xml_is(curve, "line")) {
        p->kind = XODR_LINE;
    } else if (curve != NULL && xml_is(curve, "arc")) {
        p->kind = XODR_ARC;
        is_good = read_number(r, curve, "curvature", NAN, &k[0]);
        k[1] = k[0];
    } else if (curve != NULL && xml_is(curve, "spiral")) {
        p->kind = XODR_SPIRAL;
        is_good = read_numbers(r, curve, (const char *const[]){"curvStart", "curvEnd", NULL}, k);
    } else if (curve != NULL && xml_is(curve, "paramPoly3")) {
        is_good = read_param(r, curve, p);
    } else {
        note(r->notes, NOTE_ERROR, xmlGetLineNo(node),
             "<geometry> has the curve <%s>, expected line, arc, spiral or paramPoly3",
             curve != NULL ? xml_name(curve) : "none");
        return false;
    }
    if (is_good && fmax(fabs(k[0]), fabs(k[1])) > CURVATURE_MAX) {
        note(r->notes, NOTE_ERROR, xmlGetLineNo(curve),
             "the curvature is %g 1/m, expected at most %d", fmax(fabs(k[0]), fabs(k[1])),
             CURVATURE_MAX);
        return false;
    }
    if (is_good && fmax(fabs(k[0]), fabs(k[1])) * p->length > TURN_MAX) {
        note(r->notes, NOTE_ERROR, xmlGetLineNo(curve),
             "the line turns by %g rad, expected at most %d",
             fmax(fabs(k[0]), fabs(k[1])) * p->length, TURN_MAX);
        return false;
    }
    return is_good;
}

/* warn of a gap or a kink between two pieces */
static void check_join(struct reading *r, const struct xodr_road *road,
                       const struct xodr_piece *before, const struct xodr_piece *p)
{
    double end[2], tangent[2], start[2], first[2], gap, kink;

    xodr_along(before, before->length, end, tangent);
    xodr_along(p, 0, start, first);
    gap = hypot(end[0] - start[0], end[1] - start[1]);
    kink = fabs(atan2(tangent[0] * first[1] - tangent[1] * first[0],
                      tangent[0] * first[0] + tangent[1] * first[1]));
    if (gap > GAP_MAX || kink > KINK_MAX)
        note(r->notes, NOTE_WRONG, p->line,
             "road '%s': this piece begins %.3g m from the end of the one before, turned by %.3g "
             "rad",
             road->id, gap, kink);
}

static bool read_piece(struct reading *r, const xmlNode *node, struct xodr_piece *p)
{
    static const char *const names[] = {"s", "x", "y", "hdg", "length", NULL};
    double value[5];

    p->line = xmlGetLineNo(node);
    if (!read_numbers(r, node, names, value))
        return false;
    p->s = value[0];
    p->x = value[1];
    p->y = value[2];
    p->heading = fmod(value[3], 2 * M_PI);
    p->length = value[4];
    if (!(p->length > 0)) {
        note(r->notes, NOTE_ERROR, p->line, "a piece is %g m long, expected a length above 0",
             p->length);
        return false;
    }
    r->length += p->length;
    if (r->length > XODR_LENGTH_MAX) {
        note(r->notes, NOTE_ERROR, p->line, "the roads are longer than %g m", XODR_LENGTH_MAX);
        return false;
    }
    return read_curve(r, node, p);
}

static void read_line(struct reading *r, const xmlNode *node, struct xodr_road *road)
{
    road->piece = room_for(r, node, "geometry", sizeof(*road->piece));
    if (road->piece == NULL) {
        note(r->notes, NOTE_ERROR, road->line,
             "road '%s' has no line, expected <planView> with "
             "<geometry>",
             road->id);
        return;
    }
    FOR_EACH_CHILD(child, node)
    {
        struct xodr_piece *p = &road->piece[road->n_pieces];

        if (!xml_is(child, "geometry"))
            continue;
        if (!read_piece(r, child, p) ||
            !rises(r, child, "s", road->n_pieces > 0 ? p[-1].s : 0, p->s))
            return;
        if (road->n_pieces++ > 0)
            check_join(r, road, p - 1, p);
    }
    road->length = road->piece[road->n_pieces - 1].s + road->piece[road->n_pieces - 1].length;
}

/* ---- lanes ---- */

static void read_kerbs(struct reading *r, const xmlNode *node, double from, struct xodr_lane *lane)
{
    static const char *const names[] = {"sOffset", "inner", "outer", NULL};

    lane->kerb = room_for(r, node, "height", sizeof(*lane->kerb));
    FOR_EACH_CHILD(child, node)
    {
        double value[3], before;

        if (lane->kerb == NULL || !xml_is(child, "height"))
            continue;
        before = lane->n_kerbs > 0 ? lane->kerb[lane->n_kerbs - 1].s - from : 0;
        if (!read_numbers(r, child, names, value) || !rises(r, child, "sOffset", before, value[0]))
            return;
        lane->kerb[lane->n_kerbs++] = (struct xodr_kerb){from + value[0], {value[1], value[2]}};
    }
}

static void read_frictions(struct reading *r, const xmlNode *node, double from,
                           struct xodr_lane *lane)
{
    static const char *const names[] = {"sOffset", "friction", NULL};

    lane->friction = room_for(r, node, "material", sizeof(*lane->friction));
    FOR_EACH_CHILD(child, node)
    {
        double value[2], before;

        if (lane->friction == NULL || !xml_is(child, "material"))
            continue;
        before = lane->n_frictions > 0 ? lane->friction[lane->n_frictions - 1].s - from : 0;
        if (!read_numbers(r, child, names, value) || !rises(r, child, "sOffset", before, value[0]))
            return;
        if (!(value[1] >= 0 && value[1] <= 2.5)) {
            note(r->notes, NOTE_ERROR, xmlGetLineNo(child),
                 "the friction of <material> is %g, expected 0 to 2.5", value[1]);
            return;
        }
        lane->friction[lane->n_frictions++] = (struct xodr_friction){from + value[0], value[1]};
    }
}

static void read_lane(struct reading *r, const xmlNode *node, double from, struct xodr_lane *lane)
{
    lane->is_level = read_flag(node, "level");
    lane->has_border = count(node, "width") == 0 && count(node, "border") > 0;
    read_profile(r, node, lane->has_border ? "border" : "width", "sOffset", from, &lane->width);
    read_kerbs(r, node, from, lane);
    read_frictions(r, node, from, lane);
}

static int compare_lanes(const void *a, const void *b)
{
    const struct xodr_lane *one = a, *other = b;

    return (abs(one->id) > abs(other->id)) - (abs(one->id) < abs(other->id));
}

/* read the lanes of one side, and sort them from the centre outwards */
static void read_side(struct reading *r, const xmlNode *node, int side,
                      struct xodr_section *section)
{
    struct xodr_lane *lane = room_for(r, node, "lane", sizeof(*lane));
    int n = count(node, "lane");

    section->lane[side] = lane;
    if (lane == NULL)
        return;
    if (n > XODR_LANES_MAX) {
        note(r->notes, NOTE_ERROR, xmlGetLineNo(node), "<%s> has %d lanes, expected at most %d",
             xml_name(node), n, XODR_LANES_MAX);
        return;
    }
    FOR_EACH_CHILD(child, node)
    {
        double id;

        if (!xml_is(child, "lane") || !read_number(r, child, "id", NAN, &id))
            continue;
        if (id != rint(id) || fabs(id) > 1000 || (side == 0 ? id <= 0 : id >= 0)) {
            note(r->notes, NOTE_ERROR, xmlGetLineNo(child),
                 "the lane %g is on the %s, expected a whole number %s 0 there", id,
                 side == 0 ? "left" : "right", side == 0 ? "above" : "below");
            continue;
        }
        lane[section->n[side]].id = (int)id;
        read_lane(r, child, section->s, &lane[section->n[side]++]);
    }
    qsort(lane, (size_t)section->n[side], sizeof(*lane), compare_lanes);
}

static void read_lanes(struct reading *r, const xmlNode *node, struct xodr_road *road)
{
    static const char *const sides[2] = {"left", "right"};
    double before = 0;

    read_profile(r, node, "laneOffset", "s", 0, &road->lane_offset);
    road->section = room_for(r, node, "laneSection", sizeof(*road->section));
    if (road->section == NULL) {
        note(r->notes, NOTE_ERROR, road->line,
             "road '%s' has no lanes, expected <lanes> with <laneSection>", road->id);
        return;
    }
    FOR_EACH_CHILD(child, node)
    {
        struct xodr_section *section = &road->section[road->n_sections];

        if (!xml_is(child, "laneSection"))
            continue;
        if (!read_number(r, child, "s", NAN, &section->s) ||
            !rises(r, child, "s", before, section->s))
            return;
        before = section->s;
        road->n_sections++;
        for (int side = 0; side < 2; side++)
            if (xml_child(child, sides[side]) != NULL)
                read_side(r, xml_child(child, sides[side]), side, section);
    }
}

/* ---- OpenCRG ---- */

/* read the OpenCRG file @name, beside the file of roads */
static void read_grid(struct reading *r, const xmlNode *node, const char *name, struct xodr_crg *g)
{
    const char *slash = strrchr(r->notes->path, '/');
    int folder = slash != NULL && name[0] != '/' ? (int)(slash - r->notes->path) + 1 : 0, result;
    struct lk_errors errors = {.n = 0};
    char path[PATH_MAX], *bytes = NULL;
    size_t size = 0;
    double gap;

    snprintf(path, sizeof(path), "%.*s%s", folder, r->notes->path, name);
    result = lk_file_read(path, LK_CRG_SIZE_MAX, &bytes, &size);
    if (result != 0) {
        note(r->notes, NOTE_ERROR, xmlGetLineNo(node), "'%s': %s", path, lk_file_error(result));
        return;
    }
    result = lk_crg_read(path, bytes, size, &g->crg, &errors);
    free(bytes);
    for (int i = 0; i < errors.n; i++)
        note(r->notes, NOTE_ERROR, xmlGetLineNo(node), "%s", errors.line[i].text);
    if (result < 0 || (result == 0 && lk_crg_surface_new(&g->crg, 0, &g->surface, &gap) != 0))
        note(r->notes, NOTE_ERROR, xmlGetLineNo(node), "no memory");
}

/* Read how the grid of an OpenCRG file lies on its road. Modes that place it in the world, not on
 * the road, are refused. */
static bool read_placement(struct reading *r, const xmlNode *node, struct xodr_crg *g)
{
    char *mode = xml_attribute(node, "mode"), *way = xml_attribute(node, "orientation");
    bool is_good = mode != NULL && strncmp(mode, "attached", 8) == 0;

    if (!is_good)
        note(r->notes, NOTE_ERROR, xmlGetLineNo(node),
             "the mode of <CRG> is '%s', expected 'attached' or 'attached0'; convert a file with a "
             "place of its own by itself",
             mode != NULL ? mode : "");
    g->replaces = mode != NULL && strcmp(mode, "attached0") == 0;
    g->is_reverse = way != NULL && strcmp(way, "opposite") == 0;
    xmlFree(mode);
    xmlFree(way);
    is_good = read_number(r, node, "sStart", NAN, &g->from) && is_good;
    is_good = read_number(r, node, "sEnd", NAN, &g->to) && is_good;
    is_good = read_number(r, node, "sOffset", 0, &g->offset[0]) && is_good;
    is_good = read_number(r, node, "tOffset", 0, &g->offset[1]) && is_good;
    is_good = read_number(r, node, "zOffset", 0, &g->offset[2]) && is_good;
    return read_number(r, node, "zScale", 1, &g->scale) && is_good;
}

static void read_grids(struct reading *r, const xmlNode *node, struct xodr_road *road)
{
    road->crg = room_for(r, node, "CRG", sizeof(*road->crg));
    if (road->crg == NULL)
        return;
    FOR_EACH_CHILD(child, node)
    {
        struct xodr_crg *g = &road->crg[road->n_crgs];
        char *name;

        /* the place of the grid itself; another purpose is not the height */
        if (!xml_is(child, "CRG"))
            continue;
        name = xml_attribute(child, "purpose");
        if (name != NULL && strcasecmp(name, "friction") == 0) {
            note(r->notes, NOTE_WRONG, xmlGetLineNo(child),
                 "<CRG> with the purpose 'friction' has no effect; <material> of a lane has");
            xmlFree(name);
            continue;
        }
        xmlFree(name);
        name = xml_attribute(child, "file");
        road->n_crgs++;
        if (read_placement(r, child, g)) {
            if (name == NULL)
                note(r->notes, NOTE_ERROR, xmlGetLineNo(child), "<CRG> has no 'file'");
            else
                read_grid(r, child, name, g);
        }
        xmlFree(name);
    }
}

/* ---- roads ---- */

static void read_road(struct reading *r, const xmlNode *node, struct xodr_road *road)
{
    char *id = xml_attribute(node, "id");
    const xmlNode *lateral = xml_child(node, "lateralProfile");

    road->line = xmlGetLineNo(node);
    snprintf(road->id, sizeof(road->id), "%s", id != NULL ? id : "");
    lk_text_clean(road->id);
    xmlFree(id);
    read_line(r, xml_child(node, "planView"), road);
    read_profile(r, xml_child(node, "elevationProfile"), "elevation", "s", 0, &road->elevation);
    read_profile(r, lateral, "superelevation", "s", 0, &road->superelevation);
    read_shapes(r, lateral, road);
    if (count(lateral, "crossfall") > 0)
        note(r->notes, NOTE_ERROR, xmlGetLineNo(lateral),
             "<crossfall> of OpenDRIVE 1.4 is not read, expected <shape>");
    read_lanes(r, xml_child(node, "lanes"), road);
    read_grids(r, xml_child(node, "surface"), road);
}

bool xodr_read(const char *text, size_t size, struct xodr *ret, struct notes *notes)
{
    struct reading r = {.notes = notes};
    xmlDoc *doc = xml_parse(text, size, notes);
    const xmlNode *root = doc != NULL ? xmlDocGetRootElement(doc) : NULL;

    *ret = (struct xodr){.n = 0};
    if (root == NULL)
        return false;
    if (!xml_is(root, "OpenDRIVE")) {
        note(notes, NOTE_ERROR, xmlGetLineNo(root), "the file is <%s>, expected <OpenDRIVE>",
             xml_name(root));
    } else if (count(root, "road") == 0) {
        note(notes, NOTE_ERROR, xmlGetLineNo(root), "there is no <road>");
    } else {
        ret->road = room_for(&r, root, "road", sizeof(*ret->road));
        FOR_EACH_CHILD(child, root)
        if (xml_is(child, "road") && ret->road != NULL)
            read_road(&r, child, &ret->road[ret->n++]);
    }
    xmlFreeDoc(doc);
    return notes->n_errors == 0;
}

static void free_lanes(struct xodr_section *section)
{
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < section->n[side]; i++) {
            free(section->lane[side][i].width.at);
            free(section->lane[side][i].kerb);
            free(section->lane[side][i].friction);
        }
        free(section->lane[side]);
    }
}

void xodr_free(struct xodr *xodr)
{
    for (int i = 0; i < xodr->n; i++) {
        struct xodr_road *r = &xodr->road[i];

        for (int k = 0; k < r->n_sections; k++)
            free_lanes(&r->section[k]);
        for (int k = 0; k < r->n_crgs; k++) {
            lk_crg_surface_free(r->crg[k].surface);
            lk_crg_free(&r->crg[k].crg);
        }
        free(r->section);
        free(r->crg);
        free(r->piece);
        free(r->shape);
        free(r->elevation.at);
        free(r->superelevation.at);
        free(r->lane_offset.at);
    }
    free(xodr->road);
    *xodr = (struct xodr){.n = 0};
}
