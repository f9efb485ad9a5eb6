/* SPDX-License-Identifier: Apache-2.0 */
#include "linkage/commit.h"
#include "commit-now.h"
#include "linkage/version.h"

const char *lk_version_text(void)
{
    return sizeof(LK_COMMIT) > 1 ? LK_VERSION " (commit " LK_COMMIT ")" : LK_VERSION;
}
