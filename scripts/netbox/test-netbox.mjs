// `npm run test:netbox`: installs a real NetBox, fills it, imports it into Plat, and compares the inventories that Ansible makes of
// both. With `--record` it rewrites the answers of NetBox that `npm test` uses.

import { ensureDependencies } from '../install.mjs'
import { ensureNetbox, ensureNetboxClients } from '../python-tools.mjs'
import { finish, runTests } from '../steps.mjs'
import { ensureServers } from '../test-servers.mjs'
import { ensureVendors } from '../vendors.mjs'

ensureDependencies()
ensureServers(['postgres', 'valkey'])
ensureVendors()
ensureNetbox()
ensureNetboxClients()

finish([
  await runTests(['./tests/netbox/whole.test.ts'], {
    PLAT_NETBOX: process.argv.includes('--record') ? 'record' : 'compare',
  }),
])
