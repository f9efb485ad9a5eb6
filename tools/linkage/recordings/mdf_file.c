/* SPDX-License-Identifier: Apache-2.0 */
/* After ASAM MDF 4.1: a file is a net of blocks. A block has four letters, its length, its links
 * (positions of other blocks in the file, 0: none), and data. Here
 *
 *     ID  HD -> FH                       head, and who wrote the file
 *          `-> DG -> CG -> CN -> CN ...  one group of channels; each -> TX: name, unit
 *               `-> HL -> DL -> DZ ...   records of doubles, in parts that zlib has compressed
 * after a transposition, which puts equal bytes of values together
 *
 * The image of the file is made in memory, little-endian. Written by hand: no library of Debian
 * writes MDF. */
#include "mdf_file.h"
#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are copied as they are");

#define PART_SIZE (1u << 20) /* bytes of records in a part, at most, if a record is smaller */
#define HEAD      24         /* bytes of a block before its links */
#define VERSION   410
#define FLOAT     4 /* IEEE 754, little-endian */

/** struct bytes - memory that grows. @lost: out of memory */
struct bytes {
    unsigned char *data;
    size_t size;
    size_t room;
    bool lost;
};

/** struct mdf - @image: the file so far, from its start
 * @part: rows that are not in the image yet, @n_part of at most @part_rows
 * @block: positions of the @n_blocks parts in the file
 * @name, @unit: positions of texts */
struct mdf {
    size_t n;
    size_t time;
    uint64_t start_ns;
    uint64_t n_rows;
    struct bytes image;
    double *part;
    size_t n_part;
    size_t part_rows;
    uint64_t *block;
    size_t n_blocks;
    uint64_t *name;
    uint64_t *unit;
    uint64_t group;
};

/* ---- blocks ---- */

static void add(struct bytes *to, const void *data, size_t size)
{
    if (to->size + size > to->room) {
        size_t room = 2 * (to->size + size) + 4096;
        unsigned char *more = realloc(to->data, room);

        to->lost |= more == NULL;
        if (more == NULL)
            return;
        to->data = more;
        to->room = room;
    }
    if (size > 0)
        memcpy(to->data + to->size, data, size);
    to->size += size;
}

/* Append a block, at a multiple of 8 bytes. Return: its position */
static uint64_t add_block(struct bytes *to, const char *letters, size_t n_links,
                          const uint64_t *links, size_t size, const void *data)
{
    static const char none[8] = {0};
    const uint64_t numbers[2] = {HEAD + 8 * n_links + size, n_links};
    uint64_t at;

    add(to, none, (8 - to->size % 8) % 8);
    at = to->size;
    add(to, "##", 2);
    add(to, letters, 2);
    add(to, none, 4);
    add(to, numbers, sizeof(numbers));
    add(to, links, 8 * n_links);
    add(to, data, size);
    return at;
}

static uint64_t add_text(struct bytes *to, const char *letters, const char *text)
{
    return *text != '\0' ? add_block(to, letters, 0, NULL, strlen(text) + 1, text) : 0;
}

/* set link @i of the block at @at */
static void set_link(struct bytes *image, uint64_t at, size_t i, uint64_t link)
{
    if (!image->lost)
        memcpy(image->data + at + HEAD + 8 * i, &link, sizeof(link));
}

/* ---- the table ---- */

struct mdf *mdf_new(size_t n, size_t time, const char *group)
{
    struct mdf *m = calloc(1, sizeof(*m));
    static const unsigned char none[64] = {0};

    if (m == NULL)
        return NULL;
    m->n = n;
    m->time = time;
    m->part_rows = PART_SIZE / (n * sizeof(double)) + 1;
    m->part = calloc(m->part_rows * n, sizeof(double));
    m->name = calloc(n, sizeof(*m->name));
    m->unit = calloc(n, sizeof(*m->unit));
    add(&m->image, none, sizeof(none)); /* ID */
    add_block(&m->image, "HD", 6, (const uint64_t[6]){0}, 32, none);
    m->group = add_text(&m->image, "TX", group);
    if (m->part == NULL || m->name == NULL || m->unit == NULL || m->image.lost) {
        mdf_free(m);
        return NULL;
    }
    return m;
}

void mdf_free(struct mdf *m)
{
    if (m == NULL)
        return;
    free(m->image.data);
    free(m->part);
    free(m->block);
    free(m->name);
    free(m->unit);
    free(m);
}

bool mdf_name(struct mdf *m, size_t column, const char *name, const char *unit)
{
    m->name[column] = add_text(&m->image, "TX", name);
    m->unit[column] = add_text(&m->image, "TX", unit);
    return !m->image.lost;
}

/* Transpose the bytes of @n records of @size bytes: first byte 0 of all records, and so on. */
static void transpose(const unsigned char *from, size_t n, size_t size, unsigned char *to)
{
    for (size_t k = 0; k < size; k++)
        for (size_t i = 0; i < n; i++)
            *to++ = from[i * size + k];
}

/* append the block of a compressed part */
static void add_part(struct mdf *m, const unsigned char *packed, uLong packed_size,
                     size_t record_size, size_t size)
{
    struct bytes data = {.size = 0};
    const uint32_t record = (uint32_t)record_size;
    const uint64_t sizes[2] = {size, packed_size};

    add(&data, (const char[4]){'D', 'T', 1, 0}, 4);
    add(&data, &record, sizeof(record));
    add(&data, sizes, sizeof(sizes));
    add(&data, packed, packed_size);
    m->block[m->n_blocks++] = add_block(&m->image, "DZ", 0, NULL, data.size, data.data);
    m->image.lost |= data.lost;
    free(data.data);
}

