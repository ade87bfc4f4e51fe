/** Kinds of files, as far as their paths tell them: state dumps say `pipe:[1234]`, and calls what they made. */

/** `device`: in /dev; `kernel`: in /proc and /sys; `memory`: without a disk or a peer, as event counters and memfd. */
export type FileKind = 'file' | 'library' | 'pipe' | 'socket' | 'device' | 'kernel' | 'memory' | 'unknown';

/** Patterns of the kinds, in order: the first that fits counts. */
const KINDS: readonly (readonly [FileKind, RegExp])[] = [
  ['unknown', /^unknown$/],
  ['pipe', /^pipe(:\[\d+\])?$/],
  ['socket', /^socket(:\[\d+\])?$/],
  ['memory', /^(anon_inode:.*|\/?memfd.*|\/dev\/shm\/.*|\/SYSV.*)$/],
  ['device', /^\/dev\//],
  ['kernel', /^\/(proc|sys)\//],
  ['library', /\.so(\.\d+)*$/],
];

/** @param path of a descriptor: '' where it could not be read */
export function fileKind(path: string): FileKind {
  if (path === '') return 'unknown';
  return KINDS.find(([, pattern]) => pattern.test(path))?.[0] ?? 'file';
}
