/** The answer of an import as JSON lines: progress now and then, and the outcome as the last one. */

/** Between two lines of progress. */
const PROGRESS_MS = 50
/** Without progress the last one is told again: an idle connection is closed, by Bun or by a proxy on the way. */
const STILL_HERE_MS = 10_000

const encoder = new TextEncoder()

type Work = {
  readonly total: number
  /** Its value is the last line. Must not fail. */
  readonly run: (progress: (done: number) => void) => Promise<object>
  /** The client is gone. */
  readonly cancelled: () => void
}

/** A client that does not read is told less often, so that no lines pile up for it. */
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
