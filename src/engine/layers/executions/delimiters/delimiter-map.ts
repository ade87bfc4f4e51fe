/** Maps a chunk: events that delimit executions, and counts in threads. */
import type { EventBatch, KindRequest, ProjectionPlan } from '../../../analysis/contract.ts';
import { widened } from '../../../base/columns.ts';
import { wideOf } from '../../../base/wide-integer.ts';
import {
  EventMapper,
  KERNEL_THREAD,
  PROGRAM_THREAD,
  type ProgramThread,
  type ReadRow,
  E_OWN,
  type EventChunk,
} from '../../contract/event-mapper.ts';
import { kernelKind } from '../../../linux/events/kernel-events.ts';
import { isSignalReturn } from '../../../trace/event-kinds.ts';
import { type FieldPlace, placesOf } from '../../../linux/events/row-reader.ts';
import { type Condition, THREAD_CONDITIONS } from '../definition.ts';
import { COUNT_RULES, type CountRule, SIGNAL_RETURN_REQUEST } from './counted.ts';
import type { DelimiterSettings, NumberField, ReadDefinition } from './settings.ts';
import { layerMap } from '../../contract/layer.ts';

/**
 * Event: thread (for the kernel: tid or -1; else row of `contexts`), definition, text of the key, flags, index of
 * first value.
 */
export const D_BEGIN = E_OWN;
const D_END = E_OWN + 1;
/** Thread as for kernel events, index in the settings' `counted`, amount, its unit. */
export const D_COUNT = E_OWN + 2;

/** Flags. The conditions about fields hold. */
export const MATCHES = 1;
/** Whether the event is one of user space. */
export const OF_PROGRAM = 2;

export interface DelimiterChunk extends EventChunk {
  /** Numbers of payloads; NaN: the event does not have it. */
  readonly values: Float64Array;
  /** Digits of the values that a double cannot hold, by their place in `values`. */
  readonly exact: ReadonlyMap<number, string>;
}

/** Id of the layer. */
export const EXECUTIONS = 'executions';

/** Unique among the names of kernel kinds. */
const kindName = (event: string) => `execution event ${event}`;
/** A field may be an integer in one trace and a text in another: both are requested, and one is there. */
const intName = (field: string) => `integer ${field}`;
const textName = (field: string) => `text ${field}`;

function delimiterKinds({ definitions, counted, switches }: DelimiterSettings): KindRequest[] {
  const rules = COUNT_RULES.filter((rule) => counted.includes(rule.counted));
  return [
    ...eventsOf(definitions).map((event) => kindOf(event, definitions)),
    ...rules.map(({ request }) => request),
    ...(counted.includes('systemCalls') ? [SIGNAL_RETURN_REQUEST] : []),
    ...(switches === 'none' ? [] : [kernelKind('switch', 'next_tid')]),
  ];
}

/** Names of all events that begin or end executions. */
function eventsOf(definitions: readonly ReadDefinition[]): string[] {
  return [...new Set(definitions.flatMap(({ begins, ends }) => [...begins, ...ends]))];
}

function kindOf(event: string, definitions: readonly ReadDefinition[]): KindRequest {
  const anywhere = rolesOf(event, definitions).flatMap(({ definition: { key, where } }) => [
    ...key,
    ...fieldConditions(where).map(({ field }) => field),
  ]);
  const values = rolesOf(event, definitions).flatMap(({ values }) => values);
  return {
    kind: kindName(event),
    events: [event],
    fields: {
      ...PROGRAM_THREAD,
      ...KERNEL_THREAD,
      ...Object.fromEntries(
        anywhere.flatMap((name) => [
          [intName(name), { names: [name], kind: 'wide' } as const],
          [textName(name), { names: [name], kind: 'string' } as const],
        ]),
      ),
      ...Object.fromEntries(
        values.map(({ name }) => [intName(name), { names: [name], kind: 'wide' } as const]),
      ),
    },
  };
}

