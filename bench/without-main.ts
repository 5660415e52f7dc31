/**
 * The server as `plat serve` starts it, without one of the reactions to a write. A comparison with it shows the cost of that
 * reaction. BENCH_WITHOUT names it: `events` records no event, `conflicts` detects no conflict.
 */
import { feature as conflicts } from '../src/inventory/conflicts/conflicts.ts'
import { NO_EVENTS } from '../src/kernel/event-recorder.ts'
import { eventRecorder } from '../src/record/events/record.ts'

const LEAVE_OUT: Readonly<Record<string, () => void>> = {
  events: () => void Object.assign(eventRecorder, NO_EVENTS),
  conflicts: () => {
    const { reactions = {} } = conflicts
    for (const name of Object.keys(reactions)) Reflect.deleteProperty(reactions, name)
  },
}
const leaveOut = LEAVE_OUT[process.env.BENCH_WITHOUT ?? '']
if (!leaveOut) throw new Error('BENCH_WITHOUT is events or conflicts')
leaveOut()
// Imported only now: composing the server takes the reactions of the features.
const { serve } = await import('../src/app/server.ts')
await serve({})
process.exit()
