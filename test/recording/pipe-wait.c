/* A thread reads from a pipe that another one, begun 20 ms later, writes to after 150 ms. Says who they are, and the ns of the wait. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *unused) {
  struct timespec nap = {0, 150000000};
  printf("writer %ld\n", syscall(SYS_gettid));
  nanosleep(&nap, 0);
  return write(ends[1], "x", 1) == 1 ? 0 : unused;
}

static void *reader(void *unused) {
  struct timespec from, to;
  char byte;
  clock_gettime(CLOCK_MONOTONIC, &from);
  long got = read(ends[0], &byte, 1);
  clock_gettime(CLOCK_MONOTONIC, &to);
  long long ns = (to.tv_sec - from.tv_sec) * 1000000000LL + to.tv_nsec - from.tv_nsec;
  printf("reader %ld\nwaited %lld\n", syscall(SYS_gettid), ns);
  return got == 1 ? 0 : unused;
}

int main(void) {
  pthread_t reads, writes;
  if (pipe(ends) != 0) return 1;
  printf("starter %ld\n", syscall(SYS_gettid));
  pthread_create(&reads, 0, reader, 0);
  usleep(20000);
  pthread_create(&writes, 0, writer, 0);
  pthread_join(reads, 0);
  pthread_join(writes, 0);
  return 0;
}
