/**
 * Type nodes → drafts: names are looked up in nested scopes, where inner ones shadow outer ones and only earlier
 * declarations count (CTF 1.8.3 section 7.3.1).
 */
import type {
  EnumNode,
  Declaration,
  Declarator,
  MemberNode,
  StructNode,
  TypeNode,
  Value,
  VariantNode,
  LabelNode,
} from './ast.ts';
import { numberOf, refuseValue, integerOf } from './attributes.ts';
import {
  arrayDraft,
  leafDraft,
  structDraft,
  variantDraft,
  type Draft,
  type LeafDraft,
  type MemberDraft,
  type Members,
} from './draft.ts';
import { alignment, buildLeaf, type LeafContext } from './leaf-types.ts';
import { checkMeasures } from '../limits.ts';
import { reject, type Reading } from '../source.ts';
import type { LabelRange } from '../../model.ts';

/** Names of types: aliases by their words, others with their keyword (`struct name`). */
export interface Scope {
  readonly outer?: Scope;
  /** Created with the first type, as most scopes declare none. */
  types?: Map<string, Draft>;
}

export interface TypeContext extends LeafContext {
  /** The `env` block, whose integers may be lengths. */
  readonly environment: ReadonlyMap<string, string | bigint>;
}

export function innerScope(outer?: Scope): Scope {
  return { outer, types: undefined };
}

export function declare(context: TypeContext, scope: Scope, node: Declaration): void {
  if (node.kind === 'typealias') {
    const draft = withLengths(context, buildType(context, scope, node.type), node.lengths);
    return register(context, scope, node.name, draft, node.at);
  }
  for (const { name, type, at } of declared(context, scope, node.type, node.declarators)) {
    register(context, scope, name, type, at);
  }
}

function register(context: TypeContext, scope: Scope, name: string, draft: Draft, at: number): void {
  scope.types ??= new Map();
  if (scope.types.has(name)) {
    reject(context.source, at, 'a type name that is new in its scope', `\`${name}\` again`);
  }
  scope.types.set(name, draft);
}

