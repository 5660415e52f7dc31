// `npm run build:binary`: Plat as one executable in dist/bin, with the server, the command line, the scanner, the workers and the
// web UI inside. `-- linux-arm64 windows-x64` builds for other machines, `-- all` for all of them.

import { buildBinary, targets } from './binary.mjs'
import { run } from './child.mjs'
import { ensureDependencies, fail } from './install.mjs'
import { ensureVendors } from './vendors.mjs'
import { ensureWeb } from './web.mjs'

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => name !== 'all' && !targets.includes(name))
if (unknown.length > 0) fail(`There is no ${unknown.join(', ')}; there are ${targets.join(', ')}, and all.`)

ensureDependencies({ dev: false })
if (!ensureWeb()) fail('An executable without the web UI is not built.')
ensureVendors()

for (const target of asked.includes('all') ? targets : asked.length > 0 ? asked : [undefined]) {
  const { code, file, bytes } = await buildBinary({ target, run })
  if (code !== 0) process.exit(code)
  console.log(`${file}  ${(bytes / 2 ** 20).toFixed(1)} MiB`)
}
