/* SPDX-License-Identifier: Apache-2.0 */
/* proto/mcap: written files are read back according to their fixed layout and to the embedded
 * schema. A file truncated or damaged anywhere gives its intact parts and nothing else. */
#include "../cmocka_all.h"
#include "mcap/decode.h"
#include "mcap/identifiers.h"
#include "mcap/read.h"
#include "mcap/recording.h"
#include "mcap_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* struct found - items and messages in a file */
struct found {
    int items[LK_MCAP_DAMAGE + 1];
    int messages[5];
    enum lk_mcap_ending ending;
    uint64_t end;
    int result;
};

static struct found look_through(const void *data, size_t size)
{
    struct found found = {{0}, {0}, LK_MCAP_OPEN, 0, 0};
    struct lk_mcap_reader reader;
    struct lk_mcap_item item;

    found.result = lk_mcap_open_memory(data, size, &reader);
    if (found.result)
        return found;
    while ((found.result = lk_mcap_next(&reader, &item)) == 1) {
        found.items[item.kind]++;
        if (item.kind == LK_MCAP_IS_MESSAGE && item.id <= 4)
            found.messages[item.id]++;
    }
    found.ending = reader.ending;
    found.end = reader.end;
    lk_mcap_close(&reader);
    return found;
}

static void a_file_is_read_as_written(void **state)
{
    struct lk_mcap_buffer file;
    struct found found;

    (void)state;
    mcap_file_make(&file, true, NULL);
    found = look_through(file.data, file.size);
    assert_int_equal(found.result, 0);
    assert_int_equal(found.ending, LK_MCAP_COMPLETE);
    assert_int_equal(found.items[LK_MCAP_IS_SCHEMA], 4);
    assert_int_equal(found.items[LK_MCAP_IS_CHANNEL], 4);
    assert_int_equal(found.items[LK_MCAP_IS_ATTACHMENT], 1);
    assert_int_equal(found.items[LK_MCAP_IS_METADATA], 2);
    assert_int_equal(found.items[LK_MCAP_DAMAGE], 0);
    for (int c = 1; c <= 3; c++)
        assert_int_equal(found.messages[c], MCAP_FILE_CYCLES);
    assert_int_equal(found.messages[4], 3);
    lk_mcap_buffer_fini(&file);
}

static void a_file_on_disk_is_read_the_same(void **state)
{
    char path[] = "/tmp/linkage-mcap-XXXXXX";
    int fd = mkstemp(path), n = 0;
    struct lk_mcap_buffer file;
    struct lk_mcap_reader reader;
    struct lk_mcap_item item;

    (void)state;
    mcap_file_make(&file, true, NULL);
    assert_int_equal(write(fd, file.data, file.size), file.size);
    close(fd);
    assert_int_equal(lk_mcap_open(path, &reader), 0);
    while (lk_mcap_next(&reader, &item) == 1)
        n++;
    assert_int_equal(reader.ending, LK_MCAP_COMPLETE);
    assert_int_equal(n, 4 + 4 + 1 + 2 + 3 * MCAP_FILE_CYCLES + 3);
    lk_mcap_close(&reader);
    unlink(path);
    assert_int_equal(lk_mcap_open(path, &reader), -ENOENT);
    assert_int_equal(lk_mcap_open("/tmp", &reader), -EISDIR);
    assert_int_equal(lk_mcap_open("/dev/null", &reader), -EMEDIUMTYPE);
    lk_mcap_buffer_fini(&file);
}

