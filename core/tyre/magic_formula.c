/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the Magic Formula that version 5.2 and 6.1 have in common. */
#include "tyre/magic_formula.h"

struct lk_magic_load lk_magic_load(const struct lk_tyre_magic *p, const struct lk_tyre_slip *slip)
{
    double F0 = p->LFZO * p->FNOMIN;
    double Fz = fmin(slip->load, LK_MAGIC_LOAD_MAX * F0);

    return (struct lk_magic_load){
        .Fz = Fz,
        .F0 = F0,
        .d = (Fz - F0) / F0,
        .dp = p->NOMPRES > 0 ? (p->pressure - p->NOMPRES) / p->NOMPRES : 0,
    };
}

double lk_magic_weight(double B, double C, double E, double shift, double x)
{
    double at_rest = lk_magic_cosine(B, C, E, shift);

    return fmax(lk_magic_cosine(B, C, E, x + shift) / lk_magic_divisor(at_rest, LK_MAGIC_LEAST), 0);
}

static double weight_x(const struct lk_tyre_magic *p, const struct lk_magic_load *l, double Bxa,
                       double slope)
{
    double Exa = lk_magic_curvature(p->REX1 + p->REX2 * l->d);

    return lk_magic_weight(Bxa * p->LXAL, p->RCX1, Exa, p->RHX1, slope);
}

/* and the offset SVyk that kappa makes */
static double weight_y(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                       const struct lk_tyre_slip *slip, double Byk, double mu, double *ret_shift)
{
    double Eyk = lk_magic_curvature(p->REY1 + p->REY2 * l->d), s, c;
    double DVyk = mu * l->Fz * (p->RVY1 + p->RVY2 * l->d + p->RVY3 * slip->camber) *
                  lk_magic_cos_atan(p->RVY4 * slip->slope);

    lk_sin_cos(p->RVY5 * lk_atan(p->RVY6 * slip->kappa), &s, &c);
    *ret_shift = p->LVYKA * DVyk * s;
    return lk_magic_weight(Byk * p->LYKA, p->RCY1, Eyk, p->RHY1 + p->RHY2 * l->d, slip->kappa);
}

struct lk_magic_combined lk_magic_combine(const struct lk_tyre_magic *p,
                                          const struct lk_magic_load *l,
                                          const struct lk_tyre_slip *slip,
                                          const struct lk_magic_length *x,
                                          const struct lk_magic_side *y, double Bxa, double Byk)
{
    struct lk_magic_combined c = {
        .Gx = weight_x(p, l, Bxa, slip->slope),
        .ratio = x->K * slip->kappa / lk_magic_divisor(y->K, LK_MAGIC_TINY * l->F0),
    };

    c.Gy = weight_y(p, l, slip, Byk, y->mu, &c.shift);
    c.Fx = c.Gx * x->Fx0;
    c.Fy = c.Gy * y->Fy0;
    return c;
}

double lk_magic_trail(const struct lk_tyre_magic *p, const struct lk_magic_load *l, double g,
                      double at, double slip_eq, double cos_alpha, double pressure)
{
    double d = l->d;
    double Bt = (p->QBZ1 + p->QBZ2 * d + p->QBZ3 * d * d) * (1 + p->QBZ4 * g + p->QBZ5 * fabs(g)) *
                p->LKY / p->LMUY;
    double Dt = l->Fz * (p->QDZ1 + p->QDZ2 * d) * (1 + p->QDZ3 * g + p->QDZ4 * g * g) * pressure *
                p->UNLOADED_RADIUS / l->F0 * p->LTR;
    double Et = (p->QEZ1 + p->QEZ2 * d + p->QEZ3 * d * d) *
                (1 + (p->QEZ4 + p->QEZ5 * g) * 0.63661977236758134 * lk_atan(Bt * p->QCZ1 * at));

    return Dt * lk_magic_cosine(Bt, p->QCZ1, lk_magic_curvature(Et), slip_eq) * cos_alpha;
}

struct lk_tyre_forces lk_magic_forces(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                                      const struct lk_tyre_slip *slip,
                                      const struct lk_magic_length *x,
                                      const struct lk_magic_side *y,
                                      const struct lk_magic_combined *c,
                                      const struct lk_magic_moments *m)
{
    double Fy = c->Fy + c->shift;
    double arm = p->UNLOADED_RADIUS * p->LS *
                 (p->SSZ1 + p->SSZ2 * Fy / l->F0 + (p->SSZ3 + p->SSZ4 * l->d) * slip->camber);

    return (struct lk_tyre_forces){
        .fx = c->Fx,
        .fy = Fy,
        .mx = m->mx,
        .my = m->my,
        .mz = m->mz + arm * c->Fx,
        .secant = {c->Gx * x->secant, c->Gy * y->secant},
        .stiffness = {fmax(x->K, 0), fmax(-y->K, 0)},
        .grip = y->mu * l->Fz,
    };
}
