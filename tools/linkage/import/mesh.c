/* SPDX-License-Identifier: Apache-2.0 */
/* Bounding boxes of mesh files: STL, binary (80 bytes of header, a count, 50 bytes per triangle: a
 * normal, three corners, an attribute; little-endian) or text (lines "vertex x y z"), and OBJ
 * (lines "v x y z"). */
#include "import.h"

#include "linkage/file.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define HEAD     84 /* bytes before the first triangle */
#define TRIANGLE 50 /* bytes of a triangle */
#define FOLDERS                                                                                    \
    16 /* largest number of folders above the model in which a package is looked for               \
        */
#define PATH_SIZE 4096

struct bounds {
    bool any, is_finite;
    double low[3], high[3];
};

static void add_vertex(struct bounds *b, const double p[3])
{
    b->any = true;
    for (int i = 0; i < 3; i++) {
        b->is_finite &= fabs(p[i]) <= FLT_MAX;
        b->low[i] = fmin(b->low[i], p[i]);
        b->high[i] = fmax(b->high[i], p[i]);
    }
}

static uint32_t little_endian(const char *at)
{
    const unsigned char *byte = (const unsigned char *)at;

    return byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
}

/* Return true if the count of triangles agrees with the size. A text would need a matching count in
 * its characters 81 to 84. */
static bool is_binary(const char *text, size_t size)
{
    return size > HEAD && size == HEAD + (uint64_t)TRIANGLE * little_endian(text + HEAD - 4);
}

static void read_binary(const char *text, size_t size, struct bounds *b)
{
    for (size_t at = HEAD; at + TRIANGLE <= size; at += TRIANGLE)
        for (int corner = 1; corner <= 3; corner++) {
            double p[3];

            for (int i = 0; i < 3; i++) {
                uint32_t bits = little_endian(text + at + 12 * corner + 4 * i);
                float value;

                memcpy(&value, &bits, sizeof(value));
                p[i] = (double)value;
            }
            add_vertex(b, p);
        }
}

/* Read three numbers on a line. */
static bool read_vertex(const char *at, double ret[3])
{
    for (int i = 0; i < 3; i++) {
        char *end;

        ret[i] = strtod(at, &end);
        if (end == at)
            return false;
        at = end;
    }
    return true;
}

static void read_text(const char *text, const char *keyword, struct bounds *b)
{
    size_t length = strlen(keyword);
    double p[3];

    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += strspn(line, " \t\r\n");
        if (strncmp(line, keyword, length) == 0 && strchr(" \t", line[length]) != NULL &&
            line[length] != '\0' && read_vertex(line + length, p))
            add_vertex(b, p);
    }
}

bool mesh_bounds(const char *text, size_t size, bool is_obj, double ret_low[3], double ret_high[3])
{
    struct bounds b = {.is_finite = true,
                       .low = {INFINITY, INFINITY, INFINITY},
                       .high = {-INFINITY, -INFINITY, -INFINITY}};

    if (is_obj)
        read_text(text, "v", &b);
    else if (is_binary(text, size))
        read_binary(text, size, &b);
    else
        read_text(text, "vertex", &b);
    if (!b.any || !b.is_finite)
        return false;
    memcpy(ret_low, b.low, sizeof(b.low));
    memcpy(ret_high, b.high, sizeof(b.high));
    return true;
}

/* ---- files ---- */

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);

    return n >= m && strcasecmp(name + n - m, end) == 0;
}

static bool read_file(const char *path, double ret_low[3], double ret_high[3])
{
    bool is_obj = ends_with(path, ".obj"), good;
    size_t size;
    char *text;

    if ((!is_obj && !ends_with(path, ".stl")) ||
        lk_file_read(path, IMPORT_SIZE_MAX, &text, &size) != 0)
        return false;
    good = mesh_bounds(text, size, is_obj, ret_low, ret_high);
    free(text);
    return good;
}

/* Try "FOLDER/../../NAME" with more and more "..". @rest: name inside of the package */
static bool find_in_package(const char *folder, const char *name, const char *rest,
                            double ret_low[3], double ret_high[3])
{
    char above[4 * FOLDERS] = "", path[PATH_SIZE];

    for (int i = 0; i < FOLDERS; i++) {
        const char *const tails[] = {name, rest};

        for (int k = 0; k < 2; k++) {
            int n = snprintf(path, sizeof(path), "%s/%s%s", folder, above, tails[k]);

            if (n < PATH_SIZE && read_file(path, ret_low, ret_high))
                return true;
        }
        strcat(above, "../");
    }
    return false;
}

bool mesh_read_bounds(const char *path, const char *name, double ret_low[3], double ret_high[3])
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_SIZE], joined[PATH_SIZE];
    int n = slash != NULL ? (int)(slash - path) : 1;

    if (n >= PATH_SIZE)
        return false;
    snprintf(folder, sizeof(folder), "%.*s", n, slash != NULL ? path : ".");
    for (int i = 0; i < 2; i++) {
        static const char *const schemes[] = {"package://", "model://"};
        size_t length = strlen(schemes[i]);

        if (strncmp(name, schemes[i], length) == 0) {
            const char *rest = strchr(name + length, '/');

            return rest != NULL &&
                   find_in_package(folder, name + length, rest + 1, ret_low, ret_high);
        }
    }
    if (strncmp(name, "file://", 7) == 0)
        name += 7;
    if (name[0] == '/')
        return read_file(name, ret_low, ret_high);
    n = snprintf(joined, sizeof(joined), "%s/%s", folder, name);
    return n < PATH_SIZE && read_file(joined, ret_low, ret_high);
}
