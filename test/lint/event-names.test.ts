/** Names of kernel events are spelled in one table: whoever decides by a name what an event means asks `isKind`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { EVENT_KINDS } from '../../src/engine/trace/event-kinds.ts';
import { projectDir } from '../support/shared.ts';

const TABLE = 'src/engine/trace/event-kinds.ts';
/** Where the format of a recorder gives events numbers, and an importer their names. */
const NUMBERS = 'src/engine/importers/perfetto/ftrace-fields.ts';

/** Commands of the tracer, examples for the user, and names that importers give: they decide nothing. */
const SPELLED: Readonly<Record<string, readonly string[]>> = {
  'src/app/plots/plots-dialog.tsx': ['sched_switch'],
  'src/app/recording/questions.ts': [
    ...['kvm_entry', 'kvm_exit', 'kvm_x86_entry', 'kvm_x86_exit'],
    ...['power_cpu_frequency', 'power_cpu_idle'],
  ],
  'src/engine/importers/ftrace-text/event-text.ts': [
    'irq_vectors:',
    'sys_',
    'syscalls:sys_enter_',
    'syscalls:sys_exit_',
  ],
  'src/engine/importers/field-events.ts': [
    ...['ftrace_thread', 'mark:async_begin', 'mark:async_end', 'mark:begin', 'mark:counter', 'mark:end'],
  ],
  'src/engine/importers/perf/other-records.ts': [
    ...['perf_comm', 'perf_exit', 'perf_fork'],
    ...['perf_switch_in', 'perf_switch_out', 'perf_switch_preempted'],
  ],
  // A kind of packets.
  'src/engine/importers/perfetto/packets.ts': ['sys_stats'],
  'src/engine/base/fault-meanings.ts': ['net_dev_queue', 'net_if_receive_skb'],
};

it('spells names of kernel events in the table alone', () => {
  expect(spelledNames()).toEqual(SPELLED);
});

function spelledNames(): Record<string, string[]> {
  const names = Object.values(EVENT_KINDS)
    .flatMap(({ events }): readonly string[] => events)
    .filter((name) => !name.startsWith('!'));
  const long = names.filter((name) => /[_:]/.test(name)).map((name) => name.replace(/\*$/, ''));
  const isName = new RegExp(
    `(?<![\\w:])(?:${long
      .map(escaped)
      .sort((a, b) => b.length - a.length)
      .join('|')})[\\w*]*`,
    'g',
  );
  const found: Record<string, string[]> = {};
  for (const file of sourceFiles()) {
    if (file === TABLE || file === NUMBERS || /\.test\.tsx?$/.test(file)) continue;
    const code = withoutComments(readFileSync(join(projectDir(), file), 'utf8'));
    const spelled = [...new Set(code.match(isName))].sort();
    if (spelled.length > 0) found[file] = spelled;
  }
  return found;
}

function sourceFiles(): string[] {
  const entries = readdirSync(join(projectDir(), 'src'), { withFileTypes: true, recursive: true });
  const paths = entries
    .filter(({ name }) => /\.tsx?$/.test(name))
    .map(({ parentPath, name }) => relative(projectDir(), join(parentPath, name)));
  return paths.sort();
}

function escaped(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Comments may name events. */
function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
}
