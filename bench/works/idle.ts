/** Start time and memory of an idle server on a full database. */
import { plain, type Result } from '../bench.ts'
import { median, megabytes, milliseconds, quantile } from '../numbers.ts'
import { startPlat } from '../servers.ts'

const STARTS = 5
const GOAL = { startMs: 1000, bytes: 120e6 }
/** Until start-up's garbage is collected, or not. */
const SETTLE_MS = 2000

/** On a data folder that no other server uses. */
export const idle = async (dataDir: string): Promise<Result[]> => {
  const starts: number[] = []
  const memories: number[] = []
  for (let i = 0; i < STARTS; i++) {
    const server = await startPlat(dataDir)
    starts.push(server.startMs)
    await Bun.sleep(SETTLE_MS)
    memories.push(await server.memory())
    await server.stop()
  }
  const startMs = median(starts)
  const bytes = median(memories)
  return [
    plain({
      work: 'start to /healthz',
      ours: `${milliseconds(startMs)} (worst ${milliseconds(quantile(starts, 1))})`,
      goal: `< ${milliseconds(GOAL.startMs)}`,
      isMet: startMs < GOAL.startMs,
      numbers: { ms: startMs },
    }),
    plain({
      work: 'idle memory',
      ours: megabytes(bytes),
      goal: `< ${megabytes(GOAL.bytes)}`,
      isMet: bytes < GOAL.bytes,
      numbers: { bytes },
    }),
  ]
}
