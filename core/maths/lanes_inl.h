/* SPDX-License-Identifier: Apache-2.0 */
/* The vector of an engine: LK_LANES doubles, `lanes_t`, and the functions of rotation_inl.h for
 * this type. Included once by each engine, on purpose without include guard. */
#include "maths/vec.h"
#if defined(__x86_64__) && (LK_LANES == 8 || LK_LANES == 4)
#include <immintrin.h>
#endif

#if LK_LANES == 1
typedef double lanes_t;
#else
typedef double lanes_t __attribute__((vector_size(8 * LK_LANES), may_alias));
typedef long long lanes_mask_t __attribute__((vector_size(8 * LK_LANES), may_alias));
#endif

/* one lane of a vector in memory */
#define LANE(vector, lane) (((double *)&(vector))[lane])

#pragma GCC diagnostic ignored "-Wpsabi"

LK_INLINE lanes_t lk_root_lanes(lanes_t x)
{
#if LK_LANES == 1
    return sqrt(x);
#elif LK_LANES == 8 && defined(__AVX512F__)
    return (lanes_t)_mm512_sqrt_pd((__m512d)x);
#elif LK_LANES == 4 && defined(__AVX__)
    return (lanes_t)_mm256_sqrt_pd((__m256d)x);
#else
    for (int l = 0; l < LK_LANES; l++)
        x[l] = sqrt(x[l]);
    return x;
#endif
}

/* return the larger of two, lane by lane; @a in lanes where @b is not a number */
LK_INLINE lanes_t lk_max_lanes(lanes_t a, lanes_t b)
{
#if LK_LANES == 1
    return b > a ? b : a;
#elif LK_LANES == 8 && defined(__AVX512F__)
    return (lanes_t)_mm512_max_pd((__m512d)b, (__m512d)a);
#elif LK_LANES == 4 && defined(__AVX__)
    return (lanes_t)_mm256_max_pd((__m256d)b, (__m256d)a);
#else
    lanes_mask_t larger = b > a;

    return (lanes_t)(((lanes_mask_t)b & larger) | ((lanes_mask_t)a & ~larger));
#endif
}

/* select @yes in the lanes whose @flag is not 0, and @no in the others */
LK_INLINE lanes_t lk_select_lanes(lanes_t flag, lanes_t yes, lanes_t no)
{
#if LK_LANES == 1
    return flag != 0 ? yes : no;
#else
    lanes_mask_t mask = flag != 0;

    return (lanes_t)(((lanes_mask_t)yes & mask) | ((lanes_mask_t)no & ~mask));
#endif
}

LK_INLINE lanes_t lk_abs_lanes(lanes_t x)
{
    return lk_max_lanes(x, -x);
}

#define LK_REAL    lanes_t
#define LK_NAME(f) lk_##f##_lanes
#include "maths/rotation_inl.h"
#undef LK_REAL
#undef LK_NAME

/* rotate() - compute r = R a. rotate_back() - compute r = R^T a. R is row-major */
LK_INLINE void rotate(const lanes_t *R, const lanes_t a[3], lanes_t r[3])
{
    for (int i = 0; i < 3; i++)
        r[i] = R[3 * i] * a[0] + R[3 * i + 1] * a[1] + R[3 * i + 2] * a[2];
}

LK_INLINE void rotate_back(const lanes_t *R, const lanes_t a[3], lanes_t r[3])
{
    for (int i = 0; i < 3; i++)
        r[i] = R[i] * a[0] + R[3 + i] * a[1] + R[6 + i] * a[2];
}

/* Compute r = w x (w x p). */
LK_INLINE void cross_twice(const lanes_t w[3], const lanes_t p[3], lanes_t r[3])
{
    lanes_t wp = lk_inner_lanes(w, p), ww = lk_inner_lanes(w, w);

    for (int i = 0; i < 3; i++)
        r[i] = w[i] * wp - p[i] * ww;
}

