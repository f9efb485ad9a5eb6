/* SPDX-License-Identifier: Apache-2.0 */
/* Types and attributes for the hot loops of a step.
 *
 * These loops are vectorised by hand, four bodies or four rows side by side, and built without
 * automatic vectorisation (core/step/meson.build): if the compiler packs 3-vectors by itself, one
 * wide load reads values that several narrow stores have just written, so store-to-load forwarding
 * fails. Measured on a chain of 128 links, this costs a fifth of the step. */
#ifndef LK_MATHS_HOT_H
#define LK_MATHS_HOT_H

/* attribute of the small functions of the hot path. These functions are not forced inline under
 * sanitizers, because the checks would be inlined with them thousands of times; clang uses
 * different names */
#ifdef __has_feature
#define LK_HAS_SANITIZER __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#else
#define LK_HAS_SANITIZER 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || LK_HAS_SANITIZER
#define LK_INLINE static inline __attribute__((unused))
#else
#define LK_INLINE static inline __attribute__((always_inline))
#endif

#define LK_APART __attribute__((noinline, noclone)) /* separate functions compile faster */

/* four doubles side by side; the compiler splits them where registers are narrower */
typedef double lk_four __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long lk_four_mask __attribute__((vector_size(32), aligned(8), may_alias));

/* The part of four doubles that fits into one register. Sums in loops, and their factors, use this
 * type. If a vector is wider than a register and lives beyond a basic block, gcc 12 keeps it in
 * memory. Then a scalar is stored lane by lane, and the next load waits for these stores. */
#ifndef LK_PART /* a test compiles the other width */
#ifdef __AVX__
#define LK_PART 4
#else
#define LK_PART 2
#endif
#endif
#define LK_PARTS (4 / LK_PART) /* number of parts of a lk_four */
typedef double lk_part __attribute__((vector_size(8 * LK_PART), aligned(8), may_alias));

/* the part that begins at row @r (0 or LK_PART) of a vector of four rows; the last row is 0 */
#if LK_PART == 4
#define LK_THREE(a, b, c, r) ((void)(r), (lk_part){a, b, c, 0})
#else
#define LK_THREE(a, b, c, r) ((r) == 0 ? (lk_part){a, b} : (lk_part){c, 0})
#endif

#endif
