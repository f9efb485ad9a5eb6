/* SPDX-License-Identifier: Apache-2.0 */
/* Writes small recordings as seeds. usage: make_recordings CHECKED UNCHECKED. In the second one
 * chunks have no CRC, so that a mutation inside a chunk reaches the code that reads messages. */
#include "mcap_file.h"

#include <stdio.h>

static int write_file(const char *path, bool crc)
{
    struct lk_mcap_buffer file;
    FILE *out = fopen(path, "wb");
    size_t n;

    if (!out)
        return 1;
    mcap_file_make(&file, crc, NULL);
    n = fwrite(file.data, 1, file.size, out);
    if (fclose(out) || n != file.size)
        return 1;
    lk_mcap_buffer_fini(&file);
    return 0;
}

int main(int argc, char *argv[])
{
    if (argc != 3)
        return 2;
    return write_file(argv[1], true) || write_file(argv[2], false);
}
