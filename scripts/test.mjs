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
// None of these needs another; the tests are measured against time here and there, and run alone.
const results = await Promise.all([...(chosen.length === 0 ? [runTypes(), runLint(), runGolden()] : []), runWeb()])
results.push(await runTests(chosen))
finish(results)
