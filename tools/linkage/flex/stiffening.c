/* SPDX-License-Identifier: Apache-2.0 */
/* Geometric stiffening of a solid, to first order in its loads (O. Wallrapp, Standardization of
 * flexible body modeling in multibody system codes, Mech. Struct. Mach. 22 (1994) 283-304).
 *
 * A load F with the stress sigma does the work F u_kl on the second derivative u_kl of the
 * displacement with respect to q_k and q_l, for which the quadratic strain of the modes is stored
 * as no energy:
 *
 *   F u_kl = - int sigma : (grad phi_k^T grad phi_l) dV
 *
 * Loads at the interface give the second derivatives of the motion of its nodes; the loads
 * int dm [2 (u0 . u) 1 - u0 u^T - u u0^T] give those of the inertia. Each is in balance with the
 * inertia of a rigid motion, which does no work on u_kl, because that has no momentum.
 *
 * The nodes of a rigid spider turn with it on arcs: at the arm r they move by theta_k x (theta_l x
 * r) of second order. The forces t of the spider on them, which also hold the section against
 * lateral contraction, do work there: F u_kl contains - sum t . (theta_k x (theta_l x r)). */
#include "maths/vec.h"
#include "solid_work.h"

#include <cblas.h>
#include <errno.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* struct loads - @n loads: six for each interface node, then six of the inertia.
 * @u: their displacements, of all degrees of freedom
 * @arms: for each load and spider sum t r^T over the nodes of a rigid spider
 * @stiffness: - F u_kl of each load and pair */
struct loads {
    int n;
    double *u;
    double (*arms)[3][3];
    double *stiffness;
};

/* ---- displacements ---- */

/* struct balance - @R: rigid motions about the centre of mass;  @MR: times the mass matrix;  @S:
 * eigenvectors of the stiffness of the interface, @value: its eigenvalues */
struct balance {
    double *R;
    double *MR;
    double *S;
    double *value;
    int n;
};

static int prepare(const struct flex_work *w, const double center[3], struct balance *b)
{
    size_t n = (size_t)w->mesh.n, c = 6 * (size_t)w->n_spiders, rows = (size_t)w->n_z;
    double *KT = calloc(rows * c, sizeof(*KT));

    b->n = (int)c;
    b->R = calloc(2 * n * FLEX_RIGID, sizeof(*b->R));
    b->S = calloc(c * c + c, sizeof(*b->S));
    if (KT == NULL || b->R == NULL || b->S == NULL) {
        free(KT);
        return -ENOMEM;
    }
    b->MR = b->R + n * FLEX_RIGID;
    b->value = b->S + c * c;
    flex_mesh_rigid(&w->mesh, center, b->R);
    flex_sparse_multiply(&w->mesh.mass, b->R, FLEX_RIGID, b->MR);
    flex_sparse_multiply(&w->K, w->T, (int)c, KT); /* the static columns are the first ones */
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)c, (int)c, (int)rows, 1, w->T,
                (int)rows, KT, (int)rows, 0, b->S, (int)c);
    free(KT);
    return LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', (int)c, b->S, (int)c, b->value) == 0 ? 0
                                                                                          : -EDOM;
}

/* Add the inertia of the rigid motion that balances the resultant @F: three forces, three torques
 * about the centre of mass. */
static void add_relief(const struct flex_work *w, const struct balance *b,
                       const struct flex_mass *mass, const double F[6], double *f)
{
    size_t n = (size_t)w->mesh.n;
    double inverse[6], a[6];

    lk_sym_inverse(mass->tensor, inverse);
    for (int i = 0; i < 3; i++)
        a[i] = F[i] / mass->mass;
    lk_sym_mul(inverse, F + 3, a + 3);
    for (size_t k = 0; k < FLEX_RIGID; k++)
        cblas_daxpy((int)n, -a[k], b->MR + k * n, 1, f, 1);
}

