/** GET of all devices: its time, its first byte, its effect on other requests, and the time of a 304. */
import { type Bench, plain, type Result, type Work } from '../bench.ts'
import { alternate, inTurn } from '../load.ts'
import { median, megabytes, milliseconds, quantile, times } from '../numbers.ts'
import { watch } from '../watch.ts'

const ROUNDS = 7
const REPEATS = 200
const GOAL = { ratio: 3, firstByteMs: 50, stallMs: 50, notModifiedMs: 2, growthBytes: 100e6 }

const list = async ({ plat, bare, request }: Bench): Promise<Result[]> => {
  const all = request({ path: '/api/devices' })
  const firstBytes: number[] = []
  let bytes = 0
  const ours = async (): Promise<number> => {
    const [reply] = await inTurn(plat.port, [all])
    if (!reply) throw new Error('no reply')
    firstBytes.push(reply.firstByteMs)
    bytes = reply.bytes
    return reply.ms
  }
  const baseline = async (): Promise<number> => {
    const [reply] = await inTurn(bare.port, [all])
    if (!reply || Math.abs(reply.bytes - bytes) > 2) throw new Error('the baseline answers something else')
    return reply.ms
  }
  await ours()
  await baseline()
  const before = await plat.memory()
  await plat.watchStalls()
  const pair = await alternate(ROUNDS, ours, baseline)
  const stallMs = await plat.longestStallMs()
  const growth = (await plat.memory()) - before
  const firstByteMs = quantile(firstBytes, 1)
  return [
    {
      work: `GET all devices, ${megabytes(bytes)}`,
      ours: milliseconds(pair.ours),
      baseline: milliseconds(pair.baseline),
      ratio: times(pair.ratio),
      goal: `<= ${GOAL.ratio} x concatenating stored JSON in SQLite`,
      isMet: pair.ratio <= GOAL.ratio,
      numbers: { ours_ms: pair.ours, baseline_ms: pair.baseline, ratio: pair.ratio, bytes },
    },
    plain({
      work: '  its first byte, worst',
      ours: milliseconds(firstByteMs),
      goal: `< ${GOAL.firstByteMs} ms`,
      isMet: firstByteMs < GOAL.firstByteMs,
      numbers: { first_byte_ms: firstByteMs },
    }),
    plain({
      work: '  longest stall of the event loop',
      ours: milliseconds(stallMs),
      goal: `< ${GOAL.stallMs} ms`,
      isMet: stallMs < GOAL.stallMs,
      numbers: { stall_ms: stallMs },
    }),
    plain({
      work: `  memory that ${ROUNDS} of them add`,
      ours: megabytes(growth),
      goal: `< ${megabytes(GOAL.growthBytes)}, whatever the list's length`,
      isMet: growth < GOAL.growthBytes,
      numbers: { growth_bytes: growth },
    }),
  ]
}

/** Requests /healthz all the time while the list is sent. */
const beside = async ({ plat, request }: Bench): Promise<Result> => {
  const all = request({ path: '/api/devices' })
  const probe = watch(plat.port)
  for (let i = 0; i < ROUNDS; i++) await inTurn(plat.port, [all])
  const waits = await probe.stop()
  const p99 = quantile(waits, 0.99)
  const worst = quantile(waits, 1)
  return plain({
    work: '  GET /healthz beside it, p99 (worst)',
    ours: `${milliseconds(p99)} (${milliseconds(worst)})`,
    goal: `worst < ${GOAL.stallMs} ms`,
    isMet: worst < GOAL.stallMs,
    numbers: { p99_ms: p99, worst_ms: worst, probes: waits.length },
  })
}

const again = async ({ plat, request }: Bench): Promise<Result> => {
  const [whole] = await inTurn(plat.port, [request({ path: '/api/devices' })])
  const etag = /\r\netag: *(\S+)/i.exec(whole?.head ?? '')?.[1]
  if (etag === undefined) throw new Error('a list without an ETag')
  const conditional = request({ path: '/api/devices', headers: { 'If-None-Match': etag } })
  const replies = await inTurn(plat.port, Array(REPEATS).fill(conditional), 304)
  const ms = median(replies.map((one) => one.ms))
  return plain({
    work: 'the same with If-None-Match: 304',
    ours: milliseconds(ms),
    goal: `< ${GOAL.notModifiedMs} ms`,
    isMet: ms < GOAL.notModifiedMs,
    numbers: { ms },
  })
}

export const getAll: Work = {
  name: 'get-all',
  run: async (bench) => [...(await list(bench)), await beside(bench), await again(bench)],
}
