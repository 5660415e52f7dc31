// `npm run test:upgrade`: the previous release out of git and this one, side by side on one PostgreSQL under load.

import { join } from 'node:path'
import { ensureDependencies, fail, root } from './install.mjs'
import { checkOut, previousRelease } from './previous-release.mjs'
import { finish, runTests } from './steps.mjs'
import { ensureServers } from './test-servers.mjs'
import { ensureVendors } from './vendors.mjs'

ensureDependencies()
ensureServers(['postgres'])
ensureVendors()

const before = (() => {
  try {
    const { name, commit } = previousRelease(root)
    console.log(`The previous release is ${name}.`)
    return checkOut(root, commit, join(root, '.cache', 'upgrade'))
  } catch (error) {
    return fail(error.message)
  }
})()
finish([await runTests(['./tests/upgrades/rolling-upgrade.test.ts'], { PLAT_UPGRADE_FROM: before })])