/* compute B = R S R^T, B and S symmetric: xx yy zz xy xz yz */
LK_INLINE void turn_symmetric(const lanes_t *R, const lanes_t *S, lanes_t *B)
{
    lanes_t RS[9];

    for (int i = 0; i < 3; i++)
        lk_sym_mul_lanes(S, R + 3 * i, RS + 3 * i);
    B[0] = lk_inner_lanes(RS, R);
    B[1] = lk_inner_lanes(RS + 3, R + 3);
    B[2] = lk_inner_lanes(RS + 6, R + 6);
    B[3] = lk_inner_lanes(RS, R + 3);
    B[4] = lk_inner_lanes(RS, R + 6);
    B[5] = lk_inner_lanes(RS + 3, R + 6);
}

/* ---- operands ---- */

LK_INLINE lanes_t *block_at(const struct lk_batches *p, int at)
{
    return (lanes_t *)p->values + at;
}

/* return @values with lane @l replaced by *@from */
LK_INLINE lanes_t with_lane(lanes_t values, int l, const double *from)
{
#if LK_LANES == 8 && defined(__AVX512F__)
    return (lanes_t)_mm512_mask_broadcastsd_pd((__m512d)values, (__mmask8)(1u << l),
                                               _mm_load_sd(from));
#else
    LANE(values, l) = *from;
    return values;
#endif
}

/** struct lanes_of_one - source lanes for a vector gathered from a single block. permute() returns
 * lanes of @one in the live lanes and @none in the other lanes */
#if LK_LANES == 8 && defined(__AVX512F__)
#define LK_PERMUTES 1
struct lanes_of_one {
    __m512i lane;
    __mmask8 live;
};

LK_INLINE struct lanes_of_one lanes_of_one(const int *lane, unsigned live)
{
    return (struct lanes_of_one){_mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i_u *)lane)),
                                 (__mmask8)live};
}

LK_INLINE lanes_t permute(struct lanes_of_one from, lanes_t none, lanes_t one)
{
    return (lanes_t)_mm512_mask_permutexvar_pd((__m512d)none, from.live, from.lane, (__m512d)one);
}
#elif LK_LANES == 4 && defined(__AVX2__)
#define LK_PERMUTES 1
struct lanes_of_one {
    __m256i half; /* indices of the halves of each lane */
    __m256d live;
};

LK_INLINE struct lanes_of_one lanes_of_one(const int *lane, unsigned live)
{
    const __m256i twice =
        _mm256_slli_epi64(_mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i_u *)lane)), 1);
    const __m256i bit = _mm256_setr_epi64x(1, 2, 4, 8);

    return (struct lanes_of_one){
        _mm256_or_si256(twice,
                        _mm256_slli_epi64(_mm256_add_epi64(twice, _mm256_set1_epi64x(1)), 32)),
        (__m256d)_mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x((int)live), bit), bit)};
}

LK_INLINE lanes_t permute(struct lanes_of_one from, lanes_t none, lanes_t one)
{
    return (lanes_t)_mm256_blendv_pd(
        (__m256d)none, (__m256d)_mm256_permutevar8x32_epi32((__m256i)one, from.half), from.live);
}
#endif