/** Roles of an event in definitions. Ends come before begins, as an event may be both. */
function rolesOf(event: string, definitions: readonly ReadDefinition[]) {
  const roles = (isBegin: boolean) =>
    definitions.flatMap((definition, index) =>
      (isBegin ? definition.begins : definition.ends).includes(event)
        ? [{ index, isBegin, definition, values: isBegin ? definition.beginValues : definition.endValues }]
        : [],
    );
  return [...roles(false), ...roles(true)];
}

function fieldConditions(where: readonly Condition[]): Condition[] {
  return where.filter(({ field }) => !THREAD_CONDITIONS.includes(field));
}

interface Field {
  readonly integer: FieldPlace;
  readonly text: FieldPlace;
}

interface Test extends Field {
  readonly value: string;
  /** Words of the value if it is a whole number. */
  readonly words: readonly [number, number] | undefined;
}

interface Role {
  readonly index: number;
  readonly kind: number;
  readonly key: readonly Field[];
  readonly tests: readonly Test[];
  readonly values: readonly (NumberField & { readonly place: FieldPlace })[];
}

/** Maps one chunk after the other. It makes a text for each event with a key: two per execution. */
class DelimiterMapper {
  readonly #events: EventMapper;
  readonly #readers: ReadRow[] = [];
  #ofProgram = false;
  #values = new Float64Array(0);
  #valueCount = 0;
  #exact = new Map<number, string>();

  constructor(plan: ProjectionPlan, settings: DelimiterSettings) {
    const { definitions, counted, switches } = settings;
    this.#events = new EventMapper(switches === 'all');
    for (const event of eventsOf(definitions))
      this.#readers[plan.kind(kindName(event))] = this.#eventReader(plan, event, definitions);
    for (const rule of COUNT_RULES) {
      const index = counted.indexOf(rule.counted);
      if (index >= 0) this.#readers[plan.kind(rule.request.kind)] = this.#countReader(plan, rule, index);
    }
    if (counted.includes('systemCalls'))
      this.#readers[plan.kind(SIGNAL_RETURN_REQUEST.kind)] = () => undefined;
    if (switches === 'none') return;
    const nextTid = plan.field('switch', 'next_tid');
    const { rows } = this.#events;
    this.#readers[plan.kind('switch')] = (row, time, cpu) =>
      this.#events.switchTo(rows.int(row, nextTid), time, cpu);
  }

  map(batch: EventBatch): DelimiterChunk {
    this.#ofProgram = batch.domain !== 'kernel';
    this.#valueCount = 0;
    this.#exact = new Map();
    const chunk = this.#events.map(batch, this.#readers);
    return { ...chunk, values: this.#values.slice(0, this.#valueCount), exact: this.#exact };
  }

  #eventReader(plan: ProjectionPlan, event: string, definitions: readonly ReadDefinition[]): ReadRow {
    const eventKind = kindName(event);
    const thread = placesOf(plan, eventKind, ['vtid', 'vpid', 'pid_ns', 'procname', 'tid']);
    const fieldOf = (name: string): Field => ({
      integer: plan.field(eventKind, intName(name)),
      text: plan.field(eventKind, textName(name)),
    });
    const roles = rolesOf(event, definitions).map(({ index, isBegin, definition, values }): Role => ({
      index,
      kind: isBegin ? D_BEGIN : D_END,
      key: definition.key.map(fieldOf),
      tests: fieldConditions(definition.where).map(({ field, value }) => {
        return { ...fieldOf(field), value, words: wordsOf(value) };
      }),
      values: values.map((value) => ({ ...value, place: plan.field(eventKind, intName(value.name)) })),
    }));
    return (row, time, cpu) => {
      for (const role of roles) this.#delimiter(row, time, cpu, thread, role);
    };
  }