/* Compute the displacements under the balanced loads @f of the degrees of freedom and @force on
 * the interface. @z: memory for 2 n_z + 2 n_rows values */
static int displace(const struct flex_work *w, const struct balance *b, const double *f,
                    const double *force, double *memory, double *ret)
{
    size_t n_z = (size_t)w->n_z, rows = (size_t)w->n_rows;
    double *fz = memory, *z = fz + n_z, *right = z + n_z, *x = right + rows;
    double r[6 * FLEX_SPIDERS_MAX], part[6 * FLEX_SPIDERS_MAX];
    int result = 0;

    memset(memory, 0, 2 * (n_z + rows) * sizeof(*memory));
    flex_condense_load(w, f, fz);
    memcpy(right, fz, (size_t)w->n_free * sizeof(*fz));
    if (w->n_rows > 0)
        result = flex_factor_solve(w->factor, right, x);
    memcpy(z, x, (size_t)w->n_free * sizeof(*x));
    cblas_dgemv(CblasColMajor, CblasTrans, (int)n_z, b->n, 1, w->T, (int)n_z, fz, 1, 0, r, 1);
    cblas_daxpy(b->n, 1, force, 1, r, 1);
    cblas_dgemv(CblasColMajor, CblasTrans, b->n, b->n, 1, b->S, b->n, r, 1, 0, part, 1);
    for (int i = 0; i < b->n; i++) /* without the rigid motions, of which there are six */
        part[i] = i < FLEX_RIGID ? 0 : part[i] / b->value[i];
    cblas_dgemv(CblasColMajor, CblasNoTrans, b->n, b->n, 1, b->S, b->n, part, 1, 0, r, 1);
    cblas_dgemv(CblasColMajor, CblasNoTrans, (int)n_z, b->n, 1, w->T, (int)n_z, r, 1, 1, z, 1);
    flex_expand(w, z, ret);
    return result;
}

/* Write the load of component @c of the inertia: xx yy zz xy xz yz. */
static void load_inertia(const struct flex_work *w, const double center[3], int c, double *field,
                         double *f)
{
    static const int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
    int a = first[c], b = second[c];

    for (long i = 0; i < w->mesh.n; i++) {
        const double *x = w->mesh.position + 3 * (w->mesh.at[i] / 6);
        int d = (int)(w->mesh.at[i] % 6);

        field[i] = 0;
        if (d >= 3)
            continue;
        if (a == b)
            field[i] = d == a ? 0 : 2 * (x[d] - center[d]);
        else if (d == a || d == b)
            field[i] = -(x[d == a ? b : a] - center[d == a ? b : a]);
    }
    flex_sparse_multiply(&w->mesh.mass, field, 1, f);
}

/* Sum up the forces of the rigid spiders on their nodes. @f: other loads;  @u: displacements;
 * @t: memory for a vector */
static void sum_arms(const struct flex_work *w, const double *f, const double *u, double *t,
                     double (*ret)[3][3])
{
    flex_sparse_multiply(&w->mesh.stiffness, u, 1, t);
    for (long i = 0; i < w->mesh.n; i++) {
        int node = (int)(w->mesh.at[i] / 6), d = (int)(w->mesh.at[i] % 6), s;
        const double *x = w->mesh.position + 3 * (size_t)node;

        s = w->mesh.at[i] >= 0 && d < 3 ? w->spider_of[node] : -1;
        for (int k = 0; k < 3 && s >= 0; k++)
            ret[s][d][k] += (t[i] - f[i]) * (x[k] - w->spider[s].point[k]);
    }
}

static int find_displacements(const struct flex_work *w, const struct flex_body *body,
                              struct loads *l)
{
    size_t n = (size_t)w->mesh.n;
    struct balance b = {0};
    double *memory = calloc(2 * (size_t)(w->n_z + w->n_rows) + 2 * n + 6, sizeof(*memory));
    double *f = memory + 2 * (size_t)(w->n_z + w->n_rows), *field = f + n;
    int result = memory != NULL ? prepare(w, body->mass.center, &b) : -ENOMEM;

