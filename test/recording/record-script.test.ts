/**
 * `record.sh` and the recording guide of the page, run with a program that only writes down how it was called in the place of
 * `lttng`: both record the same, and the script says what is wrong.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { KIT, QUESTIONS } from '../../src/app/recording/questions.ts';
import { recordingPlan, type Span } from '../../src/app/recording/recording-plan.ts';
import { projectDir } from '../support/shared.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SCRIPT = join(projectDir(), 'recording/record.sh');
const work = temporaryFolder();
const bin = join(work, 'bin');
const build = join(work, 'build');
const log = join(work, 'log');
const PROGRAM = '/bin/sh';

/** @param kernel whether the kernel can be recorded */
function stubs(kernel = true): void {
  for (const folder of [bin, build]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
  }
  const lines = ['#!/bin/sh', `for word in "$@"; do printf '%s\\t' "$word"; done >> ${log}; echo >> ${log}`];
  if (!kernel) lines.push('case "$*" in *--kernel*) exit 1;; esac');
  writeFileSync(join(bin, 'lttng'), `${lines.join('\n')}\n`, { mode: 0o755 });
  // It prints what it was started with. Removed first: one that still runs cannot be written over.
  rmSync(join(work, 'the-slow-thing'), { force: true });
  copyFileSync('/usr/bin/env', join(work, 'the-slow-thing'));
  for (const name of ['make', 'sleep']) writeFileSync(join(bin, name), '#!/bin/sh\n', { mode: 0o755 });
  // No libraries, so that nothing is loaded, but files that the linker takes as empty ones.
  for (const name of [...KIT.kitLibraries, ...KIT.ustLibraries]) symlinkSync(libc(), join(build, name));
}

/** A library that may be loaded twice. */
function libc(): string {
  const { stdout } = spawnSync('sh', ['-c', `ldd ${PROGRAM} | awk '$2 == "=>" { print $3 }' | grep libc`], {
    encoding: 'utf8',
  });
  return stdout.trim().split('\n')[0];
}

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  rmSync(log, { force: true });
  const all = { ...process.env, PATH: `${bin}:${process.env.PATH}`, WAKEPATH_BUILD: build, ...env };
  // The library of lttng-ust is found where it is installed; here it need not be.
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    cwd: work,
    env: { LD_LIBRARY_PATH: build, ...all },
  });
  const called = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : [];
  return { status, stdout, stderr, called: called.map((line) => line.trimEnd().split('\t')) };
}

/** What calls of `lttng` record: events and contexts by channel, and buffers. */
function recorded(called: readonly (readonly string[])[]) {
  const words = called
    .filter(([verb]) => /^(enable-|add-context)/.test(verb))
    .map((call) => call.filter((word) => !/^--session=/.test(word)));
  const events = words.flatMap(([verb, ...rest]) =>
    verb !== 'enable-event' || rest.includes('--syscall') ? [] : (rest.at(-1) ?? '').split(','),
  );
  return {
    events,
    others: words.filter(([verb, ...rest]) => verb !== 'enable-event' || rest.includes('--syscall')),
  };
}

function runPlan(ids: ReadonlySet<string>, span: Span) {
  rmSync(join(work, 'my-trace'), { recursive: true, force: true });
  return run('sh', ['-ec', recordingPlan(ids, span, 'lttng')]);
}

/** Names of the libraries that a program was started with, by its environment. */
function preloaded(environment: string): readonly (string | undefined)[] {
  const paths = /^LD_PRELOAD=(.*)$/m.exec(environment)?.[1] ?? '';
  return paths
    .trim()
    .split(' ')
    .map((path) => path.split('/').at(-1));
}

const KIT_QUESTIONS = new Set(QUESTIONS.filter(({ record }) => record.kit).map(({ id }) => id));
const IDS = QUESTIONS.map(({ id }) => id);
/** Events of programs that somebody else has to name. */
const OWN = ['app:request_begin', 'app:request_end'];

const isLinux = process.platform === 'linux';
if (!isLinux) console.warn('record.sh is not tried: it is for Linux');

