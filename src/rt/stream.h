// SPDX-License-Identifier: Apache-2.0
// Streams as the two APIs see them. Handles: 0 and 1 the legacy default stream, 2 the calling
// thread's default stream, else a table handle. All thread-safe.
#ifndef WF_RT_STREAM_H
#define WF_RT_STREAM_H

#include <stdint.h> // uint64_t

#include "rt/err.h" // enum wf_cu

#define WF_RT_STREAM_LEGACY UINT64_C(1)
#define WF_RT_STREAM_PER_THREAD UINT64_C(2)
#define WF_RT_PRIORITY_LEAST 0
#define WF_RT_PRIORITY_GREATEST (-5)

typedef void (*wf_rt_callback)(uint64_t stream, int status, void *user);
typedef void (*wf_rt_host_fn)(void *user);

enum wf_cu wf_rt_stream_create(uint64_t *out, unsigned flags, int priority);
enum wf_cu wf_rt_stream_destroy(uint64_t stream);
enum wf_cu wf_rt_stream_query(uint64_t stream);
enum wf_cu wf_rt_stream_sync(uint64_t stream);
enum wf_cu wf_rt_stream_wait_event(uint64_t stream, uint64_t event, unsigned flags);
enum wf_cu wf_rt_stream_flags(uint64_t stream, unsigned *flags);
enum wf_cu wf_rt_stream_priority(uint64_t stream, int *priority);
enum wf_cu wf_rt_stream_id(uint64_t stream, unsigned long long *id);
enum wf_cu wf_rt_stream_check(uint64_t stream); // is it one
// Attributes (a union of 64 bytes) are hints about caches and priorities; only the priority means something, which
// creation settles: setting checks its arguments.
enum wf_cu wf_rt_stream_get_attr(uint64_t stream, int attr, void *out);
enum wf_cu wf_rt_stream_set_attr(uint64_t stream, int attr, const void *value);
enum wf_cu wf_rt_stream_callback(uint64_t stream, wf_rt_callback fn, void *user);
enum wf_cu wf_rt_stream_host_fn(uint64_t stream, wf_rt_host_fn fn, void *user);

struct wf__stream;
// With the lock held; NULL when the handle is stale.
struct wf__stream *wf__stream_find(uint64_t handle);
void wf__stream_reset(void); // drops every stream but the default ones; nothing runs any more

#endif
