// `npm run bench`: the benchmarks, on a machine that may be fresh. What follows `--` is for bench/all.ts.

import { run } from './child.mjs'
import { bunPath, ensureDependencies } from './install.mjs'

ensureDependencies()
process.exitCode = await run(bunPath(), ['bench/all.ts', ...process.argv.slice(2)])
