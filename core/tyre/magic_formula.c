/* SPDX-License-Identifier: Apache-2.0 */
/* Common equations of versions 5.2 and 6.1 of the Magic Formula. */
#include "tyre/magic_formula.h"

struct lk_magic_load lk_magic_load(const struct lk_tyre_magic *p, const struct lk_tyre_slip *slip)
{
    double F0 = p->LFZO * p->FNOMIN;
    double Fz = lk_min(LK_MAGIC_LOAD_MAX * F0, slip->load);

    return (struct lk_magic_load){
        .Fz = Fz,
        .F0 = F0,
        .d = (Fz - F0) / F0,
        .dp = p->NOMPRES > 0 ? (p->pressure - p->NOMPRES) / p->NOMPRES : 0,
    };
}

#define FOUR(c, field) ((lk_four){(c)[0].field, (c)[1].field, (c)[2].field, (c)[3].field})

/* Each operation is performed for all groups of four before the next operation, because an
 * operation waits only for the results of its own group. */
void lk_magic_draw(struct lk_magic_curve *curve, int n)
{
    lk_four bx[LK_MAGIC_CURVES / 4], angle[LK_MAGIC_CURVES / 4], sine, cosine;

    for (int i = 0; 4 * i < n; i++) {
        bx[i] = FOUR(curve + 4 * i, B) * FOUR(curve + 4 * i, x);
        lk_atan_four(&bx[i], &angle[i]);
    }
    for (int i = 0; 4 * i < n; i++) {
        angle[i] = bx[i] - FOUR(curve + 4 * i, E) * (bx[i] - angle[i]);
        lk_atan_four(&angle[i], &angle[i]);
    }
    for (int i = 0; 4 * i < n; i++) {
        angle[i] *= FOUR(curve + 4 * i, C);
        lk_sin_cos_four(&angle[i], &sine, &cosine);
        for (int k = 0; k < 4; k++) {
            curve[4 * i + k].sine = sine[k];
            curve[4 * i + k].cosine = cosine[k];
        }
    }
}

void lk_magic_close_length(struct lk_magic_length *x, const struct lk_magic_curve *curve)
{
    double F = x->D * curve->sine;

    x->Fx0 = F + x->SV;
    x->secant = fabs(curve->x) > LK_MAGIC_TINY ? lk_max(0, F / curve->x) : lk_max(0, x->K);
}

void lk_magic_close_side(struct lk_magic_side *y, const struct lk_magic_load *l,
                         const struct lk_magic_curve *curve)
{
    double F = y->mu * l->Fz * curve->sine;

    y->Fy0 = F + y->SV;
    y->secant = fabs(curve->x) > LK_MAGIC_TINY ? lk_max(0, -F / curve->x) : lk_max(0, -y->K);
}

/* Set the curves of a weight at the slip @slip and without slip. */
static void weigh(double B, double C, double E, double shift, double slip,
                  struct lk_magic_curve *ret_there, struct lk_magic_curve *ret_at_rest)
{
    lk_magic_set_curve(ret_there, B, C, E, slip + shift);
    lk_magic_set_curve(ret_at_rest, B, C, E, shift);
}

void lk_magic_weigh(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                    const struct lk_tyre_slip *slip, double Bxa, double Byk,
                    struct lk_magic_curve *curve)
{
    double Exa = lk_magic_curvature(p->REX1 + p->REX2 * l->d);
    double Eyk = lk_magic_curvature(p->REY1 + p->REY2 * l->d);

    weigh(Bxa * p->LXAL, p->RCX1, Exa, p->RHX1, slip->slope, &curve[LK_MAGIC_GX],
          &curve[LK_MAGIC_GX0]);
    weigh(Byk * p->LYKA, p->RCY1, Eyk, p->RHY1 + p->RHY2 * l->d, slip->kappa, &curve[LK_MAGIC_GY],
          &curve[LK_MAGIC_GY0]);
    lk_magic_set_curve(&curve[LK_MAGIC_SHIFT], p->RVY6, p->RVY5, 0, slip->kappa);
}

/* return G: the cosine at a slip / the cosine without slip */
static double weight(const struct lk_magic_curve *there, const struct lk_magic_curve *at_rest)
{
    return lk_max(0, there->cosine / lk_magic_divisor(at_rest->cosine, LK_MAGIC_LEAST));
}

/* Return the offset SVyk of the side force due to kappa. */
static double shift_of(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                       const struct lk_tyre_slip *slip, double mu, double sine)
{
    double DVyk = mu * l->Fz * (p->RVY1 + p->RVY2 * l->d + p->RVY3 * slip->camber) *
                  lk_magic_cos_atan(p->RVY4 * slip->slope);

    return p->LVYKA * DVyk * sine;
}

void lk_magic_combine(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                      const struct lk_tyre_slip *slip, const struct lk_magic_length *x,
                      const struct lk_magic_side *y, const struct lk_magic_curve *curve,
                      struct lk_magic_combined *ret)
{
    double Gx = weight(&curve[LK_MAGIC_GX], &curve[LK_MAGIC_GX0]);
    double Gy = weight(&curve[LK_MAGIC_GY], &curve[LK_MAGIC_GY0]);

    ret->Gx = Gx;
    ret->Gy = Gy;
    ret->Fx = Gx * x->Fx0;
    ret->Fy = Gy * y->Fy0;
    ret->shift = shift_of(p, l, slip, y->mu, curve[LK_MAGIC_SHIFT].sine);
}

double lk_magic_trail(const struct lk_tyre_magic *p, const struct lk_magic_load *l, double g,
                      double slope, double ratio, double pressure, struct lk_magic_curve *ret_curve)
{
    double d = l->d;
    double at = slope + p->QHZ1 + p->QHZ2 * d + (p->QHZ3 + p->QHZ4 * d) * g;
    double Bt = (p->QBZ1 + p->QBZ2 * d + p->QBZ3 * d * d) * (1 + p->QBZ4 * g + p->QBZ5 * fabs(g)) *
                p->LKY / p->LMUY;
    double Et = (p->QEZ1 + p->QEZ2 * d + p->QEZ3 * d * d) *
                (1 + (p->QEZ4 + p->QEZ5 * g) * 0.63661977236758134 * lk_atan(Bt * p->QCZ1 * at));

    lk_magic_set_curve(ret_curve, Bt, p->QCZ1, lk_magic_curvature(Et),
                       lk_magic_equivalent(at, ratio));
    return l->Fz * (p->QDZ1 + p->QDZ2 * d) * (1 + p->QDZ3 * g + p->QDZ4 * g * g) * pressure *
           p->UNLOADED_RADIUS / l->F0 * p->LTR;
}

void lk_magic_forces(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                     const struct lk_tyre_slip *slip, const struct lk_magic_length *x,
                     const struct lk_magic_side *y, const struct lk_magic_combined *c,
                     const struct lk_magic_moments *m, struct lk_tyre_forces *ret)
{
    double Fy = c->Fy + c->shift;
    double arm = p->UNLOADED_RADIUS * p->LS *
                 (p->SSZ1 + p->SSZ2 * Fy / l->F0 + (p->SSZ3 + p->SSZ4 * l->d) * slip->camber);

    ret->fx = c->Fx;
    ret->fy = Fy;
    ret->mx = m->mx;
    ret->my = m->my;
    ret->mz = m->mz + arm * c->Fx;
    ret->secant[0] = c->Gx * x->secant;
    ret->secant[1] = c->Gy * y->secant;
    ret->stiffness[0] = lk_max(0, x->K);
    ret->stiffness[1] = lk_max(0, -y->K);
    ret->grip = y->mu * l->Fz;
}
