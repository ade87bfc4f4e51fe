/* Which threads are observed, from begin to end, and where their stacks are. */
#define _GNU_SOURCE
#include "next.h"
#include "threads.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

/* Of the calling thread: [low, high) is its stack; 0: it is not observed. In the static part of thread memory, which needs
 * no allocation when a signal handler looks at it first. */
static __thread uintptr_t low, high __attribute__((tls_model("initial-exec")));

/* Threads that begin before the library is set up are those of lttng-ust. */
static int is_set_up;
static pthread_key_t ends;

uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);
	char *end = NULL;
	if (text == NULL || *text == '\0')
		return otherwise;
	uint64_t value = strtoull(text, &end, 10);
	if (*end == '\0')
		return value;
	fprintf(stderr, "%s: a number is expected, not %s\n", name, text);
	return otherwise;
}

int is_observed(void)
{
	return high != 0;
}

/* Stacks are followed by frame pointers alone. */
static int by_frame_pointers;

struct unwinding {
	unsigned long *stack;
	size_t depth;
	uintptr_t begin; /* the innermost address: the frames of this library come before it */
};

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *pointer)
{
	struct unwinding *to = pointer;
	int is_exact = 0; /* the address is where the thread was interrupted, not one to return to */
	uintptr_t address = _Unwind_GetIPInfo(context, &is_exact);
	if (to->depth == 0) {
		if (address - !is_exact == to->begin)
			to->stack[to->depth++] = to->begin;
		return _URC_NO_REASON;
	}
	uintptr_t frame = _Unwind_GetCFA(context);
	if (address == 0 || frame < low || frame > high || to->depth == MOST_FRAMES)
		return _URC_END_OF_STACK;
	to->stack[to->depth++] = address;
	return _URC_NO_REASON;
}

static size_t follow_frame_pointers(struct frame from, unsigned long stack[MOST_FRAMES])
{
	size_t depth = 0;
	uintptr_t fp = from.fp;
	stack[depth++] = from.pc;
	while (depth < MOST_FRAMES && fp >= from.sp && fp <= high - 2 * sizeof(fp) && fp % sizeof(fp) == 0) {
		const uintptr_t *record = (const uintptr_t *)fp;
		if (record[1] == 0)
			break;
		stack[depth++] = record[1];
		/* The stack grows down, so callers are above. */
		if (record[0] <= fp)
			break;
		fp = record[0];
	}
	return depth;
}

size_t walk_stack(struct frame from, unsigned long stack[MOST_FRAMES])
{
	/* Elsewhere: on a stack for signals, or on one of the program's own making. */
	if (from.sp < low || from.sp >= high) {
		stack[0] = from.pc;
		return 1;
	}
	if (!by_frame_pointers) {
		struct unwinding unwinding = { stack, 0, from.pc };
		_Unwind_Backtrace(add_frame, &unwinding);
		/* Code that was made while the program ran mostly has frame pointers alone. */
		if (unwinding.depth > 1)
			return unwinding.depth;
	}
	return follow_frame_pointers(from, stack);
}

static void begin_thread(void)
{
	pthread_attr_t attributes;
	void *begin;
	size_t size;
	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		return;
	if (pthread_attr_getstack(&attributes, &begin, &size) == 0) {
		low = (uintptr_t)begin;
		high = low + size;
	}
	pthread_attr_destroy(&attributes);
	int error = is_observed() ? begin_samples() : 0;
	if (error != 0)
		fprintf(stderr, "wakepath: a thread has no samples: %s\n", strerror(error));
	pthread_setspecific(ends, &ends);
}

static void end_thread(void *unused)
{
	(void)unused;
	end_samples();
	low = high = 0;
}

struct start {
	void *(*run)(void *);
	void *argument;
};

static void *run_thread(void *pointer)
{
	struct start start = *(struct start *)pointer;
	free(pointer);
	begin_thread();
	return start.run(start.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
	static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	if (real == NULL)
		real = next_function("pthread_create");
	if (!is_set_up)
		return real(thread, attributes, run, argument);
	struct start *start = malloc(sizeof(*start));
	if (start == NULL)
		return EAGAIN;
	*start = (struct start){ run, argument };
	int error = real(thread, attributes, run_thread, start);
	if (error != 0)
		free(start);
	return error;
}

/* Timers are not inherited. */
static void begin_child(void)
{
	if (!is_observed())
		return;
	end_samples();
	begin_samples();
}

__attribute__((constructor)) static void set_up(void)
{
	if (pthread_key_create(&ends, end_thread) != 0)
		return;
	const char *unwind = getenv("WAKEPATH_UNWIND");
	by_frame_pointers = unwind != NULL && strcmp(unwind, "frame-pointers") == 0;
	if (unwind != NULL && *unwind != '\0' && !by_frame_pointers && strcmp(unwind, "eh-frame") != 0)
		fprintf(stderr, "WAKEPATH_UNWIND: eh-frame or frame-pointers is expected, not %s\n", unwind);
	/* Whatever the unwinder sets up at its first use is not done in a signal handler. */
	unsigned long stack[MOST_FRAMES];
	_Unwind_Backtrace(add_frame, &(struct unwinding){ stack, 0, 0 });
	prepare_samples();
	begin_thread();
	pthread_atfork(NULL, NULL, begin_child);
	is_set_up = 1;
}
