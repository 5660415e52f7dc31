// `npm run test:lab`: the scanner on networks made for it, beside fping, nmap and arp-scan, with the goals it has to meet. Takes a
// quarter of an hour and root. `npm run test:lab -- deep` runs the rows with that word in their name.

import { run } from './child.mjs'
import { bunPath, ensureDependencies } from './install.mjs'
import { ensureLabTools } from './test-servers.mjs'
import { ensureVendors } from './vendors.mjs'

ensureDependencies()
ensureLabTools()
ensureVendors()
process.exitCode = await run(bunPath(), ['--no-env-file', 'testing/scanner-lab/whole.ts', ...process.argv.slice(2)])
