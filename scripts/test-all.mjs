// `npm run test:all`: nightly and before a release. All tests on both engines with all cases, the tests that take minutes, many generated
// requests, the packages, and the upgrade from the previous release. Needs root.

import { run } from './child.mjs'

const SCRIPTS = [
  'scripts/test.mjs',
  'scripts/contract/test-contract.mjs',
  'scripts/test-packages.mjs',
  'scripts/test-upgrade.mjs',
]
const env = {
  ...process.env,
  PLAT_TEST_ALL: '1',
  PLAT_LONG: '1',
  PLAT_CRASH_ROUNDS: process.env.PLAT_CRASH_ROUNDS ?? '200',
}

const failed = []
for (const script of SCRIPTS) if ((await run(process.execPath, [script], { env })) !== 0) failed.push(script)
console.log(failed.length === 0 ? '\nAll passed.' : `\nFailed: ${failed.join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1
