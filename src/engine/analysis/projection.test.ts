import { describe, expect, it } from 'vitest';
import { compileProjections } from './projection.ts';

const INT = { names: ['tid', 'pid'], kind: 'int' } as const;
const WIDE = { names: ['ret'], kind: 'wide' } as const;
const TEXT = { names: ['comm'], kind: 'string' } as const;

describe('compiling projections', () => {
  const plan = compileProjections([
    { meanings: [{ meaning: 'wake', events: ['sched_waking'], fields: { tid: INT } }] },
    {
      meanings: [
        { meaning: 'exit', events: ['syscall_exit_*'], fields: { ret: WIDE } },
        { meaning: 'wake', events: ['sched_wakeup', 'sched_waking'], fields: { comm: TEXT, tid: INT } },
      ],
    },
  ]);

  it('unites equal meanings with the events and fields of all', () => {
    expect(plan.request.meanings).toEqual([
      { names: ['sched_waking', 'sched_wakeup'], fields: [INT, TEXT] },
      { names: ['syscall_exit_*'], fields: [WIDE] },
    ]);
  });

  it('tells where meanings and fields are', () => {
    expect(plan.meaning('exit')).toBe(1);
    expect(plan.meaning('switch')).toBe(-1);
    expect(plan.field('wake', 'tid')).toEqual({ offset: 1, bit: 0 });
    expect(plan.field('wake', 'comm')).toEqual({ offset: 2, bit: 1 });
    expect(() => plan.field('wake', 'prio')).toThrow('wake.prio');
  });

  it('refuses one field of two kinds', () => {
    const twice = (kind: 'int' | 'wide') => ({
      meanings: [{ meaning: 'wake', events: [], fields: { tid: { names: ['tid'], kind } } }],
    });
    expect(() => compileProjections([twice('int'), twice('wide')])).toThrow('one kind of wake.tid');
  });
});
