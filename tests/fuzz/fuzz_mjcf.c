/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as MJCF. Each input needs a separate process, in which MuJoCo reads it. */
#include "any_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    import_any(data, size);
    return 0;
}
