/**
 * Drafts → the model's classes, with every path of a length or a tag resolved (CTF 1.8.3 section 7.3.2).
 *
 * A path that begins with a dynamic scope (`stream.event.header.…`) is absolute. Any other is looked for in the
 * structures and variants around the field, from the innermost outwards, among the fields before it, and then in the
 * dynamic scopes read before its own, the nearest first. The target is an unsigned integer (lengths) or an enumeration
 * (tags).
 */
import type {
  ArrayClass,
  FieldClass,
  FieldRef,
  IntegerClass,
  Scope,
  StructClass,
  TextArrayClass,
  VariantClass,
  VariantOption,
} from '../../model.ts';
import type { Path } from './ast.ts';
import type { ArrayDraft, Draft, LeafDraft, StructDraft, VariantDraft } from './draft.ts';
import { dropUnderscore } from './names.ts';
import { refuse } from './source.ts';
import type { Source } from './source.ts';

/** In the order in which a reader meets them. */
export const SCOPES: readonly { readonly scope: Scope; readonly prefix: readonly string[] }[] = [
  { scope: 'packet-header', prefix: ['trace', 'packet', 'header'] },
  { scope: 'packet-context', prefix: ['stream', 'packet', 'context'] },
  { scope: 'event-header', prefix: ['stream', 'event', 'header'] },
  { scope: 'event-common-context', prefix: ['stream', 'event', 'context'] },
  { scope: 'event-context', prefix: ['event', 'context'] },
  { scope: 'event-payload', prefix: ['event', 'fields'] },
];

/** The roots that a field can refer to, its own included. */
export type Roots = Partial<Record<Scope, StructDraft>>;

export interface Binder {
  /** The class of a root, which must be in `roots` under `scope`. */
  bind(root: StructDraft, scope: Scope, roots: Roots): StructClass;
}

interface Frame {
  readonly draft: Exclude<Draft, LeafDraft>;
  /** Step taken from it towards the current field. */
  step: number;
}

interface Target {
  readonly scope: Scope;
  readonly steps: readonly number[];
  readonly draft: Draft;
  /** Some element of an array that the path enters: which one, nothing says. */
  readonly inArray: boolean;
}

/** All classes of a trace together, shared ones counted for each use: more is refused. */
const MAX_CLASSES = 1 << 22;

