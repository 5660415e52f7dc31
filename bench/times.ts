/** The times of requests to a server in this process. */
import { quantile } from './numbers.ts'

type Request = (method: string, path: string) => Promise<Response>

/** Returns a function that sends requests to paths in turn, one after another, and prints the median and the 95th percentile. */
export const createTimer =
  (request: Request, rounds: number) =>
  async (what: string, paths: readonly string[]): Promise<void> => {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      const path = paths[round % paths.length] ?? ''
      const beganMs = performance.now()
      await (await request('GET', path)).text()
      times.push(performance.now() - beganMs)
    }
    const at = (share: number): string => quantile(times, share).toFixed(2)
    console.log(`${what}: median ${at(0.5)} ms, p95 ${at(0.95)} ms`)
  }
