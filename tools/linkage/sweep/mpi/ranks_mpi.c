/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks that communicate with MPI: the module that linkage sweep loads under mpirun; see
 * ranks.h. */
#include "../ranks.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TAG        1
#define LOOK_NS    2000000 /* polling interval of the barrier */
#define UNITED_MAX (1 << 20)

/* A message that is being sent. Its words must remain valid until then. One for each rank is
 * sufficient, because a rank is sent a message only after it has requested one. */
struct letter {
    MPI_Request request;
    uint64_t words[RANKS_WORDS_MAX];
};

static struct letter *letters;

static void begin(int *ret_rank, int *ret_size)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, ret_rank);
    MPI_Comm_size(MPI_COMM_WORLD, ret_size);
    letters = calloc((size_t)*ret_size, sizeof(*letters));
    if (letters == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < *ret_size; i++)
        letters[i].request = MPI_REQUEST_NULL;
}

static bool agree(const char *text, bool *ret_all)
{
    unsigned long size = strlen(text) + 1;
    int is_same, is_all;
    char *first;

    MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
    if (size > INT_MAX || (first = calloc(size, 1)) == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
        return false;
    }
    strncpy(first, text, size - 1); /* other ranks receive it below */
    MPI_Bcast(first, (int)size, MPI_CHAR, 0, MPI_COMM_WORLD);
    is_same = strcmp(first, text) == 0;
    free(first);
    MPI_Allreduce(&is_same, &is_all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    *ret_all = is_all;
    return is_same;
}

static void unite(unsigned char *bits, size_t size)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t at = 0; at < size; at += UNITED_MAX) {
        int n = size - at < UNITED_MAX ? (int)(size - at) : UNITED_MAX;

        MPI_Reduce(rank == 0 ? MPI_IN_PLACE : bits + at, rank == 0 ? bits + at : NULL, n,
                   MPI_UNSIGNED_CHAR, MPI_BOR, 0, MPI_COMM_WORLD);
    }
}

static void send(int to, const uint64_t *words, int n)
{
    struct letter *x = &letters[to];

    MPI_Wait(&x->request, MPI_STATUS_IGNORE);
    memcpy(x->words, words, (size_t)n * sizeof(*words));
    MPI_Isend(x->words, n, MPI_UINT64_T, to, TAG, MPI_COMM_WORLD, &x->request);
}

static int take(int *ret_from, uint64_t words[RANKS_WORDS_MAX])
{
    MPI_Status status;
    int is_there, n;

    MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &is_there, &status);
    if (!is_there)
        return 0;
    *ret_from = status.MPI_SOURCE;
    MPI_Recv(words, RANKS_WORDS_MAX, MPI_UINT64_T, *ret_from, TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_UINT64_T, &n);
    return n;
}

/* Wait for all ranks. MPI_Barrier() is not used, because it spins: idle ranks would use the
 * processors of busy ones. */
static void meet(void)
{
    MPI_Request request;
    int is_there = 0;

    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Test(&request, &is_there, MPI_STATUS_IGNORE);
    while (!is_there) {
        nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
        MPI_Test(&request, &is_there, MPI_STATUS_IGNORE);
    }
}

static void end(void)
{
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < size; i++)
        MPI_Wait(&letters[i].request, MPI_STATUS_IGNORE);
    free(letters);
    MPI_Finalize();
}

static void abandon(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
}

extern const struct ranks_ops linkage_ranks;
const struct ranks_ops linkage_ranks = {RANKS_VERSION, begin, agree, unite,  send,
                                        take,          meet,  end,   abandon};
