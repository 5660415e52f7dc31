/** Converts an uploaded file in a thread, so that other requests run concurrently. */
import { AppError, toAppError } from '../../../platform/contract/errors.ts'
import type { ConvertAnswer, ConvertJob } from './convert-worker.ts'

/** Returns the JSON of the conversion. @throws AppError of the converter, or of `signal` */
export const convertFile = async (job: ConvertJob, signal: AbortSignal): Promise<Uint8Array> => {
  const worker = new Worker(new URL('./convert-worker.ts', import.meta.url).href)
  const { promise, resolve, reject } = Promise.withResolvers<ConvertAnswer>()
  const stop = () => reject(toAppError(signal.reason))
  signal.addEventListener('abort', stop)
  worker.onmessage = ({ data }: MessageEvent<ConvertAnswer>) => resolve(data)
  worker.onerror = ({ message }) => reject(new Error(`the thread of a conversion has ended: ${message}`))
  try {
    // The bytes are not needed here any more, and need not be copied.
    worker.postMessage(job, { transfer: [job.bytes.buffer as ArrayBuffer] })
    const answer = await promise
    if ('json' in answer) return answer.json
    const { code, error, details } = answer.error
    throw new AppError(code, error, { details, cause: answer.cause })
  } finally {
    signal.removeEventListener('abort', stop)
    worker.terminate()
  }
}
