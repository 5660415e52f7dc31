// `npm test`: everything, on a machine that may be fresh. Each step runs even if one before it failed.
// `npm test -- src/net` runs only the tests, with what follows handed to `bun test`.

import { ensureDependencies } from './install.mjs'
import { finish, runGolden, runLint, runTests, runTypes, runWeb } from './steps.mjs'
import { ensureServers } from './test-servers.mjs'
import { ensureVendors } from './vendors.mjs'

ensureDependencies()
ensureServers()
ensureVendors()

const chosen = process.argv.slice(2)
const results = []
if (chosen.length === 0) results.push(await runTypes(), await runLint(), await runGolden())
results.push(await runWeb())
results.push(await runTests(chosen))
finish(results)
