// `npm run test:packages`: the executable, the image's root, the Debian package and everything around them, tried as whoever gets them
// does. Needs root, for the roots that it makes; takes some minutes.

import { ensureDependencies, fail } from './install.mjs'
import { finish, runTests } from './steps.mjs'
import { ensurePackagingTools } from './test-servers.mjs'

if (process.getuid() !== 0) fail('The packages are tried in roots of their own, which takes root.')
ensureDependencies()
ensurePackagingTools()
finish([await runTests(['./packaging', ...process.argv.slice(2)])])