/* Compress the rows of the part, and append them. Return: false: out of memory */
static bool end_part(struct mdf *m)
{
    size_t record = m->n * sizeof(double), size = m->n_part * record;
    uLong packed_size = compressBound((uLong)size);
    unsigned char *turned = malloc(size + 1), *packed = malloc(packed_size);
    uint64_t *block = realloc(m->block, (m->n_blocks + 1) * sizeof(*block));
    bool is_good = turned != NULL && packed != NULL && block != NULL;

    m->block = block != NULL ? block : m->block;
    if (is_good) {
        transpose((const unsigned char *)m->part, m->n_part, record, turned);
        is_good =
            compress2(packed, &packed_size, turned, (uLong)size, Z_DEFAULT_COMPRESSION) == Z_OK;
    }
    if (is_good)
        add_part(m, packed, packed_size, record, size);
    free(turned);
    free(packed);
    m->n_part = 0;
    return is_good && !m->image.lost;
}

bool mdf_add_row(struct mdf *m, const double *values)
{
    memcpy(m->part + m->n_part * m->n, values, m->n * sizeof(double));
    m->n_rows++;
    return ++m->n_part < m->part_rows || end_part(m);
}

/* ---- the file ---- */

/* append the lists of the parts. Return: position of the first one */
static uint64_t add_lists(struct mdf *m)
{
    const unsigned char header[8] = {1, 0, 1}; /* of equal size; transposed and compressed */
    uint64_t *links = calloc(m->n_blocks + 1, sizeof(*links)), list, size;
    unsigned char data[16] = {1}; /* of equal size */
    uint32_t n = (uint32_t)m->n_blocks;

    m->image.lost |= links == NULL;
    if (links == NULL)
        return 0;
    memcpy(links + 1, m->block, m->n_blocks * sizeof(*links));
    size = m->part_rows * m->n * sizeof(double);
    memcpy(data + 4, &n, sizeof(n));
    memcpy(data + 8, &size, sizeof(size));
    list = add_block(&m->image, "DL", m->n_blocks + 1, links, sizeof(data), data);
    free(links);
    return add_block(&m->image, "HL", 1, &list, sizeof(header), header);
}

/* append the channels, the last one first. Return: position of the first one */
static uint64_t add_channels(struct mdf *m)
{
    uint64_t next = 0;

    for (size_t i = m->n; i-- > 0;) {
        const uint64_t links[8] = {next, 0, m->name[i], 0, 0, 0, m->unit[i], 0};
        const uint32_t offset = (uint32_t)(i * sizeof(double)), bits = 64;
        unsigned char data[72] = {i == m->time ? 2 : 0, i == m->time, FLOAT, 0};

        memcpy(data + 4, &offset, sizeof(offset));
        memcpy(data + 8, &bits, sizeof(bits));
        data[20] = 255; /* no number of digits */
        next = add_block(&m->image, "CN", 8, links, sizeof(data), data);
    }
    return next;
}

static uint64_t add_group(struct mdf *m, uint64_t data)
{
    const uint64_t channels = add_channels(m), group_links[6] = {0, channels, m->group, 0, 0, 0};
    const uint32_t record = (uint32_t)(m->n * sizeof(double));
    unsigned char numbers[32] = {0};
    uint64_t group;

    memcpy(numbers + 8, &m->n_rows, sizeof(m->n_rows));
    numbers[18] = '.'; /* between the parts of a name */
    memcpy(numbers + 24, &record, sizeof(record));
    group = add_block(&m->image, "CG", 6, group_links, sizeof(numbers), numbers);
    return add_block(&m->image, "DG", 4, (const uint64_t[4]){0, group, data, 0}, 8,
                     (const unsigned char[8]){0});
}

static uint64_t add_history(struct mdf *m)
{
    uint64_t text = add_text(&m->image, "MD",
                             "<FHcomment><TX>exported from a recording</TX>"
                             "<tool_id>linkage export</tool_id><tool_vendor>linkaged</tool_vendor>"
                             "<tool_version>1</tool_version></FHcomment>");
    unsigned char data[16] = {0};

    memcpy(data, &m->start_ns, sizeof(m->start_ns));
    return add_block(&m->image, "FH", 2, (const uint64_t[2]){0, text}, sizeof(data), data);
}

/* set what stands at the start of the file */
static void set_head(struct mdf *m, uint64_t group, uint64_t history)
{
    const uint16_t version = VERSION;
    unsigned char *id = m->image.data;

    set_link(&m->image, 64, 0, group);
    set_link(&m->image, 64, 1, history);
    if (m->image.lost)
        return;
    memcpy(id, "MDF     4.10    linkage ", 24);
    memcpy(id + 28, &version, sizeof(version));
    memcpy(id + 64 + HEAD + 6 * 8, &m->start_ns, sizeof(m->start_ns));
}

int mdf_write(struct mdf *m, const char *path, uint64_t start_ns)
{
    uint64_t history, data = 0;

    m->start_ns = start_ns;
    if (m->n_part > 0 && !end_part(m))
        return -ENOMEM;
    if (m->n_blocks > 0)
        data = add_lists(m);
    history = add_history(m);
    set_head(m, add_group(m, data), history);
    return m->image.lost ? -ENOMEM : output_write(path, "MDF     ", m->image.data, m->image.size);
}
