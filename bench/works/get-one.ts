/** GET of one device, any of all of them. */
import type { Bench, Result, Work } from '../bench.ts'
import { alternate, throughput } from '../load.ts'
import { percent, rate } from '../numbers.ts'

const CALLERS = 32
const ROUND_MS = 2000
const ROUNDS = 7
const DIFFERENT = 5000
const GOAL = 0.6

const run = async ({ deviceIds, plat, bare, request }: Bench): Promise<Result[]> => {
  const step = Math.max(1, Math.floor(deviceIds.length / DIFFERENT))
  const ids = deviceIds.filter((_, i) => i % step === 0)
  const requests = ids.map((id) => request({ path: `/api/devices/${id}` }))
  const load = { callers: CALLERS, requests }
  const measure = (port: number) => throughput({ port, ...load }, ROUND_MS)
  await measure(plat.port)
  await measure(bare.port)
  const { ours, baseline, ratio } = await alternate(
    ROUNDS,
    () => measure(plat.port),
    () => measure(bare.port),
  )
  return [
    {
      work: 'GET one device',
      ours: rate(ours),
      baseline: rate(baseline),
      ratio: percent(ratio),
      goal: `>= ${percent(GOAL)} of bare Bun.serve + one prepared statement`,
      isMet: ratio >= GOAL,
      numbers: { ours_per_second: ours, baseline_per_second: baseline, ratio },
    },
  ]
}

export const getOne: Work = { name: 'get-one', run }
