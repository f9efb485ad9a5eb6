/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the A2L file of an image: ASAM MCD-2 MC 1.6.1, with ASAM MCD-1 XCP 1.3 in IF_DATA.
 *
 * The file contains only elements that every reader of version 1.6 supports: no structure types,
 * and no commands of later versions in the list of optional commands. Each number is described
 * separately by a name, a unit and an address. */
#include "codes.h"
#include "image.h"
#include "slave.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define A2L_LIMIT "1E+300" /* limit of an unlimited number; so small that no tool overflows */

/* struct writer - state of the writer.
 * @unit: the @n_units different units of the items; unit i belongs to the conversion "unit_i" */
struct writer {
    const struct xcp_image *image;
    FILE *to;
    const char **unit;
    int n_units;
};

static void put_text(FILE *to, const char *text)
{
    putc('"', to);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\')
            putc('\\', to);
        putc(c < ' ' || c > '~' ? '?' : c, to);
    }
    putc('"', to);
}

/* ---- description of IF_DATA ---- */

/* grammar of IF_DATA in this file, with the names and the order of the standard */
static const char language[] =
    "  /begin A2ML\n"
    "    taggedunion DaqEvent {\n"
    "      \"FIXED_EVENT_LIST\" taggedstruct { (\"EVENT\" uint)*; };\n"
    "      \"VARIABLE\" taggedstruct {\n"
    "        block \"AVAILABLE_EVENT_LIST\" taggedstruct { (\"EVENT\" uint)*; };\n"
    "        block \"DEFAULT_EVENT_LIST\" taggedstruct { (\"EVENT\" uint)*; };\n"
    "      };\n"
    "    };\n"
    "    struct ProtocolLayer {\n"
    "      uint; uint; uint; uint; uint; uint; uint; uint; uchar; uint;\n"
    "      enum { \"BYTE_ORDER_MSB_LAST\" = 0, \"BYTE_ORDER_MSB_FIRST\" = 1 };\n"
    "      enum { \"ADDRESS_GRANULARITY_BYTE\" = 1, \"ADDRESS_GRANULARITY_WORD\" = 2,\n"
    "        \"ADDRESS_GRANULARITY_DWORD\" = 4 };\n"
    "      taggedstruct {\n"
    "        (\"OPTIONAL_CMD\" enum {\n"
    "          \"GET_COMM_MODE_INFO\" = 0xFB, \"GET_ID\" = 0xFA, \"SET_MTA\" = 0xF6,\n"
    "          \"UPLOAD\" = 0xF5, \"SHORT_UPLOAD\" = 0xF4, \"BUILD_CHECKSUM\" = 0xF3,\n"
    "          \"DOWNLOAD\" = 0xF0, \"SHORT_DOWNLOAD\" = 0xED, \"CLEAR_DAQ_LIST\" = 0xE3,\n"
    "          \"SET_DAQ_PTR\" = 0xE2, \"WRITE_DAQ\" = 0xE1, \"SET_DAQ_LIST_MODE\" = 0xE0,\n"
    "          \"GET_DAQ_LIST_MODE\" = 0xDF, \"START_STOP_DAQ_LIST\" = 0xDE,\n"
    "          \"START_STOP_SYNCH\" = 0xDD, \"GET_DAQ_CLOCK\" = 0xDC, \"READ_DAQ\" = 0xDB,\n"
    "          \"GET_DAQ_PROCESSOR_INFO\" = 0xDA, \"GET_DAQ_RESOLUTION_INFO\" = 0xD9,\n"
    "          \"GET_DAQ_LIST_INFO\" = 0xD8, \"GET_DAQ_EVENT_INFO\" = 0xD7, \"FREE_DAQ\" = 0xD6,\n"
    "          \"ALLOC_DAQ\" = 0xD5, \"ALLOC_ODT\" = 0xD4, \"ALLOC_ODT_ENTRY\" = 0xD3 })*;\n"
    "      };\n"
    "    };\n"
    "    struct Daq {\n"
    "      enum { \"STATIC\" = 0, \"DYNAMIC\" = 1 };\n"
    "      uint; uint; uchar;\n"
    "      enum { \"OPTIMISATION_TYPE_DEFAULT\" = 0 };\n"
    "      enum { \"ADDRESS_EXTENSION_FREE\" = 0, \"ADDRESS_EXTENSION_ODT\" = 1,\n"
    "        \"ADDRESS_EXTENSION_DAQ\" = 3 };\n"
    "      enum { \"IDENTIFICATION_FIELD_TYPE_ABSOLUTE\" = 0,\n"
    "        \"IDENTIFICATION_FIELD_TYPE_RELATIVE_BYTE\" = 1 };\n"
    "      enum { \"GRANULARITY_ODT_ENTRY_SIZE_DAQ_BYTE\" = 1 };\n"
    "      uchar;\n"
    "      enum { \"NO_OVERLOAD_INDICATION\" = 0, \"OVERLOAD_INDICATION_PID\" = 1,\n"
    "        \"OVERLOAD_INDICATION_EVENT\" = 2 };\n"
    "      taggedstruct {\n"
    "        \"PRESCALER_SUPPORTED\";\n"
    "        block \"TIMESTAMP_SUPPORTED\" struct {\n"
    "          uint;\n"
    "          enum { \"NO_TIME_STAMP\" = 0, \"SIZE_BYTE\" = 1, \"SIZE_WORD\" = 2,\n"
    "            \"SIZE_DWORD\" = 4 };\n"
    "          enum { \"UNIT_1NS\" = 0, \"UNIT_10NS\" = 1, \"UNIT_100NS\" = 2, \"UNIT_1US\" = 3 "
    "};\n"
    "          taggedstruct { \"TIMESTAMP_FIXED\"; };\n"
    "        };\n"
    "        (block \"EVENT\" struct {\n"
    "          char[101]; char[9]; uint;\n"
    "          enum { \"DAQ\" = 1, \"STIM\" = 2, \"DAQ_STIM\" = 3 };\n"
    "          uchar; uchar; uchar; uchar;\n"
    "          taggedstruct { \"CONSISTENCY\" enum { \"DAQ\" = 0, \"EVENT\" = 1 }; };\n"
    "        })*;\n"
    "      };\n"
    "    };\n"
    "    taggedstruct Common {\n"
    "      block \"PROTOCOL_LAYER\" struct ProtocolLayer;\n"
    "      block \"DAQ\" struct Daq;\n"
    "      block \"DAQ_EVENT\" taggedunion DaqEvent;\n"
    "    };\n"
    "    struct Internet {\n"
    "      uint; uint;\n"
    "      taggedunion { \"HOST_NAME\" char[256]; \"ADDRESS\" char[15]; };\n"
    "    };\n"
    "    block \"IF_DATA\" taggedunion IfData {\n"
    "      \"XCP\" struct {\n"
    "        taggedstruct Common;\n"
    "        taggedstruct {\n"
    "          block \"XCP_ON_TCP_IP\" struct { struct Internet; taggedstruct Common; };\n"
    "          block \"XCP_ON_UDP_IP\" struct { struct Internet; taggedstruct Common; };\n"
    "        };\n"
    "      };\n"
    "      \"XCPplus\" struct {\n"
    "        uint;\n"
    "        taggedstruct Common;\n"
    "        taggedstruct {\n"
    "          (block \"XCP_ON_TCP_IP\" struct {\n"
    "            struct Internet; taggedstruct Common;\n"
    "            taggedstruct { \"TRANSPORT_LAYER_INSTANCE\" char[101]; };\n"
    "          })*;\n"
    "          (block \"XCP_ON_UDP_IP\" struct {\n"
    "            struct Internet; taggedstruct Common;\n"
    "            taggedstruct { \"TRANSPORT_LAYER_INSTANCE\" char[101]; };\n"
    "          })*;\n"
    "        };\n"
    "      };\n"
    "    };\n"
    "  /end A2ML\n\n";

