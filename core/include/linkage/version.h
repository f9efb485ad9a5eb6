/* SPDX-License-Identifier: Apache-2.0 */
/* The version of these headers, and the version of the library. */
#ifndef LINKAGE_VERSION_H
#define LINKAGE_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

#define LK_VERSION       "0.3.0"
#define LK_VERSION_MAJOR 0
#define LK_VERSION_MINOR 3
#define LK_VERSION_PATCH 0

/** lk_version() - return LK_VERSION of the loaded library. Thread: any. */
const char *lk_version(void);

#ifdef __cplusplus
}
#endif
#endif
