/** The tables of the documentation, and where their figures are from. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { HEADLINES, ROWS } from './figure-rows.mjs';
import { scalingTables } from './scaling-tables.mjs';
import { tableOf } from './table.mjs';

/** Where the figures are from; `load`: runnable tasks now, beside which times are to be judged. */
export function machineFacts() {
  const { stdout } = spawnSync('babeltrace2', ['--version'], { encoding: 'utf8' });
  return {
    processor: cpus()[0]?.model.trim() ?? '',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    babeltrace: /\d+\.\d+\.\d+/.exec(stdout ?? '')?.[0] ?? '',
    load: loadavg()[1],
  };
}

/** Writes all tables into bench/figures.md and the main figures into docs/performance.md; `root`: the folder of both. */
export function writeTables(root, facts, figures) {
  const parts = { figures: figureTable(facts, figures), scaling: scalingTables(figures) };
  writeParts(join(root, 'bench', 'figures.md'), parts);
  const main = ROWS.filter(({ key }) => HEADLINES.has(key));
  writeParts(join(root, 'docs', 'performance.md'), { headlines: figureTable(facts, figures, main) });
}

/** Replaces parts of a document; a part that is undefined stays as it is. */
function writeParts(path, parts) {
  let text = readFileSync(path, 'utf8');
  for (const [name, part] of Object.entries(parts)) if (part !== undefined) text = withPart(text, name, part);
  writeFileSync(path, text);
}

/** The document with another text between the two marks of one of its parts. */
function withPart(text, name, part) {
  const begin = `<!-- ${name}: written by npm run bench -- --docs -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(`<!-- end of ${name} -->`);
  if (from < 0 || to < from) throw new Error(`the document has no place for ${name}`);
  return `${text.slice(0, from + begin.length)}\n\n${part}\n\n${text.slice(to)}`;
}

/** What was measured, beside its goals, under a line that says where. */
export function figureTable(facts, figures, rows = ROWS) {
  const lines = rows
    .filter(({ key }) => key in figures)
    .map((row) => {
      const value = figures[row.key];
      return [
        row.text,
        `${shown(value * (row.scale ?? 1))} ${row.unit}`.trim(),
        goalOf(row),
        metOf(row, value, figures),
      ];
    });
  return `${describe(facts)}\n\n${tableOf([['Figure', 'Measured', 'Goal', 'Met'], ...lines])}`;
}

function describe({ processor, cores, memoryGiB, node, babeltrace, browser, load }) {
  const machine = `${processor}, ${cores} cores, ${memoryGiB} GiB`;
  const note =
    load > 1.5
      ? ` Other programs kept the machine busy (load ${load.toFixed(0)}): times are longer than they need to be, and only ratios tell something.`
      : '';
  return `${machine}; Node ${node}, ${browser ?? 'no browser'}, babeltrace2 ${babeltrace}.${note}`;
}

function goalOf({ least, most, goal }) {
  if (goal !== undefined) return goal;
  if (least !== undefined) return `at least ${least}`;
  return most === undefined ? '' : `at most ${most}`;
}

function metOf({ least, most, met }, value, figures) {
  if (met !== undefined) return met(figures) ? 'yes' : 'no';
  if (least === undefined && most === undefined) return '';
  return value >= (least ?? -Infinity) && value <= (most ?? Infinity) ? 'yes' : 'no';
}

function shown(value) {
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
}
