/**
 * Target of the path of a length or a tag (CTF 1.8.3 section 7.3.2).
 *
 * A path that begins with a dynamic scope (`stream.event.header.…`) is absolute. Any other is looked for in the
 * structures and variants around the field, from the innermost outwards, among the fields before it, and then in the
 * dynamic scopes read before its own, the nearest first.
 */
import type { Scope } from '../../model.ts';
import type { Path } from './ast.ts';
import type { Draft, LeafDraft, MemberDraft, StructDraft } from './draft.ts';

/** Dynamic scopes with their prefixes, in the order in which they are read. */
const SCOPES: readonly { readonly scope: Scope; readonly prefix: readonly string[] }[] = [
  { scope: 'packet-header', prefix: ['trace', 'packet', 'header'] },
  { scope: 'packet-context', prefix: ['stream', 'packet', 'context'] },
  { scope: 'event-header', prefix: ['stream', 'event', 'header'] },
  { scope: 'event-common-context', prefix: ['stream', 'event', 'context'] },
  { scope: 'event-context', prefix: ['event', 'context'] },
  { scope: 'event-payload', prefix: ['event', 'fields'] },
];

/** The roots that a field can refer to, its own included. */
export type Roots = Partial<Record<Scope, StructDraft>>;

/** A type around a field, and the step from it towards the field: member, option or -1 (element). */
export interface Frame {
  readonly draft: Exclude<Draft, LeafDraft>;
  step: number;
}

/** Place of the field whose length or tag is wanted: in the last of the frames, which begin at the scope's root. */
export interface Position {
  readonly scope: Scope;
  readonly roots: Roots;
  readonly frames: readonly Frame[];
}

export interface Target {
  readonly scope: Scope;
  /** Steps as in `FieldRef`. */
  readonly steps: readonly number[];
  readonly draft: Draft;
  /** Offset of its declaration in the text. */
  readonly at: number;
  /** Whether the path enters an array, whose element it cannot name. */
  readonly inArray: boolean;
}

/** Undefined: it leads nowhere, or to a field that is not read before. */
export function findTarget(position: Position, { names }: Path): Target | undefined {
  const absolute = SCOPES.find(({ prefix }) => prefix.every((word, i) => names[i] === word));
  const target =
    absolute === undefined
      ? (findAround(position, names) ?? findInEarlierScopes(position, names))
      : findIn(position.roots, absolute.scope, names.slice(absolute.prefix.length));
  return target && isBefore(position, target) ? target : undefined;
}

/**
 * The option at which a path through a variant ends: the first one without a field of the next name. For messages, if
 * `findTarget` finds nothing.
 */
export function blockingOption({ frames }: Position, { names }: Path): MemberDraft | undefined {
  const [first, ...others] = names;
  const frame = frames.findLast(({ draft }) => memberOf(draft, first) !== undefined);
  let member = frame && memberOf(frame.draft, first);
  for (const name of others) {
    const type = member && elementOf(member.type);
    if (type?.kind === 'variant')
      return type.members.find((option) => memberOf(elementOf(option.type), name) === undefined);
    member = type && memberOf(type, name);
  }
  return undefined;
}

function memberOf(draft: Draft, name: string): MemberDraft | undefined {
  if (draft.kind === 'leaf' || draft.kind === 'array') return undefined;
  const index = draft.indexes.get(name);
  return index === undefined ? undefined : draft.members[index];
}

function elementOf(draft: Draft): Draft {
  let element = draft;
  while (element.kind === 'array') element = element.element;
  return element;
}

function findIn(roots: Roots, scope: Scope, names: readonly string[]): Target | undefined {
  const root = roots[scope];
  return root && follow(root, names, scope, []);
}

function findAround({ scope, frames }: Position, names: readonly string[]): Target | undefined {
  for (let level = frames.length - 1; level >= 0; level--) {
    const { draft, step } = frames[level];
    const index = draft.kind === 'array' ? undefined : draft.indexes.get(names[0]);
    if (index === undefined || index > step) continue;
    const head = frames.slice(0, level).map((frame) => frame.step);
    const target = follow(draft, names, scope, head);
    if (target !== undefined) return target;
  }
  return undefined;
}

function findInEarlierScopes({ scope, roots }: Position, names: readonly string[]): Target | undefined {
  for (let rank = rankOf(scope) - 1; rank >= 0; rank--) {
    const target = findIn(roots, SCOPES[rank].scope, names);
    if (target !== undefined) return target;
  }
  return undefined;
}

function follow(
  from: Draft,
  names: readonly string[],
  scope: Scope,
  head: readonly number[],
): Target | undefined {
  const steps = [...head];
  let draft = from;
  let at = 0;
  let inArray = false;
  for (const name of names) {
    for (; draft.kind === 'array'; draft = draft.element) {
      steps.push(-1);
      inArray = true;
    }
    const index = draft.kind === 'leaf' ? undefined : draft.indexes.get(name);
    if (draft.kind === 'leaf' || index === undefined) return undefined;
    steps.push(index);
    ({ type: draft, at } = draft.members[index]);
  }
  return { scope, steps, draft, at, inArray };
}

/**
 * Whether a target is before the field. In one scope the target is first where their steps part, and neither contains
 * the other.
 */
function isBefore({ scope, frames }: Position, target: Target): boolean {
  if (target.scope !== scope) return rankOf(target.scope) < rankOf(scope);
  const parting = target.steps.findIndex((step, i) => i >= frames.length || step !== frames[i].step);
  return parting >= 0 && parting < frames.length && target.steps[parting] < frames[parting].step;
}

function rankOf(scope: Scope): number {
  return SCOPES.findIndex((candidate) => candidate.scope === scope);
}
