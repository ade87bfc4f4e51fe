/**
 * The union of what several analyses read: equal kinds are one, with the events and fields of all. The same
 * analyses give the same plan in every worker. An event that several kinds read leaves a row for each.
 */
import { assert } from '../base/assert.ts';
import { placeOf } from '../ctf/decode/rows/rows.ts';
import type { FieldPlace, FieldWant, KindWant } from '../ctf/decode/rows/rows.ts';
import { CPU_FIELD, hasEventCpus } from '../trace/untold.ts';
import type { KindRequest, Projection, ProjectionPlan, TakesStream } from './contract.ts';
import { withFields } from './rows-by-cpu.ts';

interface United {
  readonly table: string | undefined;
  readonly takes: TakesStream | undefined;
  readonly names: Set<string>;
  readonly fields: Map<string, FieldWant>;
}

export function compileProjections(projections: readonly Projection[]): ProjectionPlan {
  const united = unite(projections.flatMap(({ kinds }) => kinds));
  const kinds: KindWant[] = [];
  const takers: { readonly number: number; readonly takes: TakesStream }[] = [];
  const places = new Map<string, { readonly number: number; readonly fields: Map<string, FieldPlace> }>();
  for (const [kind, { names, fields, takes, table }] of united) {
    const want: KindWant = { names: [...names], fields: [...fields.values()], table };
    const placed = [...fields.keys()].map((name, i) => [name, placeOf(want, i)] as const);
    places.set(kind, { number: kinds.length, fields: new Map(placed) });
    if (takes !== undefined) takers.push({ number: kinds.length, takes });
    kinds.push(want);
  }
  const request = { kinds };
  const contexts = contextsOf(projections);
  return {
    request,
    requestOf(...stream) {
      const every = new Set(takers.filter(({ takes }) => takes(...stream)).map(({ number }) => number));
      const named = kinds.map((want, i) => (every.has(i) ? { ...want, names: ['*'] } : want));
      const read = every.size === 0 ? request : { kinds: named };
      const hasContexts = contexts.of.some((of) => of(...stream));
      const ofStream = hasContexts ? withFields(read, [...contexts.fields.values()]) : read;
      return hasEventCpus(stream[1]) ? withFields(ofStream, [CPU_FIELD]) : ofStream;
    },
    kind: (name) => places.get(name)?.number ?? -1,
    field(kind, field) {
      const place = places.get(kind)?.fields.get(field);
      assert(place !== undefined, `${kind}.${field} was asked for`);
      return place;
    },
    context(kind, field) {
      const index = [...contexts.fields.keys()].indexOf(field);
      assert(index >= 0, `context ${field} was asked for`);
      const { fields } = request.kinds[kind];
      return placeOf({ fields: [...fields, ...contexts.fields.values()] }, fields.length + index);
    },
  };
}

/** Contexts that some analyses read, and the streams in which they do. */
interface Contexts {
  readonly fields: Map<string, FieldWant>;
  readonly of: TakesStream[];
}

function contextsOf(projections: readonly Projection[]): Contexts {
  const united: Contexts = { fields: new Map(), of: [] };
  for (const { contexts } of projections) {
    if (contexts === undefined) continue;
    addFields(united.fields, contexts.fields, 'contexts');
    united.of.push(contexts.of);
  }
  return united;
}

function unite(requests: readonly KindRequest[]): Map<string, United> {
  const united = new Map<string, United>();
  for (const { kind, events, fields, takes, table } of requests) {
    const known = united.get(kind) ?? {
      table,
      takes,
      names: new Set<string>(),
      fields: new Map<string, FieldWant>(),
    };
    assert(known.table === table, `one table of ${kind}`);
    united.set(kind, known);
    for (const event of events) known.names.add(event);
    addFields(known.fields, fields, kind);
  }
  return united;
}

function addFields(
  known: Map<string, FieldWant>,
  fields: Readonly<Record<string, FieldWant>>,
  owner: string,
): void {
  for (const [name, want] of Object.entries(fields)) {
    const other = known.get(name);
    assert(other === undefined || other.kind === want.kind, `one kind of ${owner}.${name}`);
    known.set(name, other ?? want);
  }
}
