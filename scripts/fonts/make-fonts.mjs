// Makes the subsets of the fonts in web/src/styles/fonts, which are committed. Run it when a font or the list in subset.py changes.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../install.mjs'
import { ensureFontTools, fontToolsPython } from '../python-tools.mjs'

ensureFontTools()
const packages = join(root, 'node_modules', '@fontsource-variable')
const out = join(root, 'web', 'src', 'styles', 'fonts')
const script = join(import.meta.dirname, 'subset.py')
const { status } = spawnSync(fontToolsPython, [script, packages, out], { stdio: 'inherit' })
process.exitCode = status ?? 1
