/** How full every network is, in one call. */
import { type Bench, plain, type Result, type Work } from '../bench.ts'
import { inTurn } from '../load.ts'
import { median, milliseconds } from '../numbers.ts'

const REPEATS = 20
const GOAL_MS = 50

const measure = async ({ plat, request }: Bench, noun: string, hasGoal: boolean): Promise<Result> => {
  const one = request({ path: `/api/${noun}?include=utilization` })
  await inTurn(plat.port, [one])
  const replies = await inTurn(plat.port, Array(REPEATS).fill(one))
  const ms = median(replies.map((reply) => reply.ms))
  const rows = /\r\nx-total-count: *(\d+)/i.exec(replies[0]?.head ?? '')?.[1] ?? '?'
  return plain({
    work: `utilization of all ${rows} ${noun}`,
    ours: milliseconds(ms),
    ...(hasGoal ? { goal: `< ${GOAL_MS} ms`, isMet: ms < GOAL_MS } : { goal: '', isMet: undefined }),
    numbers: { ms },
  })
}

export const utilization: Work = {
  name: 'utilization',
  run: async (bench) => [await measure(bench, 'networks', true), await measure(bench, 'pools', false)],
}
