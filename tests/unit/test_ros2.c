/* SPDX-License-Identifier: Apache-2.0 */
/* Channels as a message of ROS 2: its definition, and its doubles as CDR. In addition, the
 * integration test of the gateway decodes messages according to the definition. */
#include "../../tools/gateway/ros2.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LINE "================================================================\n"

static const struct lk_channel channels[] = {
    {.name = "_angle", .size = 1, .unit = {"rad"}},
    {.name = "pose-1", .size = 2, .component = {"x", "y"}, .unit = {"m", "m"}},
    {.name = "pose", .size = 2, .component = {"x", "_y"}, .unit = {"m", "m"}},
    {.name = "_tip", .size = 2, .component = {"x", "y"}, .unit = {"m", "m"}},
};

static void test_message(void **state)
{
    static const double values[] = {1, -2, NAN, 0, 5, 6, 7};
    static const char expected[] = "float64 n_angle\n"
                                   "linkage/T_pose_1 pose_1\n"
                                   "linkage/T_pose pose\n"
                                   "linkage/T__tip n_tip\n" LINE "MSG: linkage/T_pose_1\n"
                                   "float64 x\nfloat64 y\n" LINE "MSG: linkage/T_pose\n"
                                   "float64 x\nfloat64 n_y\n" LINE "MSG: linkage/T__tip\n"
                                   "float64 x\nfloat64 y\n";
    struct lk_mcap_buffer text = {.grows = true};
    struct lk_mcap_type type;
    unsigned char data[4 + sizeof(values)];
    char name[40];

    (void)state;
    assert_int_equal(lk_mcap_type_init(&type, "a-car", "Outputs", channels, 4), 0);
    ros2_name(&type, name, sizeof(name));
    assert_string_equal(name, "a_car/msg/Outputs");
    ros2_schema(&text, &type);
    lk_mcap_put_u8(&text, '\0');
    assert_string_equal((const char *)text.data, expected);
    assert_int_equal(ros2_size(&type), sizeof(data));
    ros2_fill(&type, values, data);
    assert_memory_equal(data, "\0\1\0\0", 4);
    for (size_t i = 0; i < 7; i++) {
        uint64_t bits = 0, wanted;

        for (size_t k = 8; k-- > 0;)
            bits = bits << 8 | data[4 + 8 * i + k];
        memcpy(&wanted, &values[i], sizeof(wanted));
        assert_int_equal(bits, wanted);
    }
    lk_mcap_buffer_fini(&text);
    lk_mcap_type_fini(&type);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_message),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
