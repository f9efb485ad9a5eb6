/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices in text files, in any of these forms:
 *
 * Matrix Market: R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market exchange formats:
 *   initial design, NISTIR 5935 (1996); `coordinate` or `array`, real, symmetric or general
 * Nastran: DMIG entries of the bulk data or a punch file, in small, large or free fields. A grid
 *   point has components 1 to 6, a scalar point has component 0
 * Abaqus: *MATRIX OUTPUT, FORMAT=MATRIX INPUT: lines `node, direction, node, direction, value`.
 *   Nodes with numbers below 0 are internal to the program
 * triplets: lines `row column value`, of one triangle or of both (CalculiX, Abaqus)
 * numbers: one line for each row
 *
 * The forms of Nastran and Abaqus name the node of each row; the rows of the others are in the
 * order of the nodes. */
#include "message.h"
#include "solid.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ROWS_MAX 30000000L
#define FIELDS   10
#define WIDE     16 /* characters of a large field, twice those of a small one */

/* struct reading - a file that is read. @letter: first letter of the matrix in files with several
 * ones, or 0;  @mesh: owner of the rows with names, or NULL;  @matrix: what is read */
struct reading {
    struct flex_lines lines;
    char letter;
    struct flex_mesh *mesh;
    struct flex_matrix *matrix;
};

static int refuse(const struct reading *r, const char *expected)
{
    file_error("%s:%ld: expected %s", r->lines.path, r->lines.number, expected);
    return -EINVAL;
}

static int add(struct reading *r, double row, double column, double value)
{
    return value != 0 ? flex_triplets_add(&r->matrix->t, (long)row, (long)column, value) : 0;
}

/* Go on to the next line that is neither empty nor a comment. Return: whether there is one. */
static bool next_line(struct reading *r, const char *comments)
{
    while (flex_lines_next(&r->lines))
        if (strspn(r->lines.text, " \t\r\n") < strlen(r->lines.text) &&
            strchr(comments, r->lines.text[0]) == NULL)
            return true;
    return false;
}

/* ---- Matrix Market ---- */

/* struct market - first lines. @size: rows, columns, entries */
struct market {
    bool is_array;
    bool is_symmetric;
    double size[3];
};

static int read_market_head(struct reading *r, struct market *m)
{
    char format[32], field[32], symmetry[32];
    int n;

    if (sscanf(r->lines.text, "%%%%MatrixMarket matrix %31s %31s %31s", format, field, symmetry) !=
        3)
        return refuse(r, "'%%MatrixMarket matrix coordinate real symmetric'");
    m->is_array = strcasecmp(format, "array") == 0;
    m->is_symmetric = strcasecmp(symmetry, "symmetric") == 0;
    if ((!m->is_array && strcasecmp(format, "coordinate") != 0) ||
        (strcasecmp(field, "real") != 0 && strcasecmp(field, "integer") != 0) ||
        (!m->is_symmetric && strcasecmp(symmetry, "general") != 0))
        return refuse(r, "a matrix 'coordinate real' or 'array real', symmetric or general");
    n = m->is_array ? 2 : 3;
    if (!next_line(r, "%") || flex_numbers(r->lines.text, 3, m->size) != n ||
        !(m->size[0] >= 1 && m->size[0] <= (double)ROWS_MAX) ||
        !(m->size[1] >= 1 && m->size[1] <= (double)ROWS_MAX) ||
        (m->is_symmetric && m->size[0] != m->size[1]))
        return refuse(r, m->is_array ? "rows and columns" : "rows, columns and entries");
    r->matrix->rows = (long)m->size[0];
    r->matrix->columns = (long)m->size[1];
    return 0;
}

/* Add an entry, and for a symmetric matrix its mirror image. */
static int add_market(struct reading *r, const struct market *m, double row, double column,
                      double value)
{
    int result = add(r, row, column, value);

    return result == 0 && m->is_symmetric && row != column ? add(r, column, row, value) : result;
}

