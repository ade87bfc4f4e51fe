/**
 * Drafts → the model's classes at the places where they are used: locations become references to fields, and names of
 * roles become roles.
 */
import type {
  ArrayClass,
  BlobClass,
  FieldClass,
  FieldRef,
  OptionalClass,
  Scope,
  StructClass,
  TextArrayClass,
  VariantClass,
} from '../../model.ts';
import { classesOf, FIELDS, MAX_CLASSES, MAX_PLACES } from '../limits.ts';
import { refuse, reject, type Reading } from '../source.ts';
import type {
  ArrayDraft,
  BytesDraft,
  CompoundDraft,
  Draft,
  FieldLocation,
  LeafDraft,
  Length,
  OptionalDraft,
  StructDraft,
  VariantDraft,
} from './draft.ts';
import { LocationSearch, textOf, type Found, type Frame, type Roots } from './field-location.ts';
import { blobRoles, integerRoles, type RoleSite } from './roles.ts';

/** Surroundings of a root class. */
export interface Site {
  readonly scope: Scope;
  /** Roots by scope, with the root itself under its own. */
  readonly roots: Roots;
  /** Whether the data stream has a default clock. */
  readonly hasClock: boolean;
}

export class Binder {
  /** Structures that are the same everywhere, bound once. */
  readonly #closed = new Map<StructDraft, StructClass>();
  #site: Site = { scope: 'packet-header', roots: {}, hasClock: false };
  #frames: Frame[] = [];
  #classes = 0;
  #places = 0;

  /** @param hasUuid whether the preamble has the uuid of the metadata stream */
  constructor(
    private readonly reading: Reading,
    private readonly hasUuid: boolean,
  ) {}

  /** Binds the root class of a site's scope, if it has one. */
  bind(site: Site): StructClass | undefined {
    const root = site.roots[site.scope];
    if (root === undefined) return undefined;
    this.#site = site;
    this.#frames = [];
    this.#classes += classesOf(site.scope, site.roots);
    this.#check(this.#classes, MAX_CLASSES, root.at, FIELDS);
    return this.#struct(root);
  }

  #check(count: number, most: number, at: number, what: string): void {
    if (count > most) refuse(this.reading.source, at, 'over-limit', `at most ${most} ${what} in a trace`);
  }

  #any(draft: Draft): FieldClass {
    switch (draft.kind) {
      case 'leaf':
        return this.#leaf(draft);
      case 'bytes':
        return this.#bytes(draft);
      case 'array':
        return this.#array(draft);
      case 'struct':
        return this.#struct(draft);
      case 'optional':
        return this.#optional(draft);
      case 'variant':
        return this.#variant(draft);
    }
  }

  #leaf({ type, roles }: LeafDraft): FieldClass {
    if (type.kind !== 'integer' || roles.length === 0) return type;
    return { ...type, roles: integerRoles(this.reading, this.#roleSite(), type, roles) };
  }

  #roleSite(): RoleSite {
    const { scope, hasClock } = this.#site;
    const isFirst = this.#frames.length === 1 && this.#frames[0].step === 0;
    return { scope, hasClock, isFirst, hasUuid: this.hasUuid };
  }

  #bytes({ type, length, roles }: BytesDraft): TextArrayClass | BlobClass {
    const bound = this.#length(length);
    if (type.kind === 'text' || roles.length === 0) return { ...type, length: bound };
    const blob = { ...type, length: bound };
    return { ...blob, roles: blobRoles(this.reading, this.#roleSite(), blob, roles) };
  }

  #array(draft: ArrayDraft): ArrayClass {
    const length = this.#length(draft.length);
    this.#frames.push({ draft, step: -1 });
    const element = this.#any(draft.element);
    this.#frames.pop();
    return { kind: 'array', length, element, align: draft.align };
  }

  #struct(draft: StructDraft): StructClass {
    const known = this.#closed.get(draft);
    if (known !== undefined) return known;
    const frame = this.#enter(draft);
    const members = draft.members.map(({ name, type }, index) => {
      frame.step = index;
      return { name, type: this.#any(type) };
    });
    this.#frames.pop();
    const made: StructClass = { kind: 'struct', members, align: draft.align };
    if (draft.closed) this.#closed.set(draft, made);
    return made;
  }

  /** Without ranges the selector must be boolean, with ranges an integer ("Optional field class"). */
  #optional(draft: OptionalDraft): OptionalClass {
    const found = this.#find(draft.selector);
    const isBoolean = draft.ranges === undefined;
    if ((found.type.boolean === true) !== isBoolean) {
      const expected = isBoolean ? 'a boolean selector, or `selector-field-ranges`' : 'an integer selector';
      reject(this.reading.source, draft.selector.at, expected, isBoolean ? 'an integer' : 'a boolean');
    }
    if (draft.ranges !== undefined) this.#checkRanges(draft.selector, found, draft.ranges);
    this.#enter(draft);
    const content = this.#any(draft.content);
    this.#frames.pop();
    return { kind: 'optional', selector: refTo(found, draft.selector), ranges: draft.ranges, content };
  }

  #variant(draft: VariantDraft): VariantClass {
    const found = this.#find(draft.selector);
    if (found.type.boolean === true)
      reject(this.reading.source, draft.selector.at, 'an integer selector', 'a boolean');
    const frame = this.#enter(draft);
    const options = draft.options.map(({ name, type, ranges }, index) => {
      this.#checkRanges(draft.selector, found, ranges);
      frame.step = index;
      return { name, type: this.#any(type), ranges };
    });
    this.#frames.pop();
    return { kind: 'variant', tag: refTo(found, draft.selector), options };
  }

  #checkRanges({ at }: FieldLocation, { type }: Found, ranges: OptionalDraft['ranges'] = []): void {
    if (!type.signed && ranges.some(({ from }) => from < 0n))
      reject(this.reading.source, at, 'a signed selector for ranges below 0', 'an unsigned one');
  }

  #enter(draft: CompoundDraft): Frame {
    const frame = { draft, step: -1 };
    this.#frames.push(frame);
    return frame;
  }

  #length(length: Length): number | FieldRef {
    if (typeof length === 'number') return length;
    const found = this.#find(length);
    const { boolean, signed } = found.type;
    if (boolean === true || signed)
      reject(
        this.reading.source,
        length.at,
        'a length that is an unsigned integer',
        signed ? 'a signed one' : 'a boolean',
      );
    return refTo(found, length);
  }

  #find(location: FieldLocation): Found {
    const position = { ...this.#site, frames: this.#frames };
    const found = new LocationSearch(this.reading, position, location).find();
    this.#places += found.places.length;
    this.#check(this.#places, MAX_PLACES, location.at, 'places of lengths and selectors');
    return found;
  }
}

function refTo({ scope, places }: Found, location: FieldLocation): FieldRef {
  const [steps, ...alternatives] = places;
  const text = textOf(location);
  return alternatives.length === 0 ? { scope, steps, text } : { scope, steps, alternatives, text };
}