/* ---- IF_DATA ---- */

static const char protocol_layer[] =
    "    /begin PROTOCOL_LAYER\n"
    "      0x%04X 2000 2000 0 0 0 0 0 %d %d BYTE_ORDER_MSB_LAST ADDRESS_GRANULARITY_BYTE\n"
    "      OPTIONAL_CMD GET_COMM_MODE_INFO OPTIONAL_CMD GET_ID OPTIONAL_CMD SET_MTA\n"
    "      OPTIONAL_CMD UPLOAD OPTIONAL_CMD SHORT_UPLOAD OPTIONAL_CMD BUILD_CHECKSUM\n"
    "      OPTIONAL_CMD DOWNLOAD OPTIONAL_CMD SHORT_DOWNLOAD OPTIONAL_CMD CLEAR_DAQ_LIST\n"
    "      OPTIONAL_CMD SET_DAQ_PTR OPTIONAL_CMD WRITE_DAQ OPTIONAL_CMD SET_DAQ_LIST_MODE\n"
    "      OPTIONAL_CMD GET_DAQ_LIST_MODE OPTIONAL_CMD START_STOP_DAQ_LIST\n"
    "      OPTIONAL_CMD START_STOP_SYNCH OPTIONAL_CMD GET_DAQ_CLOCK OPTIONAL_CMD READ_DAQ\n"
    "      OPTIONAL_CMD GET_DAQ_PROCESSOR_INFO OPTIONAL_CMD GET_DAQ_RESOLUTION_INFO\n"
    "      OPTIONAL_CMD GET_DAQ_LIST_INFO OPTIONAL_CMD GET_DAQ_EVENT_INFO OPTIONAL_CMD FREE_DAQ\n"
    "      OPTIONAL_CMD ALLOC_DAQ OPTIONAL_CMD ALLOC_ODT OPTIONAL_CMD ALLOC_ODT_ENTRY\n"
    "    /end PROTOCOL_LAYER\n";

