// SPDX-License-Identifier: Apache-2.0
// Which checkers listen, and how they are set.
#include <stddef.h> // NULL

#include "check/check.h" // wf_check_events
#include "core/event.h"  // struct wf_events
#include "exec/exec.h"   // wf_exec_subscribe
#include "rt/order.h"    // wf_rt_order_subscribe
#include "session/options.h"
#include "session/session_priv.h"

void wf__session_subscribe(const struct wf_options *o)
{
    static struct wf_events events; // borrowed by the engine
    struct wf_check_opts c = wf_check_defaults();
    c.volatile_mode = o->volatile_ == 1 ? WF_VOLATILE_RELAXED : WF_VOLATILE_PLAIN;
    c.redundant = o->more_advice;
    c.report_cas_guess = o->cas_guesses;
    wf_check_events(&c, &events);
    wf_exec_subscribe(&events);
    wf_rt_order_subscribe(&events);
}
