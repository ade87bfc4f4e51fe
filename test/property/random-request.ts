/** What some analysis might ask for: names of events and of members of their scopes. */
import type { DecodeRequest, FieldKind } from '../../src/engine/ctf/decode/rows/rows.ts';
import { EVERYTHING } from '../../src/engine/ctf/decode/program/stream-programs.ts';
import type { StreamClass, StructMember } from '../../src/engine/ctf/model.ts';
import type { Random } from '../support/simulator/random.ts';

export function randomRequest(random: Random, stream: StreamClass): DecodeRequest | typeof EVERYTHING {
  if (random.chance(0.3)) return EVERYTHING;
  const wanted = stream.events.filter(() => random.chance(0.6));
  return {
    kinds: wanted.map(({ name = '', payload, context }) => {
      const members = [payload, context, stream.eventContext].flatMap((root) => root?.members ?? []);
      const fields = members
        .filter(() => random.chance(0.5))
        .slice(0, 20)
        .map((member) => {
          const kind: FieldKind = random.pick(['int', 'wide', 'string', 'bytes', 'sequence']);
          return { names: ['absent', pathInto(random, member)], kind };
        });
      const table = random.chance(0.3) ? 'shared' : undefined;
      return { names: [random.chance(0.8) ? name : `${name.slice(0, 4)}*`], fields, table };
    }),
  };
}

/** A way to some field at or below a member, with `*` for an option, or the last element. */
function pathInto(random: Random, { name, type }: StructMember): string {
  if (type.kind === 'struct' && type.members.length > 0) {
    return `${name}.${pathInto(random, random.pick(type.members))}`;
  }
  if (type.kind === 'array' && random.chance(0.5)) return `${name}.*`;
  if (type.kind !== 'variant') return name;
  const option = random.pick(type.options).type;
  if (option.kind !== 'struct' || option.members.length === 0) return `${name}.*`;
  return `${name}.*.${pathInto(random, random.pick(option.members))}`;
}
