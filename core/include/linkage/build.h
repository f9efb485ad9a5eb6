/* SPDX-License-Identifier: Apache-2.0 */
/* The build of this library. The last bits of a motion depend only on the build and on the
 * engine of the system. All texts are static.  Thread: any. */
#ifndef LINKAGE_BUILD_H
#define LINKAGE_BUILD_H

#ifdef __cplusplus
extern "C" {
#endif

/** lk_build_id() - return 16 hexadecimal digits, a hash of the machine code of reader, step
 * and engines. Builds with the same machine code have the same hash, whatever the names of their
 * sources. */
const char *lk_build_id(void);
/** lk_build_compiler() - return the compiler, such as "gcc 12.2.0";  lk_build_flags() - return the
 * compiler flags that affect the bits of results. */
const char *lk_build_compiler(void);
const char *lk_build_flags(void);
/** lk_build_libm() - return the mathematics library, such as "glibc 2.36". Results depend on the
 * library, because it computes the sines with code that it chooses for the processor. */
const char *lk_build_libm(void);

#ifdef __cplusplus
}
#endif
#endif
