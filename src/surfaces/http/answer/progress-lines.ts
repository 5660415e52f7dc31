/** The answer of long work as JSON lines: progress at intervals, and the outcome as the last line. */

import { type AppError, toErrorBody } from '../../../contract/errors.ts'

/** The shortest time between two lines of progress. */
const PROGRESS_MS = 50
/** The last line is repeated while there is no progress, because Bun or a proxy closes an idle connection. */
const KEEPALIVE_MS = 10_000

const encoder = new TextEncoder()

/** Returns the last line of a failure. Status 200 is already sent, so only the code tells a client to sign in again. */
export const toErrorLine = (error: AppError): object => ({
  error: { ...toErrorBody(error), ...(error.status === 401 && { code: 'UNAUTHORIZED' }) },
})

type Work = {
  /** The total of the first lines. */
  readonly total: number
  /** Resolves with the last line. Must not fail. `progress` keeps the total if it is given none. */
  readonly run: (progress: (done: number, total?: number) => void) => Promise<object>
  /** Called when the client disconnects. */
  readonly cancelled: () => void
}

/** Backpressure: a client that does not read receives fewer lines, so none pile up. */
export const streamProgress = ({ total: first, run, cancelled }: Work): ReadableStream<Uint8Array> => {
  let isOpen = true
  let done = 0
  let total = first
  let reportedMs = Number.NEGATIVE_INFINITY
  let timer: Timer | undefined
  return new ReadableStream({
    start: (controller) => {
      const send = (line: object) => {
        if (isOpen) controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`))
      }
      const report = () => {
        if ((controller.desiredSize ?? 0) <= 0) return
        reportedMs = performance.now()
        send({ progress: { done, total } })
      }
      timer = setInterval(() => {
        if (performance.now() - reportedMs >= KEEPALIVE_MS) report()
      }, KEEPALIVE_MS)
      void run((now, of = total) => {
        done = now
        total = of
        if (performance.now() - reportedMs >= PROGRESS_MS) report()
      }).then((last) => {
        clearInterval(timer)
        send(last)
        if (isOpen) controller.close()
      })
    },
    cancel: () => {
      isOpen = false
      clearInterval(timer)
      cancelled()
    },
  })
}
