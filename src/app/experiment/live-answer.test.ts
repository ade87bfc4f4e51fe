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

it('goes on asking after a question that failed', async () => {
  const asked: number[] = [];
  const failed: unknown[] = [];
  const onRejection = (reason: unknown) => void failed.push(reason);
  process.on('unhandledRejection', onRejection);
  const live = createLiveAnswer((question: number) => {
    asked.push(question);
    return question === 1 ? Promise.reject(new Error('lost')) : Promise.resolve(question * 10);
  });
  for (const question of [1, 2]) live.put(question);
  await new Promise((resolve) => setTimeout(resolve));
  expect(live.answer.value).toBe(20);
  live.put(3);
  await new Promise((resolve) => setTimeout(resolve));
  process.off('unhandledRejection', onRejection);
  expect(live.answer.value).toBe(30);
  expect(asked).toEqual([1, 2, 3]);
  expect(failed).toEqual([new Error('lost')]);
});

it('gives up what is being asked for a new question, where that is wanted', async () => {
  const givenUp: number[] = [];
  const ask = (question: number, signal: AbortSignal) =>
    new Promise<number>((resolve, reject) => {
      if (question === 3) resolve(30);
      signal.addEventListener('abort', () => {
        givenUp.push(question);
        reject(new Error('nobody waits'));
      });
    });
  const live = createLiveAnswer(ask, true);
  for (const question of [1, 2, 3]) live.put(question);
  await new Promise((resolve) => setTimeout(resolve));
  expect(givenUp).toEqual([1]);
  expect(live.answer.value).toBe(30);
});
