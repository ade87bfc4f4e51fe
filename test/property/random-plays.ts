/** Random synchronous programs: as values that shrink. */
import fc from 'fast-check';
import type { Play } from '../support/simulator/play.ts';
import type { Step } from '../support/simulator/steps.ts';

const ns = fc.integer({ min: 1_000, max: 400_000 });

const single: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ does: fc.constantFrom('compute', 'sleep', 'read', 'sync', 'alarm'), ns }),
  fc.record({ does: fc.constant('wake itself' as const) }),
  fc.record({ does: fc.constant('lock' as const), lock: fc.nat(1), ns }),
);

/** A list of steps that nest at most so deep. */
function stepsOf(depth: number, most: number): fc.Arbitrary<readonly Step[]> {
  return fc.array(depth === 0 ? single : stepOf(depth), { minLength: 1, maxLength: most });
}

function stepOf(depth: number): fc.Arbitrary<Step> {
  const server = stepsOf(depth - 1, 3);
  return fc.oneof(
    { arbitrary: single, weight: 3 },
    {
      arbitrary: fc.record({ does: fc.constant('ask' as const), via: fc.constant('pipe' as const), server }),
      weight: 2,
    },
    {
      arbitrary: fc.record({
        does: fc.constant('ask' as const),
        via: fc.constantFrom('tcp', 'udp'),
        host: fc.nat(2),
        bytes: fc.constantFrom(24, 25, 1448, 5_000, 40_001),
        drains: fc.boolean(),
        server,
      }),
      weight: 2,
    },
    {
      arbitrary: fc.record({
        does: fc.constant('spawn' as const),
        meets: fc.boolean(),
        teams: fc.array(server, { minLength: 1, maxLength: 3 }),
      }),
      weight: 2,
    },
  );
}

const host = fc.record({ cpus: fc.integer({ min: 1, max: 4 }), others: fc.nat(3), vectors: fc.boolean() });

/** On one machine. */
export const localPlay: fc.Arbitrary<Play> = fc.record({
  seed: fc.nat(1_000_000),
  hosts: fc.tuple(host),
  weather: fc.constant({ delayNs: 0, jitterNs: 0, loss: 0 }),
  ipv6: fc.boolean(),
  steps: stepsOf(2, 5),
});
