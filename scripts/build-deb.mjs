// `npm run build:deb`: a Debian package in dist, made of the executable. `-- --target linux-arm64` makes one for another machine,
// `-- --revision 2` a second one of the same version.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { binaryPath, buildBinary } from './binary.mjs'
import { run } from './child.mjs'
import { buildDeb } from './deb.mjs'
import { ensureDependencies, fail } from './install.mjs'
import { ensureVendors } from './vendors.mjs'
import { ensureWeb } from './web.mjs'

const { values } = parseArgs({
  options: {
    target: { type: 'string' },
    revision: { type: 'string', default: '1' },
    /** For tests: uses the existing dist/bin. */
    'no-build': { type: 'boolean', default: false },
    /** For tests: compresses little, because compression takes most of the time. */
    quick: { type: 'boolean', default: false },
  },
})
const { target, revision } = values
if (target !== undefined && !['linux-x64', 'linux-arm64'].includes(target))
  fail(`There are packages for linux-x64 and linux-arm64, not for ${target}.`)
if (!/^\d+$/.test(revision)) fail('--revision takes a number.')
if (spawnSync('dpkg-deb', ['--version'], { stdio: 'ignore' }).status !== 0) fail('dpkg-deb is missing (package dpkg).')

ensureDependencies({ dev: false })
if (!values['no-build']) {
  if (!ensureWeb()) fail('An executable without the web UI is not built.')
  ensureVendors()
  const { code } = await buildBinary({ target, run })
  if (code !== 0) process.exit(code)
}
if (!existsSync(binaryPath(target))) fail(`There is no ${binaryPath(target)}.`)
console.log(buildDeb({ target, revision, isQuick: values.quick }))
