// `npm start`: installs what is missing, then runs the server until it ends.

import { run } from './child.mjs'
import { bunPath, ensureDependencies } from './install.mjs'

ensureDependencies({ dev: false })
process.exitCode = await run(bunPath(), ['--no-env-file', 'src/main.ts', 'serve', ...process.argv.slice(2)])
