/**
 * The server as `plat serve` starts it, without one of the reactions to a write. A comparison with it shows the cost of that
 * reaction. BENCH_WITHOUT names it: `events` records no event, `conflicts` detects no conflict.
 */
import { feature as conflicts } from '../src/features/conflicts/conflicts.ts'
import { recording } from '../src/features/events/record.ts'

const left = { events: recording, conflicts: conflicts.reactions ?? {} }[process.env.BENCH_WITHOUT ?? '']
if (!left) throw new Error('BENCH_WITHOUT is events or conflicts')
for (const name of Object.keys(left)) Reflect.deleteProperty(left, name)
// Imported only now: composing the server takes the reactions of the features.
const { serve } = await import('../src/server.ts')
await serve({})
process.exit()
