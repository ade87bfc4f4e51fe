/** Drafts → the model's classes, where they are used: paths of lengths and tags become references to fields. */
import type {
  ArrayClass,
  FieldClass,
  FieldRef,
  LabelRange,
  Scope,
  StructClass,
  TextArrayClass,
  VariantClass,
} from '../../model.ts';
import type { Path } from './ast.ts';
import type { ArrayDraft, Draft, StructDraft, VariantDraft } from './draft.ts';
import { blockingOption, findTarget } from './references.ts';
import type { Frame, Roots, Target } from './references.ts';
import { classesOf, MAX_CLASSES } from '../limits.ts';
import { refuse, reject } from '../source.ts';
import type { Source } from '../source.ts';

export interface Binder {
  /** The class of a root, which must be in `roots` under `scope`. */
  bind(root: StructDraft, scope: Scope, roots: Roots): StructClass;
}

type Ranges = VariantClass['options'][number]['ranges'];

export function createBinder(source: Source): Binder {
  /** Structures without paths in them are made once, however often they are used. */
  const closed = new Map<StructDraft, StructClass>();
  const rangesOf = new Map<readonly LabelRange[], ReadonlyMap<string, Ranges>>();
  const frames: Frame[] = [];
  let scope: Scope = 'packet-header';
  let roots: Roots = {};
  let classes = 0;

  function bind(root: StructDraft, itsScope: Scope, itsRoots: Roots): StructClass {
    classes += classesOf(itsScope, itsRoots);
    if (classes > MAX_CLASSES) refuse(source, 0, 'over-limit', `at most ${MAX_CLASSES} fields in a trace`);
    scope = itsScope;
    roots = itsRoots;
    return bindStruct(root);
  }

  function bindAny(draft: Draft): FieldClass {
    switch (draft.kind) {
      case 'leaf':
        return draft.type;
      case 'array':
        return bindArray(draft);
      case 'struct':
        return bindStruct(draft);
      case 'variant':
        return bindVariant(draft);
    }
  }

  function bindStruct(draft: StructDraft): StructClass {
    const known = closed.get(draft);
    if (known !== undefined) return known;
    const frame = enter(draft);
    const members = draft.members.map(({ name, type }, index) => {
      frame.step = index;
      return { name: dropUnderscore(name), type: bindAny(type) };
    });
    frames.pop();
    const made: StructClass = { kind: 'struct', members, align: draft.align };
    if (draft.closed) closed.set(draft, made);
    return made;
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

  /** An option is taken for the values of the tag's labels that have its name, underscores included. */
  function bindVariant(draft: VariantDraft): VariantClass {
    if (draft.tag === undefined) reject(source, draft.at, 'a tag for the variant', 'none');
    const { tag, labels } = tagRef(draft.tag);
    const ranges = rangesByLabel(labels);
    const frame = enter(draft);
    const options = draft.members.map(({ name, type }, index) => {
      frame.step = index;
      return { name: dropUnderscore(name), type: bindAny(type), ranges: ranges.get(name) ?? [] };
    });
    frames.pop();
    return { kind: 'variant', tag, options };
  }

  function enter(draft: Frame['draft']): Frame {
    const frame = { draft, step: -1 };
    frames.push(frame);
    return frame;
  }

  function rangesByLabel(labels: readonly LabelRange[]): ReadonlyMap<string, Ranges> {
    const known = rangesOf.get(labels);
    if (known !== undefined) return known;
    const map = new Map<string, { from: bigint; to: bigint }[]>();
    for (const { label, from, to } of labels) {
      const ranges = map.get(label);
      if (ranges === undefined) map.set(label, [{ from, to }]);
      else ranges.push({ from, to });
    }
    rangesOf.set(labels, map);
    return map;
  }

  function lengthRef(path: Path): FieldRef {
    const target = resolve(path);
    const { draft } = target;
    if (draft.kind !== 'leaf' || draft.type.kind !== 'integer' || draft.type.signed) {
      reject(source, path.at, 'a length that is an unsigned integer', describe(path, draft));
    }
    return refTo(target, path);
  }

  function tagRef(path: Path): { tag: FieldRef; labels: readonly LabelRange[] } {
    const target = resolve(path);
    const { draft } = target;
    if (target.inArray) reject(source, path.at, 'a tag outside of arrays', describe(path, draft));
    if (draft.kind === 'array') reject(source, target.at, 'a tag that is no array', describe(path, draft));
    if (draft.kind !== 'leaf' || draft.type.kind !== 'integer' || draft.type.labels === undefined) {
      reject(source, path.at, 'a tag that is an enumeration', describe(path, draft));
    }
    return { tag: refTo(target, path), labels: draft.type.labels };
  }

  function resolve(path: Path): Target {
    const position = { scope, roots, frames };
    const target = findTarget(position, path);
    if (target !== undefined) return target;
    const name = `\`${path.names.join('.')}\``;
    const option = blockingOption(position, path);
    if (option !== undefined)
      reject(source, option.at, `the path ${name} in every option`, `the option \`${option.name}\``);
    reject(source, path.at, 'the path of a field that is read before', name);
  }

  return { bind };
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
