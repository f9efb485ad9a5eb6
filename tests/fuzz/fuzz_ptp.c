/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the answer of a PTP daemon: they are ignored, or give a state that has a name. */
#include "linkage/ptp.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct lk_ptp_client client = {.fd = -1, .domain = 0, .sequence = 1};
    struct lk_ptp ptp = {.timed = false};
    bool said = lk_ptp_read(&client, data, size, &ptp);

    if (said != (ptp.timed || ptp.state != LK_PTP_UNKNOWN) ||
        (ptp.state != LK_PTP_UNKNOWN && strcmp(lk_ptp_state_name(ptp.state), "UNKNOWN") == 0))
        abort();
    return 0;
}
