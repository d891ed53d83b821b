// SPDX-License-Identifier: Apache-2.0
// Events: a point in a stream and the time at which the work before it was done.
#ifndef WF_RT_EVENT_H
#define WF_RT_EVENT_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#include "rt/err.h" // enum wf_cu

#define WF_RT_EVENT_NO_TIMING 2u

enum wf_cu wf_rt_event_create(uint64_t *out, unsigned flags);
enum wf_cu wf_rt_event_destroy(uint64_t event);
enum wf_cu wf_rt_event_record(uint64_t event, uint64_t stream, unsigned flags);
enum wf_cu wf_rt_event_query(uint64_t event);
enum wf_cu wf_rt_event_sync(uint64_t event);
enum wf_cu wf_rt_event_elapsed(float *ms, uint64_t start, uint64_t end);

struct wf__stream;
struct wf__shared_event;
// With the lock held: the point of the last record (stream NULL before the first). False: no such
// event. The stream lives as long as the event is not recorded anew.
bool wf__event_point(uint64_t event, struct wf__stream **stream, uint64_t *number);
// With the lock held: is the newest record one of another process? Counted; NULL: no.
struct wf__shared_event *wf__event_elsewhere(uint64_t event, uint64_t *number);
void wf__event_reset(void);

#endif
