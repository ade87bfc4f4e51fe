/** `node build/bench/node.js BENCH ARGUMENTS…`: one bench in this process; prints its figures as JSON. */
import { bytesBench, stagesBench } from './kernel.ts';
import { clockBench } from './clock.ts';
import { decodeBench } from './decode.ts';
import { historyBench } from './history.ts';
import { pathBench } from './path.ts';
import { pathAnswerBench } from './path-answer.ts';
import { repeatTrace } from './repeat.ts';
import { statisticsBench } from './statistics.ts';

type Figures = Promise<Record<string, number>> | Record<string, number>;

const BENCHES: Readonly<Record<string, (...args: string[]) => Figures>> = {
  decode: (decoder, analysis, folder, rounds) =>
    decodeBench(decoder === 'ts' ? 'ts' : 'wasm', analysis, folder, Number(rounds)),
  stages: (folder, rounds) => stagesBench(folder, Number(rounds)),
  bytes: (...folders) => bytesBench(folders),
  statistics: statisticsBench,
  history: historyBench,
  path: pathBench,
  'path-answer': pathAnswerBench,
  clock: clockBench,
  repeat: (from, to, rounds) => repeatTrace(from, to, Number(rounds)),
};

const [name, ...args] = process.argv.slice(2);
console.log(JSON.stringify(await BENCHES[name](...args)));
