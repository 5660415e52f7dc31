/** Fetches and converts a source in a process with bounds, which gets its secrets by the standard input and ends with all its memory. */
import { JobBoundError, runBoundedJob } from '../../base/jobs/bounded-job.ts'
import { AppError } from '../../contract/errors.ts'
import { type ConversionBounds, computeBounds, readMachineBytes } from '../../convert/convert.ts'
import { parseLines } from '../../kernel/jobs/text-job.ts'
import { createLimit } from './limit.ts'
import { readOutcome } from './outcome.ts'
import type { FetchFacts, SourceJob, SourceOutcome } from './protocol.ts'

/** The bytes of a push. */
export type Pushed = { readonly pieces: AsyncIterable<Uint8Array>; readonly length: number }

export type SourceReader = {
  /**
   * Reads a source. A failure of the system or of a snapshot is a part of the outcome.
   * @throws the reason of the signal; AppError UNAVAILABLE for a full disk
   */
  readonly read: (
    job: SourceJob,
    more: { readonly signal: AbortSignal; readonly pushed?: Pushed },
  ) => Promise<SourceOutcome>
}

export const NOTHING_FETCHED: FetchFacts = {
  product: '',
  requests: 0,
  bytes: 0,
  latencyMs: 0,
  certificate: null,
  warnings: [],
  log: [],
}

/** The largest outcome, which the server has in memory as a whole: 100,000 rows of 1 KiB and 200,000 ports have half of it. */
const MAX_OUTPUT_BYTES = 256 * 2 ** 20

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Returns the outcome of a process that was ended, or that has failed by a bug. */
const toOutcome = (error: unknown, job: SourceJob): SourceOutcome => {
  if (!(error instanceof AppError) || error.code === 'UNAVAILABLE') throw error
  const code = !(error instanceof JobBoundError) ? 'bad_answer' : error.bound === 'ms' ? 'timeout' : 'too_large'
  const message = error.details[0]?.message ?? error.message
  const field = job.do === 'push' ? { field: 'snapshot' as const } : {}
  return { ...NOTHING_FETCHED, isDone: false, error: { code, message: `the source ${message}`, ...field } }
}

/** @param dir the folder of temporary files. @param given other bounds than the usual ones */
export const createSourceReader = (dir: string, given: Partial<ConversionBounds> = {}): SourceReader => {
  const usual = { ...computeBounds(readMachineBytes()), outputBytes: MAX_OUTPUT_BYTES }
  const { atOnce, ms, ...bounds } = { ...usual, ...given }
  // A person waits for a test, which is short: it does not wait for runs.
  const [runLimited, testLimited] = [createLimit(atOnce), createLimit(atOnce)]

  const read = async (job: SourceJob, signal: AbortSignal, pushed: Pushed): Promise<SourceOutcome> => {
    const output = await runBoundedJob({
      command: 'source-child',
      // The time of a fetch, and then that of a conversion.
      bounds: { ...bounds, ms: ms + (job.do === 'push' ? 0 : job.timeoutMs) },
      job,
      bytes: pushed.pieces,
      length: pushed.length,
      field: 'snapshot',
      dir,
      signal,
    })
    try {
      return readOutcome(await parseLines(output))
    } finally {
      await output.close()
    }
  }

  return {
    read: async (job, { signal, pushed = { pieces: nothing(), length: 0 } }) => {
      try {
        const limited = job.do === 'test' ? testLimited : runLimited
        return await limited(() => read(job, signal, pushed), signal)
      } catch (error) {
        signal.throwIfAborted()
        return toOutcome(error, job)
      }
    },
  }
}
