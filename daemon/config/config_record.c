/* SPDX-License-Identifier: Apache-2.0 */
/* Section `record`. */
#include "config_read.h"

#define CHUNK_MIN (64.0 * 1024)
#define CHUNK_MAX (64.0 * 1024 * 1024)
/* Minimum size of a file: room for its header and one chunk. */
#define SIZE_MIN (256.0 * 1024)

/* Read a number of bytes: a whole number, which may be written as 1e9. */
static int read_max_size(struct lk_node node, struct lkd_record_config *record,
                         struct lk_error *error)
{
    double size = (double)record->max_size;
    int r = lk_node_read_number_or(node, "max_size", &size, error);

    if (r == 0 && size != 0 && !(size >= SIZE_MIN && size <= 1e18))
        return lk_node_refuse(lk_node_get(node, "max_size"), error,
                              "a size of %g bytes, expected %g and more, or 0 for no limit", size,
                              SIZE_MIN);
    record->max_size = (uint64_t)size;
    return r;
}

int lkd_config_record(struct lk_node root, const char *path, struct lkd_config *config,
                      struct lk_error *error)
{
    static const char *const keys[] = {"directory", "autostart", "chunk",    "flush",
                                       "io",        "sync",      "max_size", NULL};
    static const char *const ios[] = {"auto", "uring", "pwrite", NULL};
    struct lkd_record_config *record = &config->record;
    double chunk = (double)record->chunk, flush = (double)record->flush_ns * 1e-9;
    int io = (int)record->io, r;
    struct lk_node node;

    r = lkd_config_section(root, "record", keys, &node, error);
    if (lk_node_kind(node) != LK_NODE_MAP)
        return r;
    r = lk_also(r, lkd_config_path(node, "directory", path, record->directory, error));
    r = lk_also(r, lk_node_read_bool_or(node, "autostart", &record->autostart, error));
    r = lk_also(r, lkd_config_between(node, "chunk", CHUNK_MIN, CHUNK_MAX, &chunk, error));
    r = lk_also(r, lkd_config_between(node, "flush", 0.01, 60, &flush, error));
    r = lk_also(r, lkd_config_choice_or(node, "io", ios, &io, error));
    r = lk_also(r, lk_node_read_bool_or(node, "sync", &record->sync, error));
    r = lk_also(r, read_max_size(node, record, error));
    if (r)
        return r;
    record->chunk = (size_t)chunk;
    record->flush_ns = (int64_t)(flush * 1e9);
    record->io = (enum lkd_record_io)io;
    if (record->autostart && !*record->directory)
        return lk_node_refuse(lk_node_get(node, "autostart"), error,
                              "autostart without a folder, expected the key directory");
    return 0;
}
