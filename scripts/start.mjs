// `npm start`: installs missing packages, builds the web UI if it is not current, then runs the server until it ends.

import { run } from './child.mjs'
import { bunPath, ensureDependencies } from './install.mjs'
import { ensureVendors } from './vendors.mjs'
import { ensureWeb } from './web.mjs'

ensureDependencies({ dev: false })
// The API is useful even if the build of the UI fails.
ensureWeb()
ensureVendors()
// Disables the engine's FTL compiler (docs/decisions/build.md#without-the-compiler-ftl). A value that is set stays.
const env = { BUN_JSC_useFTLJIT: 'false', ...process.env }
process.exitCode = await run(bunPath(), ['--no-env-file', 'src/main.ts', 'serve', ...process.argv.slice(2)], { env })
