/* SPDX-License-Identifier: Apache-2.0 */
/* Included once for every function on joints, with WORK defined as its name, e.g. iterate. Defines
 * an instance of iterate_rows() for each joint type of rows/table.h, with the type as a constant.
 * Also defines iterate_work, the table of these instances and of iterate_single(). There is no
 * include guard, because of the repeated inclusion. */
#define PASTE_(a, b)   a##b
#define PASTE(a, b)    PASTE_(a, b)
#define INSTANCE(name) PASTE(PASTE(WORK, _), name)

#define X(NAME, ...)                                                                               \
    STAGE_FN(INSTANCE(NAME))                                                                       \
    {                                                                                              \
        PASTE(WORK, _rows)(&lk_joint_kinds[LK_KIND_##NAME], run, stage, t, block);                 \
    }
LK_JOINT_KINDS(X)
#undef X

static const struct joint_work PASTE(WORK, _work) = {
    .kind =
        {
#define X(NAME, ...) [LK_KIND_##NAME] = INSTANCE(NAME),
            LK_JOINT_KINDS(X)
#undef X
        },
    .single = PASTE(WORK, _single),
};
#undef PASTE_
#undef PASTE
#undef INSTANCE
#undef WORK
