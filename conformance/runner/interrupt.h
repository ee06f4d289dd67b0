/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that ask a run to end: it ends in order, with results and without drafts. */
#ifndef TSI_INTERRUPT_H
#define TSI_INTERRUPT_H

/*
 * From here on SIGINT, SIGTERM, SIGHUP and SIGQUIT are noted and nothing more; a second
 * one ends the process at once. A broken pipe is an error of the write and no signal.
 */
void tsi_interrupt_watch(void);
/* From here on one of them removes the files under way and ends the process. */
void tsi_interrupt_end(void);
/* The signal that came, or 0. */
int tsi_interrupted(void);
/* In a new process: signals are its own again; those of the terminal pass it by. */
void tsi_interrupt_leave(void);

#endif
