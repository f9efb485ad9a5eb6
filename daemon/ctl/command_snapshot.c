/* SPDX-License-Identifier: Apache-2.0 */
/* Commands about snapshots, which call the functions of snapshot.h. */
#include "commands.h"
#include "snapshot.h"

int lkd_command_snapshot(struct lkd_call *call)
{
    if (call->request->snapshot->in_reply)
        call->reply->copy = lkd_snapshot_copy(call->rig, call->arena, call->answer);
    else
        lkd_snapshot_take(call->rig, call->request->snapshot->name, call->answer);
    return 0;
}

int lkd_command_restore(struct lkd_call *call)
{
    lkd_snapshot_restore(call->rig, call->request->restore->name, call->answer);
    return 0;
}
