/** A process that listens to the networks on its standard input, for tests and benchmarks. Prints the pid of the listener, and its messages. */
import { startListening } from '../process.ts'
import type { ListenPlan } from '../wire.ts'

// Tests write only a plan to it.
const plan = JSON.parse(await Bun.stdin.text()) as ListenPlan
const listening = startListening(plan, async (message) => {
  process.stdout.write(`${JSON.stringify({ pid: listening.pid, message })}\n`)
})
const { result, message } = await listening.ended
process.stderr.write(`${result} ${message}\n`)
