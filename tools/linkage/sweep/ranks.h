/* SPDX-License-Identifier: Apache-2.0 */
/* Interface between linkage sweep and a message-passing library, for processes on several machines.
 *
 * A module with this interface is loaded only if ranks were launched, so that `linkage` itself
 * links no such library. The module transfers only words and bits; ranks.c assigns the cases. An
 * error of the library ends all ranks, after its own message.
 * Thread: the one that called begin(). */
#ifndef TOOLS_LINKAGE_SWEEP_RANKS_H
#define TOOLS_LINKAGE_SWEEP_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RANKS_VERSION   1
#define RANKS_SYMBOL    "linkage_ranks"
#define RANKS_WORDS_MAX 65 /* largest number of words of a message */

/** struct ranks_ops - functions that the module exports as RANKS_SYMBOL. Ranks count from 0.
 * @version: RANKS_VERSION
 * @begin:   initialise; called on all ranks
 * @agree:   compare @text with that of rank 0; @ret_all is set to true if the text is equal on all
 *           ranks
 * @unite:   combine the @bits, @size bytes, of all ranks with OR; rank 0 gets the result
 * @send:    send up to RANKS_WORDS_MAX words to a rank, without waiting for their receipt
 * @take:    receive a pending message without waiting; returns the number of its words, 0: no
 *           message
 * @meet:    wait for all ranks without using the processor
 * @end:     finish; must be the last call
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
