// SPDX-License-Identifier: Apache-2.0
// How the library that stands before libc's thread functions (src/threads) and the engine meet: the engine
// looks for wf_threads_listen in the process and hands its callbacks over. Without the library the host's
// threads count as one.
#ifndef WF_CORE_HOSTSYNC_H
#define WF_CORE_HOSTSYNC_H

#include <stdbool.h> // bool

// All are called without any lock of the engine, in the program's threads, and are good in any of them.
struct wf_host_sync {
    // A thread is about to be made by this one: what it is told goes to the other three. It counts as the one
    // that makes it unless the program's own code does so.
    void *(*fork)(void);
    void (*undo)(void *thread);   // it was not made
    void (*begin)(void *thread);  // in it
    void (*end)(void *thread);    // in it, last
    void (*detach)(void *thread); // nobody will join it
    // The calling thread waits for another to end, or no longer; who has joined one knows what it knew.
    void (*joining)(bool begins);
    void (*joined)(void *thread);
    void (*release)(const void *object); // who acquires it later knows what the caller knows
    void (*acquire)(const void *object);
    void (*forget)(const void *object);
    void (*tell_all)(void); // all threads know what the caller knows
};

typedef void wf_threads_listen_fn(const struct wf_host_sync *s);
#define WF_THREADS_LISTEN "wf_threads_listen"

#endif
