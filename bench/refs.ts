/**
 * Calls by the id of another system beside the same calls by id: `bun bench/refs.ts [--devices 5000]`, in turn, on one server on
 * SQLite.
 */
import { parseArgs } from 'node:util'
import { authorized, type Result } from './bench.ts'
import { alternate, throughput } from './load.ts'
import { percent, rate } from './numbers.ts'
import { publish } from './report.ts'
import { onServer } from './site.ts'

const { values } = parseArgs({ options: { devices: { type: 'string', default: '5000' } } })
const count = Number(values.devices)
const ROUNDS = 7
const ROUND_MS = 1500

type Method = { readonly name: string; readonly method: 'GET' | 'PUT'; readonly callers: number; readonly goal: number }
const METHODS: readonly Method[] = [
  { name: 'GET one device by a ref', method: 'GET', callers: 32, goal: 0.5 },
  { name: 'PUT of an unchanged device by a ref', method: 'PUT', callers: 16, goal: 0.6 },
]

const rowOf = (i: number) => ({
  name: `device-${i}`,
  os: 'Debian 12',
  addresses: [{ ip: `10.0.${i >> 8}.${i & 255}` }],
  refs: { cmdb: `CI${i}` },
})

await onServer(async ({ load, list, server: { port }, key }) => {
  await load(
    'devices',
    Array.from({ length: count }, (_, i) => rowOf(i)),
    `"created":${count}`,
  )
  const request = authorized(key)
  const devices = await list('devices')
  const results: Result[] = []
  for (const { name, method, callers, goal } of METHODS) {
    const requests = (idOf: (device: (typeof devices)[number]) => string) =>
      devices.map((device) => {
        const { name: own, os, addresses } = device
        const body = method === 'PUT' ? { body: JSON.stringify({ name: own, os, addresses }) } : {}
        return request({ method, path: `/api/devices/${encodeURIComponent(idOf(device))}`, ...body })
      })
    const measure = (all: readonly Uint8Array[]) => throughput({ port, callers, requests: all }, ROUND_MS)
    const byRef = requests(({ refs }) => `cmdb:${(refs as { cmdb: string }).cmdb}`)
    const byId = requests(({ id }) => String(id))
    await measure(byRef)
    await measure(byId)
    const { ours, baseline, ratio } = await alternate(
      ROUNDS,
      () => measure(byRef),
      () => measure(byId),
    )
    results.push({
      work: name,
      ours: rate(ours),
      baseline: `${rate(baseline)}, by id`,
      ratio: percent(ratio),
      goal: `>= ${percent(goal)}`,
      isMet: ratio >= goal,
      numbers: { ours_per_second: ours, by_id_per_second: baseline, ratio },
    })
  }
  publish(results)
})
