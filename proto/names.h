/* SPDX-License-Identifier: Apache-2.0 */
/* Words for the enumerations of linkage.proto, one set for the daemon's messages, its configuration
 * and every tool: lower case, with a hyphen between two words.
 *
 * A number that this version does not know has the word "unknown". An unknown word has the number
 * 0, which is UNSPECIFIED in every enumeration. All texts are static. Thread: any but the cycle. */
#ifndef LK_NAMES_H
#define LK_NAMES_H

#include "linkage.pb-c.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LK_NAMES_FLAGS_SIZE 96 /* enough for all flags in words */

/** These functions return the word for a value. lk_names_result() - "wrong-state"; _mode() -
 * "lockstep"; _action() - "ramp"; _condition() - "not-finite"; _role() - "bench"; _injection() -
 * "delay". */
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
 * bit. Bits that this version does not know become one "unknown" at the end of the text.
 * Return: @text. */
const char *lk_names_flags(uint32_t flags, char text[LK_NAMES_FLAGS_SIZE]);

#ifdef __cplusplus
}
#endif
#endif
