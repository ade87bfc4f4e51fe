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

/** Finds the list of names that an event is of: the first one with the longest name that fits; undefined: none. */
export type NameFinder = (name: string | undefined) => number | undefined;

/** @param lists names, each the beginning of names where `*` follows it; `!` before one: such a name is of no list */
export function createNameFinder(lists: readonly (readonly string[])[]): NameFinder {
  const table: NameTable = { exact: new Map(), prefixes: new Map() };
  lists.forEach((names, index) => addNames(table, names, index));
  return finderOf(table);
}

/** Number in place of a kind's for names that are of none. */
const NO_KIND = -1;

function addNames({ exact, prefixes }: NameTable, names: readonly string[], index: number): void {
  for (const kindNames of names) {
    const name = kindNames.replace(/^!/, '');
    const number = name === kindNames ? index : NO_KIND;
    const isPrefix = name.endsWith('*');
    const [map, key] = isPrefix ? [prefixes, name.slice(0, -1)] : [exact, name];
    // A kind that names it has it, whatever another one leaves out.
    if ((map.get(key) ?? NO_KIND) === NO_KIND) map.set(key, number);
  }
}

interface NameTable {
  readonly exact: Map<string, number>;
  readonly prefixes: Map<string, number>;
}

/** `*` alone is the prefix of events without a name, too. */
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
  // What is copied from another place of the row needs all words there.
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
 * Places the wanted fields of a kind in a row. Presence of fields in options is known where the option was chosen, and
 * written over what was known before: so of variants side by side only the first one counts that a field leads into.
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
      // By another name the same field is another thing: a thread's number is not its process's. A context is what it is.
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

/** The presence words of a block where the options of a chain are chosen; none that are 0 outside of options. */
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

/** Stands for the event itself where options are meant. */
const ALWAYS = '';

/** Places of the options that must be chosen for a member to be there, outermost first. */
function optionsOf({ scope, steps, choices }: MemberPlace): readonly string[] {
  return choices.map((depth) => pathOf(scope, steps.slice(0, depth)));
}

/** Whether a member's variants lie within each other as those of the fields before; they are kept. */
function fitsInto(variants: Map<string, string>, member: MemberPlace): boolean {
  const outer = [ALWAYS, ...optionsOf(member)];
  return member.choices.every((depth, level) => {
    const variant = pathOf(member.scope, member.steps.slice(0, depth - 1));
    const known = variants.get(outer[level]);
    if (known === undefined) variants.set(outer[level], variant);
    return known === undefined || known === variant;
  });
}