export function createBinder(source: Source): Binder {
  const bound = new Map<Draft, FieldClass>();
  const frames: Frame[] = [];
  let scope: Scope = 'packet-header';
  let roots: Roots = {};
  let classes = 0;

  function bind(root: StructDraft, itsScope: Scope, itsRoots: Roots): StructClass {
    classes += root.size;
    if (classes > MAX_CLASSES) refuse(source, 0, 'over-limit', `at most ${MAX_CLASSES} fields in a trace`);
    scope = itsScope;
    roots = itsRoots;
    return bindStruct(root);
  }

  function bindAny(draft: Draft): FieldClass {
    if (draft.kind === 'leaf') return draft.type;
    const known = bound.get(draft);
    if (known !== undefined) return known;
    const made = bindComposite(draft);
    if (draft.closed) bound.set(draft, made);
    return made;
  }

  function bindComposite(draft: Exclude<Draft, LeafDraft>): FieldClass {
    switch (draft.kind) {
      case 'array':
        return bindArray(draft);
      case 'struct':
        return bindStruct(draft);
      case 'variant':
        return bindVariant(draft);
    }
  }

  function bindStruct(draft: StructDraft): StructClass {
    const frame = enter(draft);
    const members = draft.members.map(({ name, type }, index) => {
      frame.step = index;
      return { name: dropUnderscore(name), type: bindAny(type) };
    });
    frames.pop();
    return { kind: 'struct', members, align: draft.align };
  }

  function bindArray(draft: ArrayDraft): ArrayClass | TextArrayClass {
    const { element, align } = draft;
    const length = typeof draft.length === 'number' ? draft.length : lengthRef(draft.length);
    if (element.kind === 'leaf' && element.text) return { kind: 'text', length, encoding: 'utf-8', align };
    enter(draft);
    const type = bindAny(element);
    frames.pop();
    return { kind: 'array', length, element: type, align };
  }

  function bindVariant(draft: VariantDraft): VariantClass {
    if (draft.tag === undefined) {
      refuse(source, draft.at, 'metadata-semantic', 'a tag for the variant', 'none');
    }
    const { ref, type } = tagRef(draft.tag);
    const frame = enter(draft);
    const options = draft.members.map(({ name, type: option }, index): VariantOption => {
      frame.step = index;
      const ranges = (type.labels ?? [])
        .filter(({ label }) => label === name)
        .map(({ from, to }) => ({ from, to }));
      return { name: dropUnderscore(name), type: bindAny(option), ranges };
    });
    frames.pop();
    return { kind: 'variant', tag: ref, options };
  }

  function enter(draft: Frame['draft']): Frame {
    const frame = { draft, step: -1 };
    frames.push(frame);
    return frame;
  }

  function lengthRef(path: Path): FieldRef {
    const { ref, draft } = resolve(path);
    if (draft.kind !== 'leaf' || draft.type.kind !== 'integer' || draft.type.signed) {
      refuse(
        source,
        path.at,
        'metadata-semantic',
        'a length that is an unsigned integer',
        describe(path, draft),
      );
    }
    return ref;
  }

  function tagRef(path: Path): { ref: FieldRef; type: IntegerClass } {
    const { ref, draft, inArray } = resolve(path);
    if (inArray)
      refuse(source, path.at, 'metadata-semantic', 'a tag outside of arrays', describe(path, draft));
    if (draft.kind !== 'leaf' || draft.type.kind !== 'integer' || draft.type.labels === undefined) {
      refuse(source, path.at, 'metadata-semantic', 'a tag that is an enumeration', describe(path, draft));
    }
    return { ref, type: draft.type };
  }

  function resolve(path: Path): { ref: FieldRef; draft: Draft; inArray: boolean } {
    const target = findAbsolute(path) ?? findRelative(path);
    if (target === undefined) {
      const expected = 'the path of a field that is read before';
      refuse(source, path.at, 'metadata-semantic', expected, `\`${path.names.join('.')}\``);
    }
    const { scope: itsScope, steps, draft, inArray } = target;
    return { ref: { scope: itsScope, steps, text: path.names.join('.') }, draft, inArray };
  }

  function findAbsolute(path: Path): Target | undefined {
    const { names } = path;
    const found = SCOPES.find(
      ({ prefix }) => prefix.every((word, i) => names[i] === word) && names.length > prefix.length,
    );
    const root = found && roots[found.scope];
    if (found === undefined || root === undefined) return undefined;
    const target = follow(root, names.slice(found.prefix.length), found.scope, []);
    return target && isBefore(target) ? target : undefined;
  }

  function findRelative(path: Path): Target | undefined {
    for (let level = frames.length - 1; level >= 0; level--) {
      const { draft, step } = frames[level];
      if (draft.kind === 'array') continue;
      const index = draft.indexes.get(path.names[0]);
      if (index === undefined || index > step) continue;
      const head = frames.slice(0, level).map((frame) => frame.step);
      const target = follow(draft, path.names, scope, head);
      if (target !== undefined) return isBefore(target) ? target : undefined;
    }
    return findInEarlierScopes(path);
  }

  function findInEarlierScopes(path: Path): Target | undefined {
    for (let i = SCOPES.findIndex((s) => s.scope === scope) - 1; i >= 0; i--) {
      const root = roots[SCOPES[i].scope];
      const target = root && follow(root, path.names, SCOPES[i].scope, []);
      if (target !== undefined) return target;
    }
    return undefined;
  }

  function follow(
    from: Draft,
    names: readonly string[],
    itsScope: Scope,
    head: readonly number[],
  ): Target | undefined {
    const steps = [...head];
    let draft = from;
    let inArray = false;
    for (const name of names) {
      for (; draft.kind === 'array'; draft = draft.element) {
        steps.push(-1);
        inArray = true;
      }
      const index = draft.kind === 'leaf' ? undefined : draft.indexes.get(name);
      if (draft.kind === 'leaf' || index === undefined) return undefined;
      steps.push(index);
      draft = draft.members[index].type;
    }
    return { scope: itsScope, steps, draft, inArray };
  }

  /** Whether a target of the current scope is read before the current field, and neither contains the other. */
  function isBefore(target: Target): boolean {
    if (target.scope !== scope)
      return SCOPES.findIndex((s) => s.scope === target.scope) < SCOPES.findIndex((s) => s.scope === scope);
    for (let i = 0; i < target.steps.length && i < frames.length; i++) {
      if (target.steps[i] !== frames[i].step) return target.steps[i] < frames[i].step;
    }
    return false;
  }

  return { bind };
}

function describe(path: Path, draft: Draft): string {
  const kind =
    draft.kind === 'leaf' ? (draft.type.kind === 'integer' ? 'integer' : draft.type.kind) : draft.kind;
  const sign = draft.kind === 'leaf' && draft.type.kind === 'integer' && draft.type.signed ? 'signed ' : '';
  return `\`${path.names.join('.')}\`, which is a ${sign}${kind}`;
}
