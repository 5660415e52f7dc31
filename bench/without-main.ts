/**
 * The server as `plat serve` starts it, but that it does not do one of the things that happen beside a write: what that costs
 * is measured against it. BENCH_WITHOUT says which: `events` puts nothing on record, `conflicts` compares nothing.
 */
import { feature as conflicts } from '../src/features/conflicts/conflicts.ts'
import { recording } from '../src/features/events/record.ts'

const left = { events: recording, conflicts: conflicts.reactions ?? {} }[process.env.BENCH_WITHOUT ?? '']
if (!left) throw new Error('BENCH_WITHOUT is events or conflicts')
for (const name of Object.keys(left)) Reflect.deleteProperty(left, name)
// Only now: what is composed has taken the reactions that there are.
const { serve } = await import('../src/server.ts')
await serve({})
process.exit()
