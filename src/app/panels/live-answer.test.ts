import { expect, it } from 'vitest';
import { createLiveAnswer } from './live-answer.ts';

it('asks one question at a time and passes over those in between', async () => {
  const asked: number[] = [];
  const waiting: (() => void)[] = [];
  const live = createLiveAnswer(async (question: number) => {
    asked.push(question);
    await new Promise<void>((resolve) => waiting.push(resolve));
    return question * 10;
  });
  for (const question of [1, 2, 3, 4]) live.put(question);
  expect(asked).toEqual([1]);
  waiting.shift()?.();
  await new Promise((resolve) => setTimeout(resolve));
  expect(live.answer.value).toBe(10);
  expect(asked).toEqual([1, 4]);
  waiting.shift()?.();
  await new Promise((resolve) => setTimeout(resolve));
  expect(live.answer.value).toBe(40);
});
