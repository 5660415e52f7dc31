/** Runs the process of a template: sends the data, and reads the result. */
import { type End, runBounded, type Send as SendBytes } from '../base/child/bounded-process.ts'
import { formatBound, formatSignal } from '../base/child/bounds.ts'
import { EXIT, type Fault, type Limits, type Request, toBounds, type Write } from './protocol.ts'

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

/** Writes the request, the documents and the end. */
const sendAll = async (send: SendBytes, { request, write }: Job): Promise<void> => {
  let text = `${JSON.stringify(request)}\n`
  const flush = (): Promise<void> => {
    const piece = text
    text = ''
    return send(piece)
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

const asFault = (output: Uint8Array): Fault => {
  // Both halves are one program: this is a fault by its exit code.
  return JSON.parse(new TextDecoder().decode(output)) as Fault
}

const toResult = (end: End, output: Uint8Array, limits: Limits): Result => {
  if (end.kind === 'bound') return { fault: { message: formatBound(end.bound, toBounds(limits)) } }
  // The engine aborts, and the system kills, a process for which there is no memory.
  if (end.kind === 'signal') return { fault: { message: formatSignal(end.signal) } }
  if (end.code === EXIT.content) return { content: output }
  if (end.code === EXIT.fault) return { fault: asFault(output) }
  throw new Error(`The process of a template ended with the exit code ${end.code}`)
}

/**
 * Runs one process to its end. It is killed at each limit and when the signal aborts.
 * @throws the reason of the signal, and the error of `write`
 */
export const runProcess = async (job: Job): Promise<Result> => {
  const { limits } = job.request
  const pieces: Uint8Array[] = []
  const bounds = toBounds(limits)
  const end = await runBounded({
    command: 'template-child',
    bounds: { ...bounds, outputBytes: Math.max(bounds.outputBytes, FAULT_BYTES) },
    write: (send) => sendAll(send, job),
    read: (piece) => {
      pieces.push(piece)
    },
    signal: job.signal,
  })
  return toResult(end, Buffer.concat(pieces), limits)
}
