import { describe, expect, it } from 'vitest';
import type { ExecutionsAnswer } from '../../protocol/executions.ts';
import { conditionWords } from './report-words.ts';
import { checked, type Measurable, parseCondition } from './conditions.ts';

const durations = Float64Array.from({ length: 100 }, (_, i) => 1e6 * (100 - i));
const KNOWN: Measurable = {
  lost: { events: 5, packets: 0, recorded: 95 },
  findings: new Map([
    ['locks', { count: 2, isPart: false }],
    ['disk', { count: 1, isPart: true }],
  ]),
  requests: {
    length: 100,
    metrics: [
      { name: 'duration', values: durations },
      { name: 'lockWaits', values: Float64Array.of(...new Array<number>(99).fill(0), NaN) },
    ],
  } as unknown as ExecutionsAnswer,
};

describe('a condition', () => {
  it.each([
    ['p95(requests) > 94.9ms', 'met', 95e6],
    ['p95(requests)>95ms', 'not met', 95e6],
    [' p95 (requests) >= 95000us ', 'met', 95e6],
    ['median(requests) = 0.05s', 'met', 50e6],
    ['mean(requests) < 50501 µs', 'met', 50.5e6],
    ['p99.5(requests, duration) != 100ms', 'not met', 100e6],
    ['min(requests) > 0', 'met', 1e6],
    ['count(requests) < 100', 'not met', 100],
    ['max(requests, lockWaits) > 0', 'not met', 0],
    ['count(requests, lockWaits) = 99', 'met', 99],
    ['p50(requests, diskBytes) > 0', 'unknown', undefined],
    ['lost > 0', 'met', 5],
    ['lost >= 5%', 'met', 0.05],
    ['lost > 5 %', 'not met', 0.05],
    ['findings(locks) > 1', 'met', 2],
    // More of them may be there.
    ['findings(disk) > 0', 'met', 1],
    ['findings(disk) > 1', 'unknown', 1],
    ['findings(disk) = 1', 'unknown', 1],
    ['findings > 2', 'met', 3],
    ['findings <= 9', 'unknown', 3],
    ['findings(deadlock) > 0', 'unknown', 0],
  ])('%s: %s', (text, outcome, value) => {
    expect(checked(parseCondition(text), KNOWN)).toMatchObject({
      condition: text,
      outcome,
      ...(value !== undefined && { value }),
    });
  });

  it('on time blocked by what no request met is about 0, if events that tell of it were recorded', () => {
    const asked = (rules: readonly string[], text: string, isElapsed = false) =>
      checked(parseCondition(text), {
        ...KNOWN,
        findings: new Map(rules.map((rule) => [rule, { count: 0, isPart: false }])),
        requests: { ...KNOWN.requests, isElapsed } as ExecutionsAnswer,
      });
    const rules = ['cpu-wait', 'interrupts', 'disk'];
    const onDisk = 'p50(requests, blocked disk) > 1ms';
    expect(asked(rules, onDisk)).toMatchObject({ outcome: 'not met', value: 0 });
    expect(asked(rules, 'count(requests, blocked timer) = 100')).toMatchObject({ outcome: 'met' });
    expect(asked(rules.slice(0, 2), onDisk)).toMatchObject({ outcome: 'unknown' });
    expect(asked(rules, onDisk, true)).toMatchObject({ outcome: 'unknown' });
    const none = asked(rules, 'p50(requests, blocked bogus) > 1ms');
    expect(none).toMatchObject({ outcome: 'unknown', metrics: ['duration', 'lockWaits'] });
    expect(conditionWords(none)).toBe(
      'p50(requests, blocked bogus) > 1ms: not known, there are duration, lockWaits',
    );
  });

  it.each([
    [1, 'p100(requests)>=18.657ms', 18_656_963, 'not met, it is 18656963\u2009ns'],
    [1, 'p100(requests)<=18.657ms', 18_657_000, 'met, it is 18.657\u2009ms'],
    [1, 'p100(requests) > 5ms', 6_100_000, 'met, it is 6.100\u2009ms'],
    [3, 'mean(requests, lockWaits) > 1', 3.001, 'met, it is 1.0003333333333333'],
  ])('is told with all digits where fewer contradict it: %s, %s', (length, text, sum, words) => {
    const values = new Float64Array(length).fill(sum / length);
    const requests = { length, metrics: ['duration', 'lockWaits'].map((name) => ({ name, values })) };
    const found = checked(parseCondition(text), {
      ...KNOWN,
      requests: requests as unknown as ExecutionsAnswer,
    });
    expect(conditionWords(found)).toBe(`${text}: ${words}`);
  });

  it('on lost packets knows that each had events', () => {
    const known = { ...KNOWN, lost: { events: 0, packets: 2, recorded: 9 } };
    expect(checked(parseCondition('lost > 0'), known)).toMatchObject({ outcome: 'met', value: 2 });
    expect(checked(parseCondition('lost > 2'), known)).toMatchObject({ outcome: 'unknown', value: 2 });
  });

  it('on requests that are not there is unknown', () => {
    const outcome = checked(parseCondition('count(requests) > 0'), { ...KNOWN, requests: undefined });
    expect(outcome).toEqual({ condition: 'count(requests) > 0', outcome: 'unknown', unit: '' });
  });

  it.each([
    ['', 1, 'lost, findings or p95(requests)'],
    ['p95(requests)', 14, 'one of >, >=, <, <=, =, !='],
    ['p95(requests) > 5', 18, 'ns, us, ms or s'],
    ['p95(requests) > 5 parsecs', 19, 'ns, us, ms or s'],
    ['p95(requests) > 5ms and more', 21, 'nothing more'],
    ['p95(requests) > -5ms', 17, 'a number'],
    ['p101(requests) > 5ms', 1, 'count, mean, median, p50 to p100, min or max'],
    ['p95(reqs) > 5ms', 5, 'requests'],
    ['count(requests) > 5ms', 20, 'no unit'],
    [
      'p50(requests, blocked) > 1ms',
      15,
      'one of duration, running, preempted, network, unknown, blocked KIND, ',
    ],
    ['p50(requests, bogus) > 1', 15, 'one of duration, '],
    ['findings(lock) > 0', 10, 'one of lost-events, '],
    ['findings(locks > 0', 16, ')'],
    ['lost > 1ms', 9, '% or nothing'],
    ['constructor(requests) > 1', 1, 'count, mean'],
  ])('that is nonsense says where: %s', (text, at, expected) => {
    expect(() => parseCondition(text)).toThrow(`"${text}", character ${at}: ${expected}`);
  });
});
