/**
 * The union of what several analyses read: equal meanings are one, with the events and fields of all. The same
 * analyses give the same plan in every worker.
 */
import { assert } from '../base/assert.ts';
import { layoutOf } from '../ctf/decode/rows.ts';
import type { DecodeRequest, FieldWant, MeaningWant } from '../ctf/decode/rows.ts';
import { hasEventCpus } from '../trace/event-cpus.ts';
import type { ContextRequest, Projection, ProjectionPlan, TakesStream } from './contract.ts';
import { withCpus } from './rows-by-cpu.ts';

interface United {
  readonly takes: TakesStream | undefined;
  readonly names: Set<string>;
  readonly fields: Map<string, FieldWant>;
}

/** Presence bits share one word. */
const MOST_FIELDS = 32;

export function compileProjections(projections: readonly Projection[]): ProjectionPlan {
  const united = unite(projections);
  const meanings: MeaningWant[] = [];
  const takers: { readonly number: number; readonly takes: TakesStream }[] = [];
  const places = new Map<string, { readonly number: number; readonly fields: Map<string, FieldPlace> }>();
  for (const [meaning, { names, fields, takes }] of united) {
    assert(fields.size <= MOST_FIELDS, `at most ${MOST_FIELDS} fields of ${meaning}`);
    const want: MeaningWant = { names: [...names], fields: [...fields.values()] };
    const { offsets } = layoutOf(want);
    const byName = [...fields.keys()].map((name, bit): [string, FieldPlace] => [
      name,
      { offset: offsets[bit], bit },
    ]);
    places.set(meaning, { number: meanings.length, fields: new Map(byName) });
    if (takes !== undefined) takers.push({ number: meanings.length, takes });
    meanings.push(want);
  }
  const request = { meanings };
  const contexts = contextsOf(projections);
  return {
    request,
    requestOf(...stream) {
      const taker = takers.find(({ takes }) => takes(...stream));
      if (taker !== undefined) return everythingAs(request, taker.number);
      const ofStream = contexts?.of(...stream) === true ? withContexts(request, contexts) : request;
      return hasEventCpus(stream[1]) ? withCpus(ofStream) : ofStream;
    },
    meaning: (name) => places.get(name)?.number ?? -1,
    field(meaning, field) {
      const place = places.get(meaning)?.fields.get(field);
      assert(place !== undefined, `${meaning}.${field} was asked for`);
      return place;
    },
    context(meaning, field) {
      const index = Object.keys(contexts?.fields ?? {}).indexOf(field);
      assert(contexts !== undefined && index >= 0, `context ${field} was asked for`);
      const want = withContexts(request, contexts).meanings[meaning];
      const bit = request.meanings[meaning].fields.length + index;
      return { offset: layoutOf(want).offsets[bit], bit };
    },
  };
}

function contextsOf(projections: readonly Projection[]): ContextRequest | undefined {
  const [found, ...others] = projections.flatMap(({ contexts }) => contexts ?? []);
  assert(others.length === 0, 'one analysis at most reads contexts of all events');
  return found;
}

/** Behind the fields of each meaning those of contexts. */
function withContexts({ meanings }: DecodeRequest, contexts: ContextRequest): DecodeRequest {
  return {
    meanings: meanings.map((want) => {
      const fields = [...want.fields, ...Object.values(contexts.fields)];
      assert(fields.length <= MOST_FIELDS, `at most ${MOST_FIELDS} fields of an event`);
      return { ...want, fields };
    }),
  };
}

/** Every event has the one meaning. */
function everythingAs({ meanings }: DecodeRequest, number: number): DecodeRequest {
  return { meanings: meanings.map((want, i) => ({ ...want, names: i === number ? ['*'] : [] })) };
}

interface FieldPlace {
  readonly offset: number;
  readonly bit: number;
}

function unite(projections: readonly Projection[]): Map<string, United> {
  const united = new Map<string, United>();
  for (const { meaning, events, fields, takes } of projections.flatMap(({ meanings }) => meanings)) {
    const known = united.get(meaning) ?? {
      takes,
      names: new Set<string>(),
      fields: new Map<string, FieldWant>(),
    };
    united.set(meaning, known);
    for (const event of events) known.names.add(event);
    for (const [name, want] of Object.entries(fields)) {
      const other = known.fields.get(name);
      assert(other === undefined || other.kind === want.kind, `one kind of ${meaning}.${name}`);
      known.fields.set(name, other ?? want);
    }
  }
  return united;
}
