/* SPDX-License-Identifier: Apache-2.0 */
/* linkage fmu in a build without libzip. */
#include "commands.h"

int command_fmu(int argc, char *argv[])
{
    (void)argc;
    (void)argv;
    complain("this program was built without libzip, which fmu needs: install libzip-dev and build "
             "with -Dfmu=enabled");
    return EXIT_REFUSED;
}
