/** Drafts → the model's classes at the places where they are used: paths of lengths and tags become references to fields. */
import type {
  ArrayClass,
  FieldClass,
  FieldRef,
  LabelRange,
  Range,
  Scope,
  StructClass,
  TextArrayClass,
  VariantClass,
} from '../../model.ts';
import { addTo } from '../../../base/group-by.ts';
import type { Path } from './ast.ts';
import type { ArrayDraft, Draft, StructDraft, VariantDraft } from './draft.ts';
import { blockingOption, findTarget, type Frame, type Roots, type Target } from './references.ts';
import { classesOf, FIELDS, MAX_CLASSES } from '../limits.ts';
import { refuse, reject, type Source } from '../source.ts';

export class Binder {
  /** Structures without paths, bound once. */
  readonly #closed = new Map<StructDraft, StructClass>();
  readonly #rangesOf = new Map<readonly LabelRange[], ReadonlyMap<string, readonly Range[]>>();
  readonly #frames: Frame[] = [];
  #scope: Scope = 'packet-header';
  #roots: Roots = {};
  #classes = 0;

  constructor(private readonly source: Source) {}

  /** Binds the root class of a scope, if it has one. */
  bind(scope: Scope, roots: Roots): StructClass | undefined {
    const root = roots[scope];
    if (root === undefined) return undefined;
    this.#classes += classesOf(scope, roots);
    if (this.#classes > MAX_CLASSES)
      refuse(this.source, 0, 'over-limit', `at most ${MAX_CLASSES} ${FIELDS} in a trace`);
    this.#scope = scope;
    this.#roots = roots;
    return this.#struct(root);
  }

  #any(draft: Draft): FieldClass {
    switch (draft.kind) {
      case 'leaf':
        return draft.type;
      case 'array':
        return this.#array(draft);
      case 'struct':
        return this.#struct(draft);
      case 'variant':
        return this.#variant(draft);
    }
  }

  #struct(draft: StructDraft): StructClass {
    const known = this.#closed.get(draft);
    if (known !== undefined) return known;
    const frame = this.#enter(draft);
    const members = draft.members.map(({ name, type }, index) => {
      frame.step = index;
      return { name: dropUnderscore(name), type: this.#any(type) };
    });
    this.#frames.pop();
    const made: StructClass = { kind: 'struct', members, align: draft.align };
    if (draft.closed) this.#closed.set(draft, made);
    return made;
  }

  #array(draft: ArrayDraft): ArrayClass | TextArrayClass {
    const { element, align } = draft;
    const length = typeof draft.length === 'number' ? draft.length : this.#lengthRef(draft.length);
    if (element.kind === 'leaf' && element.text) return { kind: 'text', length, encoding: 'utf-8', align };
    this.#enter(draft);
    const type = this.#any(element);
    this.#frames.pop();
    return { kind: 'array', length, element: type, align };
  }

  /** Binds a variant. An option is chosen by the values of the tag's labels with its name, underscores included. */
  #variant(draft: VariantDraft): VariantClass {
    if (draft.tag === undefined) reject(this.source, draft.at, 'a tag for the variant', 'none');
    const { tag, labels } = this.#tagRef(draft.tag);
    const ranges = this.#rangesByLabel(labels);
    const frame = this.#enter(draft);
    const options = draft.members.map(({ name, type }, index) => {
      frame.step = index;
      return { name: dropUnderscore(name), type: this.#any(type), ranges: ranges.get(name) ?? [] };
    });
    this.#frames.pop();
    return { kind: 'variant', tag, options };
  }

  #enter(draft: Frame['draft']): Frame {
    const frame = { draft, step: -1 };
    this.#frames.push(frame);
    return frame;
  }

  #rangesByLabel(labels: readonly LabelRange[]): ReadonlyMap<string, readonly Range[]> {
    const known = this.#rangesOf.get(labels);
    if (known !== undefined) return known;
    const map = new Map<string, Range[]>();
    for (const { label, from, to } of labels) addTo(map, label, { from, to });
    this.#rangesOf.set(labels, map);
    return map;
  }

  #lengthRef(path: Path): FieldRef {
    const target = this.#resolve(path);
    const { draft } = target;
    if (draft.kind !== 'leaf' || draft.type.kind !== 'integer' || draft.type.signed) {
      reject(this.source, path.at, 'a length that is an unsigned integer', describe(path, draft));
    }
    return refTo(target, path);
  }

  #tagRef(path: Path): { tag: FieldRef; labels: readonly LabelRange[] } {
    const target = this.#resolve(path);
    const { draft } = target;
    if (target.inArray) reject(this.source, path.at, 'a tag outside of arrays', describe(path, draft));
    if (draft.kind === 'array')
      reject(this.source, target.at, 'a tag that is no array', describe(path, draft));
    if (draft.kind !== 'leaf' || draft.type.kind !== 'integer' || draft.type.labels === undefined) {
      reject(this.source, path.at, 'a tag that is an enumeration', describe(path, draft));
    }
    return { tag: refTo(target, path), labels: draft.type.labels };
  }

  #resolve(path: Path): Target {
    const position = { scope: this.#scope, roots: this.#roots, frames: this.#frames };
    const target = findTarget(position, path);
    if (target !== undefined) return target;
    const name = `\`${path.names.join('.')}\``;
    const option = blockingOption(position, path);
    if (option !== undefined)
      reject(this.source, option.at, `the path ${name} in every option`, `the option \`${option.name}\``);
    reject(this.source, path.at, 'the path of a field that is read before', name);
  }
}

/** Writers put one underscore before names that may be keywords of TSDL (CTF 1.8.3 appendix C.1.2). */
function dropUnderscore(name: string): string {
  return name.startsWith('_') ? name.slice(1) : name;
}

function refTo({ scope, steps }: Target, path: Path): FieldRef {
  return { scope, steps, text: path.names.join('.') };
}

function describe(path: Path, draft: Draft): string {
  const name = `\`${path.names.join('.')}\``;
  if (draft.kind !== 'leaf') return `${name} (${draft.kind})`;
  const { type } = draft;
  return `${name} (${type.kind === 'integer' && type.signed ? 'signed integer' : type.kind})`;
}
