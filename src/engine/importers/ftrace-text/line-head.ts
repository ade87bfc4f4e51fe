/**
 * Head of a line of ftrace, before its event: "   sh-391   (  391) [001] d..2.   113.593145: ". A column for the process
 * and one for interrupts may be there. Latency formats: "sh-391     1d..2.   113.593145: " of `trace-cmd report -l`, with
 * "5us+: " for the time of ftrace's own option latency-format.
 */

export interface LineHead {
  readonly tid: number;
  /** Name of the thread; "<...>": it may be cut. */
  readonly comm: string;
  /** 0: not known. */
  readonly process: number;
  readonly cpu: number;
  /** '' there are none. */
  readonly flags: string;
  /** Time as it is written: whole seconds, ns behind them, and how many digits these have. */
  readonly seconds: number;
  readonly nanos: number;
  readonly digits: number;
  /** Where the event begins. */
  readonly at: number;
}

/** The name of the thread ends at the first hyphen with which the rest fits. */
const HEAD = new RegExp(
  [
    /^[ \t]*(?![ \t])([^]{1,64}?)-(\d{1,9})[ \t]+/,
    /(?:(?:\([ \t]*(?:-+|(\d{1,9}))[ \t]*\)[ \t]+)?\[(\d{1,5})\][ \t]+(?:([!-9;-~]{4,8})[ \t]+)?|(\d{1,4})(?!\d)([!-9;-~]{4,8})[ \t]+)/,
    // Behind "us" is a mark of how much time went.
    /(\d{1,12})(?:\.(\d{1,9})|(us)[^])?:[ \t]+/,
  ]
    .map(({ source }) => source)
    .join(''),
);
/** Characters to which latency formats cut names. */
const CUT_NAME = 8;

/** undefined: the line is not of this form. */
export function readHead(line: string): LineHead | undefined {
  const found: readonly (string | undefined)[] | null = HEAD.exec(line);
  if (found === null) return undefined;
  const [head = '', name = '', tid, process = 0, cpu, flags = '', latencyCpu, latency, time, fraction, us] =
    found;
  const isLatency = latency !== undefined;
  if (fraction === undefined && isLatency !== (us !== undefined)) return undefined;
  return {
    tid: Number(tid),
    comm: isLatency && name.length >= CUT_NAME ? '<...>' : name,
    process: Number(process),
    cpu: Number(cpu ?? latencyCpu),
    flags: latency ?? flags,
    seconds: us === undefined ? Number(time) : Math.floor(Number(time) / 1e6),
    nanos: us === undefined ? Number((fraction ?? '').padEnd(9, '0')) : (Number(time) % 1e6) * 1000,
    digits: us === undefined ? (fraction ?? '').length : 6,
    at: head.length,
  };
}
