// `npm run check`: types, lint and the tests beside the code on SQLite only. For use while working; not the gate.

import { ensureDependencies } from './install.mjs'
import { finish, runLint, runTests, runTypes } from './steps.mjs'
import { ensureServers } from './test-servers.mjs'
import { ensureVendors } from './vendors.mjs'

ensureDependencies()
// The servers that tests need with either database.
ensureServers(['valkey', 'strace', 'zsh', 'fish', 'openssl', 'named-compilezone'])
ensureVendors()

finish([
  await runTypes(),
  await runLint(),
  await runTests(['src', 'web', '--bail'], {
    PLAT_TEST_DIALECTS: 'sqlite',
    // Only the full test makes networks, which takes half a minute.
    PLAT_TEST_LAB: 'off',
  }),
])
