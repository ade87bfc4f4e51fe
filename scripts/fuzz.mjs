/** `npm run fuzz`: builds the fuzzer and runs it with the options given. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { root } from './tools.mjs';

await build({ root, configFile: join(root, 'test/fuzz/vite.config.ts'), logLevel: 'warn' });
await import(pathToFileURL(join(root, 'build/fuzz/main.js')).href);
