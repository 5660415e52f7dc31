/**
 * The server as `plat serve` starts it, with a timer that measures how long its event loop stands still. The signal SIGUSR2 writes the
 * longest standstill since the last signal to stderr, as a line of JSON.
 */
import { serve } from '../../src/app/server.ts'

const INTERVAL_MS = 2

let longestMs = 0
let turnedMs = performance.now()
let spent = process.threadCpuUsage()

setInterval(() => {
  const nowMs = performance.now()
  const now = process.threadCpuUsage()
  const busyMs = (now.user + now.system - spent.user - spent.system) / 1000
  // The CPU time of this thread only: a busy machine delays the timer too.
  longestMs = Math.max(longestMs, Math.min(nowMs - turnedMs - INTERVAL_MS, busyMs))
  turnedMs = nowMs
  spent = now
}, INTERVAL_MS).unref()

process.on('SIGUSR2', () => {
  process.stderr.write(`${JSON.stringify({ message: 'stall', ms: Math.round(longestMs) })}\n`)
  longestMs = 0
})

await serve({})
process.exit()
