/**
 * Field locations (CTF2-SPEC-2.0, "Field location"): which fields, read before, give the length of a field or choose
 * its option.
 * A path names members of structures, from the root of its origin or from the structure around the field; null leads
 * to the parent structure. Arrays, optionals and variants have no names in it. On the way to the field itself they
 * stand for the same element, content or option; any other variant stands for whichever option is taken. So a
 * location may lead to several fields, one of which is read.
 */
import type { IntegerClass, Scope } from '../../model.ts';
import { reject, type Reading } from '../source.ts';
import type { CompoundDraft, Draft, FieldLocation, StructDraft } from './draft.ts';
import type { JsonObject } from './json.ts';
import {
  arrayOf,
  checkProperties,
  objectOf,
  oneOf,
  property,
  refuseValue,
  required,
  stringOf,
} from './properties.ts';

/** Scopes by the name of their origin, in the order in which they are read. */
const ORIGINS: ReadonlyMap<string, Scope> = new Map([
  ['packet-header', 'packet-header'],
  ['packet-context', 'packet-context'],
  ['event-record-header', 'event-header'],
  ['event-record-common-context', 'event-common-context'],
  ['event-record-specific-context', 'event-context'],
  ['event-record-payload', 'event-payload'],
]);

const SCOPES = [...ORIGINS.values()];

/** Reads the location that a field class has under this name. */
export function readLocation(reading: Reading, owner: JsonObject, name: string): FieldLocation {
  const object = objectOf(reading, required(reading, owner, name));
  checkProperties(reading, object, ['origin', 'path']);
  const origin = property(object, 'origin');
  const path = arrayOf(reading, required(reading, object, 'path'), 1);
  if (path.items.at(-1)?.kind === 'null') refuseValue(reading, path, 'a path that ends with a name');
  return {
    at: owner.at,
    origin: origin && oneOf(reading, origin, ORIGINS),
    path: path.items.map((item) => (item.kind === 'null' ? null : stringOf(reading, item))),
  };
}

/** The roots that a field can refer to, its own included. */
export type Roots = Partial<Record<Scope, StructDraft>>;

/** A class around a field, and the step from it towards the field (`FieldRef`). */
export interface Frame {
  readonly draft: CompoundDraft;
  step: number;
}

/** Place of the field whose length or selector is wanted: in the last of the frames, which begin at the scope's root. */
export interface Position {
  readonly scope: Scope;
  readonly roots: Roots;
  readonly frames: readonly Frame[];
}

/** Fields that a location leads to. */
export interface Found {
  readonly scope: Scope;
  /** Places as in `FieldRef`; at least one. */
  readonly places: readonly (readonly number[])[];
  /** Type of the fields at all places. */
  readonly type: Pick<IntegerClass, 'signed' | 'boolean'>;
}

interface Place {
  readonly steps: readonly number[];
  readonly type: IntegerClass;
}

/** Search for the target of a location. */
export class LocationSearch {
  readonly #reading: Reading;
  readonly #position: Position;
  readonly #location: FieldLocation;
  readonly #scope: Scope;

  constructor(reading: Reading, position: Position, location: FieldLocation) {
    this.#reading = reading;
    this.#position = position;
    this.#location = location;
    this.#scope = location.origin ?? position.scope;
  }

  /** Finds fields before the field; refuses a location that leads to none or to anything else. */
  find(): Found {
    const root = this.#position.roots[this.#scope];
    if (root === undefined || SCOPES.indexOf(this.#scope) > SCOPES.indexOf(this.#position.scope))
      this.#reject('an origin that is read before', this.#location.origin ?? 'none');
    const places = this.#follow(root, this.#namesFromRoot(), [], this.#scope === this.#position.scope);
    const [{ type }] = places;
    if (places.some((place) => kindOf(place.type) !== kindOf(type)))
      this.#reject(
        'fields of one type',
        `${[...new Set(places.map((place) => kindOf(place.type)))].join(' and ')}`,
      );
    return { scope: this.#scope, places: places.map(({ steps }) => steps), type };
  }

  /** The path without null, from the root of its scope. */
  #namesFromRoot(): string[] {
    const names = this.#location.origin === undefined ? this.#namesAround() : [];
    for (const item of this.#location.path) {
      if (item !== null) names.push(item);
      else if (names.pop() === undefined)
        this.#reject('a path that stays below its root', 'null at the root');
    }
    return names;
  }

  /** The way to the structure around the field. */
  #namesAround(): string[] {
    const names = this.#position.frames.flatMap(({ draft, step }) =>
      draft.kind === 'struct' ? [draft.members[step].name] : [],
    );
    return names.slice(0, -1);
  }

  /**
   * @param steps from the root to `draft`
   * @param isAround the field lies in `draft`
   */
  #follow(draft: Draft, names: readonly string[], steps: readonly number[], isAround: boolean): Place[] {
    switch (draft.kind) {
      case 'leaf':
        if (names.length > 0 || draft.type.kind !== 'integer') break;
        return [{ steps, type: draft.type }];
      case 'struct':
        return this.#followMember(draft, names, steps, isAround);
      case 'array':
      case 'optional':
        if (!isAround) break;
        return this.#followInto(
          draft.kind === 'array' ? draft.element : draft.content,
          -1,
          names,
          steps,
          true,
        );
      case 'variant': {
        const taken = isAround ? this.#position.frames[steps.length].step : -1;
        const indexes = isAround ? [taken] : draft.options.keys();
        return [...indexes].flatMap((index) =>
          this.#followInto(draft.options[index].type, index, names, steps, isAround),
        );
      }
    }
    this.#rejectFound(draft);
  }

  #followMember(
    draft: StructDraft,
    names: readonly string[],
    steps: readonly number[],
    isAround: boolean,
  ): Place[] {
    if (names.length === 0) this.#rejectFound(draft);
    const [name, ...rest] = names;
    const index = draft.indexes.get(name);
    if (index === undefined) this.#reject(`a member \`${name}\``, 'none');
    const step = isAround ? this.#position.frames[steps.length].step : Infinity;
    if (index > step) this.#reject('a field that is read before', `\`${name}\``);
    return this.#followInto(draft.members[index].type, index, rest, steps, index === step);
  }

  #followInto(
    draft: Draft,
    step: number,
    names: readonly string[],
    steps: readonly number[],
    isAround: boolean,
  ): Place[] {
    if (isAround && steps.length + 1 === this.#position.frames.length)
      this.#reject('a field that is read before', 'the field itself');
    return this.#follow(draft, names, [...steps, step], isAround);
  }

  /** Refuses the location, at the class that the path leads to. */
  #rejectFound(draft: Draft): never {
    const expected = `an integer or boolean field at ${textOf(this.#location)}`;
    reject(this.#reading.source, draft.at, expected, describe(draft));
  }

  #reject(expected: string, found: string): never {
    reject(this.#reading.source, this.#location.at, `${expected} at ${textOf(this.#location)}`, found);
  }
}

export function textOf({ origin, path }: FieldLocation): string {
  const names = path.map((name) => name ?? '..').join('/');
  return origin === undefined ? names : `${origin}/${names}`;
}

function kindOf({ boolean, signed }: Found['type']): string {
  return boolean === true ? 'boolean' : signed ? 'signed integer' : 'unsigned integer';
}

function describe({ kind }: Draft): string {
  switch (kind) {
    case 'struct':
      return 'a structure';
    case 'array':
      return 'an array that is not around the field';
    case 'optional':
      return 'an optional that is not around the field';
    default:
      return 'a field of another class';
  }
}
