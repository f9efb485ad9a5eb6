/* SPDX-License-Identifier: Apache-2.0 */
/* Words for the enumerations of linkage.proto, one set for the daemon's messages, its configuration
 * and every tool: lower case, with a hyphen between two words.
 *
 * The word for a number that this version does not define is "unknown". The number for an unknown
 * word is 0, which is UNSPECIFIED in every enumeration. All texts are static.
 * Thread: any but the cycle. */
#ifndef LK_NAMES_H
#define LK_NAMES_H

#include "linkage.pb-c.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LK_NAMES_FLAGS_SIZE 96 /* enough for all flags in words */

/** lk_names_result(), lk_names_mode(), lk_names_action(), lk_names_condition(), lk_names_role(),
 * lk_names_injection() - Return the word for a value, for example "wrong-state", "lockstep",
 * "ramp", "not-finite", "bench" or "delay". */
const char *lk_names_result(Linkage__V1__Result result);
const char *lk_names_mode(Linkage__V1__Mode mode);
const char *lk_names_action(Linkage__V1__Action action);
const char *lk_names_condition(Linkage__V1__Condition condition);
const char *lk_names_role(Linkage__V1__Role role);
const char *lk_names_injection(Linkage__V1__InjectionKind kind);

/** lk_names_to_mode(), lk_names_to_injection() - Return the value for a word; 0 if the word is
 * unknown. */
Linkage__V1__Mode lk_names_to_mode(const char *word);
Linkage__V1__InjectionKind lk_names_to_injection(const char *word);

/** lk_names_flag() - Return the word for flag @flag of an OutputSample, such as "rate-limited". */
const char *lk_names_flag(Linkage__V1__Flag flag);

/** lk_names_flags() - Write the words for all bits of @flags, such as "degraded, stale"; "" for no
 * bit. All bits that this version does not define become one "unknown" at the end of the text.
 * Return: @text. */
const char *lk_names_flags(uint32_t flags, char text[LK_NAMES_FLAGS_SIZE]);

#ifdef __cplusplus
}
#endif
#endif
