import { expect, it, vi } from 'vitest';
import { loadExamples } from './examples.ts';

it('asks for the list of examples once, and again when that failed', async () => {
  const fetched = vi.fn<(url: string) => Promise<Response>>();
  vi.stubGlobal('fetch', fetched);
  fetched.mockRejectedValueOnce(new TypeError('offline'));
  expect(await Promise.all([loadExamples(), loadExamples()])).toEqual([[], []]);
  fetched.mockResolvedValueOnce(new Response('', { status: 404 }));
  expect(await loadExamples()).toEqual([]);
  fetched.mockImplementation(() => Promise.resolve(new Response('[{"name":"a"}]')));
  expect(await Promise.all([loadExamples(), loadExamples()])).toEqual([[{ name: 'a' }], [{ name: 'a' }]]);
  expect(await loadExamples()).toEqual([{ name: 'a' }]);
  expect(fetched).toHaveBeenCalledTimes(3);
});
