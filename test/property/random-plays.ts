/** Random synchronous programs: as values that shrink. */
import fc from 'fast-check';
import type { HostClock } from '../support/simulator/clocks.ts';
import type { Weather } from '../support/simulator/network.ts';
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
        bytes: fc.constantFrom(24, 1448, 5_000, 40_000),
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

/** Setting of a play; programs are small enough that thousands of them take a minute. */
const cpus = fc.integer({ min: 1, max: 4 });
const host = fc.record({ cpus, others: fc.nat(3), vectors: fc.boolean() });

/** On one machine. */
export const localPlay: fc.Arbitrary<Play> = fc.record({
  seed: fc.nat(1_000_000),
  hosts: fc.tuple(host),
  weather: fc.record({
    delayNs: fc.constant(0),
    jitterNs: fc.constant(0),
    loss: fc.constant(0),
    offload: fc.boolean(),
  }),
  ipv6: fc.boolean(),
  steps: stepsOf(2, 5),
});

const offset = fc.integer({ min: 0, max: 5_000_000_000 });
const drift = fc.integer({ min: -200, max: 200 }).map((ppm) => ppm / 1e6);
const noSteps = fc.constant([] as const);

/** Offset and drift. */
export const linearClock: fc.Arbitrary<HostClock> = fc.record({
  offset,
  drift,
  bend: fc.constant(0),
  steps: noSteps,
});

/** Set forward once while the program runs. */
export const steppingClock: fc.Arbitrary<HostClock> = fc.record({
  offset,
  drift,
  bend: fc.constant(0),
  steps: fc.tuple(
    fc.record({
      at: fc.integer({ min: 1_000_000, max: 40_000_000 }),
      by: fc.integer({ min: 1_000_000, max: 3e9 }),
    }),
  ),
});

/** Whose drift changes by up to 100 ppm in 100 ms. */
export const bentClock: fc.Arbitrary<HostClock> = fc.record({
  offset,
  drift,
  bend: fc.integer({ min: -100, max: 100 }).map((ppm) => ppm / 1e6 / 1e8),
  steps: noSteps,
});

const weatherOf = (loss: fc.Arbitrary<number>, offload: fc.Arbitrary<boolean>): fc.Arbitrary<Weather> =>
  fc.record({
    delayNs: fc.integer({ min: 1_000, max: 300_000 }),
    jitterNs: fc.constantFrom(0, 20_000, 500_000),
    loss,
    offload,
  });

/** Not both: see the known case in `hosts-paths.test.ts`. */
const weather = fc.oneof(
  weatherOf(fc.constant(0), fc.boolean()),
  weatherOf(fc.constantFrom(0.02, 0.1), fc.constant(false)),
);

/** Two or three machines; the first step asks another one, so that there is something between them. */
export function networkPlay(clock: fc.Arbitrary<HostClock>): fc.Arbitrary<Play> {
  const machine = fc.record({ cpus, others: fc.nat(1), vectors: fc.boolean(), clock });
  const asked = stepOf(2).filter((step) => step.does === 'ask' && step.via !== 'pipe');
  return fc.record({
    seed: fc.nat(1_000_000),
    hosts: fc.array(machine, { minLength: 2, maxLength: 3 }),
    weather,
    ipv6: fc.boolean(),
    steps: fc
      .tuple(fc.array(asked, { minLength: 1, maxLength: 4 }), stepsOf(2, 3))
      .map(([first, rest]) => [...first, ...rest]),
  });
}

/** On a virtual machine that shares the CPUs of its host with other threads. */
export function guestPlay(clock: fc.Arbitrary<HostClock>): fc.Arbitrary<Play> {
  const few = fc.integer({ min: 1, max: 2 });
  const guest = fc.record({
    cpus: few,
    others: fc.nat(2),
    vectors: fc.boolean(),
    clock,
    runsOn: fc.constant(1),
  });
  const ofGuest = fc.record({ cpus: few, others: fc.integer({ min: 1, max: 3 }), vectors: fc.boolean() });
  return fc.record({
    seed: fc.nat(1_000_000),
    hosts: fc.tuple(guest, ofGuest),
    weather,
    ipv6: fc.boolean(),
    steps: stepsOf(2, 5),
  });
}

const QUESTION: Step = {
  does: 'ask',
  via: 'tcp',
  host: 1,
  bytes: 24,
  drains: false,
  server: [{ does: 'compute', ns: 5_000 }],
};

/** Question after question to a second machine whose clock is set forward once on the way. */
export const chattyPlay: fc.Arbitrary<Play> = fc.record({
  seed: fc.nat(1_000_000),
  hosts: fc.tuple(
    fc.record({ cpus, others: fc.nat(1), vectors: fc.boolean(), clock: linearClock }),
    fc.record({ cpus, others: fc.nat(1), vectors: fc.boolean(), clock: steppingClock }),
  ),
  weather,
  ipv6: fc.boolean(),
  steps: fc
    .array(fc.integer({ min: 500_000, max: 3_000_000 }), { minLength: 10, maxLength: 30 })
    .map((pauses) => pauses.flatMap((ns) => [QUESTION, { does: 'sleep' as const, ns }])),
});
