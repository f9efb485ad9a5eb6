/* SPDX-License-Identifier: Apache-2.0 */
/* What the hot loops of a step are written with.
 *
 * They are vectorised by hand, four bodies or four rows side by side, and built without automatic
 * vectorisation (core/step/meson.build): a compiler that packs the small vectors of rigid bodies on
 * its own reads with one wide load what narrow stores have just written, and the processor then
 * waits for the stores. Measured on a chain of 128 links, that costs a fifth of the step. */
#ifndef LK_MATHS_HOT_H
#define LK_MATHS_HOT_H

/* for the small functions that hot ones are made of; under sanitizers, whose checks would be
 * inlined with them thousands of times, they are functions */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LK_INLINE static inline __attribute__((unused))
#else
#define LK_INLINE static inline __attribute__((always_inline))
#endif

#define LK_APART __attribute__((noinline, noclone)) /* large instances: slow to compile in one */

/* four doubles that are computed side by side; the compiler splits them where the processor has
 * narrower registers */
typedef double lk_four __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long lk_four_mask __attribute__((vector_size(32), aligned(8), may_alias));

#endif
