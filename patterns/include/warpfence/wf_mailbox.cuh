// SPDX-License-Identifier: Apache-2.0
// Mailboxes: hand a value from one thread to another. wf_box: one producer, one consumer, one slot.
// wf_ring: many producers and many consumers, a bounded queue. All memory zero at the start.
// The payload is written and read with plain accesses; the state word orders them: a store or
// read-modify-write with release after writing, a load with acquire before reading.
// try_ calls never wait. The waiting calls return only if the other side runs: both sides must be
// resident at once (a grid started through wf_grid_barrier.cuh, or two warps of one block).
#ifndef WF_MAILBOX_CUH
#define WF_MAILBOX_CUH

#include "wf_base.cuh"

template <class T> struct wf_box {
    unsigned full;
    T value;
};

template <class T> WF_DEVICE bool wf_box_try_put(struct wf_box<T> *box, const T &value)
{
    if (wf_load_acquire(&box->full) != 0) // acquire: the consumer has read the old value
        return false;
    box->value = value;
    wf_store_release(&box->full, 1);
    return true;
}

template <class T> WF_DEVICE bool wf_box_try_take(struct wf_box<T> *box, T *value)
{
    if (wf_load_acquire(&box->full) == 0)
        return false;
    *value = box->value;
    wf_store_release(&box->full, 0);
    return true;
}

template <class T> WF_DEVICE void wf_box_put(struct wf_box<T> *box, const T &value)
{
    while (!wf_box_try_put(box, value))
        continue;
}

template <class T> WF_DEVICE T wf_box_take(struct wf_box<T> *box)
{
    T value;
    while (!wf_box_try_take(box, &value))
        continue;
    return value;
}

// With base = ticket rounded down to a multiple of the capacity, a cell's turn is base while it waits
// for that ticket's producer, base + 1 for its consumer, base + capacity for the next producer: right
// modulo 2^32, and zero memory is a ring of empty cells. A ticket is drawn only for a cell whose turn
// has come, so nobody holds a ticket and waits.
template <class T> struct wf_cell {
    unsigned turn;
    T value;
};

template <class T> struct wf_ring {
    unsigned head, tail; // next ticket to put, next to take
    unsigned capacity;   // a power of two, at least 2, set by wf_ring_init
    struct wf_cell<T> *cells;
};

// One thread, before any other uses the ring (a separate launch is enough). cells: zero.
template <class T>
WF_DEVICE void wf_ring_init(struct wf_ring<T> *ring, struct wf_cell<T> *cells, unsigned capacity)
{
    ring->head = ring->tail = 0;
    ring->capacity = capacity;
    ring->cells = cells;
}

template <class T> WF_DEVICE unsigned wf_ring_base(const struct wf_ring<T> *ring, unsigned ticket)
{
    return ticket & ~(ring->capacity - 1);
}

template <class T>
WF_DEVICE bool wf_ring_claim(struct wf_ring<T> *ring, unsigned *counter, unsigned taking,
                             unsigned *claimed)
{
    unsigned ticket = wf_load_relaxed(counter);
    for (;;) {
        struct wf_cell<T> *cell = &ring->cells[ticket & (ring->capacity - 1)];
        // Acquire: what the cell's last user did to the value comes before what we do.
        const unsigned turn = wf_load_acquire(&cell->turn);
        if (turn == wf_ring_base(ring, ticket) + taking) {
            const unsigned old = wf_cas_relaxed(counter, ticket, ticket + 1);
            if (old == ticket) {
                *claimed = ticket;
                return true;
            }
            ticket = old;
        } else {
            const unsigned now = wf_load_relaxed(counter);
            if (now == ticket)
                return false; // full, or empty
            ticket = now;
        }
    }
}

template <class T> WF_DEVICE bool wf_ring_try_put(struct wf_ring<T> *ring, const T &value)
{
    unsigned ticket;
    if (!wf_ring_claim(ring, &ring->head, 0, &ticket))
        return false;
    struct wf_cell<T> *cell = &ring->cells[ticket & (ring->capacity - 1)];
    cell->value = value;
    wf_store_release(&cell->turn, wf_ring_base(ring, ticket) + 1);
    return true;
}

template <class T> WF_DEVICE bool wf_ring_try_take(struct wf_ring<T> *ring, T *value)
{
    unsigned ticket;
    if (!wf_ring_claim(ring, &ring->tail, 1, &ticket))
        return false;
    struct wf_cell<T> *cell = &ring->cells[ticket & (ring->capacity - 1)];
    *value = cell->value;
    wf_store_release(&cell->turn, wf_ring_base(ring, ticket) + ring->capacity);
    return true;
}

#endif
