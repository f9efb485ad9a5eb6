/* SPDX-License-Identifier: Apache-2.0 */
/* The version that programs print. It is in no library, which would be another file with every
 * commit. */
#ifndef LINKAGE_COMMIT_H
#define LINKAGE_COMMIT_H

/** lk_version_text() - "0.2.0 (commit 1a2b3c4d5e6f)", "+" behind the commit of sources that were
 * changed; the version alone where the commit is not known. Static text. Thread: any. */
const char *lk_version_text(void);

#endif
