import { describe, expect, it } from 'vitest';
import type { Experiment, Trace } from '../trace/types.ts';
import type { KindRequest } from './contract.ts';
import { compileProjections } from './projection.ts';

const INT = { names: ['tid', 'pid'], kind: 'int' } as const;
const WIDE = { names: ['ret'], kind: 'wide' } as const;
const TEXT = { names: ['comm'], kind: 'string' } as const;

describe('compiling projections', () => {
  const plan = compileProjections([
    { kinds: [{ kind: 'wake', events: ['sched_waking'], fields: { tid: INT } }] },
    {
      kinds: [
        { kind: 'exit', events: ['syscall_exit_*'], fields: { ret: WIDE } },
        { kind: 'wake', events: ['sched_wakeup', 'sched_waking'], fields: { comm: TEXT, tid: INT } },
      ],
    },
  ]);

  it('unites equal kinds with the events and fields of all', () => {
    expect(plan.request.kinds).toEqual([
      { names: ['sched_waking', 'sched_wakeup'], fields: [INT, TEXT] },
      { names: ['syscall_exit_*'], fields: [WIDE] },
    ]);
  });

  it('tells where kinds and fields are', () => {
    expect(plan.kind('exit')).toBe(1);
    expect(plan.kind('switch')).toBe(-1);
    expect(plan.field('wake', 'tid')).toEqual({ offset: 1, presence: 0, bit: 0 });
    expect(plan.field('wake', 'comm')).toEqual({ offset: 2, presence: 0, bit: 1 });
    expect(() => plan.field('wake', 'prio')).toThrow('wake.prio');
  });

  it('gives a kind every event of the streams that it takes, beside the other kinds', () => {
    const takes = (_: unknown, __: unknown, streamClass: number) => streamClass === 1;
    const taking = compileProjections([
      { kinds: [{ kind: 'wake', events: ['sched_waking'], fields: { tid: INT } }] },
      { kinds: [{ kind: 'any', events: [], fields: { ret: WIDE }, takes }] },
    ]);
    const namesOf = (streamClass: number) =>
      taking
        .requestOf({} as Experiment, {} as Trace, streamClass)
        .kinds.map(({ names, fields }) => [names, fields]);
    expect(namesOf(0)).toEqual([
      [['sched_waking'], [INT]],
      [[], [WIDE]],
    ]);
    expect(namesOf(1)).toEqual([
      [['sched_waking'], [INT]],
      [['*'], [WIDE]],
    ]);
  });

  it('puts contexts behind the fields of every kind, in the streams that have them', () => {
    const of = (_: unknown, __: unknown, streamClass: number) => streamClass === 1;
    const kinds: KindRequest[] = [
      { kind: 'wake', events: ['sched_waking'], fields: { tid: INT } },
      { kind: 'exit', events: ['syscall_exit_*'], fields: { ret: WIDE } },
    ];
    const both = compileProjections([
      { kinds },
      { kinds: [], contexts: { fields: { name: TEXT, tid: INT }, of } },
    ]);
    const fieldsOf = (streamClass: number) =>
      both.requestOf({} as Experiment, {} as Trace, streamClass).kinds.map(({ fields }) => fields);
    expect(fieldsOf(0)).toEqual([[INT], [WIDE]]);
    expect(fieldsOf(1)).toEqual([
      [INT, TEXT, INT],
      [WIDE, TEXT, INT],
    ]);
    expect(both.context(0, 'tid')).toEqual({ offset: 4, presence: 0, bit: 2 });
    expect(both.context(1, 'name')).toEqual({ offset: 3, presence: 0, bit: 1 });
    expect(() => both.context(1, 'prio')).toThrow('context prio');
  });

  it('refuses one field of two kinds', () => {
    const twice = (kind: 'int' | 'wide') => ({
      kinds: [{ kind: 'wake', events: [], fields: { tid: { names: ['tid'], kind } } }],
    });
    expect(() => compileProjections([twice('int'), twice('wide')])).toThrow('one kind of wake.tid');
  });
});
