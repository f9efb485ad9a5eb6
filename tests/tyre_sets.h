/* SPDX-License-Identifier: Apache-2.0 */
/* Three sets of tyre parameters and two small ones for tests. A: MF 5.2, of OpenTire, about
 * 235/60R16. B: MF 6.1, the example file of the reference solver. C: TMeasy, S. Frank, 215/55R18.
 * Fiala: the HMMWV of Chrono. Calspan: the Iltis of the IAVSD benchmark. */
#ifndef TESTS_TYRE_SETS_H
#define TESTS_TYRE_SETS_H

#include "tyre/tyre.h"
#include <math.h>

static inline struct lk_tyre_magic *begin_magic(struct lk_tyre_law *law, enum lk_tyre_law_kind kind)
{
    *law = (struct lk_tyre_law){.kind = kind};
#define WITH_FALLBACK(name, fallback) law->of.magic.name = fallback;
    LK_MAGIC_KEYS(WITH_FALLBACK)
#undef WITH_FALLBACK
    return &law->of.magic;
}

static inline void tyre_set_a(struct lk_tyre_law *law)
{
    struct lk_tyre_magic *m = begin_magic(law, LK_TYRE_MF52);

    m->UNLOADED_RADIUS = 0.344;
    m->FNOMIN = 4850.0;
    m->LONGVL = 16.6;
    m->PCX1 = 1.6411;
    m->PDX1 = 1.1739;
    m->PDX2 = -0.16395;
    m->PDX3 = 0.0;
    m->PEX1 = 0.46403;
    m->PEX2 = 0.25022;
    m->PEX3 = 0.067842;
    m->PEX4 = -3.7604e-05;
    m->PKX1 = 22.303;
    m->PKX2 = 0.48896;
    m->PKX3 = 0.21253;
    m->PHX1 = 0.0012297;
    m->PHX2 = 0.0004318;
    m->PVX1 = -8.8098e-06;
    m->PVX2 = 1.862e-05;
    m->RBX1 = 13.276;
    m->RBX2 = -13.778;
    m->RCX1 = 1.2568;
    m->REX1 = 0.65225;
    m->REX2 = -0.24948;
    m->RHX1 = 0.0050722;
    m->PTX1 = 2.3657;
    m->PTX2 = 1.4112;
    m->PTX3 = 0.56626;
    m->PCY1 = 1.3507;
    m->PDY1 = 1.0489;
    m->PDY2 = -0.18033;
    m->PDY3 = -2.8821;
    m->PEY1 = -0.0074722;
    m->PEY2 = -0.0063208;
    m->PEY3 = -9.9935;
    m->PEY4 = -760.14;
    m->PKY1 = -21.92;
    m->PKY2 = 2.0012;
    m->PKY3 = -0.024778;
    m->PHY1 = 0.0026747;
    m->PHY2 = 8.9094e-05;
    m->PHY3 = 0.031415;
    m->PVY1 = 0.037318;
    m->PVY2 = -0.010049;
    m->PVY3 = -0.32931;
    m->PVY4 = -0.69553;
    m->RBY1 = 7.1433;
    m->RBY2 = 9.1916;
    m->RBY3 = -0.027856;
    m->RCY1 = 1.0719;
    m->REY1 = -0.27572;
    m->REY2 = 0.32802;
    m->RHY1 = 5.7448e-06;
    m->RHY2 = -3.1368e-05;
    m->RVY1 = -0.027825;
    m->RVY2 = 0.053604;
    m->RVY3 = -0.27568;
    m->RVY4 = 12.12;
    m->RVY5 = 1.9;
    m->RVY6 = -10.704;
    m->PTY1 = 2.1439;
    m->PTY2 = 1.9829;
    m->QBZ1 = 10.904;
    m->QBZ2 = -1.8412;
    m->QBZ3 = -0.52041;
    m->QBZ4 = 0.039211;
    m->QBZ5 = 0.41511;
    m->QBZ9 = 8.9846;
    m->QBZ10 = 0.0;
    m->QCZ1 = 1.2136;
    m->QDZ1 = 0.093509;
    m->QDZ2 = -0.0092183;
    m->QDZ3 = -0.057061;
    m->QDZ4 = 0.73954;
    m->QDZ6 = -0.0067783;
    m->QDZ7 = 0.0052254;
    m->QDZ8 = -0.18175;
    m->QDZ9 = 0.029952;
    m->QEZ1 = -1.5697;
    m->QEZ2 = 0.33394;
    m->QEZ3 = 0.0;
    m->QEZ4 = 0.26711;
    m->QEZ5 = -3.594;
    m->QHZ1 = 0.0047326;
    m->QHZ2 = 0.0026687;
    m->QHZ3 = 0.11998;
    m->QHZ4 = 0.059083;
    m->SSZ1 = 0.033372;
    m->SSZ2 = 0.0043624;
    m->SSZ3 = 0.56742;
    m->SSZ4 = -0.24116;
    m->QSX1 = 0.00023155;
    m->QSX2 = 0.51574;
    m->QSX3 = 0.046399;
    m->QSY1 = 0.01;
    m->QSY2 = 0.0;
    m->QSY3 = 0.0;
    m->QSY4 = 0.0;
    m->BREFF = 8.4;
    m->DREFF = 0.27;
    m->FREFF = 0.07;
    m->VERTICAL_STIFFNESS = 280835.0;
}

