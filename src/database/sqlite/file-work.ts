/** Copies and checks SQLite files in a worker, so that the caller can show progress and cancel. */
import { statSync } from 'node:fs'
import { WorkerError } from '../worker-error.ts'
import type { WorkerReply } from './copy-worker.ts'
import type { FileJob, FileReport } from './file.ts'

export type ShowProgress = (stage: string, done: number, total: number) => void

export type Watch = {
  readonly signal: AbortSignal
  readonly progress: ShowProgress
}

const TICK_MS = 200

/** Returns the size of a file; 0 if it does not exist. */
export const readSize = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

const run = (job: FileJob, signal: AbortSignal): Promise<FileReport> => {
  const { promise, resolve, reject } = Promise.withResolvers<FileReport>()
  signal.throwIfAborted()
  // The bundler recognizes the worker by this exact form.
  const worker = new Worker(new URL('./copy-worker.ts', import.meta.url).href)
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort)
  worker.onmessage = ({ data }: MessageEvent<WorkerReply>) =>
    data.ok ? resolve(data.report) : reject(new WorkerError(data.message, data.code))
  worker.onerror = ({ message }) => reject(new Error(message))
  worker.postMessage(job)
  return promise.finally(() => {
    signal.removeEventListener('abort', abort)
    worker.terminate()
  })
}

/** Copies a database in use to an empty or missing file. @returns the content, without an integrity check */
export const copyDatabase = async (file: string, to: string, { signal, progress }: Watch): Promise<FileReport> => {
  const total = readSize(file)
  const timer = setInterval(() => progress('copying', Math.min(readSize(to), total), total), TICK_MS)
  try {
    return await run({ kind: 'copy', file, to }, signal)
  } finally {
    clearInterval(timer)
  }
}

/** Reads a whole file. @returns its errors and its content */
export const checkDatabase = async (
  file: string,
  { signal, progress }: Watch,
  kind: 'check' | 'quick-check' = 'check',
): Promise<FileReport> => {
  progress('checking', 0, readSize(file))
  return run({ kind, file }, signal)
}
