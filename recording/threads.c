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

size_t walk_stack(struct frame from, unsigned long stack[MOST_FRAMES])
{
	size_t depth = 0;
	uintptr_t fp = from.fp;
	stack[depth++] = from.pc;
	/* Elsewhere: on a stack for signals, or on one of the program's own making. */
	if (from.sp < low || from.sp >= high)
		return depth;
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
	prepare_samples();
	begin_thread();
	pthread_atfork(NULL, NULL, begin_child);
	is_set_up = 1;
}
