/** Vite plugin: makes `lessons/lessons.json` of the files in `public/lessons`. The build fails where one cannot be read. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultText } from '../src/engine/base/fault-text.ts';
import { parseLesson } from '../src/app/lessons/lesson.ts';

const LIST = 'lessons/lessons.json';

/** @returns {import('vite').Plugin} */
export function lessons() {
  let folder = '';
  return {
    name: 'wakepath-lessons',
    configResolved: ({ publicDir }) => void (folder = join(publicDir, 'lessons')),
    // A mistake is said before anything is built.
    buildStart: () => void listOf(folder),
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: LIST, source: listOf(folder) });
    },
    configureServer: ({ middlewares }) =>
      void middlewares.use(`/${LIST}`, (_, response) => response.end(listOf(folder))),
  };
}

/**
 * In order of their names, as JSON.
 * @param {string} folder
 */
export function listOf(folder) {
  const names = readdirSync(folder).filter((file) => file.endsWith('.md'));
  const heads = names.sort().map((file) => {
    const lesson = parseLesson(readFileSync(join(folder, file), 'utf8'), file.slice(0, -'.md'.length));
    if (!lesson.ok) throw new Error(faultText(lesson.fault));
    return { ...lesson.value, steps: undefined };
  });
  return `${JSON.stringify(heads, undefined, 1)}\n`;
}
