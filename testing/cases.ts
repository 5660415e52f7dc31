/** The parts that only `npm run test:all` runs: more random cases, and tests that take long. */
import { describe, test } from 'bun:test'
import { testsAll } from './tests-all.ts'

/** Returns a fifth of the cases, and with PLAT_TEST_ALL=1 all of them. @example countCases(1000) // 200 */
export const countCases = (all: number): number => (testsAll ? all : Math.ceil(all / 5))

/** A test that takes long. A quicker one in its file fails by the same main faults at each submission. */
export const testAll = test.skipIf(!testsAll)

/** The same for a suite, whose hooks then don't run either. */
export const describeAll = describe.skipIf(!testsAll)

/** Returns one row in so many of a table that proves the same of different things, and with PLAT_TEST_ALL=1 all rows. */
export const takeOneIn = <T>(count: number, all: readonly T[]): readonly T[] =>
  testsAll ? all : all.filter((_, index) => index % count === 0)
