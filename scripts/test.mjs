// `npm test`: everything, on a machine that may be fresh. Each step runs even if one before it failed.
// `npm test -- src/net` runs only the tests, and passes the arguments to `bun test`.

import { ensureGoTool } from './go-tools.mjs'
import { ensureDependencies } from './install.mjs'
import { ensureAnsible, ensureCanaille, ensurePatroni, ensureSchemathesis } from './python-tools.mjs'
import {
  finish,
  runBusy,
  runContract,
  runFeatures,
  runGolden,
  runLater,
  runLint,
  runPages,
  runPrograms,
  runTests,
  runTypes,
  runWaiting,
  runWeb,
} from './steps.mjs'
import { ensureLongServers, ensureServers } from './test-servers.mjs'
import { ensureVendors } from './vendors.mjs'

ensureDependencies()
ensureServers()
ensureVendors()
ensureAnsible()
ensureCanaille()
if (process.env.PLAT_LONG === '1') {
  ensureLongServers()
  ensureGoTool('etcd')
  ensurePatroni()
}

const chosen = process.argv.slice(2)
if (chosen.length > 0) finish([await runWeb(), await runTests(chosen)])
else {
  ensureSchemathesis()
  const checks = await Promise.all([runTypes(), runLint(), runGolden(), runWeb()])
  // The longest first. More of them at once end no earlier, and time out.
  const steps = [
    runPages,
    runFeatures,
    () => runBusy(['./src', './web', './bench']),
    runPrograms,
    runLater,
    runContract,
  ]
  const results = []
  const lane = async () => {
    for (let step = steps.shift(); step; step = steps.shift()) results.push(await step())
  }
  const [waiting] = await Promise.all([runWaiting(), lane(), lane(), lane()])
  finish([...checks, waiting, ...results])
}
