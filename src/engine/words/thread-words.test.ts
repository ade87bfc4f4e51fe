import { describe, expect, it } from 'vitest';
import { lifeText, threadWords } from './thread-words.ts';

describe('a thread whose tid was used again', () => {
  it.each([
    ['3402', undefined],
    ['3402#2', '2nd thread with this id'],
    ['thread:0:3402#3', '3rd thread with this id'],
    ['3402#4', '4th thread with this id'],
    ['3402#12', '12th thread with this id'],
    ['3402#101', '101st thread with this id'],
    ['0/cpu3', undefined],
  ])('%s: %s', (key, text) => {
    expect(lifeText(key)).toBe(text);
  });

  it('is told where a thread is named', () => {
    expect(threadWords('worker', '20')).toBe('worker (tid 20)');
    expect(threadWords('', '20#2')).toBe('a thread (tid 20#2, 2nd thread with this id)');
  });
});
