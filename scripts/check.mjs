// `npm run check`: types, lint and the tests beside the code on SQLite only. For use while working; not the gate.

import { ensureDependencies } from './install.mjs'
import { finish, runLint, runTests, runTypes } from './steps.mjs'
import { ensureServers } from './test-servers.mjs'

ensureDependencies()
// What the tests need whatever the database.
ensureServers(['valkey', 'strace', 'zsh', 'fish'])

finish([await runTypes(), await runLint(), await runTests(['src', 'web', '--bail'], { PLAT_TEST_DIALECTS: 'sqlite' })])
