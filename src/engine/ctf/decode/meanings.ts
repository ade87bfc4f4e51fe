/** From names to event classes and members: which meaning an event class has, and where its wanted fields are. */
import type { EventClass, StreamClass } from '../model.ts';
import type { RowField, Sink } from './compile.ts';
import { findMembers, type MemberPlace } from './members.ts';
import { pathOf } from './registers.ts';
import { layoutOf, type DecodeRequest, type MeaningWant } from './rows.ts';

/**
 * Gives the index of the meaning of an event name, or -1. Exact names win over prefixes, longer prefixes over shorter,
 * the first meaning over later ones. `*` alone is the prefix of events without a name, too.
 */
export function createMeaningFinder({ meanings }: DecodeRequest): (name: string | undefined) => number {
  const exact = new Map<string, number>();
  const prefixes = new Map<string, number>();
  meanings.forEach(({ names }, index) => {
    for (const name of names) {
      if (!exact.has(name)) exact.set(name, index);
      const prefix = name.slice(0, -1);
      if (name.endsWith('*') && !prefixes.has(prefix)) prefixes.set(prefix, index);
    }
  });
  const lengths = [...new Set([...prefixes.keys()].map(({ length }) => length))].sort((a, b) => b - a);
  return (name) => {
    if (name === undefined) return prefixes.get('') ?? -1;
    let found = exact.get(name);
    for (let i = 0; found === undefined && i < lengths.length; i++)
      found = prefixes.get(name.slice(0, lengths[i]));
    return found ?? -1;
  };
}

/**
 * The sink that puts the wanted fields of an event class into a row. Which fields of options are there is known where
 * the option was chosen, and written over what was known before: so of variants side by side only the first one counts
 * that a field leads into.
 */
export function rowSink(want: MeaningWant, stream: StreamClass, event: EventClass): Sink {
  const { offsets } = layoutOf(want);
  const fields = new Map<string, RowField>();
  /** By option, ALWAYS outside of any: the variant within it. */
  const variants = new Map<string, string>();
  const placed: { readonly bit: number; readonly chain: readonly string[] }[] = [];
  want.fields.forEach((field, index) => {
    for (const member of findMembers(field, stream, event)) {
      const path = pathOf(member.scope, member.steps);
      if (fields.has(path) || !fitsInto(variants, member)) continue;
      fields.set(path, { kind: field.kind, to: offsets[index] });
      placed.push({ bit: 1 << index, chain: optionsOf(member) });
    }
  });
  const presenceIn = (chain: readonly string[]): number =>
    placed.reduce(
      (bits, one) => (one.chain.every((option, i) => option === chain[i]) ? bits | one.bit : bits),
      0,
    );
  const options = new Map<string, number>();
  for (const { chain } of placed) {
    chain.forEach((option, level) => options.set(option, presenceIn(chain.slice(0, level + 1))));
  }
  return { kind: 'row', presence: presenceIn([]), options, fields };
}

/** Stands for the event itself where options are meant. */
const ALWAYS = '';

/** Places of the options that must be chosen for a member to be there, outermost first. */
function optionsOf({ scope, steps, choices }: MemberPlace): readonly string[] {
  return choices.map((depth) => pathOf(scope, steps.slice(0, depth)));
}

/** Whether a member's variants lie within each other as those of the fields before; they are remembered. */
function fitsInto(variants: Map<string, string>, member: MemberPlace): boolean {
  const outer = [ALWAYS, ...optionsOf(member)];
  return member.choices.every((depth, level) => {
    const variant = pathOf(member.scope, member.steps.slice(0, depth - 1));
    const known = variants.get(outer[level]);
    if (known === undefined) variants.set(outer[level], variant);
    return known === undefined || known === variant;
  });
}
