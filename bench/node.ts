/** `node build/bench/node.js BENCH ARGUMENTS…`: one bench in this process; prints its figures as JSON. */
import { bytesBench, stagesBench } from './kernel.ts';
import { clockBench } from './clock.ts';
import { compileBench, decodeBench } from './decode.ts';
import { graphBench } from './graph.ts';
import { filterBench } from './filters.ts';
import { firstMapBench, mapBench } from './map.ts';
import { historyBench } from './history.ts';
import { importBench } from './import.ts';
import { pathAnswerBench, pathBench, requestsBench } from './path.ts';
import { repeatTogether, repeatTrace } from './repeat.ts';
import { scalingBench, sealedBench } from './scaling.ts';
import { sealBench } from './seal.ts';
import { statisticsBench } from './statistics.ts';
import { symbolsBench, writeLargeElf } from './symbols.ts';
import { windowsBench } from './windows.ts';

type Figures = Promise<Record<string, number>> | Record<string, number>;

const BENCHES: Readonly<Record<string, (...args: string[]) => Figures>> = {
  decode: (decoder, analysis, folder, rounds, label) =>
    decodeBench(decoder === 'ts' ? 'ts' : 'wasm', analysis, folder, Number(rounds), label),
  compile: (folder, classes) => compileBench(folder, Number(classes)),
  stages: (folder, rounds) => stagesBench(folder, Number(rounds)),
  bytes: (...folders) => bytesBench(folders),
  map: (folder, rounds) => mapBench(folder, Number(rounds)),
  'first-map': (folder, kind) => firstMapBench(folder, kind === 'js' ? 'js' : 'wasm'),
  filters: (folder, rounds) => filterBench(folder, Number(rounds)),
  seal: (folder, rounds) => sealBench(folder, Number(rounds)),
  statistics: statisticsBench,
  'write-elf': writeLargeElf,
  symbols: (path, tables, rounds) => symbolsBench(path, Number(tables), Number(rounds)),
  graph: (folder, rounds) => graphBench(folder, Number(rounds)),
  history: historyBench,
  import: (path, rounds) => importBench(path, Number(rounds)),
  path: pathBench,
  'path-answer': pathAnswerBench,
  requests: requestsBench,
  clock: clockBench,
  windows: windowsBench,
  scaling: (folder, repeats, rounds) => scalingBench(folder, Number(repeats), Number(rounds)),
  sealed: (folder, workers, rounds) => sealedBench(folder, Number(workers), Number(rounds)),
  repeat: (from, to, events) => repeatTrace(from, to, Number(events)),
  'repeat-together': (from, to, events, ...parts) => repeatTogether(from, to, Number(events), parts),
};

const [name, ...args] = process.argv.slice(2);
console.log(JSON.stringify(await BENCHES[name](...args)));
