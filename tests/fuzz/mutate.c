/* SPDX-License-Identifier: Apache-2.0 */
/* A small deterministic mutation driver for a target with libFuzzer's entry point.
 *
 *     fuzz_x ITERATIONS SEED-FILE...
 *
 * Every run does the same, because the generator starts from a constant. The driver measures no
 * coverage; it is the part of fuzzing that every test run can afford. The targets can also be
 * linked with -fsanitize=fuzzer instead of this file. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MAX_INPUT (1u << 16)
#define SEEDS_MAX      64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes {
    uint8_t *data;
    size_t size;
};

static struct bytes seeds[SEEDS_MAX];
static int n_seeds;
static uint64_t random_state = 0x9e3779b97f4a7c15u;

/* Return the next number of Marsaglia's xorshift64*. */
static uint64_t random_next(void)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 0x2545f4914f6cdd1du;
}

static size_t random_below(size_t n)
{
    return n == 0 ? 0 : (size_t)(random_next() >> 16) % n;
}

static int load_seed(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct bytes *seed = &seeds[n_seeds];

    if (file == NULL || n_seeds == SEEDS_MAX)
        return -1;
    seed->data = malloc(SIZE_MAX_INPUT);
    seed->size = seed->data != NULL ? fread(seed->data, 1, SIZE_MAX_INPUT, file) : 0;
    fclose(file);
    n_seeds++;
    return 0;
}

/* Replace @gone bytes at @at of @text with the @n bytes of @piece. */
static void splice(struct bytes *text, size_t at, size_t gone, const uint8_t *piece, size_t n)
{
    if (gone > text->size - at)
        gone = text->size - at;
    if (text->size - gone + n > SIZE_MAX_INPUT)
        return;
    memmove(text->data + at + n, text->data + at + gone, text->size - at - gone);
    memcpy(text->data + at, piece, n);
    text->size += n - gone;
}

/* Insert bytes with a meaning in YAML, in numbers, or in a length-prefixed message. */
static void insert_word(struct bytes *text)
{
    static const char *const words[] = {
        "-",        ":",           ": ",     "\n",        "  ",   "[",
        "]",        "{",           "}",      ",",         "#",    "&a ",
        "*a",       "!t ",         "'",      "\"",        "|\n",  "---",
        "...\n",    "%YAML 1.1\n", "0",      "-1",        "1e99", "1e-99",
        "1e308",    "1e-308",      ".nan",   "inf",       "0x1",  "99999999999999999999",
        "? ",       "<<",          "\xff",   "\xc2",      "\t",   "\xef\xbb\xbf",
        "\x80\x01", "null",        "ground", "[0, 0, 0]",
    };
    const char *word = words[random_below(sizeof(words) / sizeof(words[0]))];

    splice(text, random_below(text->size + 1), random_below(3) == 0 ? strlen(word) : 0,
           (const uint8_t *)word, strlen(word));
}

/* Insert a piece of another seed or of this one, or delete a piece. */
static void move_piece(struct bytes *text)
{
    const struct bytes *from = &seeds[random_below((size_t)n_seeds)];
    uint8_t piece[256];
    size_t n = random_below(sizeof(piece));
    size_t start = random_below(from->size);

    n = n > from->size - start ? from->size - start : n;
    memcpy(piece, from->data + start, n);
    splice(text, random_below(text->size + 1), random_below(2) * random_below(256), piece,
           random_below(4) == 0 ? 0 : n);
}

/* Change a digit. Numbers stay numbers, so this tests the checks after the syntax. */
static void change_digit(struct bytes *text)
{
    size_t at = random_below(text->size);

    for (size_t i = at; i < text->size && i < at + 256; i++) {
        if (text->data[i] >= '0' && text->data[i] <= '9') {
            text->data[i] = (uint8_t)('0' + random_below(10));
            return;
        }
    }
}

static void mutate(struct bytes *text)
{
    switch (random_below(6)) {
    case 0:
        if (text->size > 0)
            text->data[random_below(text->size)] ^= (uint8_t)(1u << random_below(8));
        break;
    case 1:
        text->size = random_below(8) == 0 ? random_below(text->size + 1) : text->size;
        break;
    case 2:
        move_piece(text);
        break;
    case 3:
    case 4:
        change_digit(text);
        break;
    default:
        insert_word(text);
        break;
    }
}

int main(int argc, char *argv[])
{
    long iterations = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
    struct bytes text = {.data = malloc(SIZE_MAX_INPUT)};

    if (iterations <= 0 || text.data == NULL) {
        fprintf(stderr, "usage: %s ITERATIONS SEED-FILE...\n", argv[0]);
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        if (load_seed(argv[i]) != 0) {
            fprintf(stderr, "%s: %s: cannot be read\n", argv[0], argv[i]);
            return 2;
        }
    }
    for (long i = 0; i < iterations; i++) {
        const struct bytes *seed = &seeds[random_below((size_t)n_seeds)];
        size_t changes = random_below(2) == 0 ? 1 : 1 + random_below(8);

        memcpy(text.data, seed->data, seed->size);
        text.size = seed->size;
        while (changes-- > 0)
            mutate(&text);
        LLVMFuzzerTestOneInput(text.data, text.size);
    }
    for (int i = 0; i < n_seeds; i++)
        free(seeds[i].data);
    free(text.data);
    return 0;
}
