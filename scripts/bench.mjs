// `npm run bench`: the benchmarks, on a machine that may be fresh. What follows `--` is for bench/all.ts.

import { run } from './child.mjs'
import { bunPath, ensureDependencies } from './install.mjs'
import { ensureNetbox } from './python-tools.mjs'
import { ensureServers } from './test-servers.mjs'

ensureDependencies()
if (process.argv.some((argument) => argument.split(',').includes('peers'))) {
  ensureServers(['postgres', 'valkey'])
  ensureNetbox()
}
process.exitCode = await run(bunPath(), ['bench/all.ts', ...process.argv.slice(2)])
