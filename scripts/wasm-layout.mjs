/**
 * What kernels import of the engine's files: `import { THREAD, KIND_USER } from '../../engine/linux/reduce/thread-table'`
 * in AssemblyScript gets a module that is made of what that file of TypeScript exports. So a table or a number has one
 * definition, and what a kernel imports is there or its build fails. Exports become:
 *
 * - a whole number: a constant, `i32` where it fits, else `f64`;
 * - a list of names (`as const`): a namespace that has for each name its place, and `length`;
 * - the form of a table (`engine/base/tables.ts`): a class. Its instances are the table's directories: a field for each
 *   column, then `capacity` in rows. Where a kernel works on one table of the form, `bind(directory)` keeps the columns
 *   in static fields of the class.
 */
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const SOURCES = fileURLToPath(new URL('../src', import.meta.url));
const IMPORT = /from '((?:\.\.\/)+engine\/[^']+)'/g;
/** Class of a column by its typed array (`src/wasm/columns.ts`). */
const COLUMNS = {
  Float64Array: 'F64Column',
  Int32Array: 'I32Column',
  Uint32Array: 'U32Column',
  Uint8Array: 'U8Column',
};

/**
 * The modules that these sources import of the engine, by path below `src`, without ending.
 * @param {ReadonlyMap<string, string>} sources texts of AssemblyScript by absolute path
 * @param {(path: string, exports: object) => object} seen what a file is taken to export, for tests
 * @returns {Promise<{ modules: Map<string, string>, files: string[] }>} `files`: what they are made of, absolute
 * @throws where an imported file is not there
 */
export async function engineModules(sources, seen = (_path, exports) => exports) {
  const paths = [...new Set([...sources].flatMap(([file, text]) => importsOf(file, text)))].sort();
  if (paths.length === 0) return { modules: new Map(), files: [] };
  const { exports, files } = await loadEngine(paths);
  const textOf = (path, i) => moduleText(path, seen(path, exports[i]));
  return { modules: new Map(paths.map((path, i) => [path, textOf(path, i)])), files };
}

function importsOf(file, text) {
  const imports = [...text.matchAll(IMPORT)];
  return imports.map(([, path]) => relative(SOURCES, join(dirname(file), path)));
}

/** Runs the files of the engine, without kernels: what they export. */
async function loadEngine(paths) {
  const contents = paths.map((path, i) => `export * as m${i} from './${path}.ts';`).join('\n');
  const bundle = await rolldown({
    cwd: SOURCES,
    input: ENTRY,
    platform: 'node',
    plugins: [entryOf(contents)],
  });
  const { output } = await bundle.generate({ format: 'es', codeSplitting: false });
  const files = (await bundle.watchFiles).filter((file) => file.endsWith('.ts') && file !== ENTRY);
  await bundle.close();
  const code = Buffer.from(output[0].code).toString('base64');
  const loaded = await import(`data:text/javascript;base64,${code}`);
  return { exports: paths.map((_, i) => loaded[`m${i}`]), files };
}

const ENTRY = join(SOURCES, 'entry-of-kernels.ts');

/** Answers for a file that is not there, and for kernels, which are empty texts. */
function entryOf(contents) {
  return {
    name: 'entry-of-kernels',
    resolveId: (id) => (id === ENTRY || id.startsWith('wasm:') ? id : undefined),
    load(id) {
      if (id === ENTRY) return contents;
      return id.startsWith('wasm:') ? "export default '';" : undefined;
    },
  };
}

/** @param {string} path below `src`, without ending */
export function moduleText(path, exports) {
  const columns = relative(dirname(path), 'wasm/columns');
  const head = `import { ${Object.values(COLUMNS).join(', ')} } from '${columns}';`;
  const parts = Object.entries(exports).map(([name, value]) => exportText(name, value));
  return [head, ...parts].filter((part) => part !== undefined).join('\n');
}

function exportText(name, value) {
  if (Number.isInteger(value)) return `export const ${name}: ${typeOf(value)} = ${literalOf(value)};`;
  if (Array.isArray(value) && value.every(isName)) return placesText(name, value);
  return isForm(value) ? tableText(name, value) : undefined;
}

function typeOf(value) {
  return value === (value | 0) ? 'i32' : 'f64';
}

/** A double of many digits must not be taken for an integer. */
function literalOf(value) {
  return typeOf(value) === 'i32' || Math.abs(value) >= 1e21 ? `${value}` : `${value}.0`;
}

function isName(value) {
  return typeof value === 'string' && /^[A-Za-z_]\w*$/.test(value);
}

function isForm(value) {
  const columns = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return columns.length > 0 && columns.every((column) => COLUMNS[column?.array?.name] !== undefined);
}

function placesText(name, names) {
  const places = names.map((own, place) => `  export const ${own}: i32 = ${place};`);
  return [`export namespace ${name} {`, ...places, `  export const length: i32 = ${names.length};`, '}'].join(
    '\n',
  );
}

function tableText(name, form) {
  const columns = Object.entries(form).map(([column, { array }]) => [column, COLUMNS[array.name]]);
  return [
    `@unmanaged export class ${name} {`,
    ...columns.map(([column, type]) => `  ${column}: ${type} = changetype<${type}>(0);`),
    '  capacity: i32 = 0;',
    ...columns.map(([column, type]) => `  static ${column}: ${type} = changetype<${type}>(0);`),
    `  static bind(directory: ${name}): void {`,
    ...columns.map(([column]) => `    ${name}.${column} = directory.${column};`),
    '  }',
    '}',
  ].join('\n');
}