    for (int j = 0; j < l->n && result == 0; j++) {
        double force[6 * FLEX_SPIDERS_MAX] = {0}, F[6] = {0}, arm[3], turn[3];

        memset(f, 0, n * sizeof(*f));
        if (j < b.n) {
            const struct flex_spider *s = &w->spider[j / 6];

            force[j] = 1;
            F[j % 6] = 1;
            lk_sub(s->point, body->mass.center, arm);
            lk_cross(arm, F, turn);
            for (int i = 0; i < 3; i++)
                F[3 + i] += turn[i];
        } else {
            load_inertia(w, body->mass.center, j - b.n, field, f);
            cblas_dgemv(CblasColMajor, CblasTrans, (int)n, FLEX_RIGID, 1, b.R, (int)n, f, 1, 0, F,
                        1);
        }
        add_relief(w, &b, &body->mass, F, f);
        result = displace(w, &b, f, force, memory, l->u + (size_t)j * n);
        sum_arms(w, f, l->u + (size_t)j * n, field, l->arms + j * w->n_spiders);
    }
    free(b.R);
    free(b.S);
    free(memory);
    return result;
}

/* ---- strain ---- */

/* Compute the gradient of a field at an integration point: G[i][k] = d u_i / d x_k. @row: values of
 * the field by rows of the matrices, or NULL;  @shape: 6 for each node */
static void gradient(const struct flex_mesh *mesh, const struct flex_brick *b, double (*slope)[3],
                     const double *row, const double *shape, double G[3][3])
{
    memset(G, 0, 9 * sizeof(double));
    for (int a = 0; a < flex_brick_nodes(b->kind); a++)
        for (int i = 0; i < 3; i++) {
            size_t at = 6 * (size_t)b->node[a] + (size_t)i;
            double u = row == NULL ? shape[at] : mesh->row[at] > 0 ? row[mesh->row[at] - 1] : 0;

            for (int k = 0; k < 3; k++)
                G[i][k] += u * slope[a][k];
        }
}

/* struct point - at an integration point: @stress of each load, six numbers, in which those beside
 * the diagonal count twice;  @G: gradients of the modes */
struct point {
    double *stress;
    double (*G)[3][3];
};

static void add_point(const struct flex_body *body, const struct loads *l, const struct point *p,
                      double weight)
{
    size_t n_pairs = flex_pair(0, body->pairs.n), pair = 0;

    for (int m = 0; m < body->pairs.n; m++)
        for (int k = 0; k <= m; k++, pair++) {
            double E[6];

            for (int a = 0; a < 3; a++)
                for (int b = a; b < 3; b++) {
                    double sum = 0;

                    for (int i = 0; i < 3; i++)
                        sum += p->G[k][i][a] * p->G[m][i][b] + p->G[k][i][b] * p->G[m][i][a];
                    E[lk_sym_at(a, b)] = (a == b ? 0.5 : 1) * sum * weight;
                }
            for (int j = 0; j < l->n; j++)
                l->stiffness[(size_t)j * n_pairs + pair] +=
                    cblas_ddot(6, p->stress + 6 * j, 1, E, 1);
        }
}

