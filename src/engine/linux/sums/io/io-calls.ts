/** System calls that transfer bytes or change file descriptors. */
export type IoRole =
  | 'read'
  | 'write'
  /** Reads one descriptor and writes another. */
  | 'transfer'
  /** Waits until written data are on the disk. */
  | 'sync'
  | 'open'
  /** Returns a descriptor of something without a path (`pathOfMade`). */
  | 'make'
  /** Makes two descriptors, which the exit has. */
  | 'pair'
  /** The descriptor is copied to the one returned. */
  | 'copy'
  | 'close'
  /** Closes a range of descriptors. */
  | 'close-range'
  | 'fcntl'
  | 'exec';

/** Names of objects without a path that calls make, as in state dumps, without the number of the pipe or socket. */
const MADE: Readonly<Record<string, string>> = {
  accept: 'socket',
  accept4: 'socket',
  epoll_create: 'anon_inode:[eventpoll]',
  epoll_create1: 'anon_inode:[eventpoll]',
  eventfd: 'anon_inode:[eventfd]',
  eventfd2: 'anon_inode:[eventfd]',
  inotify_init: 'anon_inode:inotify',
  inotify_init1: 'anon_inode:inotify',
  memfd_create: 'memfd',
  perf_event_open: 'anon_inode:[perf_event]',
  pidfd_open: 'anon_inode:[pidfd]',
  pipe: 'pipe',
  pipe2: 'pipe',
  signalfd: 'anon_inode:[signalfd]',
  signalfd4: 'anon_inode:[signalfd]',
  socket: 'socket',
  socketpair: 'socket',
  timerfd_create: 'anon_inode:[timerfd]',
};

const PAIRS = ['pipe', 'pipe2', 'socketpair'];

/** Names of the calls of each role. */
const CALLS: Readonly<Record<IoRole, readonly string[]>> = {
  read: ['read', 'readv', 'pread', 'pread64', 'preadv', 'preadv2', 'recv', 'recvfrom', 'recvmsg'],
  write: ['write', 'writev', 'pwrite', 'pwrite64', 'pwritev', 'pwritev2', 'send', 'sendto', 'sendmsg'],
  transfer: ['sendfile', 'sendfile64', 'splice', 'copy_file_range'],
  sync: ['fsync', 'fdatasync', 'sync_file_range', 'syncfs'],
  open: ['open', 'openat', 'openat2', 'creat'],
  make: Object.keys(MADE).filter((name) => !PAIRS.includes(name)),
  pair: PAIRS,
  copy: ['dup', 'dup2', 'dup3'],
  close: ['close'],
  'close-range': ['close_range'],
  fcntl: ['fcntl', 'fcntl64'],
  exec: ['execve', 'execveat'],
};

const ROLES = new Map(
  (Object.keys(CALLS) as IoRole[]).flatMap((role) => CALLS[role].map((name) => [name, role] as const)),
);

/** Numbers of calls in chunk results; 0: an exit without the call's name (`exit_syscall`). */
export const CALL_UNNAMED = 0;
const NAMES = [...ROLES.keys()].sort();
const ROLE_OF: readonly (IoRole | undefined)[] = [undefined, ...NAMES.map((name) => ROLES.get(name))];

/** Number of a call by name, -1 if it is none of these. */
export function ioCallOf(name: string): number {
  return NAMES.indexOf(name) < 0 ? -1 : NAMES.indexOf(name) + 1;
}

/** Undefined: the unnamed call. */
export function roleOf(call: number): IoRole | undefined {
  return ROLE_OF[call];
}

/** Name of a call; '' for the unnamed one. */
export function nameOfCall(call: number): string {
  return call === CALL_UNNAMED ? '' : NAMES[call - 1];
}

/** Path of an object that a call makes. */
export function pathOfMade(call: number): string {
  return MADE[NAMES[call - 1]];
}

/** fcntl commands that copy a descriptor: F_DUPFD, F_DUPFD_CLOEXEC. */
export function copiesDescriptor(command: number): boolean {
  return command === 0 || copiesUntilExec(command);
}

/** F_DUPFD_CLOEXEC. */
export function copiesUntilExec(command: number): boolean {
  return command === 1030;
}

/** F_SETFD. */
export function setsFlags(command: number): boolean {
  return command === 2;
}

/** Whether O_CLOEXEC is set, the same flag for all calls that make or copy descriptors; flags below 0 are not known. */
export function closesOnExec(flags: number): boolean {
  return flags > 0 && (flags & 0o2000000) !== 0;
}

/** Whether CLOSE_RANGE_CLOEXEC of close_range is set: closed by exec, and not before. */
export function closesOnExecAlone(flags: number): boolean {
  return flags > 0 && (flags & 4) !== 0;
}