static int read_market(struct reading *r)
{
    struct market m = {0};
    double value[3];
    int result = read_market_head(r, &m);

    for (double i = 0; i < m.size[2] && result == 0; i++) {
        if (!next_line(r, "%"))
            return refuse(r, "as many entries as the file says");
        if (flex_numbers(r->lines.text, 3, value) != 3 ||
            !(value[0] >= 1 && value[0] <= m.size[0]) || !(value[1] >= 1 && value[1] <= m.size[1]))
            return refuse(r, "row, column and value, rows and columns from 1");
        result = add_market(r, &m, value[0] - 1, value[1] - 1, value[2]);
    }
    for (double k = 0; m.is_array && k < m.size[1] && result == 0; k++)
        for (double i = m.is_symmetric ? k : 0; i < m.size[0] && result == 0; i++) {
            if (!next_line(r, "%") || flex_numbers(r->lines.text, 1, value) != 1)
                return refuse(r, "one number a line, as many as rows times columns");
            result = add_market(r, &m, i, k, value[0]);
        }
    return result;
}

/* ---- rows with names ---- */

static int add_named(struct reading *r, const double label[4], double value)
{
    long row, column;
    int result = flex_mesh_row(r->mesh, (long)label[0], (long)label[1], &row);

    if (result == 0)
        result = flex_mesh_row(r->mesh, (long)label[2], (long)label[3], &column);
    if (result == -ENOENT) {
        file_error("%s:%ld: direction %ld of node %ld or direction %ld of node %ld is unknown, "
                   "expected nodes of the node file, and rows that the stiffness matrix has",
                   r->lines.path, r->lines.number, (long)label[1], (long)label[0], (long)label[3],
                   (long)label[2]);
        return -EINVAL;
    }
    return result == 0 ? add(r, (double)row, (double)column, value) : result;
}

static int check_named(struct reading *r)
{
    r->matrix->is_named = true;
    return r->mesh != NULL ? 0
                           : refuse(r, "a Matrix Market file, or one line of numbers for each row");
}

static int read_abaqus(struct reading *r)
{
    int result = check_named(r);

    do {
        double value[5];

        if (r->lines.text[0] == '*')
            continue;
        if (flex_numbers(r->lines.text, 5, value) != 5 || !flex_is_id(value[0]) ||
            !flex_is_id(value[2]) || !(value[1] >= 1 && value[1] <= 6) ||
            !(value[3] >= 1 && value[3] <= 6))
            return refuse(r, "node, direction, node, direction and value, directions from 1 to 6");
        if (result == 0)
            result = add_named(r, value, value[4]);
    } while (result == 0 && next_line(r, ""));
    return result;
}

/* ---- Nastran ---- */

/* Split a line into its fields, in free, large or small format, and remove blanks. Return: number
 * of fields after the first one: 4 in large format, else 8. */
static int split(const char *line, char ret[FIELDS][WIDE + 1])
{
    size_t length = strcspn(line, "\r\n"), at = 0;
    bool is_free = memchr(line, ',', length) != NULL;
    bool is_wide = !is_free && memchr(line, '*', length < 8 ? length : 8) != NULL;

    memset(ret, 0, FIELDS * (WIDE + 1));
    for (int f = 0; f < FIELDS && at < length; f++) {
        size_t size = is_free ? strcspn(line + at, ",\r\n") : f > 0 && is_wide ? WIDE : WIDE / 2;
        size_t used = 0;

        for (size_t i = at; i < at + size && i < length && used < WIDE; i++)
            if (!isspace((unsigned char)line[i]))
                ret[f][used++] = line[i];
        at += size + is_free;
    }
    return is_wide ? 4 : 8;
}

