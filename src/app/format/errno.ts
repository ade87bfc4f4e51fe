import type { CallStat } from '../../engine/protocol/statistics.ts';
import { formatCount } from './numbers.ts';

/** Names of Linux error numbers (include/uapi/asm-generic/errno-base.h and errno.h) that system calls return. */
const NAMES: Readonly<Record<number, string>> = {
  1: 'EPERM',
  2: 'ENOENT',
  3: 'ESRCH',
  4: 'EINTR',
  5: 'EIO',
  6: 'ENXIO',
  7: 'E2BIG',
  8: 'ENOEXEC',
  9: 'EBADF',
  10: 'ECHILD',
  11: 'EAGAIN',
  12: 'ENOMEM',
  13: 'EACCES',
  14: 'EFAULT',
  16: 'EBUSY',
  17: 'EEXIST',
  18: 'EXDEV',
  19: 'ENODEV',
  20: 'ENOTDIR',
  21: 'EISDIR',
  22: 'EINVAL',
  23: 'ENFILE',
  24: 'EMFILE',
  25: 'ENOTTY',
  26: 'ETXTBSY',
  27: 'EFBIG',
  28: 'ENOSPC',
  29: 'ESPIPE',
  30: 'EROFS',
  31: 'EMLINK',
  32: 'EPIPE',
  33: 'EDOM',
  34: 'ERANGE',
  35: 'EDEADLK',
  36: 'ENAMETOOLONG',
  38: 'ENOSYS',
  39: 'ENOTEMPTY',
  40: 'ELOOP',
  61: 'ENODATA',
  71: 'EPROTO',
  75: 'EOVERFLOW',
  88: 'ENOTSOCK',
  90: 'EMSGSIZE',
  92: 'ENOPROTOOPT',
  93: 'EPROTONOSUPPORT',
  95: 'EOPNOTSUPP',
  97: 'EAFNOSUPPORT',
  98: 'EADDRINUSE',
  99: 'EADDRNOTAVAIL',
  101: 'ENETUNREACH',
  103: 'ECONNABORTED',
  104: 'ECONNRESET',
  105: 'ENOBUFS',
  106: 'EISCONN',
  107: 'ENOTCONN',
  110: 'ETIMEDOUT',
  111: 'ECONNREFUSED',
  113: 'EHOSTUNREACH',
  114: 'EALREADY',
  115: 'EINPROGRESS',
};

/** "EAGAIN", or "error 4000" for numbers without a name here. */
export function errnoName(errno: number): string {
  return NAMES[errno] ?? `error ${errno}`;
}

/** "EAGAIN 12", one for each error. */
export function errorsText(errors: CallStat['errors'], separator: string): string {
  return errors.map(({ errno, count }) => `${errnoName(errno)} ${formatCount(count)}`).join(separator);
}
