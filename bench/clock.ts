/** What bringing an event's time to the experiment's axis costs more than leaving it, in alternate rounds. */
import { ClockTransform } from '../src/engine/sync/clock-transform.ts';
import { median } from './measure.mjs';

const EVENTS = 2 ** 18;
const ROUNDS = 201;
/** Rounds that compile. */
const WARM = 20;

export function clockBench(): Record<string, number> {
  const times = Float64Array.from({ length: EVENTS }, (_, i) => i * 137);
  const clock = new ClockTransform([{ from: -Infinity, at: 5e9, shift: 123_456.75, drift: 3.1e-5 }]);
  const copied: number[] = [];
  const changed: number[] = [];
  let sum = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const begin = performance.now();
    sum += copyOf(times)[round];
    const middle = performance.now();
    sum += clock.columnToExperiment(times)[round];
    const end = performance.now();
    if (round < WARM) continue;
    copied.push(middle - begin);
    changed.push(end - middle);
  }
  if (Number.isNaN(sum)) throw new Error('times are numbers');
  const nsPerEvent = (ms: number) => (ms * 1e6) / EVENTS;
  return {
    'clock.nsPerEvent': nsPerEvent(median(changed) - median(copied)),
    // Least disturbed by other programs.
    'clock.nsPerEventBest': nsPerEvent(Math.min(...changed) - Math.min(...copied)),
  };
}

/** As a transform that changes nothing would: event by event. */
function copyOf(times: Float64Array): Float64Array {
  const out = new Float64Array(times.length);
  for (let i = 0; i < times.length; i++) out[i] = times[i];
  return out;
}
