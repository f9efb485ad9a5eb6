/* SPDX-License-Identifier: Apache-2.0 */
/* The build of this library: together with the engine of a system, all that the last bits of a
 * motion depend on. Static texts.  Thread: any. */
#ifndef LINKAGE_BUILD_H
#define LINKAGE_BUILD_H

#ifdef __cplusplus
extern "C" {
#endif

/** lk_build_id() - 16 hexadecimal digits, a hash of the machine code of reader, step and engines:
 * two builds that compute alike have the same, whatever the names of their sources. */
const char *lk_build_id(void);
/** lk_build_compiler() - "gcc 12.2.0";  lk_build_flags() - those that bits depend on. */
const char *lk_build_compiler(void);
const char *lk_build_flags(void);
/** lk_build_libm() - "glibc 2.36": it computes the sines, by what the processor offers. */
const char *lk_build_libm(void);

#ifdef __cplusplus
}
#endif
#endif