static void a_file_cut_anywhere_gives_its_whole_chunks(void **state)
{
    struct lk_mcap_buffer file;
    size_t data_end;
    int last = 0;

    (void)state;
    mcap_file_make(&file, true, &data_end);
    for (size_t size = 0; size < file.size; size++) {
        /* allocated with exactly this size, so that a sanitizer detects a read beyond its end */
        unsigned char *part = malloc(size + !size);
        struct found found;

        memcpy(part, file.data, size);
        found = look_through(part, size);
        if (size < LK_MCAP_MAGIC_SIZE) {
            assert_int_equal(found.result, -EINVAL);
        } else {
            assert_int_equal(found.result, 0);
            assert_int_equal(found.ending, LK_MCAP_CUT);
            assert_true(found.end <= size);
            assert_int_equal(found.items[LK_MCAP_DAMAGE], 0);
            assert_true(found.messages[1] >= last);
            assert_int_equal(found.messages[1] % (MCAP_FILE_CYCLES / 2), 0);
            last = found.messages[1];
            if (size >= data_end)
                assert_int_equal(last, MCAP_FILE_CYCLES);
        }
        free(part);
    }
    lk_mcap_buffer_fini(&file);
}

/* After a flipped bit in a chunk the chunk is lost; elsewhere only the record that contains the bit
 * is lost. */
static void a_wrong_bit_is_never_taken_for_data(void **state)
{
    struct lk_mcap_buffer file;
    unsigned char *whole;
    size_t data_end;

    (void)state;
    mcap_file_make(&file, true, &data_end);
    whole = malloc(file.size);
    memcpy(whole, file.data, file.size);
    for (size_t at = LK_MCAP_MAGIC_SIZE; at < file.size; at++) {
        struct found found;

        file.data[at] ^= (unsigned char)(1u << (at % 8));
        found = look_through(file.data, file.size);
        assert_true(found.result <= 0);
        assert_true(found.messages[1] == 0 || found.messages[1] == MCAP_FILE_CYCLES / 2 ||
                    found.messages[1] == MCAP_FILE_CYCLES);
        file.data[at] = whole[at];
    }
    free(whole);
    lk_mcap_buffer_fini(&file);
}

static void a_damaged_chunk_is_reported_and_the_next_one_read(void **state)
{
    struct lk_mcap_buffer file;
    unsigned char *chunk = NULL;
    struct found found;

    (void)state;
    mcap_file_make(&file, true, NULL);
    for (size_t i = 0; !chunk; i++) /* first message of /cycle: publish time 1 */
        if (memcmp(file.data + i, "\x05\x94\0\0\0\0\0\0\0\x01\0\x01\0\0\0", 15) == 0)
            chunk = file.data + i;
    chunk[40] ^= 1;
    found = look_through(file.data, file.size);
    assert_int_equal(found.items[LK_MCAP_DAMAGE], 1);
    assert_int_equal(found.messages[1], MCAP_FILE_CYCLES / 2);
    assert_int_equal(found.ending, LK_MCAP_COMPLETE);
    lk_mcap_buffer_fini(&file);
}

static void check_names(const struct lk_columns *columns)
{
    static const char *const fields[] = {"a_b",  "a_b_2",  "aB_3",   "pose",   "pose",
                                         "pose", "pose_t", "pose_t", "pose_t", "last"};

    assert_int_equal(columns->n, MCAP_FILE_VALUES);
    for (size_t i = 0; i < columns->n; i++)
        assert_string_equal(columns->column[i].field, fields[i]);
    assert_string_equal(columns->column[4].component, "y");
    assert_string_equal(columns->column[9].component, "");
}

/* A message decoded according to the embedded schema, the channel's metadata and the fixed layout
 * has the same bits. */
