// `npm run check`: types, lint and the tests beside the code on SQLite only. For use while working; not the gate.

import { ensureDependencies } from './install.mjs'
import { finish, runLint, runTestsInParallel, runTypes } from './steps.mjs'
import { ensureServers } from './test-servers.mjs'
import { ensureVendors } from './vendors.mjs'

ensureDependencies()
// The servers that tests need with either database.
ensureServers(['valkey', 'strace', 'zsh', 'fish', 'openssl', 'named-compilezone'])
ensureVendors()

const env = {
  PLAT_TEST_DIALECTS: 'sqlite',
  // Only the full test makes networks, which takes half a minute.
  PLAT_TEST_LAB: 'off',
}
const [types, lint, tests] = await Promise.all([
  runTypes(),
  runLint(),
  runTestsInParallel(['src', 'web', 'testing', '--bail'], { env }),
])
finish([types, lint, tests])
