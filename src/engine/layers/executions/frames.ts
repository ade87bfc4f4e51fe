/** Frames of calling contexts other than functions. */

const THREAD = '→ thread ';

/** Frame above the time of another thread. */
export function threadFrame(name: string): string {
  return THREAD + name;
}

/** Name in a thread's frame; undefined: it is another frame. */
export function threadOfFrame(frame: string): string | undefined {
  return isThreadFrame(frame) ? frame.slice(THREAD.length) : undefined;
}

export function isThreadFrame(frame: string): boolean {
  return frame.startsWith(THREAD);
}

/** Whether a frame names no function: an address within a file, or nothing known. */
export function isUnnamedFrame(frame: string): boolean {
  return /^\[(unknown|stack not recorded)\]$|\+0x[0-9a-f]+$/.test(frame);
}

/** Whether a function belongs to a library that any program uses: names reserved by languages, and POSIX threads. */
export function isLibraryFrame(frame: string): boolean {
  return /^(?:_|std::|pthread_|(?:start_thread|clone3?)$)/.test(frame);
}
