/** Definition of an execution: the events that begin and end it. Plain data: kept, linked and typed by users. */
export interface ExecutionDefinition {
  /** Name of the event that begins an execution; `*` stands for any characters. */
  readonly begin: string;
  /** The same of the event that ends it. Equal to `begin`: an execution lasts from one event to the next. */
  readonly end: string;
  /** Fields whose values a begin and its end share, besides the thread. */
  readonly key: readonly string[];
  /** The fields of `key` alone join begin and end, on whatever thread and host they are. */
  readonly acrossThreads: boolean;
  /** All of these hold for the begin (payload, context; `thread` and `process`: by name). */
  readonly where: readonly Condition[];
  /** Shorter ones are left out, ns. */
  readonly minNs: number;
}

export function isSameDefinition(a: ExecutionDefinition | undefined, b: ExecutionDefinition): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A field has a value: a text, or a whole number as one. */
export interface Condition {
  readonly field: string;
  readonly value: string;
}

/** Fields of conditions that are names of the thread of an event. */
export const THREAD_CONDITIONS: readonly string[] = ['thread', 'process'];

/** Each event ends an execution and begins the next one. */
export function isPeriod({ begin, end }: ExecutionDefinition): boolean {
  return begin === end;
}

/** Numbers of what was found. Periods are all there is: their first event ends nothing, the last begins nothing. */
export interface ExecutionCounts {
  readonly executions: number;
  readonly withoutEnd: number;
  readonly withoutBegin: number;
  /** Number of executions that ended while another one around them was open. */
  readonly nested: number;
}
