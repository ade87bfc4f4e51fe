/** Maps a chunk: its numbers. */
import type { EventBatch, KindRequest, ProjectionPlan } from '../../analysis/contract.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { TupleIndex } from '../../base/tuple-index.ts';
import type { FieldWant } from '../../ctf/decode/rows/rows.ts';
import type { EventClass } from '../../ctf/model.ts';
import { eachRow, type LayerChunk } from '../contract/event-mapper.ts';
import { integerClass } from '../contract/event-shapes.ts';
import { type FieldPlace, placesOf, RowReader } from '../../linux/events/row-reader.ts';
import { TextTable } from '../../linux/events/text-table.ts';
import { ChunkResultWriter } from '../../linux/states/map/transitions.ts';
import { BY_CPU, type PlotDefinition, sourcesOf } from './definition.ts';
import { layerMap } from '../contract/layer.ts';

/**
 * First kind of names, plus the number of the definition: place of the key, text. Kinds below: place of the key,
 * number in two words.
 */
export const P_NAME = 128;
/** Kind of a loss. */
export const P_LOSS = 255;

/** Keys that distinguish rows: whole numbers, or texts of the chunk. */
interface PlotKeys {
  readonly length: number;
  readonly isText: Int32Array;
  /** The lower half of a number, or index of a text. */
  readonly low: Int32Array;
  readonly high: Int32Array;
}

export interface PlotChunk extends Omit<LayerChunk, 'cpu'> {
  readonly keys: PlotKeys;
}

/** Key at a place as text; '' for events without the field. */
export function keyText({ keys, texts }: PlotChunk, place: number): string {
  const low = keys.low[place];
  if (keys.isText[place] === 1) return low < 0 ? '' : texts[low];
  return String(keys.high[place] * 0x1_0000_0000 + (low >>> 0));
}

/** Id of the layer, and first segment of the paths of its attributes; then number of the definition and key. */
export const PLOTS = 'plots';

export interface PlotSettings {
  /** Resolved: each has one event, which is declared. */
  readonly definitions: readonly PlotDefinition[];
}

/** Unique among the names of kernel kinds. */
const kindName = (definition: number, source: number) => `plot ${definition} ${source}`;
const namesName = (definition: number) => `plot ${definition} names`;

function plotKinds(definitions: readonly PlotDefinition[]): KindRequest[] {
  return definitions.flatMap((definition, i) => {
    const { where, names } = definition;
    const numbers = sourcesOf(definition).map(({ events, field, by }, source) => {
      const fields = { number: wide(field), ...keyFields(by), where: wide(where?.field ?? field) };
      return { kind: kindName(i, source), events, fields };
    });
    if (names === undefined) return numbers;
    const text: FieldWant = { names: [names.name], kind: 'string' };
    return [
      ...numbers,
      { kind: namesName(i), events: [names.event], fields: { ...keyFields(names.key), name: text } },
    ];
  });
}

function wide(field: string): FieldWant {
  return { names: [field], kind: 'wide' };
}

/** A field may be an integer in one trace and a text in another: both are requested, and one is there. */
function keyFields(by: string): Readonly<Record<'key' | 'keyText', FieldWant>> {
  return { key: wide(by), keyText: { names: [by], kind: 'string' } };
}

interface KeyPlaces {
  readonly key: FieldPlace;
  readonly keyText: FieldPlace;
}

type Reading =
  | (KeyPlaces & {
      readonly isName: false;
      readonly definition: number;
      readonly field: string;
      readonly by: string;
      readonly tells: number | undefined;
      readonly number: FieldPlace;
      readonly where: FieldPlace;
    })
  | (KeyPlaces & { readonly isName: true; readonly definition: number; readonly name: FieldPlace });

class PlotMapper {
  readonly #definitions: readonly PlotDefinition[];
  readonly #readings: readonly (Reading | undefined)[];
  readonly #rows = new RowReader();
  readonly #writer = new ChunkResultWriter();
  readonly #keys = new TupleIndex();
  #texts = new TextTable();

