// `npm test`: everything, on a machine that may be fresh. Each step runs even if one before it failed.
// `npm test -- src/net` runs only the tests, and passes the arguments to `bun test`.

import { ensureDependencies } from './install.mjs'
import { ensureAnsible, ensureSchemathesis } from './python-tools.mjs'
import {
  finish,
  runBusy,
  runContract,
  runFeatures,
  runGolden,
  runLater,
  runLint,
  runPages,
  runTests,
  runTypes,
  runWaiting,
  runWeb,
} from './steps.mjs'
import { ensureServers } from './test-servers.mjs'
import { ensureVendors } from './vendors.mjs'

ensureDependencies()
ensureServers()
ensureVendors()
ensureAnsible()

const chosen = process.argv.slice(2)
if (chosen.length > 0) finish([await runWeb(), await runTests(chosen)])
else {
  ensureSchemathesis()
  const checks = await Promise.all([runTypes(), runLint(), runGolden(), runWeb()])
  // The browser and some tests mostly wait, so they run beside the tests that use a core.
  const later = async () => [await runContract(), await runLater()]
  const tests = [runBusy(['./src', './web', './bench']), runFeatures(), runWaiting(), runPages(), later()]
  finish([...checks, ...(await Promise.all(tests)).flat()])
}
