/* SPDX-License-Identifier: Apache-2.0 */
#include "linkage/build.h"
#include <stdio.h>
#ifdef LK_BUILD_ID_HEADER /* of a core for another processor, beside the first */
#include LK_BUILD_ID_HEADER
#else
#include "build-id.h"
#endif
#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

const char *lk_build_id(void)
{
    return LK_BUILD_ID;
}

const char *lk_build_compiler(void)
{
    return LK_BUILD_COMPILER;
}

const char *lk_build_flags(void)
{
    return LK_BUILD_FLAGS;
}

const char *lk_build_libm(void)
{
#if defined(__GLIBC__)
    static char text[32];

    if (text[0] == '\0')
        snprintf(text, sizeof(text), "glibc %s", gnu_get_libc_version());
    return text;
#else
    return "unknown";
#endif
}
