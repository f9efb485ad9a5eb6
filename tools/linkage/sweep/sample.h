/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers of a study.
 *
 * A value depends only on the seed, the number of the case and the name of the quantity, and not on
 * earlier values. So cases may be run in any order, by any number of processes, or alone. The
 * computation uses only integers and core/maths, so that the bits do not depend on the machine's
 * mathematical library.
 * Thread: any. */
#ifndef TOOLS_LINKAGE_SWEEP_SAMPLE_H
#define TOOLS_LINKAGE_SWEEP_SAMPLE_H

#include <stdint.h>

/** sample_philox() - Philox-4x32 of 10 rounds, a bijection of 128 bits for each key (J. K. Salmon,
 * M. A. Moraes, R. O. Dror, D. E. Shaw, Parallel random numbers: as easy as 1, 2, 3, 2011). */
void sample_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t ret[4]);

/** sample_uniform() - Return a uniform number within (0, 1), excluding both ends.
 * @name: hash of the name
 * @i:    number of the case, from 0 */
double sample_uniform(uint64_t seed, uint64_t name, uint64_t i);

/** sample_permuted() - Return the position of @i in a permutation of 0 .. @n - 1 defined by @seed
 * and @name. No permutation is stored: a Feistel network is applied repeatedly until its result is
 * less than @n (J. Black and P. Rogaway, Ciphers with arbitrary finite domains, 2002).
 * @n: 1 to 2^32, larger than @i */
uint64_t sample_permuted(uint64_t seed, uint64_t name, uint64_t n, uint64_t i);

/** sample_stratified() - Return case @i of @n of a Latin hypercube (M. D. McKay, R. J. Beckman, W.
 * J. Conover, 1979): uniform within (0, 1), with exactly one of the @n values in each interval of
 * length 1/@n. */
double sample_stratified(uint64_t seed, uint64_t name, uint64_t n, uint64_t i);

/** sample_normal() - Return the quantile of the standard normal distribution at @u, 0 < u < 1 (M.
 * J. Wichura, Algorithm AS 241: the percentage points of the normal distribution, 1988; relative
 * error 1e-15). */
double sample_normal(double u);

#endif