describe.skipIf(!isLinux)('the recording guide and record.sh', () => {
  beforeEach(() => {
    stubs();
    rmSync(join(work, 'my-trace'), { recursive: true, force: true });
  });

  it('record the same: channels, contexts, libraries, files; and the guide no event that the kit lacks', () => {
    const byKit = run(SCRIPT, ['my-trace', './the-slow-thing'], { WAKEPATH_EVENTS: undefined });
    expect(byKit.status, byKit.stderr).toBe(0);
    const kit = recorded(byKit.called);
    const kitFiles = readdirSync(join(work, 'my-trace/elf')).sort();
    expect(kitFiles).toContain('the-slow-thing');
    const byGuide = runPlan(new Set([...KIT_QUESTIONS, 'waits', 'calls', 'disks', 'network']), 'rotation');
    expect(byGuide.status, byGuide.stderr).toBe(0);
    const guide = recorded(byGuide.called);
    expect(readdirSync(join(work, 'my-trace/elf')).sort()).toEqual(kitFiles);
    expect(guide.others).toEqual(kit.others);
    // All events of programs, or those of the kit.
    expect(kit.events.slice(-1)).toEqual(['*']);
    const ofKernel = guide.events.filter((name) => !name.includes(':'));
    expect([...ofKernel].sort()).toEqual(kit.events.slice(0, -1).sort());
    expect(guide.events.filter((name) => name.includes(':')).sort()).toEqual(
      [...KIT.locks, ...KIT.stacks, ...KIT.addresses].sort(),
    );
    expect(preloaded(byGuide.stdout)).toEqual(preloaded(byKit.stdout));
    expect(preloaded(byKit.stdout)).toEqual([...KIT.kitLibraries, ...KIT.ustLibraries]);
  });

  it.each(IDS)('record all events that are asked for: %s', (id) => {
    const { events } = recorded(runPlan(new Set([id]), 'snapshot').called);
    const { record } = QUESTIONS.find((question) => question.id === id) ?? QUESTIONS[0];
    expect(events).toEqual([...(record.kernel ?? []), ...(record.programs ?? [])]);
    if (record.kit !== true) return;
    // As the kit is told by the guide.
    const plan =
      recordingPlan(new Set([id]), 'while', 'lttng')
        .split('\n')
        .at(-1) ?? '';
    expect(plan).toContain('recording/record.sh my-trace');
  });

  it('record what the kit has to be told', () => {
    const plan =
      recordingPlan(new Set(['stacks', 'power', 'guest']), 'while', 'lttng')
        .split('\n')
        .at(-1) ?? '';
    const [, extra] = /^WAKEPATH_KERNEL_EVENTS='(.*)' /.exec(plan) ?? [];
    expect(extra).toBe('power_cpu_frequency power_cpu_idle kvm_x86_entry kvm_x86_exit');
    const { events } = recorded(
      run(SCRIPT, ['my-trace', PROGRAM, '-c', ''], { WAKEPATH_KERNEL_EVENTS: extra }).called,
    );
    expect(events).toEqual(expect.arrayContaining(extra.split(' ')));
    const all = QUESTIONS.flatMap(({ record }) => record.programs ?? []).filter(
      (name) => !OWN.includes(name),
    );
    expect(new Set(all)).toEqual(new Set([...KIT.locks, ...KIT.stacks, ...KIT.addresses]));
  });
});

describe.skipIf(!isLinux)('record.sh', () => {
  beforeEach(() => {
    stubs();
    rmSync(join(work, 'my-trace'), { recursive: true, force: true });
  });

  it('ends as the program does, whose output is all that is on stdout', () => {
    const { status, stdout } = run(SCRIPT, ['my-trace', PROGRAM, '-c', 'echo said; exit 7']);
    expect([status, stdout]).toEqual([7, 'said\n']);
  });

  it.each([
    ['no arguments', [], 'two arguments or more are expected'],
    ['no program', ['my-trace'], 'two arguments or more are expected'],
    ['a program that is not there', ['my-trace', './missing'], 'there is no program ./missing'],
    ['a word of the shell', ['my-trace', 'cd'], 'cd is no file of a program'],
    ['a folder that is there', ['build', PROGRAM], 'build is there already'],
  ])('refuses %s, and leaves no folder', (_, args, says) => {
    const { status, stderr, called } = run(SCRIPT, args);
    expect([status, stderr]).toEqual([2, expect.stringContaining(`record.sh: ${says}`)]);
    expect(called).toEqual([]);
    expect(existsSync(join(work, 'my-trace'))).toBe(false);
  });

  it('refuses to record without its libraries, or where they cannot be loaded', () => {
    rmSync(join(build, KIT.kitLibraries[1]));
    const missing = run(SCRIPT, ['my-trace', PROGRAM]);
    expect([missing.status, missing.stderr]).toEqual([2, expect.stringContaining('run make -C')]);
    writeFileSync(join(build, KIT.kitLibraries[1]), 'no library');
    const wrong = run(SCRIPT, ['my-trace', PROGRAM]);
    expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining(KIT.kitLibraries[1])]);
    expect(existsSync(join(work, 'my-trace'))).toBe(false);
  });

  it('leaves no folder where the tracer refuses to begin', () => {
    writeFileSync(join(bin, 'lttng'), '#!/bin/sh\ncase $1 in create) echo refused >&2; exit 3;; esac\n');
    const { status, stderr } = run(SCRIPT, ['my-trace', PROGRAM]);
    expect([status, stderr]).toEqual([3, expect.stringContaining('refused')]);
    expect(existsSync(join(work, 'my-trace'))).toBe(false);
  });

  it('says where the kernel is not recorded, a program is no ELF file, or nothing was recorded', () => {
    stubs(false);
    writeFileSync(join(work, 'script'), '#!/bin/sh\n', { mode: 0o755 });
    const { status, stderr } = run(SCRIPT, ['my-trace', './script']);
    expect(status).toBe(0);
    for (const says of ['only the program is recorded', './script is a script', 'no event of ./script'])
      expect(stderr).toContain(says);
  });
});
