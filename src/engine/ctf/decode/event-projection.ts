/** Projection of names to event classes and members: kinds of an event class, and places of its wanted fields. */
import { addTo } from '../../base/group-by.ts';
import type { EventClass, StreamClass } from '../model.ts';
import type { PresenceWord, RowField, Sink } from './program/compile.ts';
import { findMembers, type MemberPlace } from './program/members.ts';
import { pathOf } from './program/registers.ts';
import { layoutOf, PRESENCE_BITS, type DecodeRequest, type KindWant } from './rows/rows.ts';

/** Indices of the kinds that an event name has, ascending: at most one of each table (`KindWant.table`). */
export type KindFinder = (name: string | undefined) => readonly number[];

export function createKindFinder({ kinds }: DecodeRequest): KindFinder {
  const tables = new Map<string | number, NameTable>();
  kinds.forEach(({ names, table }, index) => {
    const key = table ?? index;
    const known = tables.get(key) ?? {
      exact: new Map<string, number>(),
      prefixes: new Map<string, number>(),
    };
    tables.set(key, known);
    addNames(known, names, index);
  });
  const finders = Array.from(tables.values(), finderOf);
  return (name) => finders.flatMap((find) => find(name) ?? []).sort((a, b) => a - b);
}

/** Index of the list that an event's name belongs to: the first list with the longest name that matches; undefined: none. */
export type NameFinder = (name: string | undefined) => number | undefined;

/** @param lists names; one that ends with `*` is a prefix; `!` before one excludes it from all lists */
export function createNameFinder(lists: readonly (readonly string[])[]): NameFinder {
  const table: NameTable = { exact: new Map(), prefixes: new Map() };
  lists.forEach((names, index) => addNames(table, names, index));
  return finderOf(table);
}

/** Number in place of a kind's for excluded names. */
const NO_KIND = -1;

function addNames({ exact, prefixes }: NameTable, names: readonly string[], index: number): void {
  for (const kindNames of names) {
    const name = kindNames.replace(/^!/, '');
    const number = name === kindNames ? index : NO_KIND;
    const isPrefix = name.endsWith('*');
    const [map, key] = isPrefix ? [prefixes, name.slice(0, -1)] : [exact, name];
    // A kind that lists the name overrides the exclusion by another one.
    if ((map.get(key) ?? NO_KIND) === NO_KIND) map.set(key, number);
  }
}

interface NameTable {
  readonly exact: Map<string, number>;
  readonly prefixes: Map<string, number>;
}

/** `*` alone also matches events without a name. */
function finderOf({ exact, prefixes }: NameTable): (name: string | undefined) => number | undefined {
  const lengths = [...new Set([...prefixes.keys()].map(({ length }) => length))].sort((a, b) => b - a);
  return (name) => {
    if (name === undefined) return prefixes.get('');
    let found = exact.get(name);
    for (let i = 0; found === undefined && i < lengths.length; i++)
      found = prefixes.get(name.slice(0, lengths[i]));
    return found === NO_KIND ? undefined : found;
  };
}

/** The sink that puts the wanted fields of an event class into its row: one block for each of its kinds. */
export function rowSink(wants: readonly KindWant[], stream: StreamClass, event: EventClass): Sink {
  let base = 0;
  const blocks = wants.map((want) => {
    const block = blockOf(want, base, stream, event);
    base += layoutOf(want).width;
    return block;
  });
  const fields = new Map<string, RowField[]>();
  const options = new Map<string, PresenceWord[]>();
  for (const block of blocks) {
    for (const { path, field } of block) addTo(fields, path, field);
    for (const option of new Set(block.flatMap(({ chain }) => chain)))
      for (const word of presenceIn(block, chainTo(block, option))) addTo(options, option, word);
  }
  // The place with most words comes first: the others are copied from it.
  for (const list of fields.values()) list.sort((a, b) => wordsOf(b) - wordsOf(a));
  return { kind: 'row', presence: blocks.flatMap((block) => presenceIn(block, [])), options, fields };
}

function wordsOf({ kind }: RowField): number {
  return kind === 'int' ? 1 : 2;
}

/** The fields of one kind that an event class has. */
type Block = readonly PlacedField[];

interface PlacedField {
  readonly path: string;
  readonly field: RowField;
  readonly presence: PresenceWord;
  /** The options that must be chosen for it to be there, outermost first. */
  readonly chain: readonly string[];
}

/**
 * Places the wanted fields of a kind in a row. The presence of a field in an option of a variant is known once the
 * option is chosen, and overwrites what was known before; so only the first of several sibling variants counts.
 */
function blockOf(want: KindWant, base: number, stream: StreamClass, event: EventClass): Block {
  const { offsets, presence } = layoutOf(want);
  const paths = new Set<string>();
  /** Variant within each option; ALWAYS: outside of any option. */
  const variants = new Map<string, string>();
  const placed: PlacedField[] = [];
  want.fields.forEach((field, index) => {
    for (const member of findMembers(field, stream, event)) {
      const path = pathOf(member.scope, member.steps);
      // A path is used for one field only (a thread's number is not its process's), unless the field is a context.
      if ((paths.has(path) && field.only !== 'context') || !fitsInto(variants, member)) continue;
      paths.add(path);
      placed.push({
        path,
        field: { kind: field.kind, to: base + offsets[index] },
        presence: { to: base + presence[index], bits: 1 << (index % PRESENCE_BITS) },
        chain: optionsOf(member),
      });
    }
  });
  return placed;
}

/** Presence words of a block once the options of a chain are chosen; outside of options without those that are 0. */
function presenceIn(block: Block, chain: readonly string[]): PresenceWord[] {
  const words = new Map<number, number>();
  for (const { presence, chain: needed } of block) {
    const known = words.get(presence.to) ?? 0;
    const isThere = needed.every((option, i) => option === chain[i]);
    words.set(presence.to, isThere ? known | presence.bits : known);
  }
  return Array.from(words, ([to, bits]) => ({ to, bits })).filter(
    ({ bits }) => bits !== 0 || chain.length > 0,
  );
}

/** The options up to this one, outermost first. */
function chainTo(block: Block, option: string): readonly string[] {
  const chain = block.find((field) => field.chain.includes(option))?.chain ?? [];
  return chain.slice(0, chain.indexOf(option) + 1);
}

/** The event itself in place of an option. */
const ALWAYS = '';

/** Places of the options that must be chosen for a member to be there, outermost first. */
function optionsOf({ scope, steps, choices }: MemberPlace): readonly string[] {
  return choices.map((depth) => pathOf(scope, steps.slice(0, depth)));
}

/** Whether a member's variants nest like those of the fields before; notes them. */
function fitsInto(variants: Map<string, string>, member: MemberPlace): boolean {
  const outer = [ALWAYS, ...optionsOf(member)];
  return member.choices.every((depth, level) => {
    const variant = pathOf(member.scope, member.steps.slice(0, depth - 1));
    const known = variants.get(outer[level]);
    if (known === undefined) variants.set(outer[level], variant);
    return known === undefined || known === variant;
  });
}
