/** Frames of calling contexts that are no functions. */

const THREAD = '→ thread ';

/** Frame below which is time of another thread. */
export function threadFrame(name: string): string {
  return THREAD + name;
}

export function isThreadFrame(frame: string): boolean {
  return frame.startsWith(THREAD);
}
