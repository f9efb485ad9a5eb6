/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of kernels.h, which includes this file once for constant sizes, with unrolled loops,
 * and once for any size, where unrolling would only fill the instruction cache. No include guard on
 * purpose. */

/* Compute y += sum over k of column k times t[k * step], for the @count vectors from @first on. The
 * @n columns have @height vectors. */
LK_INLINE void LK_NAME(add_stripe)(const lk_four *columns, int height, int first, int count, int n,
                                   const double *t, int step, enum lk_filled filled, lk_four *y)
{
    lk_part sum[4 * LK_PARTS], *of_y = (lk_part *)(y + first);

    LK_UNROLL
    for (int v = 0; v < count * LK_PARTS; v++)
        sum[v] = of_y[v];
    LK_UNROLL
    for (int k = 0; k < n; k++) {
        const lk_part *column = (const lk_part *)(columns + k * height + first);

        LK_UNROLL
        for (int v = 0; v < count * LK_PARTS; v++) {
            int row = 4 * (first + v / LK_PARTS);

            if (filled == LK_FILLED || (filled == LK_BELOW ? row + 3 > k : row < k))
                sum[v] += column[v] * t[k * step];
        }
    }
    LK_UNROLL
    for (int v = 0; v < count * LK_PARTS; v++)
        of_y[v] = sum[v];
}

/* Compute y += columns times t, in stripes of up to four vectors, from vector @first on */
LK_INLINE void LK_NAME(add_columns)(const lk_four *columns, int height, int first, int n,
                                    const double *t, int step, enum lk_filled filled, lk_four *y)
{
    int v = first;

    for (; v + 4 <= height; v += 4)
        LK_NAME(add_stripe)(columns, height, v, 4, n, t, step, filled, y);
    switch (height - v) {
    case 3:
        LK_NAME(add_stripe)(columns, height, v, 3, n, t, step, filled, y);
        break;
    case 2:
        LK_NAME(add_stripe)(columns, height, v, 2, n, t, step, filled, y);
        break;
    case 1:
        LK_NAME(add_stripe)(columns, height, v, 1, n, t, step, filled, y);
        break;
    default:
        break;
    }
}

/* eliminate columns @from to @to of L D L^T, then update the columns before @last with them */
LK_INLINE void LK_NAME(eliminate_panel)(lk_four *F, int height, int from, int to, int last,
                                        double *pivot)
{
    LK_UNROLL
    for (int k = from; k < to; k++) {
        const lk_part *column = (const lk_part *)(F + k * height);
        double inverse = 1 / lk_entry(F, height, k, k);

        pivot[k] = inverse;
        LK_UNROLL
        for (int j = k + 1; j < last; j++) {
            lk_part *behind = (lk_part *)(F + j * height);
            double l = lk_entry(F, height, j, k) * inverse;

            LK_UNROLL
            for (int v = LK_PARTS * lk_first_vector(j, height, LK_IS_FIXED); v < LK_PARTS * height;
                 v++)
                behind[v] -= column[v] * l;
        }
    }
}

/* Compute L D L^T of the first e columns, which then hold L D, and the Schur complement in the
 * other columns. If sizes are not constants, columns are eliminated in panels, and each later
 * column is updated by a whole panel. The vectors of a later column are then loaded and stored
 * once, instead of once for each column of the panel. The sums and their order are the same. In
 * this case, columns of up to four vectors are also computed above the diagonal, see
 * lk_first_vector(). */
LK_INLINE void LK_NAME(kernel_eliminate)(lk_four *F, int height, int n, int e, double *pivot)
{
    const int panel = LK_PANEL;
    lk_four times[LK_PANEL]; /* four rows of L */

    if (LK_IS_FIXED)
        LK_NAME(eliminate_panel)(F, height, 0, e, n, pivot);
    for (int from = 0; from < e && !LK_IS_FIXED; from += panel) {
        int to = from + panel < e ? from + panel : e;

        LK_NAME(eliminate_panel)(F, height, from, to, to, pivot);
        for (int j = to; j < n; j++) {
            if (j == to || j % 4 == 0)
                for (int k = from; k < to; k++)
                    times[k - from] = -(F[k * height + j / 4] * pivot[k]);
            LK_NAME(add_columns)
            (F + from * height, height, lk_first_vector(j, height, LK_IS_FIXED), to - from,
             (const double *)times + j % 4, 4, LK_FILLED, F + j * height);
        }
    }
}

/* Compute X = [L^-1 - I; -U] column by column, the last column first: X_k = -(L_k + sum_j
 * X_j L_jk).
 * @l: scratch of e values. If sizes are not constants, the rows below the first e are updated
 * with all columns at once. */
LK_INLINE void LK_NAME(kernel_invert)(lk_four *F, int height, int e, const double *pivot, double *l)
{
    static const lk_four_mask below[] = {{0, -1, -1, -1}, {0, 0, -1, -1}, {0, 0, 0, -1}, {0}};
    int square = LK_IS_FIXED ? height : lk_vectors(e);

    LK_UNROLL
    for (int k = e - 1; k >= 0; k--) {
        lk_four *column = F + k * height;
        double inverse = pivot[k];

        LK_UNROLL
        for (int j = k + 1; j < e; j++)
            l[j] = -(lk_entry(F, height, j, k) * inverse);
        LK_UNROLL
        for (int v = 0; v < k / 4; v++)
            column[v] = (lk_four){0};
        LK_UNROLL
        for (int v = LK_PARTS * (k / 4); v < LK_PARTS * height; v++)
            ((lk_part *)column)[v] *= -inverse;
        column[k / 4] = (lk_four)((lk_four_mask)column[k / 4] & below[k % 4]);
        LK_UNROLL
        for (int j = k + 1; j < e; j++) {
            const lk_part *other = (const lk_part *)(F + j * height);

            LK_UNROLL
            for (int v = LK_PARTS * lk_first_vector(j, height, LK_IS_FIXED); v < LK_PARTS * square;
                 v++)
                ((lk_part *)column)[v] += other[v] * l[j];
        }
        if (!LK_IS_FIXED)
            LK_NAME(add_columns)
        (F + (k + 1) * height, height, square, e - k - 1, l + k + 1, 1, LK_FILLED, column);
    }
}

/* Transpose four rows of four columns at a time, or one by one if sizes are small constants.
 * @across: the result. Zeros and padding of @across are not written, except entries beyond @e in a
 * row, which are set to 0. */
LK_INLINE void LK_NAME(kernel_transpose)(const lk_four *F, int height, int n, int e, double *across)
{
    int width = 4 * lk_vectors(e);

    LK_UNROLL
    for (int k = 0; k < e && LK_IS_FIXED; k++) {
        LK_UNROLL
        for (int r = k + 1; r < n; r++)
            across[r * width + k] = lk_entry(F, height, r, k);
    }
    for (int k = 0; k < e && !LK_IS_FIXED; k += 4) {
        for (int v = k / 4; v < height; v++) {
            lk_four column[4], row[4];

            for (int i = 0; i < 4; i++)
                column[i] = k + i < e ? F[(k + i) * height + v] : (lk_four){0};
            lk_transpose_four(column, row);
            for (int i = 0; i < 4 && 4 * v + i < n; i++)
                *(lk_four *)&across[(4 * v + i) * width + k] = row[i];
        }
    }
}
