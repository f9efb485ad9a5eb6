/* SPDX-License-Identifier: Apache-2.0 */
/* The command about recordings, which calls the functions of record.h. */
#include "commands.h"
#include "record.h"

int lkd_command_record(struct lkd_call *call)
{
    const Linkage__V1__RecordRequest *request = call->request->record;

    if (request->stop)
        lkd_record_end(call->rig, call->answer);
    else
        lkd_record_begin(call->rig, request->name, call->answer);
    return 0;
}
