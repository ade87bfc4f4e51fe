/** `npm run conform`: compares what is read with golden results, as `test/conformance/harness/main.ts` says. */
import { join } from 'node:path';
import { createServer } from 'vite';
import { root } from './tools.mjs';

const server = await createServer({
  root,
  configFile: join(root, 'vite.cli.config.ts'),
  server: { middlewareMode: true, ws: false, watch: null },
  optimizeDeps: { noDiscovery: true },
});
const { runConform } = await server.ssrLoadModule('/test/conformance/harness/main.ts');
process.exitCode = await runConform(process.argv.slice(2));
await server.close();
