/** Reads texts of strangers in a process with bounds, one text at a time. The other half is `text-job-child.ts`. */
import type { Bounds } from '../../base/child/bounds.ts'
import { type JobOutput, runBoundedJob } from '../../base/jobs/bounded-job.ts'
import { TEXT_ENCODING } from '../../base/jobs/bounded-job-protocol.ts'
import { createFairLane } from '../../base/jobs/fair-lane.ts'
import { createBreathe } from '../../base/runtime/pause.ts'
import { AppError } from '../../contract/errors.ts'
import { type Caller, getOwner } from '../caller.ts'

const RETRY_AFTER_MS = 10_000
const NEWLINE = 10

/** The call that the text came with. */
export type From = { readonly caller: Caller; readonly signal: AbortSignal }

/**
 * Reads a text. `job` has the options of the process.
 * @returns the values that the process has found
 * @throws AppError of the process; as `runBoundedJob`; UNAVAILABLE when too many texts wait
 */
export type ReadText<Value> = (text: string, job: object, from: From) => Promise<Value[]>

export type TextReader = {
  /** The hidden command that reads the text. */
  readonly command: string
  readonly bounds: Bounds
  /** The field of the request that holds the text. */
  readonly field: string
  /** The folder for an output that does not fit into memory. */
  readonly dir: string
  /** Texts that wait while one is read. */
  readonly waiting: number
}

/** Parses the lines of an output one by one, so that other requests run between them. */
export const parseLines = async <Value>({ read }: Pick<JobOutput, 'read'>): Promise<Value[]> => {
  const values: Value[] = []
  const breathe = createBreathe()
  let begun: Buffer[] = []
  for await (const piece of read()) {
    let from = 0
    for (let at = piece.indexOf(NEWLINE); at !== -1; at = piece.indexOf(NEWLINE, from)) {
      const line = Buffer.concat([...begun, piece.subarray(from, at)]).toString()
      begun = []
      from = at + 1
      // Both halves are one program: each line is a value of this type.
      values.push(JSON.parse(line) as Value)
      await breathe()
    }
    // The piece is valid until the next one is requested.
    if (from < piece.length) begun.push(Buffer.from(piece.subarray(from)))
  }
  return values
}

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

export const createTextReader = <Value>({ waiting, ...reader }: TextReader): ReadText<Value> => {
  const lane = createFairLane({
    atOnce: 1,
    waiting,
    refusal: () =>
      new AppError('UNAVAILABLE', `The server reads one such text at a time, and ${waiting} wait: try again later`, {
        retryAt: new Date(Date.now() + RETRY_AFTER_MS),
      }),
  })
  const read = async (text: string, job: object, signal: AbortSignal): Promise<Value[]> => {
    const bytes = Buffer.from(text, TEXT_ENCODING)
    const output = await runBoundedJob({ ...reader, job, bytes: inOnePiece(bytes), length: bytes.length, signal })
    try {
      return await parseLines<Value>(output)
    } finally {
      await output.close()
    }
  }
  return (text, job, { caller, signal }) => lane.run(getOwner(caller), () => read(text, job, signal), signal)
}