  #delimiter(
    row: number,
    time: number,
    cpu: number,
    thread: ProgramThread & { readonly tid: FieldPlace },
    { index, kind, key, tests, values }: Role,
  ): void {
    const events = this.#events;
    const { writer, texts } = events;
    let at: number;
    if (this.#ofProgram) {
      at = writer.append(time, kind, cpu);
      writer.args[at] = events.contextOf(row, thread);
    } else {
      at = events.inThread(row, time, cpu, kind, thread.tid);
    }
    const { args } = writer;
    args[at + 1] = index;
    // Texts contain no null.
    args[at + 2] =
      key.length === 0 ? -1 : texts.ofText(key.map((field) => this.#textOf(row, field)).join('\0'));
    const matches = tests.every((test) => this.#holds(row, test));
    args[at + 3] = (matches ? MATCHES : 0) + (this.#ofProgram ? OF_PROGRAM : 0);
    args[at + 4] = this.#valueCount;
    for (const value of values) this.#addValue(row, value.place, value.isSigned);
  }

  /** Text of a field's value, the same for all its types. */
  #textOf(row: number, { integer, text }: Field): string {
    const { rows, texts } = this.#events;
    if (rows.has(row, text)) return texts.texts[rows.text(row, text, texts)];
    if (!rows.has(row, integer)) return '';
    const at = rows.at[row] + integer.offset;
    const [low, high] = [rows.words[at], rows.words[at + 1]];
    const value = high * 0x1_0000_0000 + (low >>> 0);
    return Number.isSafeInteger(value) ? String(value) : `${high},${low}`;
  }

  #holds(row: number, { integer, text, value, words }: Test): boolean {
    const { rows, texts } = this.#events;
    if (rows.has(row, text)) return texts.texts[rows.text(row, text, texts)] === value;
    if (!rows.has(row, integer) || words === undefined) return false;
    const at = rows.at[row] + integer.offset;
    return rows.words[at] === words[0] && rows.words[at + 1] === words[1];
  }

  #addValue(row: number, place: FieldPlace, isSigned: boolean): void {
    if (this.#valueCount === this.#values.length)
      this.#values = widened(this.#values, Math.max(64, 2 * this.#valueCount));
    const { rows } = this.#events;
    const signed = rows.wide(row, place, NaN);
    const value = signed < 0 && !isSigned ? signed + 2 ** 64 : signed;
    if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER) && !Number.isNaN(value)) {
      const at = rows.at[row] + place.offset;
      const bits = wideOf(rows.words[at], rows.words[at + 1]);
      this.#exact.set(this.#valueCount, String(isSigned ? BigInt.asIntN(64, bits) : bits));
    }
    this.#values[this.#valueCount++] = value;
  }

  #countReader(plan: ProjectionPlan, rule: CountRule, index: number): ReadRow {
    const { rows, writer } = this.#events;
    const placeOf = (field: string | undefined) =>
      field === undefined ? undefined : plan.field(rule.request.kind, field);
    const [amount, number] = [placeOf(rule.amount), placeOf(rule.number)];
    const thread = plan.field(rule.request.kind, rule.thread ?? 'tid');
    const { unit = 1, isCompat = false } = rule;
    return (row, time, cpu) => {
      if (number !== undefined && isSignalReturn(rows.int(row, number), isCompat)) return;
      const at = this.#events.inThread(row, time, cpu, D_COUNT, thread);
      writer.args[at + 1] = index;
      writer.args[at + 2] = amount === undefined ? 1 : Math.max(0, rows.int(row, amount));
      writer.args[at + 3] = unit;
    };
  }
}

/** Low and high words of a 64-bit whole number, signed or not; undefined: it is none. */
function wordsOf(text: string): readonly [number, number] | undefined {
  if (!/^(-?\d{1,20}|0x[\da-f]{1,16})$/i.test(text)) return undefined;
  const bits = BigInt.asUintN(64, BigInt(text));
  return [Number(bits & 0xffff_ffffn) | 0, Number(bits >> 32n) | 0];
}

export const delimiterMap = layerMap(
  EXECUTIONS,
  delimiterKinds,
  (plan, settings) => new DelimiterMapper(plan, settings),
);
