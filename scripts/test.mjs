// `npm test`: everything, on a machine that may be fresh. Each step runs even if one before it failed.
// `npm test -- src/net` runs only the tests, with what follows handed to `bun test`.

import { ensureDependencies } from './install.mjs'
import { finish, runGolden, runLint, runPages, runTests, runTypes, runWeb } from './steps.mjs'
import { ensureServers } from './test-servers.mjs'
import { ensureVendors } from './vendors.mjs'

ensureDependencies()
ensureServers()
ensureVendors()

const chosen = process.argv.slice(2)
if (chosen.length > 0) finish([await runWeb(), await runTests(chosen)])
else {
  const checks = await Promise.all([runTypes(), runLint(), runGolden(), runWeb()])
  // A browser waits for most of its time: the tests that have one run beside those that have none.
  finish([...checks, ...(await Promise.all([runTests(['./src', './web']), runPages()]))])
}
