/** Reads a large body piece by piece and aborts it if the client is too slow, so that its resources are released. */
import { AppError } from '../../../contract/errors.ts'
import { createBrokenOffError, createTooLargeError } from '../body/body.ts'

/** Minimum pace of a body, over any window of `WINDOW_SECONDS`. */
export const LEAST_BYTES_PER_SECOND = 16 * 1024
export const WINDOW_SECONDS = 10

const TICK_MS = 1000
const LEAST_BYTES = LEAST_BYTES_PER_SECOND * WINDOW_SECONDS

const createTooSlowError = () =>
  new AppError(
    'INVALID_INPUT',
    `The body came slower than ${LEAST_BYTES_PER_SECOND / 1024} KiB/s over ${WINDOW_SECONDS} s and was given up`,
    { status: 408 },
  )

/**
 * The bytes received in each of the last seconds. A second counts only if the server was waiting for the client at its
 * end. After a stall of this process one second counts for the whole stall, so the client is not blamed for it.
 */
class Window {
  readonly #seconds: number[] = []
  #bytes = 0

  add(bytes: number): void {
    this.#bytes += bytes
  }

  /** Ends a second. @returns true if the last ten were too slow */
  tick(): boolean {
    this.#seconds.push(this.#bytes)
    this.#bytes = 0
    if (this.#seconds.length < WINDOW_SECONDS) return false
    const sum = this.#seconds.reduce((all, one) => all + one, 0)
    this.#seconds.shift()
    return sum < LEAST_BYTES
  }
}

/**
 * Yields the pieces of the body. Its time begins with the first call of `next`.
 * @throws AppError INVALID_INPUT with 413 for a body over `maxBytes`, 408 for a pace under 16 KiB/s over 10 s, and 400
 * if the client breaks it off
 */
export async function* readPacedBody(request: Request, maxBytes: number): AsyncGenerator<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw createTooLargeError(maxBytes)
  if (!request.body) return
  const reader = request.body.getReader()
  const window = new Window()
  let isWaiting = false
  let isTooSlow = false
  let size = 0
  const giveUp = () => {
    // Cancelling ends the pending read.
    void reader.cancel().catch(() => {})
  }
  const timer = setInterval(() => {
    if (!isWaiting || !window.tick()) return
    isTooSlow = true
    giveUp()
  }, TICK_MS)
  request.signal.addEventListener('abort', giveUp)
  try {
    for (;;) {
      isWaiting = true
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw createBrokenOffError(cause)
      })
      isWaiting = false
      if (isTooSlow) throw createTooSlowError()
      if (request.signal.aborted) throw createBrokenOffError(request.signal.reason)
      if (done) return
      size += value.length
      window.add(value.length)
      if (size > maxBytes) throw createTooLargeError(maxBytes)
      yield value
    }
  } finally {
    clearInterval(timer)
    request.signal.removeEventListener('abort', giveUp)
    giveUp()
  }
}
