/* SPDX-License-Identifier: Apache-2.0 */
/* What linkage sweep wants of a library of messages between processes on several machines.
 *
 * A module of this interface is loaded only where ranks were launched, so that `linkage` itself
 * links no such library. It carries words and bits, and knows nothing of studies; who gets which
 * case is ranks.c's. An error of the library ends all ranks, after its own message.
 * Thread: the one that called begin(). */
#ifndef TOOLS_LINKAGE_SWEEP_RANKS_H
#define TOOLS_LINKAGE_SWEEP_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RANKS_VERSION   1
#define RANKS_SYMBOL    "linkage_ranks"
#define RANKS_WORDS_MAX 65 /* of a message */

/** struct ranks_ops - what the module exports as RANKS_SYMBOL. Ranks count from 0.
 * @version: RANKS_VERSION
 * @begin:   all ranks come together
 * @agree:   whether @text is the same as on rank 0; @ret_all: whether it is on all of them
 * @unite:   @bits of rank 0 become those that any rank has set, @size bytes
 * @send:    up to RANKS_WORDS_MAX words to a rank, without waiting for it to take them
 * @take:    a message that has come, without waiting. Return: its words, 0: there is none
 * @meet:    wait until all ranks have come here, without using the processor
 * @end:     the last call
 * @abandon: end all ranks at once with exit status @status; does not return */
struct ranks_ops {
    unsigned version;
    void (*begin)(int *ret_rank, int *ret_size);
    bool (*agree)(const char *text, bool *ret_all);
    void (*unite)(unsigned char *bits, size_t size);
    void (*send)(int to, const uint64_t *words, int n);
    int (*take)(int *ret_from, uint64_t words[RANKS_WORDS_MAX]);
    void (*meet)(void);
    void (*end)(void);
    void (*abandon)(int status);
};

#endif
