/**
 * Preloaded into the measured server: watches its event loop from inside, from one question of the benchmark for the longest
 * stall to the next. A timer of one millisecond that comes late was kept waiting - by this process, for as long as it used a
 * processor meanwhile; the rest of the time the operating system had given the processor to somebody else. It runs only while
 * it is asked for: a thousand looks at the clock a second would slow down everything else that is measured.
 */

const EVERY_MS = 1

/** Looks at the event loop until it is told to end; then it says how long it stood still at most. */
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

process.on('message', (message) => {
  const longestStallMs = end?.() ?? 0
  end = message === 'watch' ? watch() : undefined
  process.send?.({ longestStallMs })
})
// The channel to the benchmark must not keep the server alive.
process.channel?.unref?.()
