/** Sends a write again after a cut connection. Its idempotency key keeps it from being done twice. */
import { getErrorCode } from '../../../contract/unknown.ts'

/** The answer has ended before its last line. */
export class CutAnswer extends Error {
  override readonly name = 'CutAnswer'
}

const CODES: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE'])

/** True if the server has closed the connection before the end of its answer. */
const isCut = (error: unknown): boolean =>
  error instanceof CutAnswer ||
  CODES.has(getErrorCode(error)) ||
  (error instanceof Error && error.cause !== undefined && isCut(error.cause))

/**
 * Runs `send`, and once more if the connection was cut.
 * @param send sends the same request with the same key, and reads the whole answer @param signal forbids the second time
 */
export const repeatIfCut = async <T>(send: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
  try {
    return await send()
  } catch (error) {
    if (signal?.aborted || !isCut(error)) throw error
    return send()
  }
}
