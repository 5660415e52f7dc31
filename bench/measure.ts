/** All measurements, in the order in which they don't disturb each other. */
import { authorized, type Bench, type Result, type Work } from './bench.ts'
import { startBare, startPlat } from './servers.ts'
import type { Prepared } from './setup.ts'
import { free } from './works/free.ts'
import { getAll } from './works/get-all.ts'
import { getOne } from './works/get-one.ts'
import { idle } from './works/idle.ts'
import { pools } from './works/pools.ts'
import { search } from './works/search.ts'
import { utilization } from './works/utilization.ts'
import { write } from './works/write.ts'

/** Works that only read run first, on the estate as imported. */
const WORKS: readonly Work[] = [getOne, getAll, search, utilization, write, pools, free]
const IDLE = 'idle'

export type Choice = {
  readonly devices: number
  readonly isWanted: (name: string) => boolean
  /** Called with the name of the next measurement. */
  readonly say: (text: string) => void
}

export const measure = async (prepared: Prepared, { devices, isWanted, say }: Choice): Promise<Result[]> => {
  const { dataDir, bareFile, key, deviceIds } = prepared
  const results: Result[] = []
  if (isWanted(IDLE)) {
    say(`${IDLE} ...`)
    results.push(...(await idle(dataDir)))
  }
  const plat = await startPlat(dataDir)
  const bare = await startBare(bareFile)
  const bench: Bench = { devices, deviceIds, plat, bare, request: authorized(key) }
  try {
    for (const { name, run } of WORKS) {
      if (!isWanted(name)) continue
      say(`${name} ...`)
      results.push(...(await run(bench)))
    }
  } finally {
    await plat.stop()
    await bare.stop()
  }
  return results
}
