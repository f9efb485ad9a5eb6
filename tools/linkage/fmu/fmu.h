/* SPDX-License-Identifier: Apache-2.0 */
/* linkage fmu: exports a model as a co-simulation unit (FMU) of FMI 2.0 or 3.0.
 *
 *     fmu.c        options; packed model; variables
 *     describe.c   modelDescription.xml of either version
 *     units.c      units of the model as exponents of SI base units
 *     archive.c    the archive, the same bytes for the same model and build
 *
 * The shared object of the unit is built with the tools (tools/fmu) and stored beside its
 * sources.
 */
#ifndef TOOLS_LINKAGE_FMU_H
#define TOOLS_LINKAGE_FMU_H

#include "linkage/linkage.h"
#include "variables.h"

#define FMU_ID_SIZE 64

/** struct fmu_export - content of the exported unit.
 * @path: path of the model; @output: path of the unit; @version: 2 or 3
 * @id:      identifier of the model in C, name of the shared object
 * @bytes: the packed model of @size bytes; @token: token of these bytes @step: step of the model
 *         [s]; @title: name of the model
 * @sources: names of the files of the source form, @n_sources of them; NULL without it */
struct fmu_export {
    const char *path;
    const char *output;
    int version;
    bool with_sources;
    char id[FMU_ID_SIZE];
    char title[LK_NAME_SIZE];
    char *bytes;
    size_t size;
    char token[FMU_TOKEN_SIZE];
    double step;
    struct fmu_variables variables;
    char **sources;
    int n_sources;
};

/** fmu_describe() - Write modelDescription.xml. @ret_text: on the heap, free(). Return: 0,
 * -ENOMEM. */
int fmu_describe(const struct fmu_export *e, char **ret_text, size_t *ret_size);
/** fmu_describe_build() - Write buildDescription.xml of FMI 3.0. @ret_text: on the heap, free().
 * Return: 0, -ENOMEM. */
int fmu_describe_build(const struct fmu_export *e, char **ret_text, size_t *ret_size);

/** struct fmu_unit - exponents of a unit. */
enum { FMU_KG, FMU_M, FMU_S, FMU_A, FMU_K, FMU_RAD, FMU_BASES };
struct fmu_unit {
    int power[FMU_BASES];
};
extern const char *const fmu_bases[FMU_BASES];
/** fmu_unit_parse() - Parse a unit such as "N m/rad". Return: true if all parts of the unit are
 * known. */
bool fmu_unit_parse(const char *text, struct fmu_unit *ret);

/** fmu_list_sources() - Write the names of the files of the source form to @e. Return: false after
 * a message.
 */
bool fmu_list_sources(struct fmu_export *e);
/** fmu_write() - Write the unit; an existing file is replaced only after it is complete. Return:
 * false after a message. */
bool fmu_write(const struct fmu_export *e);

#endif
