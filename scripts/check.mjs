// `npm run check`: types, lint, golden files, and the quick tests that need no server and no database. For use while working; not the
// gate. Takes less than a minute on two cores, and says how long.

import { availableParallelism } from 'node:os'
import { ensureDependencies } from './install.mjs'
import { finish, readTimes, runGolden, runLint, runTestsInParallel, runTypes } from './steps.mjs'
import { findUnitTests } from './unit-tests.mjs'
import { ensureVendors } from './vendors.mjs'

const startMs = performance.now()
ensureDependencies()
ensureVendors()

const results = await Promise.all([
  runTypes(),
  runLint(),
  runGolden(),
  runTestsInParallel([...findUnitTests(readTimes()), '--bail'], { workers: availableParallelism() }),
])
finish(results)
console.log(`in ${((performance.now() - startMs) / 1000).toFixed(0)} s`)
