// `npm run test:packages`: tests the executable, the root of the image, the Debian package and their files as users
// get them. Needs root, to make the root folders. Takes some minutes.

import { ensureGoTool } from './go-tools.mjs'
import { ensureDependencies, fail } from './install.mjs'
import { ensureKubernetesValidate } from './python-tools.mjs'
import { finish, runTests } from './steps.mjs'
import { ensurePackagingTools } from './test-servers.mjs'

if (process.getuid() !== 0) fail('The packages are tried in separate root folders, which needs root.')
ensureDependencies()
ensurePackagingTools()
ensureGoTool('helm')
ensureKubernetesValidate()
ensureGoTool('litestream')
finish([await runTests(['./packaging', ...process.argv.slice(2)])])
