/* Events with call stacks. Their names are what Wakepath reads: `*:cpu_stack` and `*:syscall_stack`. */
#undef TRACEPOINT_PROVIDER
#define TRACEPOINT_PROVIDER wakepath_stacks

#undef TRACEPOINT_INCLUDE
#define TRACEPOINT_INCLUDE "./stack-events.h"

#if !defined(STACK_EVENTS_H) || defined(TRACEPOINT_HEADER_MULTI_READ)
#define STACK_EVENTS_H

#include <lttng/tracepoint.h>
#include <stddef.h>
#include <stdint.h>

/* A sample of CPU time. The innermost address comes first, then return addresses. */
TRACEPOINT_EVENT(wakepath_stacks, cpu_stack,
	TP_ARGS(const unsigned long *, stack, size_t, depth),
	TP_FIELDS(
		ctf_sequence_hex(unsigned long, stack, stack, size_t, depth)
	)
)

/* A call that took long has returned. The stack was in force since its begin, `duration` ns ago. */
TRACEPOINT_EVENT(wakepath_stacks, syscall_stack,
	TP_ARGS(const unsigned long *, stack, size_t, depth, uint64_t, duration),
	TP_FIELDS(
		ctf_sequence_hex(unsigned long, stack, stack, size_t, depth)
		ctf_integer(uint64_t, duration, duration)
	)
)

#endif

#include <lttng/tracepoint-event.h>