static void put_events(const struct writer *w)
{
    for (int i = 0; i < XCP_EVENTS; i++) {
        uint8_t cycle, unit;

        xcp_event_cycle(w->image, i, &cycle, &unit);
        fprintf(w->to, "      /begin EVENT \"%s\" \"%.8s\" %d DAQ 255 %d %d 0 CONSISTENCY EVENT ",
                xcp_event_names[i], xcp_event_names[i], i, cycle, unit);
        fputs("/end EVENT\n", w->to);
    }
}

static void put_interface(const struct writer *w, const char *kind, const char *address, int port)
{
    bool is_plus = strcmp(kind, "XCP") != 0;

    fprintf(w->to, "  /begin IF_DATA %s\n", kind);
    fprintf(w->to, protocol_layer, XCP_VERSION, XCP_MAX_CTO, XCP_MAX_DTO);
    fprintf(w->to,
            "    /begin DAQ\n"
            "      DYNAMIC 0 %d 0 OPTIMISATION_TYPE_DEFAULT ADDRESS_EXTENSION_FREE\n"
            "      IDENTIFICATION_FIELD_TYPE_RELATIVE_BYTE GRANULARITY_ODT_ENTRY_SIZE_DAQ_BYTE\n"
            "      %d OVERLOAD_INDICATION_EVENT PRESCALER_SUPPORTED\n"
            "      /begin TIMESTAMP_SUPPORTED 1 SIZE_DWORD UNIT_1US /end TIMESTAMP_SUPPORTED\n",
            XCP_EVENTS, XCP_ENTRY_SIZE_MAX);
    put_events(w);
    fputs("    /end DAQ\n", w->to);
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "UDP" : "TCP";

        fprintf(w->to, "    /begin XCP_ON_%s_IP 0x%04X %d ADDRESS \"%s\"", name, XCP_VERSION, port,
                address);
        if (is_plus)
            fprintf(w->to, " TRANSPORT_LAYER_INSTANCE \"%s\"", name);
        fprintf(w->to, " /end XCP_ON_%s_IP\n", name);
    }
    fputs("  /end IF_DATA\n\n", w->to);
}

/* ---- items ---- */

static int find_unit(const struct writer *w, const char *unit)
{
    for (int i = 0; i < w->n_units; i++)
        if (strcmp(w->unit[i], unit) == 0)
            return i;
    return -1;
}

static const char *const states[] = {
    "unspecified", "empty", "ready", "running", "paused", "fault", "armed", "arming", "loading",
};

