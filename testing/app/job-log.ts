/** Reads from the logs of several servers which jobs they ran (LOG_LEVEL=debug, LOG_FORMAT=json). */
import { z } from 'zod'

const Line = z.object({
  time: z.iso.datetime().transform((text) => Date.parse(text)),
  message: z.enum(['job begun', 'job done']),
  job: z.string(),
  fence: z.number(),
})

type Run = { readonly job: string; readonly fence: number; readonly begunMs: number[]; isDone: boolean }

/** A line is written slightly later than its event. */
const LATE_MS = 1000

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    // The line was incomplete when its server was killed.
    return undefined
  }
}

export const createLog = () => {
  const lines: string[] = []
  return {
    /** Reads the log of one server, piece by piece. */
    reader: () => {
      let rest = ''
      return (text: string): void => {
        const pieces = (rest + text).split('\n')
        rest = pieces.pop() ?? ''
        lines.push(...pieces.filter((line) => line.includes('"job ')))
      }
    },
    /** @param everyMs the interval of each of these jobs */
    judge: (everyMs: Readonly<Record<string, number>>) => {
      const runs = new Map<string, Run>()
      for (const line of lines) {
        const found = Line.safeParse(parsed(line)).data
        if (!found) continue
        const { job, fence, message, time } = found
        const key = `${job} ${fence}`
        const run = runs.get(key) ?? { job, fence, begunMs: [], isDone: false }
        runs.set(key, run)
        if (message === 'job begun') run.begunMs.push(time)
        else run.isDone = true
      }
      const all = [...runs.values()]
      const tooSoon = Object.entries(everyMs).flatMap(([job, ms]) => {
        const own = all.filter((run) => run.job === job).sort((a, b) => a.fence - b.fence)
        return own.flatMap((run, i) => {
          const before = own[i - 1]
          const gapMs = (run.begunMs[0] ?? 0) - (before?.begunMs[0] ?? 0)
          // An unfinished job runs again as soon as its lease has ended.
          return before?.isDone && gapMs < ms - LATE_MS ? [`${job} ${before.fence} -> ${run.fence}: ${gapMs} ms`] : []
        })
      })
      return {
        runs: all.length,
        twice: all.filter(({ begunMs }) => begunMs.length > 1).map(({ job, fence }) => `${job} ${fence}`),
        tooSoon,
      }
    },
  }
}