static inline void tyre_set_b(struct lk_tyre_law *law)
{
    struct lk_tyre_magic *m = begin_magic(law, LK_TYRE_MF61);

    m->UNLOADED_RADIUS = 0.3943;
    m->FNOMIN = 6752.0;
    m->LONGVL = 16.6;
    m->NOMPRES = 260000.0;
    m->WIDTH = 0.255;
    m->VERTICAL_STIFFNESS = 314931.2969;
    m->BREFF = 6.217;
    m->DREFF = 0.23778;
    m->FREFF = 0.080544;
    m->Q_RE0 = 0.9997;
    m->Q_V1 = 0.00062028;
    m->Q_V2 = 0.034092;
    m->Q_FZ2 = 20.7558;
    m->Q_FCX = -0.020112;
    m->Q_FCY = 0.26033;
    m->PFZ1 = 0.88241;
    m->LONGITUDINAL_STIFFNESS = 391219.8116;
    m->LATERAL_STIFFNESS = 189871.776;
    m->PCFX1 = 0.14171;
    m->PCFX2 = -0.16104;
    m->PCFX3 = 0.21776;
    m->PCFY1 = -0.2334;
    m->PCFY2 = 0.068881;
    m->PCFY3 = 0.69715;
    m->PCX1 = 1.5482;
    m->PDX1 = 1.1632;
    m->PDX2 = -0.11154;
    m->PDX3 = 0.94173;
    m->PEX1 = 0.27;
    m->PEX2 = 0.011693;
    m->PEX3 = 0.053303;
    m->PEX4 = 0.59223;
    m->PKX1 = 32.9102;
    m->PKX2 = 12.7911;
    m->PKX3 = -0.11254;
    m->PHX1 = -0.0017527;
    m->PHX2 = 0.00068824;
    m->PVX1 = 0.068079;
    m->PVX2 = 0.0023429;
    m->PPX1 = -0.8733;
    m->PPX2 = 0.7035;
    m->PPX3 = -0.0080216;
    m->PPX4 = -0.47776;
    m->RBX1 = 18.3369;
    m->RBX2 = 18.2559;
    m->RBX3 = 607.8133;
    m->RCX1 = 0.96372;
    m->REX1 = -1.2699;
    m->REX2 = -0.14323;
    m->RHX1 = 0.0037359;
    m->QSX1 = 0.00062469;
    m->QSX2 = -9.9089;
    m->QSX3 = 1.621;
    m->QSX4 = 11.4346;
    m->QSX5 = -0.22968;
    m->QSX6 = 1.3749;
    m->QSX7 = -0.90713;
    m->QSX8 = 4.5166;
    m->QSX9 = -0.033238;
    m->QSX10 = 0.73734;
    m->QSX11 = -1.7614;
    m->PPMX1 = -0.032723;
    m->PCY1 = 1.4759;
    m->PDY1 = 1.0085;
    m->PDY2 = -0.1323;
    m->PDY3 = 2.4957;
    m->PEY1 = -0.34653;
    m->PEY2 = -0.60297;
    m->PEY3 = -0.084051;
    m->PEY4 = -20.7741;
    m->PEY5 = 57.615;
    m->PKY1 = -28.3155;
    m->PKY2 = 3.313;
    m->PKY3 = -0.21509;
    m->PKY4 = 2.7364;
    m->PKY5 = 49.8685;
    m->PKY6 = -1.001;
    m->PKY7 = 0.17458;
    m->PHY1 = 0.0016662;
    m->PHY2 = 0.00081921;
    m->PVY1 = 0.022144;
    m->PVY2 = 0.0073185;
    m->PVY3 = -0.47424;
    m->PVY4 = -0.2317;
    m->PPY1 = 0.34039;
    m->PPY2 = 1.1056;
    m->PPY3 = 0.098508;
    m->PPY4 = -0.10018;
    m->PPY5 = -0.81071;
    m->RBY1 = 25.972;
    m->RBY2 = -16.0345;
    m->RBY3 = -0.012821;
    m->RBY4 = 1747.3832;
    m->RCY1 = 0.93848;
    m->REY1 = 0.47225;
    m->REY2 = 0.089042;
    m->RHY1 = -0.0062355;
    m->RHY2 = 0.0044985;
    m->RVY1 = 0.013748;
    m->RVY2 = 0.012074;
    m->RVY3 = 0.47896;
    m->RVY4 = -97.0538;
    m->RVY5 = -1.7992;
    m->RVY6 = -27.5155;
    m->QSY1 = 0.01;
    m->QSY2 = 0.0;
    m->QSY3 = 0.0004;
    m->QSY4 = 4e-05;
    m->QSY5 = 0.0;
    m->QSY6 = 0.0;
    m->QSY7 = 0.85;
    m->QSY8 = -0.4;
    m->QBZ1 = 12.5909;
    m->QBZ2 = -0.90176;
    m->QBZ3 = -0.60231;
    m->QBZ4 = -1.2812;
    m->QBZ5 = 3.1497;
    m->QBZ9 = 176.0292;
    m->QBZ10 = 17.3439;
    m->QCZ1 = 1.1676;
    m->QDZ1 = 0.084112;
    m->QDZ2 = 0.0024576;
    m->QDZ3 = -1.0046;
    m->QDZ4 = 9.1761;
    m->QDZ6 = 0.0020533;
    m->QDZ7 = 0.0020396;
    m->QDZ8 = -0.34545;
    m->QDZ9 = 0.52144;
    m->QDZ10 = 1.0329;
    m->QDZ11 = -4.3212;
    m->QEZ1 = -3.4668;
    m->QEZ2 = -1.6919;
    m->QEZ3 = 1.4023;
    m->QEZ4 = 0.37768;
    m->QEZ5 = -8.9305;
    m->QHZ1 = 0.0023613;
    m->QHZ2 = 0.0019525;
    m->QHZ3 = 0.28223;
    m->QHZ4 = -0.22141;
    m->PPZ1 = 0.94372;
    m->PPZ2 = 0.5053;
    m->SSZ1 = 0.0;
    m->SSZ2 = 0.0;
    m->SSZ3 = 0.0;
    m->SSZ4 = 0.0;
    m->pressure = m->NOMPRES;
}

