/** Devices written one request each, every one of them on the disk before it is answered. */
import type { Bench, Result, Work } from '../bench.ts'
import { alternate, throughputOnce } from '../load.ts'
import { percent, rate } from '../numbers.ts'
import { WRITTEN_NETWORK } from '../setup.ts'

const ROUNDS = 7
const GOAL = 0.7
/** Requests of a round, by callers at once: some seconds, so that it does not matter that the other side had the machine before. */
const PER_ROUND = new Map([
  [1, 3000],
  [32, 4000],
])

const at = '2026-01-02T03:04:05.678Z'
let made = 0

/** A whole device, so that the baseline has nothing to add; the addresses are new each time and of one network. */
export const device = () => {
  const n = ++made
  const id = `written-${n}-${process.pid}`
  const address = (second: number) => ({
    ip: `100.${64 + (second << 5) + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`,
    port: null,
    type: 'ipv4',
    label: 'primary',
    network_id: WRITTEN_NETWORK,
    switch_port: '',
    pool_id: null,
  })
  return {
    id,
    name: id,
    hostname: `${id}.example.net`,
    description: 'Application server of the payments team, production',
    make_model: 'Dell PowerEdge R650',
    os: 'Debian 12',
    status: 'active',
    datacenter_id: null,
    username: 'admin',
    location: 'Room 1, Rack A1, U1',
    tags: ['app', 'production', 'payments'],
    addresses: [address(0), address(1)],
    domains: [`${id}.example.com`],
    created_at: at,
    updated_at: at,
  }
}

const measure = async ({ plat, bare, request }: Bench, callers: number, count: number): Promise<Result> => {
  const round = (port: number) => () => {
    const requests = Array.from({ length: count }, () =>
      request({ method: 'POST', path: '/api/devices', body: JSON.stringify(device()) }),
    )
    return throughputOnce({ port, callers, requests, status: 201 })
  }
  await round(plat.port)()
  await round(bare.port)()
  const { ours, baseline, ratio } = await alternate(ROUNDS, round(plat.port), round(bare.port))
  return {
    work: `write a device, durable, ${callers === 1 ? 'one caller' : `${callers} callers`}`,
    ours: rate(ours),
    baseline: rate(baseline),
    ratio: percent(ratio),
    goal: `>= ${percent(GOAL)} of bare SQLite, one transaction each`,
    isMet: ratio >= GOAL,
    numbers: { ours_per_second: ours, baseline_per_second: baseline, ratio },
  }
}

export const write: Work = {
  name: 'write',
  run: async (bench) => {
    const results: Result[] = []
    for (const [callers, count] of PER_ROUND) results.push(await measure(bench, callers, count))
    return results
  },
}
