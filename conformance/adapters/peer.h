/* SPDX-License-Identifier: Apache-2.0 */
/* The peer's side of the pipe door, for adapters written in C (spec/areas/pipe.md). */
#ifndef PEER_H
#define PEER_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* object[key], list[i] as strings, "" where there is none; object[key][i] as a number. */
const char *peer_word(json_t *object, const char *key);
const char *peer_text(json_t *list, size_t i);
int64_t peer_int(json_t *object, const char *key, int i);
/* The storage that an input names: bytes of the message's payload. NULL: no such one. */
char *peer_input(const char *storage);
/* Keep `count` elements of `size` bytes for the answer's payload, as safetensors dtype
 * `code`; their name, good until the next run. Takes `bytes`, which free() gets. */
const char *peer_store(const char *code, size_t count, size_t size, void *bytes);
/* Answer an expect() with a tensor whose elements are stored under that name. */
void peer_expect(json_t *answers, const char *dtype, int ndim, const int64_t *sizes,
                 const int64_t *strides, const char *elements);
/* Answer messages until the judge is done. `run` appends to `answers`, and returns NULL
 * or what it does not support. Takes hello. Exit status: 0, or 1 at a broken message. */
int peer_serve(json_t *hello, const char *(*run)(json_t *message, json_t *answers));

#endif
