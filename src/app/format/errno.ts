import type { CallStat } from '../../engine/protocol/statistics.ts';
import { formatCount } from './numbers.ts';

/**
 * Names of Linux error numbers (include/uapi/asm-generic/errno-base.h and errno.h) that system calls return: each line has
 * a number, and the names of it and of those that follow.
 */
const NAMES = namesIn(`
  1 EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD
  11 EAGAIN ENOMEM EACCES EFAULT
  16 EBUSY EEXIST EXDEV ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY
  26 ETXTBSY EFBIG ENOSPC ESPIPE EROFS EMLINK EPIPE EDOM ERANGE EDEADLK ENAMETOOLONG
  38 ENOSYS ENOTEMPTY ELOOP
  61 ENODATA
  71 EPROTO
  75 EOVERFLOW
  88 ENOTSOCK
  90 EMSGSIZE
  92 ENOPROTOOPT EPROTONOSUPPORT
  95 EOPNOTSUPP
  97 EAFNOSUPPORT EADDRINUSE EADDRNOTAVAIL
  101 ENETUNREACH
  103 ECONNABORTED ECONNRESET ENOBUFS EISCONN ENOTCONN
  110 ETIMEDOUT ECONNREFUSED
  113 EHOSTUNREACH EALREADY EINPROGRESS`);

function namesIn(lines: string): ReadonlyMap<number, string> {
  const numbered = lines
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [first, ...names] = line.trim().split(' ');
      return names.map((name, i) => [Number(first) + i, name] as const);
    });
  return new Map(numbered);
}

/** "EAGAIN", or "error 4000" for numbers without a name here. */
export function errnoName(errno: number): string {
  return NAMES.get(errno) ?? `error ${errno}`;
}

/** "EAGAIN 12", one for each error. */
export function errorsText(errors: CallStat['errors'], separator: string): string {
  return errors.map(({ errno, count }) => `${errnoName(errno)} ${formatCount(count)}`).join(separator);
}
