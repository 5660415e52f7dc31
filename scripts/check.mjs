// `npm run check`: types, lint and the tests beside the code on SQLite only. For use while working; not the gate.

import { ensureDependencies } from './install.mjs'
import { finish, runLint, runTests, runTypes } from './steps.mjs'
import { ensureServers } from './test-servers.mjs'
import { ensureVendors } from './vendors.mjs'

ensureDependencies()
// What the tests need whatever the database.
ensureServers(['valkey', 'strace', 'zsh', 'fish', 'openssl'])
ensureVendors()

finish([
  await runTypes(),
  await runLint(),
  await runTests(['src', 'web', '--bail'], {
    PLAT_TEST_DIALECTS: 'sqlite',
    // Networks are made by the gate alone: they take half a minute.
    PLAT_TEST_LAB: 'off',
  }),
])
