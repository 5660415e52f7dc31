/**
 * Preloaded into the measured server, which it lets the benchmark look into: at its memory, and at its event loop, from one
 * question for the longest stall to the next. A timer of one millisecond that comes late was kept waiting - by this process, for as
 * long as it used a processor; for the rest of the time the operating system had given the processor to another process. It runs
 * only while it is asked for: a thousand looks at the clock a second would slow down everything else that is measured.
 */
import { fullGC, heapStats } from 'bun:jsc'

const EVERY_MS = 1

/** Bytes of its objects, with the texts and buffers that they hold, after a full garbage collection. */
const bytesInUse = (): number => {
  fullGC()
  return heapStats().heapSize
}
/** The room for its objects, in bytes, full or not. */
const bytesHeld = (): number => heapStats().heapCapacity

/** Watches the event loop. The returned function stops it and returns the longest stall, in ms. */
const watch = (): (() => number) => {
  let longestMs = 0
  let last = performance.now()
  let lastCpu = process.cpuUsage()
  const timer = setInterval(() => {
    const now = performance.now()
    const { user, system } = process.cpuUsage(lastCpu)
    longestMs = Math.max(longestMs, Math.min(now - last - EVERY_MS, (user + system) / 1000))
    last = now
    lastCpu = process.cpuUsage()
  }, EVERY_MS)
  timer.unref()
  return () => {
    clearInterval(timer)
    return longestMs
  }
}

let end: (() => number) | undefined

const answer = (question: unknown): number => {
  if (question === 'in use') return bytesInUse()
  if (question === 'held') return bytesHeld()
  const longestStallMs = end?.() ?? 0
  end = question === 'watch' ? watch() : undefined
  return longestStallMs
}

process.on('message', (question) => {
  process.send?.(answer(question))
})
// The channel to the benchmark must not keep the server alive.
process.channel?.unref?.()