function lookup(scope: Scope | undefined, name: string): Draft | undefined {
  for (let s = scope; s !== undefined; s = s.outer) {
    const found = s.types?.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function buildType(context: TypeContext, scope: Scope, node: TypeNode): Draft {
  switch (node.kind) {
    case 'named':
      return lookup(scope, node.name) ?? unknownType(context, node.name, node.at);
    case 'enum':
      return buildEnum(context, scope, node);
    case 'struct':
      return buildStruct(context, scope, node);
    case 'variant':
      return buildVariant(context, scope, node);
    default:
      return buildLeaf(context, node);
  }
}

function unknownType(context: TypeContext, name: string, at: number): never {
  reject(context.source, at, 'a type declared before', `\`${name}\``);
}

function buildEnum(context: TypeContext, scope: Scope, node: EnumNode): Draft {
  if (node.labels === undefined) return named(context, scope, 'enum', node.name ?? '', node.at);
  const container = node.container
    ? buildType(context, scope, node.container)
    : (lookup(scope, 'int') ?? unknownType(context, 'int', node.end - 1));
  if (container.kind !== 'leaf' || container.type.kind !== 'integer') {
    const found = node.container?.kind === 'named' ? `\`${node.container.name}\`` : undefined;
    reject(context.source, node.end - 1, 'an integer type for the values', found);
  }
  const labels = enumLabels(context, node.labels, container.type.signed);
  const draft: LeafDraft = leafDraft({ ...container.type, labels }, container.text);
  if (node.name !== undefined) register(context, scope, `enum ${node.name}`, draft, node.end - 1);
  return draft;
}

function named(context: TypeContext, scope: Scope, keyword: string, name: string, at: number): Draft {
  return lookup(scope, `${keyword} ${name}`) ?? unknownType(context, `${keyword} ${name}`, at);
}

function buildStruct(context: TypeContext, scope: Scope, node: StructNode): Draft {
  if (node.body === undefined) return named(context, scope, 'struct', node.name ?? '', node.at);
  const members = buildMembers(context, scope, node.body);
  const align = node.align === undefined ? 1 : alignment(context, node.align);
  const draft = bounded(context, structDraft(members, align), node.at);
  if (node.name !== undefined) register(context, scope, `struct ${node.name}`, draft, node.end - 1);
  return draft;
}

function buildVariant(context: TypeContext, scope: Scope, node: VariantNode): Draft {
  if (node.body === undefined) {
    const target = named(context, scope, 'variant', node.name ?? '', node.at);
    return node.tag === undefined || target.kind !== 'variant' ? target : { ...target, tag: node.tag };
  }
  const members = buildMembers(context, scope, node.body);
  const draft = bounded(context, variantDraft(members, node.at, node.tag), node.at);
  if (node.name !== undefined) register(context, scope, `variant ${node.name}`, draft, node.end - 1);
  return draft;
}

function bounded<T extends Draft>(context: TypeContext, draft: T, at: number): T {
  checkMeasures(context.source, at, draft, ['type', 'types']);
  return draft;
}

function buildMembers(context: TypeContext, outer: Scope, body: readonly MemberNode[]): Members {
  const scope = innerScope(outer);
  const members: MemberDraft[] = [];
  const indexes = new Map<string, number>();
  for (const node of body) {
    if (node.kind !== 'field') {
      declare(context, scope, node);
      continue;
    }
    for (const member of declared(context, scope, node.type, node.declarators)) {
      const { name, at } = member;
      if (indexes.has(name))
        reject(context.source, at, 'a name that is new in its type', `\`${name}\` again`);
      indexes.set(name, members.length);
      members.push(member);
    }
  }
  return { members, indexes };
}

/** Members that a type and its declarators declare; the type is built once, as it may declare a name. */
function declared(
  context: TypeContext,
  scope: Scope,
  type: TypeNode,
  declarators: readonly Declarator[],
): MemberDraft[] {
  let plain: Draft | undefined;
  return declarators.map(({ name, pointers, lengths, at }) => {
    const target =
      pointers > 0
        ? pointerType(context, scope, type, pointers)
        : (plain ??= buildType(context, scope, type));
    return { name, type: withLengths(context, target, lengths), at };
  });
}

/** The type of a pointer, declared by an alias (`typealias integer {…} := void *;`) and shown as an address. */
function pointerType(context: TypeContext, scope: Scope, type: TypeNode, pointers: number): Draft {
  const name = type.kind === 'named' ? type.name + ' *'.repeat(pointers) : `${type.kind} *`;
  const draft = lookup(scope, name) ?? unknownType(context, name, type.at);
  if (draft.kind !== 'leaf' || draft.type.kind !== 'integer') return draft;
  return { ...draft, type: { ...draft.type, base: 16 } };
}

function withLengths(context: TypeContext, element: Draft, lengths: readonly Value[]): Draft {
  return lengths.reduceRight((inner, length) => {
    const draft = arrayDraft(lengthOf(context, length), inner);
    return bounded(context, draft, length.at);
  }, element);
}

function lengthOf(context: TypeContext, value: Value): ReturnType<typeof arrayDraft>['length'] {
  if (value.kind === 'integer') return numberOf(context, value, 'length of an array');
  const path =
    value.kind === 'path' ? value : { ...value, kind: 'path' as const, names: value.text.split('.') };
  if (path.names[0] !== 'env' || path.names.length < 2) return path;
  const entry = context.environment.get(path.names.slice(1).join('.'));
  if (typeof entry !== 'bigint' || entry < 0n || entry > BigInt(Number.MAX_SAFE_INTEGER)) {
    refuseValue(context, value, 'length of an array: an integer of the environment, not negative');
  }
  return Number(entry);
}

/**
 * Labels of an enumeration. One without a value continues from the label before, the first from 0. Values wrap as
 * 64-bit integers of the container's sign; exchanged ends of a range are put in order.
 */
function enumLabels(reading: Reading, nodes: readonly LabelNode[], signed: boolean): readonly LabelRange[] {
  const wrap = (value: bigint) => (signed ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value));
  let following = 0n;
  return nodes.map(({ label, from, to }) => {
    const first = from === undefined ? following : wrap(integerOf(reading, from, 'value of a label'));
    const last = to === undefined ? first : wrap(integerOf(reading, to, 'value of a label'));
    following = wrap(last + 1n);
    return first <= last ? { label, from: first, to: last } : { label, from: last, to: first };
  });
}
