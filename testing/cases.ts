/** The number of random cases of a property test. */
import { testsAll } from './servers/servers.ts'

/** Returns a fifth of the cases, and with PLAT_TEST_ALL=1 all of them. @example countCases(1000) // 200 */
export const countCases = (all: number): number => (testsAll ? all : Math.ceil(all / 5))
