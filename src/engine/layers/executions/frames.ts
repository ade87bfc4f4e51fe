/** Frames of calling contexts that are no functions. */

const THREAD = '→ thread ';

/** Frame below which is time of another thread. */
export function threadFrame(name: string): string {
  return THREAD + name;
}

/** Name in the frame of a thread; undefined: it is another frame. */
export function threadOfFrame(frame: string): string | undefined {
  return isThreadFrame(frame) ? frame.slice(THREAD.length) : undefined;
}

export function isThreadFrame(frame: string): boolean {
  return frame.startsWith(THREAD);
}

/** Whether a frame names no function: an address within a file, or nothing that is known. */
export function isUnnamedFrame(frame: string): boolean {
  return /^\[(unknown|stack not recorded)\]$|\+0x[0-9a-f]+$/.test(frame);
}

/** Whether a function is of a library that any program uses: names that languages reserve for their own, and POSIX threads. */
export function isLibraryFrame(frame: string): boolean {
  return /^(?:_|std::|pthread_|(?:start_thread|clone3?)$)/.test(frame);
}
