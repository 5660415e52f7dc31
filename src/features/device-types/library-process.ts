/** Reads YAML of the community library in a process with bounds: a parser of YAML takes long for some small texts. */
import type { Bounds } from '../../platform/child/bounds.ts'
import { AppError } from '../../platform/contract/errors.ts'
import type { Caller } from '../../platform/operation/caller.ts'
import { type JobOutput, runBoundedJob } from '../../platform/runtime/bounded-job.ts'
import { createFairLane } from '../../platform/runtime/fair-lane.ts'
import { createBreathe } from '../../platform/runtime/pause.ts'
import type { LibraryType } from './library.ts'

/** The largest text takes 10 s, and more on a busy machine. */
const BOUNDS: Bounds = { ms: 120_000, memoryBytes: 512 * 2 ** 20, outputBytes: 64 * 2 ** 20 }
/** Texts that wait while one is read. */
export const MAX_WAITING = 8
const RETRY_AFTER_MS = 10_000
const NEWLINE = 10
/** As `library-child.ts` reads it. Unlike UTF-8 it keeps the halves of surrogate pairs, which the rules of texts refuse. */
const ENCODING = 'utf16le'

type From = { readonly caller: Caller; readonly signal: AbortSignal }

/**
 * Reads all device types of a text.
 * @throws AppError as `readLibrary`; VALIDATION_ERROR on `yaml` at a bound of the process; UNAVAILABLE when too many wait
 */
export type ReadLibrary = (yaml: string, from: From) => Promise<LibraryType[]>

const createRefusal = (): AppError =>
  new AppError(
    'UNAVAILABLE',
    `The server reads device types of one request at a time, and ${MAX_WAITING} wait: try again later`,
    { retryAt: new Date(Date.now() + RETRY_AFTER_MS) },
  )

/** Parses the lines one by one, so that other requests run between them. */
const parseLines = async ({ read }: JobOutput): Promise<LibraryType[]> => {
  const types: LibraryType[] = []
  const breathe = createBreathe()
  let begun: Buffer[] = []
  for await (const piece of read()) {
    let from = 0
    for (let at = piece.indexOf(NEWLINE); at !== -1; at = piece.indexOf(NEWLINE, from)) {
      const line = Buffer.concat([...begun, piece.subarray(from, at)]).toString()
      begun = []
      from = at + 1
      // Both halves are one program: each line is a device type.
      types.push(JSON.parse(line) as LibraryType)
      await breathe()
    }
    // The piece is valid until the next one is requested.
    if (from < piece.length) begun.push(Buffer.from(piece.subarray(from)))
  }
  return types
}

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** @param dir the folder of temporary files. @param given other bounds than the usual ones */
export const createLibraryReader = (dir: string, given: Partial<Bounds> = {}): ReadLibrary => {
  const bounds = { ...BOUNDS, ...given }
  const lane = createFairLane({ atOnce: 1, waiting: MAX_WAITING, refusal: createRefusal })
  return (yaml, { caller: { userId, credentialId }, signal }) =>
    lane.run(
      userId ?? `key ${credentialId}`,
      async () => {
        const bytes = Buffer.from(yaml, ENCODING)
        const output = await runBoundedJob({
          command: 'device-types-child',
          bounds,
          job: {},
          bytes: inOnePiece(bytes),
          length: bytes.length,
          field: 'yaml',
          dir,
          signal,
        })
        try {
          return await parseLines(output)
        } finally {
          await output.close()
        }
      },
      signal,
    )
}
