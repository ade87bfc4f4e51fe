/* What the parts of libwakepath-stacks.so share: threads that are observed, and their stacks. */
#ifndef THREADS_H
#define THREADS_H

#include <stddef.h>
#include <stdint.h>

/* Frames of a stack; the callers beyond are left out. */
#define MOST_FRAMES 128

/* Where a walk begins. */
struct frame {
	uintptr_t pc; /* the innermost address */
	uintptr_t fp; /* the frame pointer */
	uintptr_t sp; /* the stack pointer */
};

/* Whether the calling thread is observed. Those of lttng-ust itself are not. */
int is_observed(void);

/*
 * The addresses of the calling thread's stack from a frame on, by the unwind tables of its code (.eh_frame), else, or where
 * WAKEPATH_UNWIND says so, by frame pointers. These are followed between the stack pointer and the upper end of the thread's
 * stack, which is always mapped, so that no value of one makes it fault. Safe in a signal handler: from glibc 2.35 and GCC 12
 * on the unwinder takes no lock. Gives the number of addresses, at least 1.
 */
size_t walk_stack(struct frame from, unsigned long stack[MOST_FRAMES]);

/* Samples of the calling thread begin. Gives 0, or the number of the error. */
int begin_samples(void);
/* They end; nothing happens where they have not begun. */
void end_samples(void);
/* Once for the process, before any thread has samples. */
void prepare_samples(void);

/* A number of the environment, which is `otherwise` where it is not set. */
uint64_t setting(const char *name, uint64_t otherwise);

#endif
