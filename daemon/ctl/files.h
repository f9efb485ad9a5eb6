/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a run in the folder of the key evidence.directory: a report when it ends, and a trace of
 * the cycles around an overrun. Nothing without that key. A file that cannot be written is logged
 * and never ends the run; a disk that does not respond blocks only the thread that writes
 * (writer.h). Control thread only. */
#ifndef LKD_CTL_FILES_H
#define LKD_CTL_FILES_H

#include "rig.h"

/** lkd_files_open() - before any run. Return: 0, negative errno. */
int lkd_files_open(struct lkd_rig *rig);
/** lkd_files_close() - after the last one; what is on its way gets there, see lkd_writer_free(). */
void lkd_files_close(struct lkd_rig *rig);

/** lkd_files_report() - the run has ended: MODEL-UTC.json, the evidence; MODEL-UTC.hist, in the
 * format of cyclictest's histograms. Each is a new file: if the name exists, it
 * becomes MODEL-UTC-2.json and so on. The files are complete when this returns, unless the disk
 * takes longer than two seconds.
 * @state: after it */
void lkd_files_report(struct lkd_rig *rig, Linkage__V1__State state);

/** lkd_files_trace() - call often during a run: shortly after an overrun, MODEL-UTC-trace-N.json
 * with the cycles around it; at most ten of a run. */
void lkd_files_trace(struct lkd_rig *rig);

#endif
