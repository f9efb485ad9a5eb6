/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a run in the folder of the key evidence.directory: a report when it ends, and a trace of
 * the cycles around an overrun. Without that key no file is written. A file that cannot be written
 * is logged and never ends the run; a disk that does not respond blocks only the thread that writes
 * (writer.h). Control thread only. */
#ifndef LKD_CTL_FILES_H
#define LKD_CTL_FILES_H

#include "rig.h"

/** lkd_files_open() - Start the writer. Call before any run. Return: 0, negative errno. */
int lkd_files_open(struct lkd_rig *rig);
/** lkd_files_close() - Write the queued files and stop the writer, see lkd_writer_free(). Call
 * after the last run. */
void lkd_files_close(struct lkd_rig *rig);

/** lkd_files_report() - Write the evidence files of an ended run: MODEL-UTC.json, and
 * MODEL-UTC.hist in the format of cyclictest's histograms. Existing files are not overwritten: if
 * the name exists, the file is called MODEL-UTC-2.json and so on. The files are complete when this
 * function returns, unless the disk takes longer than two seconds.
 * @state: state after the run */
void lkd_files_report(struct lkd_rig *rig, Linkage__V1__State state);

/** lkd_files_trace() - Shortly after an overrun, write MODEL-UTC-trace-N.json with the cycles
 * around it; at most ten files per run. Call often during a run. */
void lkd_files_trace(struct lkd_rig *rig);

#endif
