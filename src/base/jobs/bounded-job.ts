/** Runs a job on untrusted bytes in a process with bounds, and keeps its output. The other half is `bounded-job-child.ts`. */

import { AppError, invalidField } from '../../contract/errors.ts'
import { runBounded } from '../child/bounded-process.ts'
import { type Bounds, formatBound, formatSignal } from '../child/bounds.ts'
import { createSpool, type Spool } from '../runtime/spool.ts'
import { JOB_EXIT, type JobFailure, type JobLine } from './bounded-job-protocol.ts'

export type BoundedJob = {
  /** The hidden command that runs it. */
  readonly command: string
  readonly bounds: Bounds
  /** The options of the command, beside the bytes. They must be JSON. */
  readonly job: object
  readonly bytes: AsyncIterable<Uint8Array>
  /** The number of these bytes. */
  readonly length: number
  /** The field of the request that holds the bytes. Errors name it. */
  readonly field: string
  /** The folder for an output that does not fit into memory. */
  readonly dir: string
  readonly signal: AbortSignal
}

export type JobOutput = Pick<Spool, 'read' | 'close'> & { readonly length: number }

/** More than an error has, in bytes. */
const MAX_FAILURE = 1024 * 1024

/** Returns a whole output. */
export const readWhole = async ({ read }: Pick<Spool, 'read'>): Promise<Buffer> => {
  const pieces: Uint8Array[] = []
  // A piece is valid until the next one is requested.
  for await (const piece of read()) pieces.push(piece.slice())
  return Buffer.concat(pieces)
}

/** The process was ended at a bound, or has ended by itself: it may have needed more memory than there is. */
export class JobBoundError extends AppError {
  constructor(
    field: string,
    message: string,
    readonly bound: keyof Bounds,
  ) {
    const { code, message: text, details } = invalidField(field, message)
    super(code, text, { details })
  }
}

/** @throws AppError always */
const throwFailure = async (spool: Spool, length: number): Promise<never> => {
  if (length > MAX_FAILURE) throw new Error(`A job failed with an error of ${length} bytes`)
  // Both halves are one program: this is a failure by the exit code.
  const { error, cause } = JSON.parse((await readWhole(spool)).toString()) as JobFailure
  throw new AppError(error.code, error.error, { details: error.details, cause })
}

/**
 * Runs a job to its end.
 * @returns its output, which the caller closes
 * @throws AppError of the job; JobBoundError, VALIDATION_ERROR on `field`, at a bound, and when the process has ended by itself; as
 * `Spool.write`; the reason of the signal
 */
export const runBoundedJob = async (work: BoundedJob): Promise<JobOutput> => {
  const { command, bounds, job, bytes, length: inputLength, field, dir, signal } = work
  const spool = createSpool({ dir })
  let length = 0
  try {
    const end = await runBounded({
      command,
      bounds,
      // The engine collects garbage for a machine of this size. Otherwise it would let the heap grow first.
      environment: { BUN_JSC_forceRAMSize: String(bounds.memoryBytes) },
      write: async (send) => {
        await send(`${JSON.stringify({ job, field, length: inputLength } satisfies JobLine)}\n`)
        for await (const piece of bytes) await send(piece)
      },
      read: (piece) => {
        length += piece.byteLength
        return spool.write(piece)
      },
      signal,
    })
    if (end.kind === 'bound') throw new JobBoundError(field, formatBound(end.bound, bounds), end.bound)
    if (end.kind === 'signal') throw new JobBoundError(field, formatSignal(end.signal), 'memoryBytes')
    if (end.code === JOB_EXIT.failed) return await throwFailure(spool, length)
    if (end.code !== JOB_EXIT.done)
      throw new JobBoundError(
        field,
        `its process ended with the exit code ${end.code}: it may need too much memory`,
        'memoryBytes',
      )
    return { read: spool.read, close: spool.close, length }
  } catch (error) {
    await spool.close()
    throw error
  }
}