/* gather @n vectors from @k0 on, each lane from its own block */
static __attribute__((noinline)) void collect(const struct lk_batches *p, const struct lk_ref *ref,
                                              int k0, int n, lanes_t *ret)
{
    const lanes_t *none = block_at(p, ref->at + k0);
    const double *from[LK_LANES];

#if defined(LK_PERMUTES)
    if (ref->one >= 0) {
        const lanes_t *one = block_at(p, ref->one + k0);
        const struct lanes_of_one lanes = lanes_of_one(&p->map[ref->map + ref->n], ref->live);

#pragma GCC unroll 3
        for (int i = 0; i < n; i++)
            ret[i] = permute(lanes, none[i], one[i]);
        return;
    }
#endif
    for (int l = 0; l < ref->n; l++)
        from[l] = p->values + p->map[ref->map + l] + k0 * LK_LANES;
    if (ref->n == 1) {
        for (int i = 0; i < n; i++)
            ret[i] = with_lane(none[i], 0, from[0] + i * LK_LANES);
        return;
    }
    if (ref->n < LK_LANES) {
        for (int i = 0; i < n; i++) {
            lanes_t values = none[i];

            for (int l = 0; l < ref->n; l++)
                values = with_lane(values, l, from[l] + i * LK_LANES);
            ret[i] = values;
        }
        return;
    }
    for (int i = 0; i < n; i++) {
        lanes_t values = none[i];

#pragma GCC unroll 8
        for (int l = 0; l < LK_LANES; l++)
            values = with_lane(values, l, from[l] + i * LK_LANES);
        ret[i] = values;
    }
}

/* gather @n vectors from @k0 on, and @n vectors from @k1 on. The loop of collect() is
 * repeated here, because a common function costs 3 % of a step of chain-8. */
static __attribute__((noinline)) void collect_two(const struct lk_batches *p,
                                                  const struct lk_ref *ref, int k0, int k1, int n,
                                                  lanes_t *ret)
{
#if defined(LK_PERMUTES)
    if (ref->one >= 0) {
        const struct lanes_of_one lanes = lanes_of_one(&p->map[ref->map + ref->n], ref->live);
        const lanes_t *none = block_at(p, ref->at + k0), *one = block_at(p, ref->one + k0);
        int next = k1 - k0;

        for (;; none += next, one += next, ret += n, next = 0) {
#pragma GCC unroll 3
            for (int i = 0; i < n; i++)
                ret[i] = permute(lanes, none[i], one[i]);
            if (next == 0)
                return;
        }
    }
#endif
    collect(p, ref, k0, n, ret);
    collect(p, ref, k1, n, ret + n);
}

/* return @n vectors of a block from @k0 on: in place, or gathered in @buffer */
LK_INLINE const lanes_t *view(const struct lk_batches *p, const struct lk_ref *ref, int k0, int n,
                              lanes_t *buffer)
{
    if (__builtin_expect(ref->map < 0, 1))
        return block_at(p, ref->at + k0);
    collect(p, ref, k0, n, buffer);
    return buffer;
}

/* return @n vectors of a block from @k0 on, and @n separate vectors from @k1 on, as view()
 * does */
LK_INLINE void view_two(const struct lk_batches *p, const struct lk_ref *ref, int k0, int k1, int n,
                        lanes_t *buffer, const lanes_t *ret[2])
{
    if (__builtin_expect(ref->map < 0, 1)) {
        ret[0] = block_at(p, ref->at + k0);
        ret[1] = block_at(p, ref->at + k1);
        return;
    }
    collect_two(p, ref, k0, k1, n, buffer);
    ret[0] = buffer;
    ret[1] = buffer + n;
}

static __attribute__((noinline)) void distribute(const struct lk_batches *p,
                                                 const struct lk_ref *ref, int k0, int n,
                                                 const lanes_t *values)
{
    for (int l = 0; l < ref->n; l++) {
        int to = p->map[ref->map + l];
        double *block = p->values + to + k0 * LK_LANES;

        if (to >= p->nothing * LK_LANES)
            continue;
        for (int i = 0; i < n; i++)
            block[i * LK_LANES] = ((const double *)&values[i])[l];
    }
}

/* store @n vectors from @k0 on, the inverse of view(); lanes without a destination are ignored */
LK_INLINE void put(const struct lk_batches *p, const struct lk_ref *ref, int k0, int n,
                   const lanes_t *values)
{
    if (__builtin_expect(ref->map < 0, 1)) {
        lanes_t *block = block_at(p, ref->at + k0);

        for (int i = 0; i < n; i++)
            block[i] = values[i];
        return;
    }
    distribute(p, ref, k0, n, values);
}
