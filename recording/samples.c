/* Samples of CPU time: SIGPROF each time a thread has run for a period, and its stack as the event `cpu_stack`. */
#define _GNU_SOURCE
#include "threads.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "stack-events.h"

/* glibc names this field of sigevent since 2.38 only. */
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))

/* ns of CPU time; 0: no samples. */
static uint64_t period;

/* Of the calling thread: a counter of perf, or a timer. */
static __thread int counter INITIAL_EXEC = -1;
static __thread timer_t timer INITIAL_EXEC;
static __thread int has_timer INITIAL_EXEC;

static struct frame interrupted(const ucontext_t *context)
{
#if defined(__x86_64__)
	const greg_t *registers = context->uc_mcontext.gregs;
	return (struct frame){ registers[REG_RIP], registers[REG_RBP], registers[REG_RSP] };
#elif defined(__aarch64__)
	const mcontext_t *machine = &context->uc_mcontext;
	return (struct frame){ machine->pc, machine->regs[29], machine->sp };
#else
#error "Frame pointers are known for x86-64 and AArch64 only."
#endif
}

/* Calls nothing but the tracepoint, which lttng-ust allows in signal handlers. */
static void on_sample(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	if (!is_observed() || !tracepoint_enabled(wakepath_stacks, cpu_stack))
		return;
	int error = errno;
	unsigned long stack[MOST_FRAMES];
	size_t depth = walk_stack(interrupted(context), stack);
	do_tracepoint(wakepath_stacks, cpu_stack, stack, depth);
	errno = error;
}

void prepare_samples(void)
{
	period = 1000 * setting("WAKEPATH_SAMPLE_US", 1000);
	struct sigaction action = { .sa_sigaction = on_sample, .sa_flags = SA_SIGINFO | SA_RESTART };
	sigfillset(&action.sa_mask);
	if (period > 0)
		sigaction(SIGPROF, &action, NULL);
}

/* The task clock of perf keeps to the period, where the kernel lets programs have it (perf_event_paranoid up to 2). */
static int begin_counter(pid_t thread, int without_kernel)
{
	struct perf_event_attr attributes;
	memset(&attributes, 0, sizeof(attributes));
	attributes.type = PERF_TYPE_SOFTWARE;
	attributes.size = sizeof(attributes);
	attributes.config = PERF_COUNT_SW_TASK_CLOCK;
	attributes.sample_period = period;
	attributes.wakeup_events = 1;
	attributes.exclude_kernel = without_kernel;
	attributes.exclude_hv = without_kernel;
	int fd = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno;
	struct f_owner_ex owner = { F_OWNER_TID, thread };
	if (fcntl(fd, F_SETSIG, SIGPROF) != 0 || fcntl(fd, F_SETOWN_EX, &owner) != 0
	    || fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) != 0) {
		int error = errno;
		close(fd);
		return error;
	}
	counter = fd;
	return 0;
}

/* A timer of the thread's CPU clock, which the kernel looks at once a tick (4 ms, where it ticks 250 times a second). */
static int begin_timer(pid_t thread)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF };
	event.sigev_notify_thread_id = thread;
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0)
		return errno;
	has_timer = 1;
	struct timespec each = { period / 1000000000, period % 1000000000 };
	return timer_settime(timer, 0, &(struct itimerspec){ each, each }, NULL) == 0 ? 0 : errno;
}

int begin_samples(void)
{
	if (period == 0)
		return 0;
	pid_t thread = syscall(SYS_gettid);
	/* Time in the kernel counts too, where that is allowed: perf_event_paranoid up to 1, or root. */
	if (begin_counter(thread, 0) == 0 || begin_counter(thread, 1) == 0)
		return 0;
	return begin_timer(thread);
}

void end_samples(void)
{
	if (counter >= 0)
		close(counter);
	if (has_timer)
		timer_delete(timer);
	counter = -1;
	has_timer = 0;
}
