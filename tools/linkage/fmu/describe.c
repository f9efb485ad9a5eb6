/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptions of an FMU. Both versions have the same variables, all of them scalars:
 * components of a channel may have different units, which an array variable does not support. */
#include "fmu.h"
#include "linkage/build.h"
#include "linkage/version.h"

#include <errno.h>
#include <libxml/xmlwriter.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DURATION "10" /* default duration, as in linkage run */

/* struct writer - writer of an XML document.
 * @failed: out of memory; later calls do nothing */
struct writer {
    xmlTextWriterPtr xml;
    int version;
    bool failed;
};

static void open_element(struct writer *w, const char *name)
{
    w->failed = w->failed || xmlTextWriterStartElement(w->xml, BAD_CAST name) < 0;
}

static void close_element(struct writer *w)
{
    w->failed = w->failed || xmlTextWriterEndElement(w->xml) < 0;
}

static void put(struct writer *w, const char *name, const char *text)
{
    w->failed = w->failed || xmlTextWriterWriteAttribute(w->xml, BAD_CAST name, BAD_CAST text) < 0;
}

static void put_integer(struct writer *w, const char *name, long value)
{
    char text[32];

    snprintf(text, sizeof(text), "%ld", value);
    put(w, name, text);
}

/* Write a number with the fewest digits from which the same bits can be read. */
static void put_number(struct writer *w, const char *name, double value)
{
    char text[32];

    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    put(w, name, text);
}

static void put_if(struct writer *w, const char *name, bool value)
{
    if (value)
        put(w, name, "true");
}

/* ---- capabilities of the unit ---- */

static void describe_sources(struct writer *w, const struct fmu_export *e)
{
    open_element(w, w->version == 2 ? "SourceFiles" : "SourceFileSet");
    if (w->version == 3)
        put(w, "language", "C11");
    for (int i = 0; i < e->n_sources; i++) {
        const char *name = e->sources[i];

        if (strcmp(name + strlen(name) - 2, ".c") != 0)
            continue;
        open_element(w, w->version == 2 ? "File" : "SourceFile");
        put(w, "name", name);
        close_element(w);
    }
    close_element(w);
}

static void describe_abilities(struct writer *w, const struct fmu_export *e)
{
    const bool is_2 = w->version == 2;

    open_element(w, "CoSimulation");
    put(w, "modelIdentifier", e->id);
    put_if(w, "canNotUseMemoryManagementFunctions", is_2);
    put(w, is_2 ? "canGetAndSetFMUstate" : "canGetAndSetFMUState", "true");
    put(w, is_2 ? "canSerializeFMUstate" : "canSerializeFMUState", "true");
    put(w, "canHandleVariableCommunicationStepSize", "true");
    if (!is_2) {
        put_number(w, "fixedInternalStepSize", e->step);
        put(w, "providesIntermediateUpdate", "true");
        put(w, "canReturnEarlyAfterIntermediateUpdate", "true");
    } else if (e->n_sources > 0) {
        describe_sources(w, e);
    }
    close_element(w);
}

/* ---- units ---- */

static bool is_first_unit(const struct fmu_variables *all, int i)
{
    for (int k = 0; k < i; k++)
        if (strcmp(all->list[k].unit, all->list[i].unit) == 0)
            return false;
    return all->list[i].unit[0] != '\0';
}

static void describe_units(struct writer *w, const struct fmu_variables *all)
{
    open_element(w, "UnitDefinitions");
    for (int i = 0; i < all->n; i++) {
        struct fmu_unit unit;

        if (!is_first_unit(all, i))
            continue;
        open_element(w, "Unit");
        put(w, "name", all->list[i].unit);
        if (fmu_unit_parse(all->list[i].unit, &unit)) {
            open_element(w, "BaseUnit");
            for (int b = 0; b < FMU_BASES; b++)
                if (unit.power[b] != 0)
                    put_integer(w, fmu_bases[b], unit.power[b]);
            close_element(w);
        }
        close_element(w);
    }
    close_element(w);
}

static void describe_log(struct writer *w)
{
    static const char *const categories[][2] = {
        {"logStatusDiscard", "a value or a step that is refused, and changes nothing"},
        {"logStatusError", "what ends the simulation, or the instance"}};

    open_element(w, "LogCategories");
    for (int i = 0; i < 2; i++) {
        open_element(w, "Category");
        put(w, "name", categories[i][0]);
        put(w, "description", categories[i][1]);
        close_element(w);
    }
    close_element(w);
}

static void describe_experiment(struct writer *w, const struct fmu_export *e)
{
    open_element(w, "DefaultExperiment");
    put(w, "startTime", "0");
    put(w, "stopTime", DURATION);
    put_number(w, "stepSize", e->step);
    close_element(w);
}

/* ---- variables ---- */

static const struct {
    const char *causality;
    const char *variability;
    const char *initial;
} kinds[] = {
    [FMU_TIME] = {"independent", "continuous", NULL},
    [FMU_TUNABLE] = {"parameter", "tunable", "exact"},
    [FMU_FIXED] = {"parameter", "fixed", "exact"},
    [FMU_INPUT] = {"input", "continuous", NULL},
    [FMU_OUTPUT] = {"output", "continuous", "calculated"},
};

static void describe_value(struct writer *w, const struct fmu_variable *v)
{
    if (v->unit[0] != '\0')
        put(w, "unit", v->unit);
    if (isfinite(v->low))
        put_number(w, "min", v->low);
    if (isfinite(v->high))
        put_number(w, "max", v->high);
    if (v->kind != FMU_TIME && v->kind != FMU_OUTPUT)
        put_number(w, "start", v->start);
}

