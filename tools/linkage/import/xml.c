/* SPDX-License-Identifier: Apache-2.0 */
#include "xml.h"

#include "numbers.h"

#include <libxml/parser.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 1e30
#define HEAD_MAX   200 /* bytes in which the declaration must contain its version */

static void tell_parser(struct notes *notes, xmlParserCtxt *parser)
{
    const xmlError *error = xmlCtxtGetLastError(parser);
    size_t n = error != NULL && error->message != NULL ? strcspn(error->message, "\n") : 0;

    if (n > 0)
        note(notes, NOTE_ERROR, error->line, "not XML: %.*s", (int)(n < 300 ? n : 300),
             error->message);
    else
        note(notes, NOTE_ERROR, 0, "not XML");
}

/* Find the version number in the declaration.
 * Return: its length; -1: there is none. */
static int find_version(const char *text, size_t size, size_t *ret_at)
{
    static const char space[] = " \t\r\n";
    char head[HEAD_MAX + 1];
    size_t at = 0, n = size < HEAD_MAX ? size : HEAD_MAX;

    memcpy(head, text, n);
    head[n] = '\0';
    at += strncmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    if (strncmp(head + at, "<?xml", 5) != 0)
        return -1;
    at += 5 + strspn(head + at + 5, space);
    if (strncmp(head + at, "version", 7) != 0)
        return -1;
    at += 7 + strspn(head + at + 7, space);
    at += head[at] == '=';
    at += strspn(head + at, space);
    if ((head[at] != '"' && head[at] != '\'') || strchr(head + at + 1, head[at]) == NULL)
        return -1;
    *ret_at = at + 1;
    return (int)(strchr(head + at + 1, head[at]) - (head + at + 1));
}

/* Change the version in the declaration of @text to 1.0, with a warning, if that version does not
 * exist. Other readers of these formats ignore the version.
 * Return: the changed text, to be freed; NULL: no change. */
static char *take_as_1_0(const char *text, size_t *size, struct notes *notes)
{
    size_t at = 0;
    int n = find_version(text, *size, &at);
    char *copy;

    if (n < 0 || (n == 3 && strncmp(text + at, "1.", 2) == 0))
        return NULL;
    copy = malloc(*size + 3);
    if (copy == NULL)
        return NULL;
    note(notes, NOTE_WRONG, 1, "XML of version '%.*s', which there is not, is read as 1.0", n,
         text + at);
    memcpy(copy, text, at);
    memcpy(copy + at, "1.0", 3);
    memcpy(copy + at + 3, text + at + n, *size - at - (size_t)n);
    *size += 3 - (size_t)n;
    return copy;
}

xmlDoc *xml_parse(const char *text, size_t size, struct notes *notes)
{
    xmlParserCtxt *parser = xmlNewParserCtxt();
    char *copy;
    xmlDoc *doc;

    if (parser == NULL) {
        note(notes, NOTE_ERROR, 0, "no memory");
        return NULL;
    }
    copy = take_as_1_0(text, &size, notes);
    doc = xmlCtxtReadMemory(parser, copy != NULL ? copy : text, (int)size, notes->path, NULL,
                            XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                XML_PARSE_BIG_LINES | XML_PARSE_NOCDATA);
    free(copy);
    if (doc == NULL || xmlDocGetRootElement(doc) == NULL)
        tell_parser(notes, parser);
    else if (doc->intSubset != NULL)
        note(notes, NOTE_ERROR, 0, "the file declares a document type, expected plain XML");
    if (notes->n_errors > 0) {
        xmlFreeDoc(doc);
        doc = NULL;
    }
    xmlFreeParserCtxt(parser);
    return doc;
}

const char *xml_name(const xmlNode *node)
{
    return (const char *)node->name;
}

bool xml_is(const xmlNode *node, const char *name)
{
    return strcmp(xml_name(node), name) == 0;
}

bool xml_is_one_of(const xmlNode *node, const char *const names[])
{
    for (; *names != NULL; names++)
        if (xml_is(node, *names))
            return true;
    return false;
}

const xmlNode *xml_first(const xmlNode *node)
{
    while (node != NULL && node->type != XML_ELEMENT_NODE)
        node = node->next;
    return node;
}

const xmlNode *xml_child(const xmlNode *node, const char *name)
{
    FOR_EACH_CHILD(child, node)
    if (xml_is(child, name))
        return child;
    return NULL;
}

char *xml_attribute(const xmlNode *node, const char *name)
{
    return (char *)xmlGetNoNsProp(node, (const xmlChar *)name);
}

bool xml_parse_numbers(const char *text, int n, double *ret)
{
    static const char space[] = " \t\r\n";
    char word[64];

    for (int i = 0; i < n; i++) {
        size_t size;

        text += strspn(text, space);
        size = strcspn(text, space);
        if (size == 0 || size >= sizeof(word))
            return false;
        memcpy(word, text, size);
        word[size] = '\0';
        if (!parse_number(word, &ret[i]) || fabs(ret[i]) > NUMBER_MAX)
            return false;
        text += size;
    }
    return text[strspn(text, space)] == '\0';
}
