/** System calls that move bytes or change what a file descriptor means (spec 03 sections 2 and 4.3). */
export type IoRole =
  | 'read'
  | 'write'
  /** Reads one descriptor and writes another. */
  | 'transfer'
  | 'open'
  | 'socket'
  /** The descriptor is copied to the one returned. */
  | 'copy'
  | 'close'
  | 'fcntl'
  | 'exec';

const ROLES: Readonly<Record<string, IoRole>> = {
  read: 'read',
  readv: 'read',
  pread: 'read',
  pread64: 'read',
  preadv: 'read',
  preadv2: 'read',
  recv: 'read',
  recvfrom: 'read',
  recvmsg: 'read',
  write: 'write',
  writev: 'write',
  pwrite: 'write',
  pwrite64: 'write',
  pwritev: 'write',
  pwritev2: 'write',
  send: 'write',
  sendto: 'write',
  sendmsg: 'write',
  sendfile: 'transfer',
  sendfile64: 'transfer',
  splice: 'transfer',
  copy_file_range: 'transfer',
  open: 'open',
  openat: 'open',
  openat2: 'open',
  creat: 'open',
  socket: 'socket',
  accept: 'socket',
  accept4: 'socket',
  dup: 'copy',
  dup2: 'copy',
  dup3: 'copy',
  fcntl: 'fcntl',
  fcntl64: 'fcntl',
  close: 'close',
  execve: 'exec',
  execveat: 'exec',
};

/** Numbers of calls in leaves; 0: an exit that does not say of what (`exit_syscall`). */
export const CALL_UNNAMED = 0;
const NAMES = Object.keys(ROLES).sort();

/** Number of a call by name, -1 when it is none of these. */
export function ioCallOf(name: string): number {
  return NAMES.indexOf(name) < 0 ? -1 : NAMES.indexOf(name) + 1;
}

/** undefined for the unnamed call. */
export function roleOf(call: number): IoRole | undefined {
  return call === CALL_UNNAMED ? undefined : ROLES[NAMES[call - 1]];
}

/** fcntl commands that copy a descriptor: F_DUPFD, F_DUPFD_CLOEXEC. */
export function copiesDescriptor(command: number): boolean {
  return command === 0 || command === 1030;
}

/** O_CLOEXEC of open's flags. */
export function closesOnExec(flags: number): boolean {
  return (flags & 0o2000000) !== 0;
}