static void messages_are_what_their_schema_says(void **state)
{
    struct lk_columns columns = {0};
    struct lk_mcap_type type;
    struct lk_mcap_reader reader;
    struct lk_mcap_buffer file;
    struct lk_mcap_item item;
    unsigned int cycle = 0;
    char text[32];
    int n;
    const struct lk_channel *channels = mcap_file_channels(&n);

    (void)state;
    mcap_file_make(&file, true, NULL);
    assert_int_equal(lk_mcap_type_init(&type, "my-model", "Outputs", channels, n), 0);
    assert_string_equal(type.name, "my_model.Outputs");
    assert_int_equal(lk_mcap_open_memory(file.data, file.size, &reader), 0);
    while (lk_mcap_next(&reader, &item) == 1) {
        double own[MCAP_FILE_VALUES], values[MCAP_FILE_VALUES];

        if (item.kind == LK_MCAP_IS_SCHEMA && item.id == 3) {
            assert_int_equal(lk_columns_read(item.data, item.name, &columns), 0);
            check_names(&columns);
        }
        if (item.kind == LK_MCAP_IS_CHANNEL && item.id == 3) {
            assert_true(lk_mcap_map_get(item.map, "pose_t.z", text, sizeof(text)));
            assert_string_equal(text, "N m");
            assert_true(lk_mcap_map_get(item.map, "name of a_b", text, sizeof(text)));
            assert_string_equal(text, "a-b");
            assert_false(lk_mcap_map_get(item.map, "name of pose", text, sizeof(text)));
        }
        if (item.kind != LK_MCAP_IS_MESSAGE || item.id != 3)
            continue;
        assert_true(lk_mcap_type_take(&type, item.data.data, item.data.size, own));
        assert_true(lk_columns_decode(&columns, item.data, values));
        for (unsigned int i = 0; i < MCAP_FILE_VALUES; i++) {
            double expected = mcap_file_value(cycle, i);

            assert_memory_equal(&own[i], &expected, sizeof(expected));
            assert_memory_equal(&values[i], &expected, sizeof(expected));
        }
        cycle++;
    }
    assert_int_equal(cycle, MCAP_FILE_CYCLES);
    lk_columns_fini(&columns);
    lk_mcap_type_fini(&type);
    lk_mcap_close(&reader);
    lk_mcap_buffer_fini(&file);
}

static void a_message_of_another_layout_is_refused(void **state)
{
    struct lk_mcap_type type;
    unsigned char bytes[256];
    double values[MCAP_FILE_VALUES] = {1, 2, 3};
    int n;
    const struct lk_channel *channels = mcap_file_channels(&n);

    (void)state;
    assert_int_equal(lk_mcap_type_init(&type, "m", "Outputs", channels, n), 0);
    assert_true(type.size < sizeof(bytes));
    lk_mcap_type_fill(&type, values, bytes);
    assert_true(lk_mcap_type_take(&type, bytes, type.size, values));
    assert_false(lk_mcap_type_take(&type, bytes, type.size - 1, values));
    bytes[0] ^= 8;
    assert_false(lk_mcap_type_take(&type, bytes, type.size, values));
    lk_mcap_type_fini(&type);
}

static void a_cycle_comes_back_as_it_was(void **state)
{
    struct lk_recording_cycle cycle = {.cycle = UINT64_C(1) << 40,
                                       .step = 2,
                                       .time_s = -0.0,
                                       .deadline_ns = 4,
                                       .woken_ns = -5,
                                       .state = 5,
                                       .fault = 6,
                                       .stepped = 1,
                                       .flags = 63,
                                       .input_claim = 7,
                                       .input_age_ns = -1},
                              back;
    unsigned char bytes[LK_RECORDING_CYCLE_SIZE + 1] = {0};
    struct lk_mcap_buffer set = {.grows = true};
    struct lk_columns columns;
    double values[32];
    static const char name[] = "linkage.recording.Cycle";

    (void)state;
    bytes[LK_RECORDING_CYCLE_SIZE] = 0xaa;
    lk_recording_cycle_fill(&cycle, bytes);
    assert_int_equal(bytes[LK_RECORDING_CYCLE_SIZE], 0xaa);
    assert_true(lk_recording_cycle_take(bytes, LK_RECORDING_CYCLE_SIZE, &back));
    assert_memory_equal(&cycle, &back, sizeof(cycle));
    lk_recording_cycle_schema(&set);
    assert_int_equal(lk_columns_read((struct lk_mcap_span){set.data, set.size},
                                     (struct lk_mcap_span){(const unsigned char *)name, 23},
                                     &columns),
                     0);
    assert_int_equal(columns.n, 17);
    assert_true(
        lk_columns_decode(&columns, (struct lk_mcap_span){bytes, LK_RECORDING_CYCLE_SIZE}, values));
    assert_true(values[0] == 0x1p40 && values[4] == -5 && values[8] == 5 && values[16] == -1);
    lk_columns_fini(&columns);
    lk_mcap_buffer_fini(&set);
}

