/** Maps a chunk: begins and ends of spans. */
import type { EventBatch, KindRequest, ProjectionPlan } from '../../analysis/contract.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { addressText } from '../../base/wide-integer.ts';
import type { EventClass, IntegerClass } from '../../ctf/model.ts';
import { eachRow, PROGRAM_THREAD, type ProgramThread, type LayerChunk } from '../contract/event-mapper.ts';
import { integerClass } from '../contract/event-shapes.ts';
import { kernelKind } from '../../linux/events/kernel-events.ts';
import { type FieldPlace, placesOf, RowReader } from '../../linux/events/row-reader.ts';
import { TextTable } from '../../linux/events/text-table.ts';
import { ChunkResultWriter } from '../../linux/states/map/transitions.ts';
import type { OverlayDefinition } from './definition.ts';
import { layerMap } from '../contract/layer.ts';

/** definition, vtid, key, label, vpid, process name. */
export const O_BEGIN = 0;
/** definition, vtid, key. */
export const O_END = 1;
/** next tid: for kernel events, which happen in the thread that runs. */
export const O_SWITCH = 2;
const O_LOSS = 3;

/** Arguments that are texts: -1 none. */
export interface OverlayChunk extends LayerChunk {
  /** Inode number of the pid namespace of `vtid` and `vpid` (low 32 bits), 0 not recorded. */
  readonly namespace: Int32Array;
}

/** Id of the layer, and first segment of the paths of its attributes; then number and name of the definition, thread id, level. */
export const OVERLAYS = 'overlays';

export interface OverlaySettings {
  /** Resolved: no `*`, and events of both names exist. */
  readonly definitions: readonly OverlayDefinition[];
  /**
   * Whether switches are read: for kernel events, or for events that name a thread without its pid namespace while
   * some are nested.
   */
  readonly kernel: boolean;
}

/** Characters of a label; longer ones are cut. */
const MOST_TEXT = 200;
const NO_THREAD = -1;

/** Requests for the events of these definitions, and for switches if kernel events are among them. */
function overlayKinds(definitions: readonly OverlayDefinition[], kernel: boolean): KindRequest[] {
  const events = new Set(definitions.flatMap(({ begin, end }) => [begin, end]));
  const kinds = [...events].map((event): KindRequest => {
    const fields = fieldsOf(event, definitions).flatMap((name) => [
      [intName(name), { names: [name], kind: 'wide' }] as const,
      [textName(name), { names: [name], kind: 'string' }] as const,
    ]);
    return {
      kind: kindName(event),
      events: [event],
      fields: { ...PROGRAM_THREAD, ...Object.fromEntries(fields) },
    };
  });
  return kernel ? [...kinds, kernelKind('switch', 'next_tid')] : kinds;
}

/** Unique among the names of kernel kinds. */
const kindName = (event: string) => `event ${event}`;
/** A field may be an integer in one trace and a text in another: both are requested, and one is there. */
const intName = (field: string) => `integer ${field}`;
const textName = (field: string) => `text ${field}`;

function fieldsOf(event: string, definitions: readonly OverlayDefinition[]): string[] {
  const used = definitions.flatMap(({ begin, end, key, label }) => [
    ...(begin === event ? [...key, ...label] : []),
    ...(end === event ? key : []),
  ]);
  return [...new Set(used)];
}

interface Field {
  readonly name: string;
  readonly integer: FieldPlace;
  readonly text: FieldPlace;
}

interface Role {
  readonly definition: number;
  readonly isBegin: boolean;
  readonly key: readonly Field[];
  readonly label: readonly Field[];
}

interface EventRoles {
  readonly thread: ProgramThread;
  readonly roles: readonly Role[];
}

/** Maps events to transitions. Makes strings for each event, as spans are stored one by one with their texts, and are few. */
class OverlayMapper {
  readonly #switch: number;
  readonly #nextTid: FieldPlace | undefined;
  /** Roles by kind. */
  readonly #roles: readonly (EventRoles | undefined)[];
  readonly #rows = new RowReader();
  readonly #writer = new ChunkResultWriter();
  /** Pid namespaces by transition. */
  #namespaces: number[] = [];
  #texts = new TextTable();
  #textOf: (eventClass: number, field: string) => IntegerText = () => signedText;

  constructor(plan: ProjectionPlan, definitions: readonly OverlayDefinition[]) {
    this.#switch = plan.kind('switch');
    this.#nextTid = this.#switch < 0 ? undefined : plan.field('switch', 'next_tid');
    this.#roles = rolesOf(plan, definitions);
  }

