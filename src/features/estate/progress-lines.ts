/** The answer of an import as JSON lines: progress at intervals, and the outcome as the last line. */

/** The shortest time between two lines of progress. */
const PROGRESS_MS = 50
/** Without progress the last line is repeated, because Bun or a proxy closes an idle connection. */
const STILL_HERE_MS = 10_000

const encoder = new TextEncoder()

type Work = {
  readonly total: number
  /** Resolves with the last line. Must not fail. */
  readonly run: (progress: (done: number) => void) => Promise<object>
  /** Called when the client disconnects. */
  readonly cancelled: () => void
}

/** Backpressure: a client that does not read receives fewer lines, so none pile up. */
export const progressLines = ({ total, run, cancelled }: Work): ReadableStream<Uint8Array> => {
  let isOpen = true
  let done = 0
  let toldMs = Number.NEGATIVE_INFINITY
  let timer: Timer | undefined
  return new ReadableStream({
    start: (controller) => {
      const send = (line: object) => {
        if (isOpen) controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`))
      }
      const tell = () => {
        if ((controller.desiredSize ?? 0) <= 0) return
        toldMs = performance.now()
        send({ progress: { done, total } })
      }
      timer = setInterval(() => {
        if (performance.now() - toldMs >= STILL_HERE_MS) tell()
      }, STILL_HERE_MS)
      void run((now) => {
        done = now
        if (performance.now() - toldMs >= PROGRESS_MS) tell()
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
