/* SPDX-License-Identifier: Apache-2.0 */
/* The section `record` of the configuration. */
#ifndef LKD_REC_RECORD_CONFIG_H
#define LKD_REC_RECORD_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** enum lkd_record_io - method of writing chunks. LKD_RECORD_IO_AUTO: io_uring, or pwrite if the
 * kernel does not support io_uring. */
enum lkd_record_io { LKD_RECORD_IO_AUTO, LKD_RECORD_IO_URING, LKD_RECORD_IO_PWRITE };

/** struct lkd_record_config - settings of recordings, see doc/reference/recordings.md.
 * @directory: folder of recordings, "" for none
 * @autostart: begin a recording with every run
 * @chunk:     size of messages at which a chunk is written [bytes]
 * @flush_ns:  age at which a chunk is written
 * @sync:      each chunk is synchronised to the disk before the next one is written
 * @max_size:  limit of a file [bytes], 0: no limit */
struct lkd_record_config {
    char directory[PATH_MAX];
    bool autostart;
    size_t chunk;
    int64_t flush_ns;
    enum lkd_record_io io;
    bool sync;
    uint64_t max_size;
};

#define LKD_RECORD_CONFIG_DEFAULT                                                                  \
    {                                                                                              \
        .chunk = 1u << 20, .flush_ns = 500000000                                                   \
    }

#endif
