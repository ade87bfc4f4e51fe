/** Numbers and times as text, the same as in reports. */
export * from '../../engine/words/numbers.ts';
