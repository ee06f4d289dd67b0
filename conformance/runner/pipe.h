/* SPDX-License-Identifier: Apache-2.0 */
/* The pipe door (spec/areas/pipe.md): a peer process, what it answers, and a run of it. */
#ifndef TSI_PIPE_H
#define TSI_PIPE_H

#include "runner/judge.h"

#define TSI_PIPE_PROTOCOL 1
#define TSI_PIPE_HEADER ((size_t)16 << 20)   /* bytes of a message's JSON */
#define TSI_PIPE_PAYLOAD ((size_t)512 << 20) /* bytes of its tensors */
#define TSI_PIPE_ANSWERS 4096

/* --- messages (answers.c): what came is foreign, and checked before it is used --- */

typedef struct tsi_message {
    json_t *header;
    const unsigned char *payload; /* borrowed */
    size_t payload_size;
} tsi_message;

typedef struct tsi_answer_of_peer {
    tsi_expect_kind kind;
    tsi_reply reply;
} tsi_answer_of_peer;

/* What a "result" holds. */
typedef struct tsi_answers {
    tsi_message message;
    tsi_safetensors data;
    int count, ntold;
    tsi_answer_of_peer *items;
    tsi_told *told;
    int64_t *dims;            /* of all in `told` */
    const char *error, *text; /* how the program ended; NULL: it came to its end */
    int line;
    const char *unsupported; /* op or feature; `text` says more */
    int ninputs;             /* -1: not sent */
    const tsi_stored **inputs;
} tsi_answers;

/* How many bytes of payload the header announces. False: `error` says what is wrong. */
bool tsi_header_read(const char *bytes, size_t size, json_t **out, size_t *payload,
                     char *error, size_t error_size);
/* Takes message->header. */
bool tsi_answers_read(tsi_message *message, tsi_answers *out, char *error,
                      size_t error_size);
void tsi_answers_free(tsi_answers *a);

typedef struct tsi_hello {
    char name[256], version[128];
    ts_claim *claims;
    size_t nclaims;
    char *words; /* of the claims */
} tsi_hello;

/* On false `out` is empty. */
bool tsi_hello_read(json_t *header, tsi_hello *out, char *error, size_t error_size);
void tsi_hello_free(tsi_hello *h);

/* --- the process (peer.c) --- */

typedef struct tsi_peer tsi_peer;

/* *group is the id of its process group while it lives, from the moment it is there, else
 * 0: where this process is killed, another can stop the peer. */
tsi_peer *tsi_peer_new(const char *command, _Atomic int *group);
void tsi_peer_free(tsi_peer *p);
/* The id of its process group, or 0. */
int tsi_peer_alive(const tsi_peer *p);
/* Start the command and greet it, if it is not there. False: `error` says why. */
bool tsi_peer_ready(tsi_peer *p, tsi_hello *hello, char *error, size_t error_size);
/* Send a message and take the answer, which lives until the next exchange. False: the
 * peer has been stopped, and `error` says what it did. */
bool tsi_peer_exchange(tsi_peer *p, json_t *header, const void *payload, size_t size,
                       tsi_message *out, char *error, size_t error_size);
void tsi_peer_stop(tsi_peer *p);

/* --- runs (pipe.c) --- */

/* The peer of this process, or NULL: the lib door is open. */
typedef struct tsi_pipe tsi_pipe;
tsi_pipe *tsi_pipe_open(const char *command, _Atomic int *group, tsi_backend_info *info);
void tsi_pipe_close(tsi_pipe *p);
/* Have a peer that is ready for the next case; a new one where the last broke. */
void tsi_pipe_ready(tsi_pipe *p);
bool tsi_pipe_claims(const tsi_pipe *p, const char *op, ts_dtype dtype, bool *claims);
/* What it said it does not support in the last run, or NULL. */
const char *tsi_pipe_unsupported(const tsi_pipe *p, const char **reason);
/* What it did that ended it, in the last run, or NULL. */
const char *tsi_pipe_broken(const tsi_pipe *p);

/* As tsi_case_run, by the peer. */
ts_status tsi_pipe_run(tsi_pipe *p, tsi_interp *in, const tsi_case *c,
                       const tsi_run_options *options, double seconds,
                       const tsi_judge *judge, tsi_run_result *result);

#endif
