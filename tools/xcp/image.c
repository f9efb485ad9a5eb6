/* SPDX-License-Identifier: Apache-2.0 */
#include "image.h"
#include "linkage/hash.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "regions are little-endian");
_Static_assert(sizeof(struct xcp_rig) == 32, "no gaps: masters know its places");

static const struct {
    const char *prefix;
    uint32_t address;
} regions[XCP_REGIONS] = {
    [XCP_RIG] = {"rig", 0x2000},
    [XCP_OUTPUTS] = {"outputs", 0x100000},
    [XCP_ACTING] = {"acting", 0x200000},
    [XCP_INPUTS] = {"inputs", 0x300000},
    [XCP_PARAMETERS] = {"parameters", 0x400000},
};

/* ---- names ---- */

/* Append a part to a name, after a dot, so that the name becomes an identifier of A2L: letters,
 * digits and underscores. */
static void add_part(char *name, const char *part)
{
    size_t used = strlen(name);

    if (*part == '\0')
        return;
    if (used > 0 && used + 2 < XCP_NAME_SIZE)
        name[used++] = '.';
    if (*part >= '0' && *part <= '9' && used + 2 < XCP_NAME_SIZE)
        name[used++] = '_';
    for (; *part != '\0' && used + 1 < XCP_NAME_SIZE; part++) {
        char c = *part;
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '_' || c == '.';

        name[used++] = is_plain ? c : '_';
    }
    name[used] = '\0';
}

static bool is_taken(const struct xcp_image *image, const char *name)
{
    for (int i = 0; i < image->n; i++)
        if (strcmp(image->item[i].name, name) == 0)
            return true;
    return false;
}

/* Append a number to a name that exists already. Names of a model may differ only in characters
 * that A2L does not permit. */
static void make_unique(const struct xcp_image *image, char *name)
{
    size_t length = strlen(name);

    if (length > XCP_NAME_SIZE - 8)
        length = XCP_NAME_SIZE - 8;
    for (int i = 2; is_taken(image, name); i++)
        snprintf(name + length, XCP_NAME_SIZE - length, "_%d", i);
}

/* ---- items ---- */

/* Add an item at the end of its region; the caller sets its name.
 * Return: the item; NULL: no memory, or too many items. */
static struct xcp_item *add_item(struct xcp_image *image, enum xcp_region region,
                                 enum xcp_type type)
{
    struct xcp_memory *memory = &image->region[region];
    struct xcp_item *item = image->item;
    size_t size = type == XCP_U32 ? 4 : 8;

    if (memory->size / 8 >= XCP_SCALARS_MAX)
        image->failed = true;
    if (image->failed)
        return NULL;
    if (image->n == image->room) {
        int room = image->room > 0 ? 2 * image->room : 64;

        item = realloc(image->item, (size_t)room * sizeof(*item));
        if (item == NULL) {
            image->failed = true;
            return NULL;
        }
        image->item = item;
        image->room = room;
    }
    item += image->n++;
    *item = (struct xcp_item){.region = region,
                              .type = type,
                              .place = (uint32_t)memory->size,
                              .low = -INFINITY,
                              .high = INFINITY};
    memory->size += size;
    return item;
}

static void put_unit(struct xcp_item *item, const char *unit)
{
    bool is_none = strcmp(unit, "1") == 0 || strcmp(unit, "?") == 0;

    snprintf(item->unit, sizeof(item->unit), "%s", is_none ? "" : unit);
}

static void add_rig(struct xcp_image *image)
{
    static const struct {
        enum xcp_type type;
        const char *name;
        const char *unit;
        const char *says;
    } items[] = {
        {XCP_F64, "rig.time", "s", "simulated time"},
        {XCP_U64, "rig.step", "", "steps done since the start"},
        {XCP_U64, "rig.overruns", "", "cycles that ended after the next grid point"},
        {XCP_U32, "rig.state", "", "state of the daemon"},
        {XCP_U32, "rig.flags", "",
         "1 degraded, 2 stale, 4 tripped, 8 rate-limited, 16 injected, "
         "32 lost"},
    };

    for (size_t i = 0; i < sizeof(items) / sizeof(*items); i++) {
        struct xcp_item *item = add_item(image, XCP_RIG, items[i].type);

        if (item == NULL)
            return;
        snprintf(item->name, sizeof(item->name), "%s", items[i].name);
        snprintf(item->says, sizeof(item->says), "%s", items[i].says);
        put_unit(item, items[i].unit);
    }
}

void xcp_image_begin(struct xcp_image *image, const char *title, double step_s)
{
    *image = (struct xcp_image){.step_s = step_s};
    add_part(image->title, *title != '\0' ? title : "model");
    for (char *c = image->title; *c != '\0'; c++)
        *c = *c == '.' ? '_' : *c;
    add_rig(image);
}

static void add_scalars(struct xcp_image *image, enum xcp_region region,
                        const struct xcp_channel *c)
{
    const char *prefix = c->tunable && region == XCP_INPUTS ? "parameters" : regions[region].prefix;

    for (int i = 0; i < c->n; i++) {
        char name[XCP_NAME_SIZE] = "";
        struct xcp_item *item;

        add_part(name, prefix);
        add_part(name, c->name);
        add_part(name, c->component[i]);
        make_unique(image, name);
        item = add_item(image, region, XCP_F64);
        if (item == NULL)
            return;
        memcpy(item->name, name, sizeof(name));
        snprintf(item->says, sizeof(item->says), "%s", c->says);
        put_unit(item, c->unit[i]);
        item->tunable = c->tunable;
        if (region == XCP_INPUTS) {
            item->low = c->low;
            item->high = c->high;
        }
    }
}

