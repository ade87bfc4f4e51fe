import { describe, expect, it } from 'vitest';
import { play, type Play } from './play.ts';
import type { Step } from './steps.ts';
import { TruePath } from './true-path.ts';

function storyOf(...steps: Step[]): Play {
  return {
    seed: 5,
    hosts: [{ cpus: 2, others: 0, vectors: false }],
    weather: { delayNs: 0, jitterNs: 0, loss: 0, offload: false },
    ipv6: false,
    steps,
  };
}

/** `WORKER CAUSE` of what is not running or runnable, and workers, each told once in a row. */
function outline(...steps: Step[]): string[] {
  const { hosts, thread } = play(storyOf(...steps));
  const [{ machine }] = hosts;
  const { stays } = thread;
  const segments = new TruePath(() => machine).of(thread, stays[0].from, stays[stays.length - 1].from);
  segments.slice(1).forEach(({ from }, i) => expect(from).toBe(segments[i].to));
  const words = segments.map(({ worker, cause }) => {
    const name = machine.threads.find(({ tid }) => `${tid}` === worker)?.name ?? 'interrupt';
    return `${worker === `${thread.tid}` ? 'main' : name} ${cause}`.trim();
  });
  return words.filter((word, i) => word !== words[i - 1]);
}

describe('play', () => {
  it('is a function of its story', () => {
    const story = storyOf({ does: 'read', ns: 50_000 }, { does: 'sleep', ns: 20_000 });
    expect(play(story).hosts[0].files).toEqual(play(story).hosts[0].files);
  });

  it('goes on until its program has ended, though another thread takes its CPU then', () => {
    const host = { cpus: 1, others: 6, vectors: false };
    const { thread } = play({ ...storyOf({ does: 'compute', ns: 1000 }), seed: 355, hosts: [host] });
    expect(thread.stays.at(-1)?.state).toBe('gone');
  });

  it('knows what waits are for', () => {
    expect(outline({ does: 'read', ns: 50_000 })).toEqual(['main', 'main disk', 'main']);
    expect(outline({ does: 'sleep', ns: 50_000 })).toEqual(['main', 'main timer', 'main']);
    expect(outline({ does: 'sync', ns: 50_000 })).toEqual([
      'main',
      'jbd2/vda-8',
      'jbd2/vda-8 disk',
      'jbd2/vda-8',
      'main',
    ]);
  });

  it('knows who worked while others waited', () => {
    const server: Step[] = [
      { does: 'compute', ns: 200_000 },
      { does: 'sleep', ns: 30_000 },
    ];
    expect(outline({ does: 'ask', via: 'pipe', server })).toEqual([
      'main',
      'init',
      'init timer',
      'init',
      'main',
    ]);
    const overTcp: Step = { does: 'ask', via: 'tcp', host: 0, bytes: 24, drains: false, server };
    expect(outline(overTcp)).toEqual([
      'main',
      'init',
      'init timer',
      'init',
      'interrupt network',
      'interrupt softirq NET_RX',
      'interrupt interrupt',
      'main',
    ]);
  });
});