/* Write one conversion for each unit, and one for the names of the states. */
static void put_conversions(struct writer *w)
{
    int n = (int)(sizeof(states) / sizeof(*states));

    for (int i = 0; i < w->image->n; i++)
        if (find_unit(w, w->image->item[i].unit) < 0)
            w->unit[w->n_units++] = w->image->item[i].unit;
    for (int i = 0; i < w->n_units; i++) {
        fprintf(w->to, "  /begin COMPU_METHOD unit_%d ", i);
        put_text(w->to, "the number itself");
        fputs(" IDENTICAL \"%16.9\" ", w->to);
        put_text(w->to, w->unit[i]);
        fputs(" /end COMPU_METHOD\n", w->to);
    }
    fprintf(w->to,
            "  /begin COMPU_METHOD state \"\" TAB_VERB \"%%4.0\" \"\" COMPU_TAB_REF state_words\n"
            "  /end COMPU_METHOD\n"
            "  /begin COMPU_VTAB state_words \"state of the daemon\" TAB_VERB %d\n",
            n);
    for (int i = 0; i < n; i++)
        fprintf(w->to, "    %d \"%s\"\n", i, states[i]);
    fputs("    DEFAULT_VALUE \"unknown\"\n  /end COMPU_VTAB\n\n", w->to);
}

static void put_limits(const struct writer *w, const struct xcp_item *item)
{
    if (item->type == XCP_U32)
        fputs("0 4294967295", w->to);
    else if (item->type == XCP_U64)
        fputs("0 9007199254740992", w->to); /* 2^53: exact in a double */
    else if (isfinite(item->low))
        fprintf(w->to, "%.17g ", item->low);
    else
        fputs("-" A2L_LIMIT " ", w->to);
    if (item->type == XCP_F64 && isfinite(item->high))
        fprintf(w->to, "%.17g", item->high);
    else if (item->type == XCP_F64)
        fputs(A2L_LIMIT, w->to);
}

static void put_conversion(const struct writer *w, const struct xcp_item *item)
{
    if (strcmp(item->name, "rig.state") == 0)
        fputs(" state ", w->to);
    else
        fprintf(w->to, " unit_%d ", find_unit(w, item->unit));
}

static void put_measurement(const struct writer *w, const struct xcp_item *item)
{
    static const char *const types[] = {
        [XCP_F64] = "FLOAT64_IEEE", [XCP_U64] = "A_UINT64", [XCP_U32] = "ULONG"};
    int event = item->region == XCP_ACTING ? XCP_EVENT_INPUTS : XCP_EVENT_STEP;

    fprintf(w->to, "  /begin MEASUREMENT %s ", item->name);
    put_text(w->to, item->says);
    fprintf(w->to, " %s", types[item->type]);
    put_conversion(w, item);
    fputs("1 0 ", w->to);
    put_limits(w, item);
    fprintf(w->to, " ECU_ADDRESS 0x%X\n", w->image->region[item->region].address + item->place);
    for (int i = 0; i < 2; i++)
        fprintf(w->to,
                "    /begin IF_DATA %s /begin DAQ_EVENT VARIABLE /begin DEFAULT_EVENT_LIST EVENT "
                "%d /end DEFAULT_EVENT_LIST /end DAQ_EVENT /end IF_DATA\n",
                i == 0 ? "XCP" : "XCPplus 0x0103", event);
    fputs("  /end MEASUREMENT\n", w->to);
}

static void put_characteristic(const struct writer *w, const struct xcp_item *item)
{
    fprintf(w->to, "  /begin CHARACTERISTIC %s ", item->name);
    put_text(w->to, item->says);
    fprintf(w->to, " VALUE 0x%X F64 0", w->image->region[item->region].address + item->place);
    put_conversion(w, item);
    put_limits(w, item);
    fprintf(w->to, "%s\n  /end CHARACTERISTIC\n",
            item->region == XCP_PARAMETERS ? " READ_ONLY" : "");
}

static bool is_characteristic(const struct xcp_item *item)
{
    return item->region == XCP_INPUTS || item->region == XCP_PARAMETERS;
}

