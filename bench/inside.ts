/**
 * Preloaded into the measured server: watches its event loop from inside and tells the benchmark the longest stall when it
 * asks. A timer of one millisecond that comes late was kept waiting by something.
 */

const EVERY_MS = 1

let longestMs = 0
let last = performance.now()

setInterval(() => {
  const now = performance.now()
  longestMs = Math.max(longestMs, now - last - EVERY_MS)
  last = now
}, EVERY_MS).unref()

process.on('message', () => {
  process.send?.({ longestStallMs: longestMs })
  longestMs = 0
})
// The channel to the benchmark must not keep the server alive.
process.channel?.unref?.()