  map(batch: EventBatch): OverlayChunk {
    this.#namespaces = [];
    this.#texts = new TextTable();
    this.#textOf = textsOf(batch.eventClasses);
    eachRow(batch, this.#rows, this.#writer, O_LOSS, (row, time, cpu) => this.#row(row, time, cpu));
    const columns = this.#writer.columns();
    const namespace = new Int32Array(columns.length);
    this.#namespaces.forEach((ns, at) => (namespace[at] = ns));
    return { ...columns, namespace, texts: this.#texts.texts };
  }

  #row(row: number, time: number, cpu: number): void {
    const rows = this.#rows;
    const kind = rows.kind[row];
    if (kind === this.#switch && this.#nextTid !== undefined) {
      const at = this.#writer.append(time, O_SWITCH, cpu);
      this.#writer.args[at] = rows.int(row, this.#nextTid);
      return;
    }
    const event = this.#roles[kind];
    if (event === undefined) return;
    for (const role of event.roles) this.#role(row, time, cpu, event, role);
  }

  #role(row: number, time: number, cpu: number, { thread }: EventRoles, role: Role): void {
    const rows = this.#rows;
    if (rows.has(row, thread.pid_ns)) this.#namespaces[this.#writer.length] = rows.int(row, thread.pid_ns);
    const at = this.#writer.append(time, role.isBegin ? O_BEGIN : O_END, cpu);
    const { args } = this.#writer;
    args[at] = role.definition;
    args[at + 1] = rows.has(row, thread.vtid) ? rows.int(row, thread.vtid) : NO_THREAD;
    // Both events may show a value differently. Texts contain no null.
    const key = role.key.map((field) => this.#valueOf(row, field, signedText));
    args[at + 2] = this.#texts.ofText(key.join('\0'));
    if (!role.isBegin) return;
    const label = role.label.flatMap((field) => {
      const { name } = field;
      const value = this.#valueOf(row, field, this.#textOf(rows.eventClass[row], name));
      // A name is shown without its label.
      return value === '' ? [] : [name === 'name' ? value : `${name} ${value}`];
    });
    args[at + 3] = this.#texts.ofText(label.join(', ').slice(0, MOST_TEXT));
    args[at + 4] = rows.int(row, thread.vpid);
    args[at + 5] = rows.text(row, thread.procname, this.#texts);
  }

  #valueOf(row: number, { integer, text }: Field, textOf: IntegerText): string {
    const rows = this.#rows;
    if (rows.has(row, text)) return this.#texts.texts[rows.text(row, text, this.#texts)];
    if (!rows.has(row, integer)) return '';
    const at = rows.at[row] + integer.offset;
    return textOf(rows.words[at] >>> 0, rows.words[at + 1]);
  }
}

function rolesOf(
  plan: ProjectionPlan,
  definitions: readonly OverlayDefinition[],
): (EventRoles | undefined)[] {
  const roles: (EventRoles | undefined)[] = [];
  for (const event of new Set(definitions.flatMap(({ begin, end }) => [begin, end]))) {
    const fields = (names: readonly string[]): Field[] =>
      names.map((name) => ({
        name,
        integer: plan.field(kindName(event), intName(name)),
        text: plan.field(kindName(event), textName(name)),
      }));
    // Ends come before begins, as an event may be both.
    const ends = definitions.flatMap(({ end, key }, definition): Role[] =>
      end === event ? [{ definition, isBegin: false, key: fields(key), label: [] }] : [],
    );
    const begins = definitions.flatMap(({ begin, key, label }, definition): Role[] =>
      begin === event ? [{ definition, isBegin: true, key: fields(key), label: fields(label) }] : [],
    );
    const thread = placesOf(plan, kindName(event), ['vtid', 'vpid', 'pid_ns', 'procname']);
    roles[plan.kind(kindName(event))] = { thread, roles: [...ends, ...begins] };
  }
  return roles;
}

/** Text of a 64-bit integer from its lower 32 bits, unsigned, and its upper ones, signed. */
type IntegerText = (low: number, high: number) => string;

/** Text formatters by event class and field, looked up once for each. */
const textsOf = cachedByKey((eventClasses: readonly EventClass[]) => {
  const known = new Map<string, IntegerText>();
  return (eventClass: number, field: string): IntegerText => {
    const key = `${eventClass} ${field}`;
    const text = known.get(key) ?? textOfClass(integerClass(eventClasses[eventClass], field));
    known.set(key, text);
    return text;
  };
});

/** Text of an integer of a class; base 16 means an address. */
function textOfClass(type: IntegerClass | undefined): IntegerText {
  if (type?.base === 16) return addressText;
  return type?.signed === false ? unsignedText : signedText;
}

function signedText(low: number, high: number): string {
  return exactText(high * 0x1_0000_0000 + low) ?? addressText(low, high);
}

function unsignedText(low: number, high: number): string {
  return exactText((high >>> 0) * 0x1_0000_0000 + low) ?? addressText(low, high);
}

/** Decimal text; undefined beyond 2^53, where decimals would be rounded. */
function exactText(value: number): string | undefined {
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

export const overlayMap = layerMap(
  OVERLAYS,
  ({ definitions, kernel }: OverlaySettings) => overlayKinds(definitions, kernel),
  (plan, { definitions }) => new OverlayMapper(plan, definitions),
);
