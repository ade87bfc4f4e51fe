/** Definition of an execution: the events that begin and end it. Plain data: kept, put into links, typed by users. */
export interface ExecutionDefinition {
  /** Name of the event that begins an execution; `*` stands for any characters. */
  readonly begin: string;
  /** Name of the event that ends it, likewise. Equal to `begin`: an execution lasts from one event to the next. */
  readonly end: string;
  /** Fields whose values a begin and its end share, in addition to the thread. */
  readonly key: readonly string[];
  /** Whether only the fields of `key` join begin and end, on any thread and host. */
  readonly acrossThreads: boolean;
  /** Conditions that all hold for the begin (payload, context; `thread` and `process`: by name). */
  readonly where: readonly Condition[];
  /** Shorter executions are left out, ns. */
  readonly minNs: number;
}

export function isSameDefinition(a: ExecutionDefinition | undefined, b: ExecutionDefinition): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Condition that a field has a value: a text, or a whole number as text. */
export interface Condition {
  readonly field: string;
  readonly value: string;
}

/** Fields of conditions that are names of an event's thread. */
export const THREAD_CONDITIONS: readonly string[] = ['thread', 'process'];

/** Whether each event ends an execution and begins the next one. */
export function isPeriod({ begin, end }: ExecutionDefinition): boolean {
  return begin === end;
}

/** Counts of executions. Periods are always complete: the first event ends nothing, the last begins nothing. */
export interface ExecutionCounts {
  readonly executions: number;
  readonly withoutEnd: number;
  readonly withoutBegin: number;
  /** Number of executions that ended while an enclosing one was open. */
  readonly nested: number;
}
