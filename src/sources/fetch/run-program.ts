/** Runs a program on the machine of a client, for kinds that are read there and pushed. */
import { getErrorCode, getErrorMessage } from '../../contract/unknown.ts'
import type { RunProgram } from '../kinds/source-kind.ts'
import { FetchError } from './fetch-error.ts'

/** The limit of one answer of a server. */
const MAX_OUTPUT_BYTES = 64 * 2 ** 20
/** The words of a failure that its message has, in characters. */
const MAX_WORDS = 300

type Bounds = { readonly timeoutMs: number; readonly signal?: AbortSignal }

/** Reads a stream to its end. @throws FetchError `too_large` */
const readOutput = async (stream: ReadableStream<Uint8Array>, program: string): Promise<string> => {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of stream) {
    bytes += piece.length
    if (bytes > MAX_OUTPUT_BYTES)
      throw new FetchError('too_large', `${program} wrote more than ${MAX_OUTPUT_BYTES} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

const start = (program: string, args: readonly string[], { timeoutMs, signal }: Bounds) => {
  try {
    return Bun.spawn([program, ...args], {
      // Programs translate their output.
      env: { ...process.env, LC_ALL: 'C', LANGUAGE: 'C' },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      ...(signal && { signal }),
    })
  } catch (error) {
    const message =
      getErrorCode(error) === 'ENOENT' ? 'is not installed here' : `can't start: ${getErrorMessage(error)}`
    throw new FetchError('target', `${program} ${message}`, undefined, { cause: error })
  }
}

/** @param bounds `timeoutMs` is the time of one run of a program */
export const createRunProgram =
  (bounds: Bounds): RunProgram =>
  async (program, args) => {
    bounds.signal?.throwIfAborted()
    const child = start(program, args, bounds)
    try {
      const [output, words] = await Promise.all([
        readOutput(child.stdout, program),
        readOutput(child.stderr, program),
        child.exited,
      ])
      bounds.signal?.throwIfAborted()
      const call = [program, ...args].join(' ')
      if (child.signalCode !== null)
        throw new FetchError('timeout', `${call} took longer than ${bounds.timeoutMs / 1000} seconds, or was killed`)
      if (child.exitCode === 0) return output
      throw new FetchError('unreachable', `${call} failed: ${words.trim().slice(0, MAX_WORDS).toWellFormed()}`)
    } finally {
      child.kill('SIGKILL')
    }
  }
