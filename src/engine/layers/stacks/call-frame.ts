/** Frames of call stacks that are system calls. Pure. */

const CALL = 'syscall ';

/** Frame below which is time in a system call: "syscall futex". */
export function callFrame(call: string): string {
  return CALL + call;
}

/** Name of the system call that a frame is; undefined: it is another frame. */
export function callOfFrame(frame: string): string | undefined {
  return isCallFrame(frame) ? frame.slice(CALL.length) : undefined;
}

export function isCallFrame(frame: string): boolean {
  return frame.startsWith(CALL);
}