  constructor(plan: ProjectionPlan, definitions: readonly PlotDefinition[]) {
    this.#definitions = definitions;
    this.#readings = readingsOf(plan, definitions);
  }

  map(batch: EventBatch): PlotChunk {
    const { eventClasses } = batch;
    this.#keys.clear();
    this.#texts = new TextTable();
    eachRow(batch, this.#rows, this.#writer, P_LOSS, (row, time, cpu) =>
      this.#row(row, time, cpu, eventClasses),
    );
    const { length, time, kind, place, args } = this.#writer.columns();
    const keys = this.#keys;
    return {
      ...{ length, time, kind, place, args },
      keys: {
        length: keys.length,
        isText: keys.column(0),
        low: keys.column(1),
        high: keys.column(2),
      },
      texts: this.#texts.texts,
    };
  }

  #row(row: number, time: number, cpu: number, eventClasses: readonly EventClass[]): void {
    const rows = this.#rows;
    const writer = this.#writer;
    const reading = this.#readings[rows.kind[row]];
    if (reading === undefined) return;
    const { definition } = reading;
    if (reading.isName) {
      const key = this.#keyOf(row, cpu, '', reading);
      const at = writer.append(time, P_NAME + definition, cpu);
      writer.args[at] = key;
      writer.args[at + 1] = rows.text(row, reading.name, this.#texts);
      return;
    }
    const { by, field, tells } = reading;
    const { where } = this.#definitions[definition];
    if (!rows.has(row, reading.number)) return;
    if (where !== undefined && rows.wide(row, reading.where, where.is) !== where.is) return;
    const from = rows.at[row] + reading.number.offset;
    const high = rows.words[from + 1];
    // A number of 2^63 or more would be read as negative.
    if (high < 0 && isUnsigned(eventClasses)(rows.eventClass[row], field)) return;
    const key = this.#keyOf(row, cpu, by, reading);
    const at = writer.append(time, definition, cpu);
    writer.args[at] = key;
    writer.args[at + 1] = tells ?? rows.words[from];
    writer.args[at + 2] = tells === undefined ? high : 0;
  }

  #keyOf(row: number, cpu: number, by: string, { key, keyText }: KeyPlaces): number {
    const rows = this.#rows;
    if (by === BY_CPU) return this.#keys.place(0, cpu, cpu < 0 ? -1 : 0, 0);
    if (rows.has(row, keyText)) return this.#keys.place(1, rows.text(row, keyText, this.#texts), 0, 0);
    if (!rows.has(row, key)) return this.#keys.place(1, -1, 0, 0);
    const at = rows.at[row] + key.offset;
    return this.#keys.place(0, rows.words[at], rows.words[at + 1], 0);
  }
}

function readingsOf(plan: ProjectionPlan, definitions: readonly PlotDefinition[]): (Reading | undefined)[] {
  const readings: (Reading | undefined)[] = [];
  definitions.forEach((plot, definition) => {
    const { names } = plot;
    sourcesOf(plot).forEach(({ field, by, tells }, source) => {
      const eventKind = kindName(definition, source);
      const places = placesOf(plan, eventKind, ['key', 'keyText', 'number', 'where']);
      readings[plan.kind(eventKind)] = { isName: false, definition, field, by, tells, ...places };
    });
    if (names === undefined) return;
    const texts = placesOf(plan, namesName(definition), ['key', 'keyText', 'name']);
    readings[plan.kind(namesName(definition))] = { isName: true, definition, ...texts };
  });
  return readings;
}

/** Whether a field of an event class is unsigned; looked up once for each. */
const isUnsigned = cachedByKey((eventClasses: readonly EventClass[]) => {
  const known = new Map<string, boolean>();
  return (eventClass: number, field: string): boolean => {
    const key = `${eventClass} ${field}`;
    const found = known.get(key) ?? integerClass(eventClasses[eventClass], field)?.signed === false;
    known.set(key, found);
    return found;
  };
});

export const plotMap = layerMap(
  PLOTS,
  ({ definitions }: PlotSettings) => plotKinds(definitions),
  (plan, { definitions }) => new PlotMapper(plan, definitions),
);
