import { expect, it } from 'vitest';
import { batchesOf, streamsOf } from '../../../../../test/support/batches.ts';
import { scenario, type Scenario } from '../../../../../test/support/scenario.ts';
import { memoryHistory, reduceInto } from '../../../../../test/support/state-run.ts';
import { STATE_KINDS } from '../map/state-rules.ts';

const DISK = (254 << 20) | 16;
const QUEUED = 1;
const ISSUED = 2;
const AGAIN = 3;

function request(sector: number, sectors: number) {
  return {
    dev: DISK,
    sector,
    nr_sector: sectors,
    tid: 10,
    bytes: 512 * sectors,
    rwbs: sectors === 0 ? 1 << 10 : 4,
  };
}

/** Value, begin and end of a slot's intervals, of a trace that ends at 100. */
function slot(story: Scenario, number: number, chunkResult = 'state'): readonly (readonly number[])[] {
  const history = memoryHistory();
  reduceInto(history, batchesOf(streamsOf(story.events), STATE_KINDS), {}, 100);
  history.close(100);
  return history
    .intervals(`disks/254:16/${number}/${chunkResult}`)
    .map(({ value, from, to }) => [value, from, to]);
}

it('a request that is completed piece by piece is at the device until the last one', () => {
  const story = scenario()
    .add(10, 0, 'block_rq_issue', request(100, 24))
    .add(20, 0, 'block_rq_complete', request(100, 8))
    .add(30, 0, 'block_rq_complete', request(108, 8))
    .add(40, 0, 'block_rq_complete', request(116, 8));
  expect(slot(story, 0)).toEqual([[ISSUED, 10, 40]]);
});

it('requests that were merged into one that is issued wait no longer', () => {
  const story = scenario()
    .add(10, 0, 'block_rq_insert', request(100, 8))
    .add(11, 0, 'block_rq_insert', request(108, 8))
    .add(12, 0, 'block_rq_insert', request(116, 8))
    .add(20, 0, 'block_rq_issue', request(100, 16))
    .add(30, 0, 'block_rq_complete', request(100, 16));
  expect(slot(story, 0)).toEqual([
    [QUEUED, 10, 20],
    [ISSUED, 20, 30],
  ]);
  expect(slot(story, 0, 'sectors')).toEqual([
    [8, 10, 20],
    [16, 20, 30],
  ]);
  expect(slot(story, 1)).toEqual([[QUEUED, 11, 20]]);
  expect(slot(story, 2)).toEqual([[QUEUED, 12, 100]]);
});

it('a request that is merged into another ends there, where an event tells', () => {
  const story = scenario()
    .add(10, 0, 'block_rq_insert', request(108, 8))
    .add(15, 0, 'block_rq_merge', request(108, 8));
  expect(slot(story, 0)).toEqual([[QUEUED, 10, 15]]);
});

it('a request that the device did not take is queued once more, in its slot', () => {
  const flush = (sector: number) => request(sector, 0);
  const story = scenario()
    .add(10, 0, 'block_rq_issue', flush(0))
    .add(20, 0, 'block_rq_requeue', flush(0))
    .add(30, 0, 'block_rq_issue', flush(0))
    .add(40, 0, 'block_rq_complete', flush(2 ** 64));
  expect(slot(story, 0)).toEqual([
    [ISSUED, 10, 20],
    [AGAIN, 20, 30],
    [ISSUED, 30, 40],
  ]);
});