/* Read a number of Nastran: 1.5, 1.5D+3, 1.5+3. An empty field is 0. */
static bool number(const char *field, double *ret)
{
    char text[WIDE + 2], *end;
    size_t used = 0;

    for (size_t i = 0; field[i] != '\0'; i++) {
        bool is_exponent = strchr("dDeE", field[i]) != NULL;

        if ((field[i] == '+' || field[i] == '-') && i > 0 && used > 0 && text[used - 1] != 'e')
            text[used++] = 'e';
        text[used++] = is_exponent ? 'e' : field[i];
        if (used > WIDE)
            return false;
    }
    text[used] = '\0';
    *ret = strtod(text, &end);
    return *end == '\0' && isfinite(*ret);
}

/* struct dmig - state between lines. @name: of the matrix that is read, once it was found
 * @is_column: a column of it is read;  @label: its node and component, and those of the row */
struct dmig {
    char name[WIDE + 1];
    bool is_column;
    double label[4];
};

/* Add the entries of the fields from @first: node, component, real and imaginary part. */
static int add_fields(struct reading *r, struct dmig *d, char field[FIELDS][WIDE + 1], int first,
                      int n)
{
    int result = 0;

    for (int f = first; f + 2 < n + 1 && result == 0; f += 4) {
        double value;

        if (field[f][0] == '\0')
            continue;
        if (!number(field[f], &d->label[0]) || !number(field[f + 1], &d->label[1]) ||
            !number(field[f + 2], &value) || !flex_is_id(d->label[0]) ||
            !(d->label[1] >= 0 && d->label[1] <= 6))
            return refuse(r, "grid point, component from 0 to 6 and value");
        result = add_named(r, d->label, value);
    }
    return result;
}

/* Read a line that begins with DMIG: the first one of a matrix, or of a column. */
static int begin_column(struct reading *r, struct dmig *d, char field[FIELDS][WIDE + 1], int n)
{
    double type;

    d->is_column = false;
    if (field[2][0] == '0' && field[2][1] == '\0') {
        bool is_other = toupper((unsigned char)field[1][0]) != r->letter ||
                        strncasecmp(field[1], "K4", 2) == 0; /* structural damping */

        if (is_other || d->name[0] != '\0')
            return 0;
        if (!number(field[4], &type) || type > 2)
            return refuse(r, "a matrix of real numbers: DMIG, NAME, 0, 6, 1 or 2 ..");
        memcpy(d->name, field[1], sizeof(d->name));
        return 0;
    }
    if (d->name[0] == '\0' || strcasecmp(d->name, field[1]) != 0)
        return 0;
    d->is_column = number(field[2], &d->label[2]) && number(field[3], &d->label[3]) &&
                   flex_is_id(d->label[2]) && d->label[3] >= 0 && d->label[3] <= 6;
    if (!d->is_column)
        return refuse(r, "DMIG, name, grid point and component from 0 to 6");
    return n == 8 ? add_fields(r, d, field, 5, n) : 0;
}

static int read_nastran(struct reading *r)
{
    struct dmig d = {.name = ""};
    int result = check_named(r);

    do {
        char field[FIELDS][WIDE + 1];
        int n = split(r->lines.text, field);

        if (strncasecmp(field[0], "DMIG", 4) == 0 &&
            (field[0][4] == '\0' || strcmp(field[0] + 4, "*") == 0))
            result = begin_column(r, &d, field, n);
        else if (isalpha((unsigned char)field[0][0]))
            d.is_column = false;
        else if (d.is_column)
            result = add_fields(r, &d, field, 1, n);
    } while (result == 0 && next_line(r, "$"));
    if (result == 0 && d.name[0] == '\0') {
        file_error("%s: there is no matrix whose name begins with %c, expected DMIG entries such "
                   "as %cAAX",
                   r->lines.path, r->letter, r->letter);
        result = -EINVAL;
    }
    return result;
}

/* ---- numbers ---- */

