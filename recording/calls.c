/* Stacks of system calls that take long: the event `syscall_stack` when such a call returns. */
#define _GNU_SOURCE
#include "next.h"
#include "threads.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRACEPOINT_CREATE_PROBES
#define TRACEPOINT_DEFINE
#include "stack-events.h"

static uint64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* ns; UINT64_MAX: no calls. */
static uint64_t threshold = UINT64_MAX;

__attribute__((constructor)) static void set_threshold(void)
{
	uint64_t us = setting("WAKEPATH_CALL_US", 100);
	threshold = us < UINT64_MAX / 1000 ? 1000 * us : UINT64_MAX;
}

/* When a call begins; 0: nothing is to be recorded. */
static uint64_t begin_call(void)
{
	return is_observed() && tracepoint_enabled(wakepath_stacks, syscall_stack) ? now() : 0;
}

/* `record`: the wrapper's frame record, in which its caller is. */
static void end_call(uint64_t begin, const uintptr_t *record)
{
	if (begin == 0)
		return;
	uint64_t duration = now() - begin;
	if (duration < threshold)
		return;
	int error = errno;
	unsigned long stack[MOST_FRAMES];
	/* One less is inside the instruction that called. */
	size_t depth = walk_stack((struct frame){ record[1] - 1, record[0], (uintptr_t)record }, stack);
	do_tracepoint(wakepath_stacks, syscall_stack, stack, depth, duration);
	errno = error;
}

/* The function of the C library, between begin and end. */
#define WRAP(type, name, parameters, arguments) \
	type name parameters \
	{ \
		static type(*real) parameters; \
		if (real == NULL) \
			real = next_function(#name); \
		uint64_t begin = begin_call(); \
		type result = real arguments; \
		end_call(begin, __builtin_frame_address(0)); \
		return result; \
	}

WRAP(ssize_t, read, (int fd, void *to, size_t size), (fd, to, size))
WRAP(ssize_t, write, (int fd, const void *from, size_t size), (fd, from, size))
WRAP(ssize_t, pread, (int fd, void *to, size_t size, off_t at), (fd, to, size, at))
WRAP(ssize_t, pread64, (int fd, void *to, size_t size, off64_t at), (fd, to, size, at))
WRAP(ssize_t, pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at))
WRAP(ssize_t, pwrite64, (int fd, const void *from, size_t size, off64_t at), (fd, from, size, at))
WRAP(ssize_t, readv, (int fd, const struct iovec *parts, int count), (fd, parts, count))
WRAP(ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count))
WRAP(int, fsync, (int fd), (fd))
WRAP(int, fdatasync, (int fd), (fd))
WRAP(int, flock, (int fd, int operation), (fd, operation))

WRAP(ssize_t, recv, (int fd, void *to, size_t size, int flags), (fd, to, size, flags))
WRAP(ssize_t, send, (int fd, const void *from, size_t size, int flags), (fd, from, size, flags))
WRAP(ssize_t, recvfrom, (int fd, void *to, size_t size, int flags, struct sockaddr *address, socklen_t *length),
	(fd, to, size, flags, address, length))
WRAP(ssize_t, sendto,
	(int fd, const void *from, size_t size, int flags, const struct sockaddr *address, socklen_t length),
	(fd, from, size, flags, address, length))
WRAP(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags))
WRAP(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
WRAP(int, accept, (int fd, struct sockaddr *address, socklen_t *length), (fd, address, length))
WRAP(int, accept4, (int fd, struct sockaddr *address, socklen_t *length, int flags), (fd, address, length, flags))
WRAP(int, connect, (int fd, const struct sockaddr *address, socklen_t length), (fd, address, length))

WRAP(int, poll, (struct pollfd *fds, nfds_t count, int timeout), (fds, count, timeout))
WRAP(int, select, (int count, fd_set *read, fd_set *write, fd_set *except, struct timeval *timeout),
	(count, read, write, except, timeout))
WRAP(int, epoll_wait, (int fd, struct epoll_event *events, int most, int timeout), (fd, events, most, timeout))
WRAP(int, nanosleep, (const struct timespec *time, struct timespec *rest), (time, rest))
WRAP(int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *time, struct timespec *rest),
	(clock, flags, time, rest))
WRAP(int, usleep, (useconds_t us), (us))
WRAP(unsigned, sleep, (unsigned seconds), (seconds))
WRAP(pid_t, waitpid, (pid_t pid, int *status, int options), (pid, status, options))

/* What these wait for is the system call futex. */
WRAP(int, pthread_join, (pthread_t thread, void **value), (thread, value))
WRAP(int, pthread_mutex_lock, (pthread_mutex_t *mutex), (mutex))
WRAP(int, pthread_mutex_timedlock, (pthread_mutex_t *mutex, const struct timespec *until), (mutex, until))
WRAP(int, pthread_rwlock_rdlock, (pthread_rwlock_t *lock), (lock))
WRAP(int, pthread_rwlock_wrlock, (pthread_rwlock_t *lock), (lock))
WRAP(int, pthread_cond_wait, (pthread_cond_t *cond, pthread_mutex_t *mutex), (cond, mutex))
WRAP(int, pthread_cond_timedwait,
	(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until), (cond, mutex, until))
WRAP(int, pthread_barrier_wait, (pthread_barrier_t *barrier), (barrier))
WRAP(int, sem_wait, (sem_t *sem), (sem))
WRAP(int, sem_timedwait, (sem_t *sem, const struct timespec *until), (sem, until))