static void identifiers_are_plain_and_differ(void **state)
{
    static const char *const names[] = {"a b",      "a_b", "A-B", "ab",   "3d",  "n3d",
                                        "\xc3\xa4", "__",  "_",   "Pose", "pose"};
    enum { N = sizeof(names) / sizeof(names[0]) };
    struct lk_identifiers scope;
    char got[N][LK_IDENTIFIER_SIZE];

    (void)state;
    assert_int_equal(lk_identifiers_init(&scope, N), 0);
    for (int i = 0; i < N; i++) {
        lk_identifiers_add(&scope, names[i], got[i]);
        assert_true(strspn(got[i], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
                                   "0123456789") == strlen(got[i]));
        assert_false(got[i][0] >= '0' && got[i][0] <= '9');
        for (int k = 0; k < i; k++)
            assert_int_not_equal(strcasecmp(got[i], got[k]), 0);
    }
    lk_identifiers_fini(&scope);
}

static void a_full_chunk_says_so(void **state)
{
    size_t size = lk_mcap_chunk_size(2000);
    void *memory = malloc(size);
    struct lk_mcap_chunk chunk;
    struct lk_mcap_chunk_index index;
    int n = 0;

    (void)state;
    assert_int_equal(lk_mcap_chunk_init(&chunk), 0);
    lk_mcap_chunk_begin(&chunk, memory, size);
    while (lk_mcap_chunk_add(&chunk, 1, 0, 1, 1, 1000))
        n++;
    assert_true(n >= 1);
    lk_mcap_chunk_close(&chunk, &index);
    assert_false(chunk.buffer.full);
    assert_int_equal(index.length + index.index_length, chunk.buffer.size);
    lk_mcap_chunk_begin(&chunk, memory, size);
    for (n = 0; lk_mcap_chunk_add(&chunk, 2, 0, 1, 1, 0);)
        n++; /* the index is full before the buffer is */
    assert_true(n <= LK_MCAP_ENTRIES_MAX);
    lk_mcap_chunk_close(&chunk, &index);
    assert_false(chunk.buffer.full);
    lk_mcap_chunk_fini(&chunk);
    free(memory);
}

static void a_compressed_chunk_is_refused(void **state)
{
    struct lk_mcap_buffer file = {.grows = true};
    size_t begin;

    (void)state;
    lk_mcap_put_header(&file, "test");
    begin = lk_mcap_begin(&file, LK_MCAP_CHUNK);
    for (int i = 0; i < 3; i++)
        lk_mcap_put_u64(&file, 0);
    lk_mcap_put_u32(&file, 0);
    lk_mcap_put_text(&file, "zstd");
    lk_mcap_put_u64(&file, 0);
    lk_mcap_end(&file, begin);
    assert_int_equal(look_through(file.data, file.size).result, -ENOTSUP);
    lk_mcap_buffer_fini(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_as_written),
        cmocka_unit_test(a_file_on_disk_is_read_the_same),
        cmocka_unit_test(a_file_cut_anywhere_gives_its_whole_chunks),
        cmocka_unit_test(a_wrong_bit_is_never_taken_for_data),
        cmocka_unit_test(a_damaged_chunk_is_reported_and_the_next_one_read),
        cmocka_unit_test(messages_are_what_their_schema_says),
        cmocka_unit_test(a_message_of_another_layout_is_refused),
        cmocka_unit_test(a_cycle_comes_back_as_it_was),
        cmocka_unit_test(identifiers_are_plain_and_differ),
        cmocka_unit_test(a_full_chunk_says_so),
        cmocka_unit_test(a_compressed_chunk_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
