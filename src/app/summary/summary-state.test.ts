import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import type { SummaryAnswer } from '../../engine/protocol/summary.ts';
import { createSummaryState } from './summary-state.ts';

const REST_MS = 5;
const FINDING = { rule: 'busy', title: 'A CPU is busy', severity: 1 };

it.each(['before', 'after'])('is asked for again where rows come %s the early answer', async (order) => {
  const rows = signal<readonly []>([]);
  const early: ((answer: undefined) => void)[] = [];
  let asked = 0;
  const ask = () => {
    if (asked++ === 0) return new Promise<undefined>((resolve) => early.push(resolve));
    return Promise.resolve({ rules: 1, findings: [FINDING] } as unknown as SummaryAnswer);
  };
  const steps = [() => (rows.value = []), () => early[0](undefined)];
  const summary = createSummaryState(
    { ask } as never,
    { rows, progress: signal(undefined), hasFiles: signal(true) } as never,
  );
  summary.want();
  for (const step of order === 'before' ? steps : steps.reverse()) {
    step();
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
  }
  expect(summary.findings.value).toMatchObject([FINDING]);
  expect(asked).toBe(2);
  summary.dispose();
});
