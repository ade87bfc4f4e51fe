/** Actions of rows in the i/o analysis, and places of their fields. */
import type { KindRequest, ProjectionPlan } from '../../../analysis/contract.ts';
import { cachedByKey } from '../../../base/cached-by-key.ts';
import type { EventClass } from '../../../ctf/model.ts';
import { kernelKind, subjectsOf } from '../../events/kernel-events.ts';
import type { EventKind } from '../../../trace/event-kinds.ts';
import { placesOf, type FieldPlace } from '../../events/row-reader.ts';
import { CALL_UNNAMED, ioCallOf } from './io-calls.ts';
import * as ioChunk from './io-chunk.ts';

const REQUEST = ['dev', 'sector', 'nr_sector', 'tid', 'rwbs', 'letters'] as const;

export const IO_KINDS: readonly KindRequest[] = [
  kernelKind('switch', 'prev_tid', 'next_tid', 'next_comm'),
  kernelKind('syscall-entry', 'fd', 'fd_in', 'flags', 'cmd', 'filename'),
  kernelKind('syscall-exit', 'ret', 'pair'),
  kernelKind('fork', 'child_tid', 'child_pid', 'parent_pid', 'child_comm'),
  kernelKind('process-dump', 'tid', 'pid', 'name', 'files'),
  kernelKind('file-dump', 'pid', 'fd', 'filename', 'files'),
  kernelKind('disk-dump', 'dev', 'diskname'),
  kernelKind('request-insert', ...REQUEST),
  kernelKind('request-issue', ...REQUEST),
  kernelKind('request-complete', ...REQUEST),
  kernelKind('request-requeue', ...REQUEST),
  kernelKind('request-merge', ...REQUEST),
];

/** Actions of rows; FACT + n: a fact by rule n of `FACTS`. */
const NOTHING = 0;
export const SWITCH = 1;
export const ENTRY = 2;
export const EXIT = 3;
export const FACT = 4;

/** A row that is a fact: what it is made of. */
export interface FactRule<Field = FieldPlace> {
  readonly kind: number;
  readonly a: Field;
  readonly b?: Field;
  readonly c?: Field;
  readonly d?: Field;
  readonly wide?: Field;
  readonly text?: Field;
  /** The name of thread `a`. */
  readonly name?: Field;
}

const REQUEST_FACT = {
  ...{ a: 'dev', b: 'nr_sector', c: 'tid', d: 'rwbs', wide: 'sector' },
  text: 'letters',
} as const;

const FACTS: readonly (FactRule<string> & { readonly event: EventKind })[] = [
  {
    event: 'fork',
    kind: ioChunk.FACT_FORK,
    a: 'child_tid',
    b: 'child_pid',
    c: 'parent_pid',
    name: 'child_comm',
  },
  { event: 'process-dump', kind: ioChunk.FACT_PROCESS, a: 'tid', b: 'pid', wide: 'files', name: 'name' },
  { event: 'file-dump', kind: ioChunk.FACT_FILE, a: 'pid', b: 'fd', wide: 'files', text: 'filename' },
  { event: 'disk-dump', kind: ioChunk.FACT_DISK, a: 'dev', text: 'diskname' },
  { event: 'request-insert', kind: ioChunk.FACT_INSERT, ...REQUEST_FACT },
  { event: 'request-issue', kind: ioChunk.FACT_ISSUE, ...REQUEST_FACT },
  { event: 'request-complete', kind: ioChunk.FACT_COMPLETE, ...REQUEST_FACT },
  { event: 'request-requeue', kind: ioChunk.FACT_REQUEUE, ...REQUEST_FACT },
  { event: 'request-merge', kind: ioChunk.FACT_MERGE, ...REQUEST_FACT },
];

/** Layout of a plan: actions by kind, and places of their fields. */
export function layoutOf(plan: ProjectionPlan) {
  const actions = new Uint8Array(plan.request.kinds.length).fill(NOTHING);
  actions[plan.kind('switch')] = SWITCH;
  actions[plan.kind('syscall-entry')] = ENTRY;
  actions[plan.kind('syscall-exit')] = EXIT;
  FACTS.forEach(({ event: eventKind }, fact) => (actions[plan.kind(eventKind)] = FACT + fact));
  return {
    actions,
    switch: placesOf(plan, 'switch', ['prev_tid', 'next_tid', 'next_comm']),
    entry: placesOf(plan, 'syscall-entry', ['fd', 'fd_in', 'flags', 'cmd', 'filename']),
    exit: placesOf(plan, 'syscall-exit', ['ret', 'pair']),
    facts: FACTS.map(({ event: eventKind, ...rule }) => ruleIn(plan, eventKind, rule)),
  };
}

export type IoLayout = ReturnType<typeof layoutOf>;

function ruleIn(
  plan: ProjectionPlan,
  eventKind: string,
  { kind, a, b, c, d, wide, text, name }: FactRule<string>,
): FactRule {
  const place = (field: string | undefined) =>
    field === undefined ? undefined : plan.field(eventKind, field);
  return {
    kind,
    a: plan.field(eventKind, a),
    b: place(b),
    c: place(c),
    d: place(d),
    wide: place(wide),
    text: place(text),
    name: place(name),
  };
}

/** Numbers of the calls that events are about, by event class; -1: of no interest. */
export const callsOf = cachedByKey((eventClasses: readonly EventClass[]) =>
  Int32Array.from(subjectsOf(eventClasses), (name) => (name === '' ? CALL_UNNAMED : ioCallOf(name))),
);
