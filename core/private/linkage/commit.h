/* SPDX-License-Identifier: Apache-2.0 */
/* The version that programs print. It is not in a library, because the library would then change
 * with every commit. */
#ifndef LINKAGE_COMMIT_H
#define LINKAGE_COMMIT_H

/** lk_version_text() - return the version, "0.2.0 (commit 1a2b3c4d5e6f)". A "+" follows the commit
 * if the sources were changed. If the commit is unknown, return the version only. Static text.
 * Thread: any. */
const char *lk_version_text(void);

#endif