static void describe_variable(struct writer *w, const struct fmu_variable *v, int reference)
{
    const bool is_2 = w->version == 2;

    open_element(w, is_2 ? "ScalarVariable" : "Float64");
    put(w, "name", v->name);
    put_integer(w, "valueReference", reference);
    put(w, "description", v->says);
    put(w, "causality", kinds[v->kind].causality);
    put(w, "variability", kinds[v->kind].variability);
    if (kinds[v->kind].initial != NULL && (is_2 || v->kind != FMU_INPUT))
        put(w, "initial", kinds[v->kind].initial);
    if (is_2)
        open_element(w, "Real");
    else
        put_if(w, "intermediateUpdate", v->kind == FMU_OUTPUT);
    describe_value(w, v);
    if (is_2)
        close_element(w);
    close_element(w);
}

static void describe_variables(struct writer *w, const struct fmu_variables *all)
{
    open_element(w, "ModelVariables");
    for (int i = 0; i < all->n; i++)
        describe_variable(w, &all->list[i], i);
    close_element(w);
}

/* Write the indices of all parameters as dependencies. */
static void put_parameters(struct writer *w, const struct fmu_variables *all)
{
    size_t room = 12 * (size_t)all->n + 1, used = 0;
    char *text = calloc(room, 1);

    for (int i = 0; i < all->n && text != NULL; i++)
        if (all->list[i].kind == FMU_FIXED || all->list[i].kind == FMU_TUNABLE)
            used += (size_t)snprintf(text + used, room - used, "%s%d", used > 0 ? " " : "",
                                     w->version == 2 ? i + 1 : i);
    w->failed = w->failed || text == NULL;
    if (text != NULL)
        put(w, "dependencies", text);
    free(text);
}

/* Write the structure of the outputs. An output is computed from the state after the last step, so
 * an input that is set after this step acts only in the next step. At the start the outputs depend
 * on the parameters only. */
static void describe_unknowns(struct writer *w, const struct fmu_variables *all, bool initial)
{
    const bool is_2 = w->version == 2;
    bool is_open = !is_2;

    for (int i = 0; i < all->n; i++) {
        if (all->list[i].kind != FMU_OUTPUT)
            continue;
        if (!is_open)
            open_element(w, initial ? "InitialUnknowns" : "Outputs");
        is_open = true;
        open_element(w, is_2 ? "Unknown" : initial ? "InitialUnknown" : "Output");
        put_integer(w, is_2 ? "index" : "valueReference", is_2 ? i + 1 : i);
        if (initial)
            put_parameters(w, all);
        else
            put(w, "dependencies", "");
        close_element(w);
    }
    if (is_2 && is_open)
        close_element(w);
}

static void describe_all(struct writer *w, const struct fmu_export *e)
{
    char text[96];

    open_element(w, "fmiModelDescription");
    put(w, "fmiVersion", w->version == 2 ? "2.0" : "3.0");
    put(w, "modelName", e->title);
    put(w, w->version == 2 ? "guid" : "instantiationToken", e->token);
    snprintf(text, sizeof(text), "linkage " LK_VERSION ", build %.16s", lk_build_id());
    put(w, "generationTool", text);
    put(w, "variableNamingConvention", "flat");
    if (w->version == 2)
        put(w, "numberOfEventIndicators", "0");
    describe_abilities(w, e);
    describe_units(w, &e->variables);
    describe_log(w);
    describe_experiment(w, e);
    describe_variables(w, &e->variables);
    open_element(w, "ModelStructure");
    describe_unknowns(w, &e->variables, false);
    describe_unknowns(w, &e->variables, true);
    close_element(w);
    close_element(w);
}

static void describe_build(struct writer *w, const struct fmu_export *e)
{
    open_element(w, "fmiBuildDescription");
    put(w, "fmiVersion", "3.0");
    open_element(w, "BuildConfiguration");
    put(w, "modelIdentifier", e->id);
    describe_sources(w, e);
    open_element(w, "Library");
    put(w, "name", "m");
    close_element(w);
    close_element(w);
    close_element(w);
}

static int write_text(const struct fmu_export *e,
                      void (*describe)(struct writer *w, const struct fmu_export *e),
                      char **ret_text, size_t *ret_size)
{
    xmlBufferPtr buffer = xmlBufferCreate();
    struct writer w = {.version = e->version};
    int size;

    if (buffer != NULL)
        w.xml = xmlNewTextWriterMemory(buffer, 0);
    w.failed = w.xml == NULL || xmlTextWriterSetIndent(w.xml, 1) < 0 ||
               xmlTextWriterSetIndentString(w.xml, BAD_CAST "  ") < 0 ||
               xmlTextWriterStartDocument(w.xml, NULL, "UTF-8", NULL) < 0;
    describe(&w, e);
    w.failed = w.failed || xmlTextWriterEndDocument(w.xml) < 0;
    xmlFreeTextWriter(w.xml);
    size = buffer != NULL ? xmlBufferLength(buffer) : 0;
    *ret_text = w.failed ? NULL : strndup((const char *)xmlBufferContent(buffer), (size_t)size);
    *ret_size = (size_t)size;
    xmlBufferFree(buffer);
    return *ret_text != NULL ? 0 : -ENOMEM;
}

int fmu_describe(const struct fmu_export *e, char **ret_text, size_t *ret_size)
{
    return write_text(e, describe_all, ret_text, ret_size);
}

int fmu_describe_build(const struct fmu_export *e, char **ret_text, size_t *ret_size)
{
    return write_text(e, describe_build, ret_text, ret_size);
}
