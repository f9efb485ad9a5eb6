/* SPDX-License-Identifier: Apache-2.0 */
#include "names_parts.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define N(list)   (sizeof(list) / sizeof((list)[0]))
#define WORDS_MAX 20 /* largest number of values in an enumeration */
#define WORD_SIZE 20

/* struct words - the words of an enumeration, in the order of the values in its descriptor */
struct words {
    const ProtobufCEnumDescriptor *of;
    char text[WORDS_MAX][WORD_SIZE];
};

static struct words vocabulary[] = {
    {.of = &linkage__v1__state__descriptor},     {.of = &linkage__v1__result__descriptor},
    {.of = &linkage__v1__mode__descriptor},      {.of = &linkage__v1__action__descriptor},
    {.of = &linkage__v1__condition__descriptor}, {.of = &linkage__v1__role__descriptor},
    {.of = &linkage__v1__flag__descriptor},      {.of = &linkage__v1__injection_kind__descriptor},
};
static pthread_once_t derived = PTHREAD_ONCE_INIT;

/* Derive the word from the name of a value: RESULT_BAD_VALUE becomes "bad-value". */
static void derive_word(const char *name, char ret_word[WORD_SIZE])
{
    snprintf(ret_word, WORD_SIZE, "%s", strchr(name, '_') + 1);
    for (char *at = ret_word; *at != '\0'; at++)
        *at = (char)(*at == '_' ? '-' : *at | 0x20); /* to lower case; digits stay */
}

static void derive_words(void)
{
    for (size_t i = 0; i < N(vocabulary); i++)
        for (unsigned int j = 0; j < vocabulary[i].of->n_values && j < WORDS_MAX; j++)
            derive_word(vocabulary[i].of->values[j].name, vocabulary[i].text[j]);
}

const char *lk_names_word(const ProtobufCEnumDescriptor *of, int value)
{
    const ProtobufCEnumValue *found = protobuf_c_enum_descriptor_get_value(of, value);

    pthread_once(&derived, derive_words);
    for (size_t i = 0; value > 0 && found != NULL && i < N(vocabulary); i++)
        if (vocabulary[i].of == of && found - of->values < WORDS_MAX)
            return vocabulary[i].text[found - of->values];
    return "unknown";
}

static int number_of(const ProtobufCEnumDescriptor *of, const char *word)
{
    for (unsigned int i = 0; i < of->n_values; i++)
        if (of->values[i].value > 0 && strcmp(lk_names_word(of, of->values[i].value), word) == 0)
            return of->values[i].value;
    return 0;
}

const char *lk_names_result(Linkage__V1__Result result)
{
    return lk_names_word(&linkage__v1__result__descriptor, (int)result);
}

const char *lk_names_mode(Linkage__V1__Mode mode)
{
    return lk_names_word(&linkage__v1__mode__descriptor, (int)mode);
}

const char *lk_names_action(Linkage__V1__Action action)
{
    return lk_names_word(&linkage__v1__action__descriptor, (int)action);
}

const char *lk_names_condition(Linkage__V1__Condition condition)
{
    return lk_names_word(&linkage__v1__condition__descriptor, (int)condition);
}

const char *lk_names_role(Linkage__V1__Role role)
{
    return lk_names_word(&linkage__v1__role__descriptor, (int)role);
}

const char *lk_names_injection(Linkage__V1__InjectionKind kind)
{
    return lk_names_word(&linkage__v1__injection_kind__descriptor, (int)kind);
}

Linkage__V1__Mode lk_names_to_mode(const char *word)
{
    return (Linkage__V1__Mode)number_of(&linkage__v1__mode__descriptor, word);
}

Linkage__V1__InjectionKind lk_names_to_injection(const char *word)
{
    return (Linkage__V1__InjectionKind)number_of(&linkage__v1__injection_kind__descriptor, word);
}

const char *lk_names_flag(Linkage__V1__Flag flag)
{
    return lk_names_word(&linkage__v1__flag__descriptor, (int)flag);
}

const char *lk_names_flags(uint32_t flags, char text[LK_NAMES_FLAGS_SIZE])
{
    const ProtobufCEnumDescriptor *of = &linkage__v1__flag__descriptor;
    size_t used = 0;

    text[0] = '\0';
    for (unsigned int i = 0; i <= of->n_values && flags != 0; i++) {
        bool known = i < of->n_values;
        uint32_t bits = known ? flags & (uint32_t)of->values[i].value : flags;

        if (bits == 0)
            continue;
        used +=
            (size_t)snprintf(text + used, LK_NAMES_FLAGS_SIZE - used, "%s%s", used > 0 ? ", " : "",
                             known ? lk_names_flag((Linkage__V1__Flag)bits) : "unknown");
        flags &= ~bits;
    }
    return text;
}