/* Add a line of numbers as a row. */
static int add_row(struct reading *r)
{
    const char *text = r->lines.text;
    long n = 0;
    int result = 0;

    for (;;) {
        char *end;
        double value;

        text += strspn(text, " \t\r\n,;");
        if (*text == '\0')
            break;
        value = strtod(text, &end);
        if (end == text || !isfinite(value))
            return refuse(r, "numbers separated by blanks or commas");
        result = add(r, (double)r->matrix->rows, (double)n++, value);
        text = end;
        if (result != 0)
            return result;
    }
    if (r->matrix->rows > 0 && n != r->matrix->columns)
        return refuse(r, "as many numbers as in the first row");
    r->matrix->columns = n;
    r->matrix->rows++;
    return 0;
}

static int read_rows(struct reading *r)
{
    int result = 0;

    do
        result = add_row(r);
    while (result == 0 && next_line(r, "#%"));
    return result;
}

static int read_triplets(struct reading *r)
{
    int result = 0;

    do {
        double value[3];

        if (flex_numbers(r->lines.text, 3, value) != 3 ||
            !(value[0] >= 1 && value[0] <= (double)ROWS_MAX) ||
            !(value[1] >= 1 && value[1] <= (double)ROWS_MAX))
            return refuse(r, "row, column and value, rows and columns from 1");
        for (int k = 0; k < 2; k++)
            if (value[k] > (double)r->matrix->rows)
                r->matrix->rows = (long)value[k];
        result = add(r, value[0] - 1, value[1] - 1, value[2]);
    } while (result == 0 && next_line(r, "#%"));
    r->matrix->columns = r->matrix->rows;
    r->matrix->is_triangle = true;
    return result;
}

/* ---- all ---- */

/* Read the file by the form of its first line. */
static int read_any(struct reading *r)
{
    double value[6];
    int n;

    do {
        if (!next_line(r, "#$"))
            return refuse(r, "a matrix");
        if (strncmp(r->lines.text, "%%MatrixMarket", 14) == 0)
            return read_market(r);
    } while (strchr("%*", r->lines.text[0]) != NULL);
    n = flex_numbers(r->lines.text, 5, value);
    if (isalpha((unsigned char)r->lines.text[0]))
        return read_nastran(r);
    if (n == 5)
        return read_abaqus(r);
    return n == 3 && r->letter != 0 ? read_triplets(r) : read_rows(r);
}

int flex_matrix_read(const char *path, char letter, struct flex_mesh *mesh, struct flex_matrix *ret)
{
    struct reading r = {.letter = letter, .mesh = mesh, .matrix = ret};
    int result = flex_lines_open(path, &r.lines);

    *ret = (struct flex_matrix){0};
    if (result == 0)
        result = read_any(&r);
    flex_lines_close(&r.lines);
    if (result == 0 && ret->is_named)
        ret->rows = ret->columns = mesh->n;
    return result;
}

/* Return whether no entry beside the diagonal has a mirror image, as of a file with one triangle.
 */
static bool is_triangle(const struct flex_sparse *A)
{
    for (long k = 0; k < A->n; k++)
        for (long e = A->start[k]; e < A->start[k + 1]; e++)
            if (A->row[e] != k && flex_sparse_entry(A, k, A->row[e]) != 0)
                return false;
    return true;
}

int flex_matrix_square(struct flex_matrix *matrix, long n, struct flex_sparse *ret)
{
    size_t entries = matrix->t.n;
    int result = flex_sparse_new(&matrix->t, n, ret);

    if (result != 0 || !(matrix->is_triangle || matrix->is_named) || !is_triangle(ret))
        return result;
    for (size_t i = 0; i < entries && result == 0; i++)
        if (matrix->t.row[i] != matrix->t.column[i])
            result = flex_triplets_add(&matrix->t, matrix->t.column[i], matrix->t.row[i],
                                       matrix->t.value[i]);
    flex_sparse_free(ret);
    return result == 0 ? flex_sparse_new(&matrix->t, n, ret) : result;
}
