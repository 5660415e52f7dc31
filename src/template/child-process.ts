/** Starts the process of a template, sends the data, watches its limits, and reads the result. */
import { join } from 'node:path'
import { watchMemory } from './memory.ts'
import { EXIT, type Fault, type Request, tooMuchMemory, tooMuchOutput, tooSlow, type Write } from './protocol.ts'

export type Job = {
  readonly request: Request
  readonly write: Write
  readonly signal: AbortSignal | undefined
}

export type Result = { readonly content: Uint8Array } | { readonly fault: Fault }

/** Text is written to the pipe in pieces of about this length. */
const PIECE = 65_536
/** More than any fault has. */
const FAULT_BYTES = 16_384

/** The command that starts this program: an executable alone, or Bun with its main file. */
const command = (): string[] =>
  Bun.isStandaloneExecutable
    ? [process.execPath, 'template-child']
    : [process.execPath, '--no-env-file', join(import.meta.dirname, '..', 'main.ts'), 'template-child']

/** Starts the process: without the environment of the server, which may hold secrets, and away from its folders. */
const start = () =>
  Bun.spawn(command(), { cwd: '/', env: {}, stdin: 'pipe', stdout: 'pipe', stderr: 'ignore', windowsHide: true })

type Child = ReturnType<typeof start>

class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded'
  constructor(options: ErrorOptions = {}) {
    super('The process of the template has ended', options)
  }
}

/** Writes the request, the documents and the end. Ends early, with `ProcessEnded`, if the process does. */
const sendAll = async ({ stdin }: Child, { request, write }: Job, isEnded: () => boolean): Promise<void> => {
  let text = `${JSON.stringify(request)}\n`
  const flush = async (): Promise<void> => {
    if (isEnded()) throw new ProcessEnded()
    try {
      stdin.write(text)
      text = ''
      await stdin.flush()
    } catch (error) {
      // The process has closed its end of the pipe.
      throw new ProcessEnded(error instanceof Error ? { cause: error } : {})
    }
  }
  await flush()
  if (request.isCheck) return
  await write((kind, document) => {
    const json = typeof document === 'string' ? document : JSON.stringify(document)
    text += `{"kind":"${kind}","value":${json}}\n`
    if (text.length < PIECE) return undefined
    const flushed = flush()
    // If it fails and is not awaited, the next one fails as well.
    flushed.catch(() => {})
    return flushed
  })
  text += '{"kind":"end"}\n'
  await flush()
}

/** Reads the output to its end. @returns undefined if it is longer than `limit` bytes; `onExcess` has been called then */
const readAll = async (
  stdout: ReadableStream<Uint8Array>,
  { limit, onExcess }: { limit: number; onExcess: () => void },
): Promise<Uint8Array | undefined> => {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of stdout) {
    bytes += piece.byteLength
    if (bytes > limit) {
      onExcess()
      return undefined
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

const asFault = (output: Uint8Array): Fault => {
  // Both halves are one program: this is a fault by its exit code.
  return JSON.parse(new TextDecoder().decode(output)) as Fault
}

/** Returns the result of a process that ended by itself. */
const resultOf = ({ exitCode, signalCode }: Child, output: Uint8Array | undefined): Result => {
  if (output !== undefined && exitCode === EXIT.content) return { content: output }
  if (output !== undefined && exitCode === EXIT.fault) return { fault: asFault(output) }
  // The engine aborts, and the system kills, a process for which there is no memory.
  if (signalCode !== null)
    return { fault: { message: `its process was ended by ${signalCode}: it may need too much memory` } }
  throw new Error(`The process of a template ended with the exit code ${exitCode}`)
}

/**
 * Runs one process to its end. It is killed at each limit and when the signal aborts.
 * @throws the reason of the signal, and what `write` throws
 */
export const runProcess = async (job: Job): Promise<Result> => {
  const { request, signal } = job
  const { limits } = request
  signal?.throwIfAborted()
  const child = start()
  let isEnded = false
  let killedFor: string | undefined
  const kill = (reason?: string): void => {
    killedFor ??= reason
    isEnded = true
    child.kill('SIGKILL')
  }
  const abort = () => kill()
  signal?.addEventListener('abort', abort, { once: true })
  const timer = setTimeout(() => kill(tooSlow(limits)), limits.renderMs)
  const stopWatching = watchMemory(child.pid, {
    limit: limits.memoryBytes,
    onExcess: () => kill(tooMuchMemory(limits)),
  })
  let failure: { readonly error: unknown } | undefined
  const sent = sendAll(child, job, () => isEnded).catch((error: unknown) => {
    // A process that ends before it has read everything has found a fault.
    if (isEnded || error instanceof ProcessEnded) return
    failure = { error }
    kill()
  })
  try {
    const output = await readAll(child.stdout, {
      limit: Math.max(limits.outputBytes, FAULT_BYTES),
      onExcess: () => kill(tooMuchOutput(limits)),
    })
    await child.exited
    isEnded = true
    await sent
    signal?.throwIfAborted()
    if (failure !== undefined) throw failure.error
    if (killedFor !== undefined) return { fault: { message: killedFor } }
    return resultOf(child, output)
  } finally {
    clearTimeout(timer)
    stopWatching()
    signal?.removeEventListener('abort', abort)
    kill()
  }
}
