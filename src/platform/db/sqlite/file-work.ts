/** Copies and checks SQLite files in a worker, so that whoever waits can show how far it is, and stop it. */
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

/** A file that is not there, or not yet, has no size. */
export const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

const run = (job: FileJob, signal: AbortSignal): Promise<FileReport> => {
  const { promise, resolve, reject } = Promise.withResolvers<FileReport>()
  signal.throwIfAborted()
  // The bundler finds the worker by this very form.
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

/**
 * A consistent copy of a database that may be in use; `to` is an empty file, or not there.
 * @returns what the copy holds; whether that is sound is another question
 */
export const copyDatabase = async (file: string, to: string, { signal, progress }: Watch): Promise<FileReport> => {
  const total = sizeOf(file)
  const timer = setInterval(() => progress('copying', Math.min(sizeOf(to), total), total), TICK_MS)
  try {
    return await run({ kind: 'copy', file, to }, signal)
  } finally {
    clearInterval(timer)
  }
}

/** Reads all of a file: whether it is sound, and what it holds. */
export const checkDatabase = async (
  file: string,
  { signal, progress }: Watch,
  kind: 'check' | 'quick-check' = 'check',
): Promise<FileReport> => {
  progress('checking', 0, sizeOf(file))
  return run({ kind, file }, signal)
}