static int integrate(const struct flex_work *w, const struct flex_body *body, struct loads *l)
{
    const struct flex_mesh *mesh = &w->mesh;
    struct point p = {calloc(6 * (size_t)l->n, sizeof(double)),
                      calloc((size_t)body->pairs.n + 1, sizeof(*p.G))};
    int result = p.stress != NULL && p.G != NULL ? 0 : -ENOMEM;

    for (int e = 0; e < mesh->n_bricks && result == 0; e++)
        for (int point = 0; point < flex_brick_points(mesh->brick[e].kind) && result == 0;
             point++) {
            const struct flex_brick *b = &mesh->brick[e];
            double slope[FLEX_BRICK_NODES][3], weight = flex_brick_slopes(mesh, b, point, slope);

            for (int j = 0; j < l->n; j++) {
                double G[3][3];

                gradient(mesh, b, slope, l->u + (size_t)j * (size_t)mesh->n, NULL, G);
                flex_brick_stress(b, G, p.stress + 6 * j);
            }
            for (int k = 0; k < body->pairs.n; k++)
                gradient(mesh, b, slope, NULL,
                         body->modes.shape + 6 * (size_t)k * (size_t)mesh->n_nodes, p.G[k]);
            add_point(body, l, &p, weight);
        }
    free(p.stress);
    free(p.G);
    return result;
}

/* Add the work of the forces in rigid spiders on arcs. */
static void add_arcs(const struct flex_work *w, const struct flex_body *body, struct loads *l)
{
    size_t n_pairs = flex_pair(0, body->pairs.n), pair = 0;

    for (int m = 0; m < body->pairs.n; m++)
        for (int k = 0; k <= m; k++, pair++)
            for (int s = 0; s < w->n_spiders; s++) {
                const double *a = body->place[s].shape + 6 * k + 3;
                const double *b = body->place[s].shape + 6 * m + 3;

                for (int j = 0; j < l->n; j++) {
                    double(*T)[3] = l->arms[j * w->n_spiders + s], sum = 0;

                    for (int r = 0; r < 3; r++)
                        for (int c = 0; c < 3; c++)
                            sum += 0.5 * T[r][c] * (a[r] * b[c] + b[r] * a[c]);
                    sum -= lk_dot(a, b) * (T[0][0] + T[1][1] + T[2][2]);
                    l->stiffness[(size_t)j * n_pairs + pair] += sum;
                }
            }
}

/* ---- results ---- */

static int share(const struct flex_work *w, const struct loads *l, struct flex_body *body)
{
    size_t n_pairs = flex_pair(0, body->pairs.n);

    for (int s = 0; s < w->n_spiders; s++) {
        double *bend = calloc(6 * n_pairs + 1, sizeof(*bend));

        if (bend == NULL)
            return -ENOMEM;
        body->place[s].bend = bend;
        for (size_t pair = 0; pair < n_pairs; pair++)
            for (size_t j = 0; j < 6; j++)
                bend[6 * pair + j] = -l->stiffness[(6 * (size_t)s + j) * n_pairs + pair];
    }
    body->pairs.stiffening = calloc(6 * n_pairs + 1, sizeof(double));
    if (body->pairs.stiffening == NULL)
        return -ENOMEM;
    for (size_t pair = 0; pair < n_pairs; pair++)
        for (size_t c = 0; c < 6; c++)
            body->pairs.stiffening[6 * pair + c] =
                -l->stiffness[(6 * (size_t)w->n_spiders + c) * n_pairs + pair];
    return 0;
}

int flex_stiffen(const struct flex_work *w, struct flex_body *body)
{
    size_t n_pairs = flex_pair(0, body->pairs.n);
    struct loads l = {.n = 6 * w->n_spiders + 6};
    int result;

    l.u = calloc((size_t)l.n * (size_t)w->mesh.n, sizeof(*l.u));
    l.stiffness = calloc((size_t)l.n * n_pairs + 1, sizeof(*l.stiffness));
    l.arms = calloc((size_t)(l.n * w->n_spiders), sizeof(*l.arms));
    result = l.u != NULL && l.arms != NULL && l.stiffness != NULL ? find_displacements(w, body, &l)
                                                                  : -ENOMEM;
    if (result == 0)
        result = integrate(w, body, &l);
    if (result == 0)
        add_arcs(w, body, &l);
    if (result == 0)
        result = share(w, &l, body);
    free(l.u);
    free(l.arms);
    free(l.stiffness);
    return result;
}