static void add_input(struct xcp_image *image, const struct xcp_channel *c)
{
    struct xcp_input *list =
        realloc(image->input, (size_t)(image->n_inputs + 1) * sizeof(*image->input));

    if (list == NULL) {
        image->failed = true;
        return;
    }
    image->input = list;
    list += image->n_inputs++;
    *list = (struct xcp_input){.place = (int)(image->region[XCP_INPUTS].size / 8),
                               .n = c->n,
                               .low = c->low,
                               .high = c->high};
    snprintf(list->name, sizeof(list->name), "%s", c->name);
}

void xcp_image_channel(struct xcp_image *image, enum xcp_region region, const struct xcp_channel *c)
{
    if (region == XCP_INPUTS) {
        add_input(image, c);
        add_scalars(image, XCP_ACTING, c);
    }
    add_scalars(image, region, c);
}

void xcp_image_say(char ret[XCP_SAYS_SIZE], const char *type, const char *frame)
{
    snprintf(ret, XCP_SAYS_SIZE, "%s%s%s", type, *frame != '\0' ? ", axes: " : "", frame);
}

/* ---- bytes ---- */

static int make_room(struct xcp_memory *memory)
{
    if (memory->bytes == NULL && memory->size > 0)
        memory->bytes = calloc(1, memory->size);
    return memory->bytes == NULL && memory->size > 0;
}

void xcp_image_parameter(struct xcp_image *image, const char *name, const char *unit,
                         const char *says, double low, double high, double value)
{
    const struct xcp_channel c = {
        .name = name, .n = 1, .component = (const char *const[]){""}, .unit = &unit, .says = says};
    struct xcp_memory *memory = &image->region[XCP_PARAMETERS];
    uint8_t *bytes;

    if (strchr(name, '.') != NULL)
        return;
    add_scalars(image, XCP_PARAMETERS, &c);
    if (image->failed)
        return;
    image->item[image->n - 1].low = low;
    image->item[image->n - 1].high = high;
    bytes = realloc(memory->bytes, memory->size);
    if (bytes == NULL) {
        image->failed = true;
        return;
    }
    memory->bytes = bytes;
    memcpy(bytes + memory->size - sizeof(value), &value, sizeof(value));
}

/* Compute the identifier (EPK) of the image from all content of the A2L file except the address of
 * the slave. */
static void make_epk(struct xcp_image *image)
{
    uint64_t hash = LK_HASH_BEGIN;

    for (int i = 0; i < image->n; i++) {
        const struct xcp_item *item = &image->item[i];

        hash = lk_hash(hash, item->name, strlen(item->name) + 1);
        hash = lk_hash(hash, item->unit, strlen(item->unit) + 1);
        hash = lk_hash(hash, &item->place, sizeof(item->place));
        hash = lk_hash(hash, &item->low, sizeof(item->low));
        hash = lk_hash(hash, &item->high, sizeof(item->high));
    }
    snprintf(image->epk, sizeof(image->epk), "linkage-%016" PRIx64, hash);
}

int xcp_image_end(struct xcp_image *image)
{
    bool is_big = false;
    int failed = 0;

    for (int i = 0; i < XCP_REGIONS; i++) {
        image->region[i].address = regions[i].address;
        is_big = is_big || image->region[i].size / 8 >= XCP_SCALARS_MAX;
        failed |= make_room(&image->region[i]);
    }
    if (image->failed || failed)
        return is_big ? -E2BIG : -ENOMEM;
    make_epk(image);
    return 0;
}

void xcp_image_fini(struct xcp_image *image)
{
    for (int i = 0; i < XCP_REGIONS; i++)
        free(image->region[i].bytes);
    free(image->item);
    free(image->input);
    free(image->a2l);
    *image = (struct xcp_image){0};
}

/* Return true if the @size bytes at @offset lie within a text or region of @room bytes. */
static bool fits(uint32_t offset, size_t size, size_t room)
{
    return offset <= room && size <= room - offset;
}

uint8_t *xcp_image_at(struct xcp_image *image, uint32_t address, size_t size,
                      enum xcp_region *ret_region)
{
    for (int i = 0; i < XCP_REGIONS; i++) {
        const struct xcp_memory *memory = &image->region[i];

        if (memory->size == 0 || address < memory->address ||
            !fits(address - memory->address, size, memory->size))
            continue;
        *ret_region = (enum xcp_region)i;
        return memory->bytes + (address - memory->address);
    }
    *ret_region = XCP_REGIONS;
    if (address < XCP_EPK_ADDRESS || !fits(address - XCP_EPK_ADDRESS, size, XCP_EPK_SIZE - 1))
        return NULL;
    return (uint8_t *)image->epk + (address - XCP_EPK_ADDRESS);
}

double xcp_image_value(const struct xcp_image *image, enum xcp_region region, int place)
{
    double value;

    memcpy(&value, image->region[region].bytes + 8 * (size_t)place, sizeof(value));
    return value;
}

void xcp_image_put(struct xcp_image *image, enum xcp_region region, int place, double value)
{
    memcpy(image->region[region].bytes + 8 * (size_t)place, &value, sizeof(value));
}
