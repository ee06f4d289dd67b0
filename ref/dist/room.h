/* SPDX-License-Identifier: Apache-2.0 */
/* The reference's communicators: those of one id share a room, where their calls meet. */
#ifndef TSI_ROOM_H
#define TSI_ROOM_H

#include <pthread.h>

#include "dist/parts.h"

typedef struct tsi_meeting tsi_meeting;

/* An error that another thread is to tell. */
typedef struct tsi_trouble {
    ts_status status;
    char message[240];
} tsi_trouble;

typedef struct tsi_room {
    struct tsi_room *next; /* of those that an id leads to */
    ts_unique_id id;
    bool listed;
    pthread_mutex_t lock;
    pthread_cond_t change;
    int users; /* communicators, and calls under way */
    int ranks;
    ts_device_type type;
    bool *seated;
    tsi_meeting *meetings;
    bool broken;
    tsi_trouble why;   /* it is broken */
    tsi_trouble *told; /* by rank: what async_error has to say */
} tsi_room;

struct tsd_comm {
    tsi_room *room;
    int rank, device;
    int64_t next;           /* number of the next call of all ranks */
    int64_t *sent, *gotten; /* messages so far, by the other side */
};

/* Keep this thread's error for another one; give it again. */
void tsi_trouble_keep(tsi_trouble *t, ts_status status);
ts_status tsi_trouble_tell(const tsi_trouble *t);

/* --- room.c --- */
tsi_room *tsi_room_new(int ranks,
                       ts_device_type type); /* without users; NULL: no memory */
void tsi_room_enter(tsi_room *r);
void tsi_room_leave(tsi_room *r); /* the last user ends it */
/* Rank `rank` of the room, which enters it. */
ts_status tsi_comm_new(tsi_room *r, int rank, int device, tsd_comm **out);

ts_status tsi_comm_unique_id(ts_unique_id *out);
ts_status tsi_comm_init(const ts_comm_config *config, tsd_comm **out);
ts_status tsi_comm_query(tsd_comm *c, int *ranks, int *rank);
void tsi_comm_destroy(tsd_comm *c);
ts_status tsi_comm_abort(tsd_comm *c);
ts_status tsi_comm_async_error(tsd_comm *c);

/* --- meeting.c --- */
void tsi_meetings_free(tsi_room *r);

#endif
