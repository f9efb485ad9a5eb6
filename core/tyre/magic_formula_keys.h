/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the parameters of the Magic Formula in .tir files, and their defaults; NAN: required. MF
 * 5.2 and 6.1 use the same list: defaults of parameters that only 6.1 has do not affect 5.2. The
 * parameters have SI units, as in the file. */
#ifndef LK_TYRE_MAGIC_FORMULA_KEYS_H
#define LK_TYRE_MAGIC_FORMULA_KEYS_H

/* clang-format off */
#define LK_MAGIC_KEYS(X) \
    /* dimension, vertical, operating conditions */ \
    X(UNLOADED_RADIUS, NAN) X(WIDTH, 0.2) X(RIM_RADIUS, 0) X(FNOMIN, NAN) X(LONGVL, NAN) \
    X(NOMPRES, 0) X(INFLPRES, 0) X(VERTICAL_STIFFNESS, NAN) X(VERTICAL_DAMPING, 0) \
    X(BREFF, 0) X(DREFF, 0) X(FREFF, 0) X(Q_RE0, 1) X(Q_V1, 0) X(Q_V2, 0) X(Q_FZ2, 0) \
    X(Q_FCX, 0) X(Q_FCY, 0) X(PFZ1, 0) X(BOTTOM_STIFF, 0) X(BOTTOM_OFFST, 0) \
    X(LONGITUDINAL_STIFFNESS, 0) X(LATERAL_STIFFNESS, 0) \
    X(PCFX1, 0) X(PCFX2, 0) X(PCFX3, 0) X(PCFY1, 0) X(PCFY2, 0) X(PCFY3, 0) \
    X(FZMIN, 0) X(FZMAX, 0) X(KPUMIN, 0) X(KPUMAX, 0) X(ALPMIN, 0) X(ALPMAX, 0) \
    X(CAMMIN, 0) X(CAMMAX, 0) \
    /* scaling */ \
    X(LFZO, 1) X(LCX, 1) X(LMUX, 1) X(LEX, 1) X(LKX, 1) X(LHX, 1) X(LVX, 1) X(LXAL, 1) \
    X(LCY, 1) X(LMUY, 1) X(LEY, 1) X(LKY, 1) X(LHY, 1) X(LVY, 1) X(LYKA, 1) X(LVYKA, 1) \
    X(LTR, 1) X(LRES, 1) X(LS, 1) X(LGAX, 1) X(LGAY, 1) X(LGAZ, 1) X(LKYC, 1) X(LKZC, 1) \
    X(LMX, 1) X(LVMX, 1) X(LMY, 1) X(LMP, 1) X(LSGKP, 1) X(LSGAL, 1) X(LCZ, 1) \
    /* longitudinal */ \
    X(PCX1, NAN) X(PDX1, NAN) X(PDX2, 0) X(PDX3, 0) X(PEX1, 0) X(PEX2, 0) X(PEX3, 0) X(PEX4, 0) \
    X(PKX1, NAN) X(PKX2, 0) X(PKX3, 0) X(PHX1, 0) X(PHX2, 0) X(PVX1, 0) X(PVX2, 0) \
    X(PPX1, 0) X(PPX2, 0) X(PPX3, 0) X(PPX4, 0) \
    X(RBX1, 0) X(RBX2, 0) X(RBX3, 0) X(RCX1, 0) X(REX1, 0) X(REX2, 0) X(RHX1, 0) \
    X(PTX1, 0) X(PTX2, 0) X(PTX3, 0) \
    /* overturning */ \
    X(QSX1, 0) X(QSX2, 0) X(QSX3, 0) X(QSX4, 0) X(QSX5, 0) X(QSX6, 0) X(QSX7, 0) X(QSX8, 0) \
    X(QSX9, 0) X(QSX10, 0) X(QSX11, 0) X(PPMX1, 0) \
    /* lateral */ \
    X(PCY1, NAN) X(PDY1, NAN) X(PDY2, 0) X(PDY3, 0) X(PEY1, 0) X(PEY2, 0) X(PEY3, 0) X(PEY4, 0) \
    X(PEY5, 0) X(PKY1, NAN) X(PKY2, NAN) X(PKY3, 0) X(PKY4, 2) X(PKY5, 0) X(PKY6, 0) X(PKY7, 0) \
    X(PHY1, 0) X(PHY2, 0) X(PHY3, 0) X(PVY1, 0) X(PVY2, 0) X(PVY3, 0) X(PVY4, 0) \
    X(PPY1, 0) X(PPY2, 0) X(PPY3, 0) X(PPY4, 0) X(PPY5, 0) \
    X(RBY1, 0) X(RBY2, 0) X(RBY3, 0) X(RBY4, 0) X(RCY1, 0) X(REY1, 0) X(REY2, 0) \
    X(RHY1, 0) X(RHY2, 0) X(RVY1, 0) X(RVY2, 0) X(RVY3, 0) X(RVY4, 0) X(RVY5, 0) X(RVY6, 0) \
    X(PTY1, 0) X(PTY2, 0) \
    /* rolling */ \
    X(QSY1, 0) X(QSY2, 0) X(QSY3, 0) X(QSY4, 0) X(QSY5, 0) X(QSY6, 0) X(QSY7, 1) X(QSY8, 0) \
    /* aligning */ \
    X(QBZ1, 0) X(QBZ2, 0) X(QBZ3, 0) X(QBZ4, 0) X(QBZ5, 0) X(QBZ9, 0) X(QBZ10, 0) X(QCZ1, 0) \
    X(QDZ1, 0) X(QDZ2, 0) X(QDZ3, 0) X(QDZ4, 0) X(QDZ6, 0) X(QDZ7, 0) X(QDZ8, 0) X(QDZ9, 0) \
    X(QDZ10, 0) X(QDZ11, 0) X(QEZ1, 0) X(QEZ2, 0) X(QEZ3, 0) X(QEZ4, 0) X(QEZ5, 0) \
    X(QHZ1, 0) X(QHZ2, 0) X(QHZ3, 0) X(QHZ4, 0) X(PPZ1, 0) X(PPZ2, 0) \
    X(SSZ1, 0) X(SSZ2, 0) X(SSZ3, 0) X(SSZ4, 0)
/* clang-format on */

#endif