static inline void tyre_set_c(struct lk_tyre_law *law)
{
    *law = (struct lk_tyre_law){
        .kind = LK_TYRE_TMEASY,
        .of.tmeasy =
            {
                .load = 3500,
                .curve = {{{100e3, 190e3}, {.11, .15}, {3900, 7400}, {.33, .45}, {3510, 6660}},
                          {{80e3, 152e3}, {.16, .21}, {3650, 6935}, {.48, .63}, {3285, 6241.5}}},
                .trail = {.167, .167},
                .trail_zero = {.24, .315},
                .trail_end = {.32, .42},
                .radius = .3469,
                .stiffness = 200e3,
                .rolling = .01,
                .speed = .5,
            },
    };
}

static inline void tyre_set_fiala(struct lk_tyre_law *law)
{
    *law = (struct lk_tyre_law){
        .kind = LK_TYRE_FIALA,
        .of.fiala = {193929, 50000, {.5568, .9835}, .318, .015},
    };
}

static inline void tyre_set_calspan(struct lk_tyre_law *law)
{
    *law = (struct lk_tyre_law){
        .kind = LK_TYRE_CALSPAN,
        .of.calspan = {{2625, 14.47, 12930, 2.29, 18175},
                       -.464e-4,
                       1.216,
                       2.18e-11,
                       1.0274,
                       {-.171e-4, .171e-4}},
    };
}

#endif
