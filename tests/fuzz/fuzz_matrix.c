/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a matrix of a finite-element model, in a mesh of three nodes: it is refused, or its
 * entries are within its rows and columns. */
#include "solid.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct flex_matrix *matrix)
{
    struct flex_sparse A;

    for (size_t i = 0; i < matrix->t.n; i++)
        if (matrix->t.row[i] < 0 || matrix->t.row[i] >= matrix->rows || matrix->t.column[i] < 0 ||
            matrix->t.column[i] >= matrix->columns)
            abort();
    if (matrix->rows != matrix->columns || matrix->rows > 1000)
        return;
    if (flex_matrix_square((struct flex_matrix *)matrix, matrix->rows, &A) != 0)
        abort();
    flex_sparse_free(&A);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const double place[3] = {0, 1, 2};
    static FILE *nowhere;
    char path[64];
    int fd = memfd_create("matrix", 0);

    if (nowhere == NULL)
        nowhere = fopen("/dev/null", "w");
    if (fd < 0 || nowhere == NULL || write(fd, data, size) != (ssize_t)size)
        abort();
    stderr = nowhere; /* error messages, of which there are many */
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    for (int k = 0; k < 2; k++) {
        struct flex_mesh mesh = {0};
        struct flex_matrix matrix;

        for (long id = 10; id <= 30 && k == 0; id += 10)
            if (flex_mesh_add_node(&mesh, id, place) != 0)
                abort();
        if (flex_matrix_read(path, k == 0 ? 'K' : 0, k == 0 ? &mesh : NULL, &matrix) == 0)
            check(&matrix);
        flex_triplets_free(&matrix.t);
        flex_mesh_free(&mesh);
    }
    close(fd);
    return 0;
}
