/**
 * Preloaded into the measured server: watches its event loop from inside and tells the benchmark the longest stall when it
 * asks. A timer of one millisecond that comes late was kept waiting - by this process, for as long as it used a processor
 * meanwhile; the rest of the time the operating system had given the processor to somebody else.
 */

const EVERY_MS = 1

let longestMs = 0
let last = performance.now()
let lastCpu = process.cpuUsage()

setInterval(() => {
  const now = performance.now()
  const { user, system } = process.cpuUsage(lastCpu)
  longestMs = Math.max(longestMs, Math.min(now - last - EVERY_MS, (user + system) / 1000))
  last = now
  lastCpu = process.cpuUsage()
}, EVERY_MS).unref()

process.on('message', () => {
  process.send?.({ longestStallMs: longestMs })
  longestMs = 0
})
// The channel to the benchmark must not keep the server alive.
process.channel?.unref?.()
