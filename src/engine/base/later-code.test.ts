import { expect, it } from 'vitest';
import { isMissingCode, laterCode } from './later-code.ts';

it('says of code that does not come what it is, and asks for it again at the next call', async () => {
  let isSent = false;
  const part = laterCode(() => (isSent ? Promise.resolve(7) : Promise.reject(new TypeError('not sent'))));
  const error: unknown = await part().catch((reason: unknown) => reason);
  expect(isMissingCode(error)).toBe(true);
  // As it comes from another thread.
  expect(isMissingCode(Object.assign(new Error('copied'), { name: (error as Error).name }))).toBe(true);
  expect(isMissingCode(new TypeError('a mistake'))).toBe(false);
  isSent = true;
  expect(await part()).toBe(7);
});
