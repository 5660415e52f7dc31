// `npm test`: everything, on a machine that may be fresh. Each step runs even if one before it failed.
// `npm test -- src/net` runs only the tests, and passes the arguments to `bun test`. `npm run test:times` also stores how long each file took.
// `npm run test:all` runs all tests on both engines, with all cases, and the tests that take minutes.

import { ensureGoTool, ensurePrograms } from './go-tools.mjs'
import { ensureDependencies } from './install.mjs'
import {
  ensureAnsible,
  ensureCanaille,
  ensureCheckJsonschema,
  ensureMoto,
  ensureNetboxClients,
  ensurePatroni,
  ensureSchemathesis,
} from './python-tools.mjs'
import {
  finish,
  runContract,
  runGolden,
  runLint,
  runTests,
  runTestsInParallel,
  runTypes,
  runWeb,
  TEST_FOLDERS,
} from './steps.mjs'
import { ensureLongServers, ensureServers } from './test-servers.mjs'
import { ensureVendors } from './vendors.mjs'

ensureDependencies()
ensureServers()
ensureVendors()
ensureAnsible()
ensureCanaille()
ensureCheckJsonschema()
ensureMoto()
ensureNetboxClients()
ensurePrograms('netbox')
ensurePrograms('sources')
if (process.env.PLAT_LONG === '1') {
  ensureLongServers()
  ensureGoTool('etcd')
  ensurePatroni()
}

const isMeasured = process.argv[2] === '--times'
const chosen = isMeasured ? [] : process.argv.slice(2)
if (chosen.length > 0) finish([await runWeb(), await runTests(chosen)])
else {
  ensureSchemathesis()
  const checks = await Promise.all([runTypes(), runLint(), runGolden(), runWeb()])
  const [tests, contract] = await Promise.all([runTestsInParallel(TEST_FOLDERS, { isMeasured }), runContract()])
  finish([...checks, tests, contract])
}