/* Write a group with all items whose names begin with @name and a dot. */
static void put_group(const struct writer *w, const char *name, const char *says)
{
    const char *kind = NULL;
    size_t size = strlen(name);

    for (int i = 0; i < w->image->n; i++) {
        const struct xcp_item *item = &w->image->item[i];

        if (strncmp(item->name, name, size) != 0 || item->name[size] != '.')
            continue;
        if (kind == NULL) {
            kind = is_characteristic(item) ? "REF_CHARACTERISTIC" : "REF_MEASUREMENT";
            fprintf(w->to, "  /begin GROUP %s \"%s\" ROOT /begin %s\n", name, says, kind);
        }
        fprintf(w->to, "    %s\n", item->name);
    }
    if (kind != NULL)
        fprintf(w->to, "  /end %s /end GROUP\n", kind);
}

static void put_groups(const struct writer *w)
{
    put_group(w, "rig", "the run");
    put_group(w, "outputs", "outputs of the model");
    put_group(w, "acting", "inputs: the values that act");
    put_group(w, "inputs", "inputs: the values that are commanded");
    put_group(w, "parameters", "parameters of the model");
}

/* ---- the file ---- */

static void put_head(const struct writer *w)
{
    const struct xcp_image *image = w->image;
    const struct xcp_memory *inputs = &image->region[XCP_INPUTS];

    fprintf(w->to,
            "ASAP2_VERSION 1 61\n"
            "/begin PROJECT %s \"simulated by linkaged\"\n"
            "/begin MODULE %s \"\"\n\n",
            image->title, image->title);
    fputs(language, w->to);
    fprintf(w->to,
            "  /begin MOD_COMMON \"\"\n"
            "    BYTE_ORDER MSB_LAST ALIGNMENT_BYTE 1 ALIGNMENT_WORD 1 ALIGNMENT_LONG 1\n"
            "    ALIGNMENT_INT64 1 ALIGNMENT_FLOAT32_IEEE 1 ALIGNMENT_FLOAT64_IEEE 1\n"
            "  /end MOD_COMMON\n\n"
            "  /begin MOD_PAR \"\"\n"
            "    ADDR_EPK 0x%X\n    EPK \"%s\"\n",
            XCP_EPK_ADDRESS, image->epk);
    if (inputs->size > 0)
        fprintf(w->to,
                "    /begin MEMORY_SEGMENT inputs \"commanded values\" DATA RAM INTERN 0x%X 0x%zX "
                "-1 -1 -1 -1 -1 /end MEMORY_SEGMENT\n",
                inputs->address, inputs->size);
    fputs("  /end MOD_PAR\n\n", w->to);
}

static void put_all(struct writer *w, const char *address, int port)
{
    put_head(w);
    put_interface(w, "XCP", address, port);
    put_interface(w, "XCPplus 0x0103", address, port);
    fputs("  /begin RECORD_LAYOUT F64 FNC_VALUES 1 FLOAT64_IEEE ROW_DIR DIRECT /end "
          "RECORD_LAYOUT\n",
          w->to);
    put_conversions(w);
    for (int i = 0; i < w->image->n; i++) {
        if (is_characteristic(&w->image->item[i]))
            put_characteristic(w, &w->image->item[i]);
        else
            put_measurement(w, &w->image->item[i]);
    }
    put_groups(w);
    fputs("\n/end MODULE\n/end PROJECT\n", w->to);
}

int xcp_a2l_make(struct xcp_image *image, const char *address, int port)
{
    struct writer w = {.image = image};
    char *text = NULL;
    size_t size = 0;
    bool failed;

    w.to = open_memstream(&text, &size);
    w.unit = calloc((size_t)image->n + 1, sizeof(*w.unit));
    failed = w.to == NULL || w.unit == NULL;
    if (!failed)
        put_all(&w, address, port);
    failed = failed || ferror(w.to) != 0;
    if (w.to != NULL)
        failed = fclose(w.to) != 0 || failed;
    free(w.unit);
    if (failed) {
        free(text);
        return -ENOMEM;
    }
    free(image->a2l);
    image->a2l = text;
    image->a2l_size = size;
    return 0;
}
