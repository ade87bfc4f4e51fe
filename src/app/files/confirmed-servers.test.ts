import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ConfirmedServers } from './confirmed-servers.ts';

const URL_OF = (path: string) => new URL(path, 'https://traces.example');

/** Frames that were made; each is loaded as soon as it is there. */
let frames: { readonly serve: ReturnType<typeof vi.fn>; readonly remove: ReturnType<typeof vi.fn> }[];
let isServerGone: boolean;

beforeEach(() => {
  frames = [];
  isServerGone = false;
  const createElement = () => {
    const [serve, remove] = [vi.fn(), vi.fn()];
    frames.push({ serve, remove });
    const contentWindow = isServerGone ? {} : { downloadFrame: { serve } };
    return Object.assign(new EventTarget(), { contentWindow, remove });
  };
  const append = (frame: EventTarget) => void queueMicrotask(() => frame.dispatchEvent(new Event('load')));
  vi.stubGlobal('document', { createElement, body: { append } });
});
afterEach(() => vi.unstubAllGlobals());

test('an address is asked for once each time it was confirmed, in a frame of its own', async () => {
  const servers = new ConfirmedServers();
  const { href } = URL_OF('/a.zip');
  await expect(servers.ask(href)).rejects.toThrow('not confirmed');
  servers.confirm(URL_OF('/a.zip'));
  await expect(servers.ask(URL_OF('/b.zip').href)).rejects.toThrow('not confirmed');
  const port = await servers.ask(href);
  port.close();
  await expect(servers.ask(href)).rejects.toThrow('not confirmed');
  expect(frames.map(({ serve }) => serve.mock.calls.map(([address]) => address))).toEqual([[href]]);
});

test('a frame that cannot be loaded is said to be that, and goes', async () => {
  isServerGone = true;
  const servers = new ConfirmedServers();
  servers.confirm(URL_OF('/a.zip'));
  await expect(servers.ask(URL_OF('/a.zip').href)).rejects.toThrow('could not be loaded');
  expect(frames[0].remove).toHaveBeenCalledOnce();
});
