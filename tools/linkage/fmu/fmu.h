/* SPDX-License-Identifier: Apache-2.0 */
/* linkage fmu: exports a model as a co-simulation unit (FMU) of FMI 2.0 or 3.0.
 *
 *     fmu.c        options; packed model; variables
 *     describe.c   modelDescription.xml of either version
 *     units.c      units of the model as exponents of SI base units
 *     archive.c    the archive; the same model and build give identical bytes
 *
 * The shared object of the FMU is built together with the tools (tools/fmu). */
#ifndef TOOLS_LINKAGE_FMU_H
#define TOOLS_LINKAGE_FMU_H

#include "linkage/linkage.h"
#include "variables.h"

#define FMU_ID_SIZE 64

/** struct fmu_export - content of the exported FMU.
 * @path:    path of the model file
 * @output:  path of the FMU
 * @version: 2 or 3
 * @id:      identifier of the model in C; also the name of the shared object
 * @bytes:   the packed model of @size bytes
 * @token:   token computed from these bytes
 * @step:    step of the model [s]
 * @title:   name of the model
 * @sources: names of the @n_sources source files; NULL if the FMU contains no sources */
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

/** fmu_describe() - Write modelDescription.xml.
 * @ret_text: on the heap, to be freed with free()
 * Return: 0, -ENOMEM. */
int fmu_describe(const struct fmu_export *e, char **ret_text, size_t *ret_size);
/** fmu_describe_build() - Write buildDescription.xml of FMI 3.0.
 * @ret_text: on the heap, to be freed with free()
 * Return: 0, -ENOMEM. */
int fmu_describe_build(const struct fmu_export *e, char **ret_text, size_t *ret_size);

/** struct fmu_unit - a unit as exponents of base units. */
enum { FMU_KG, FMU_M, FMU_S, FMU_A, FMU_K, FMU_RAD, FMU_BASES };
struct fmu_unit {
    int power[FMU_BASES];
};
extern const char *const fmu_bases[FMU_BASES];
/** fmu_unit_parse() - Parse a unit such as "N m/rad".
 * Return: true if all parts of the unit are known. */
bool fmu_unit_parse(const char *text, struct fmu_unit *ret);

/** fmu_list_sources() - Write the names of the source files to @e.
 * Return: false after a message. */
bool fmu_list_sources(struct fmu_export *e);
/** fmu_write() - Write the FMU; an existing file is replaced only after it is complete.
 * Return: false after a message. */
bool fmu_write(const struct fmu_export *e);

#endif
