/** Sends a request again that the server refuses because it is busy. */
import { AppError } from '../../../contract/errors.ts'
import type { Io } from '../io.ts'
import { toPrintable } from '../output/display.ts'

/** The time for which a request is tried again. */
const MAX_WAIT_S = 10 * 60
/** The shortest pause, for a server with a clock that is ahead. */
const MIN_PAUSE_S = 1

const isBusy = (error: unknown): error is AppError & { readonly retryAfterS: number } =>
  error instanceof AppError && error.code === 'RATE_LIMIT_EXCEEDED' && error.retryAfterS !== undefined

const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/**
 * Runs `send` until the server takes it, for ten minutes at most.
 * @param signal ends the waiting @throws AppError the last refusal, and every other error
 */
export const retryWhileBusy = async <T>(
  { stderr, sleep }: Pick<Io, 'stderr' | 'sleep'>,
  send: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> => {
  for (let waitedS = 0; ; ) {
    try {
      return await send()
    } catch (error) {
      if (!isBusy(error)) throw error
      const pauseS = Math.max(MIN_PAUSE_S, error.retryAfterS)
      waitedS += pauseS
      if (waitedS > MAX_WAIT_S) throw error
      await stderr.write(`note: ${toPrintable(error.message)}; it is tried again in ${pauseS} s\n`)
      await Promise.race([sleep(pauseS * 1000), ...(signal ? [waitForAbort(signal)] : [])])
      signal?.throwIfAborted()
    }
  }
}
