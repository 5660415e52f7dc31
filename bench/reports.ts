/**
 * The counts of all reports beside a whole list of devices: 100,000 devices, of which scans have seen nine of ten.
 * `bun bench/reports.ts [devices] [discovered] [sqlite|postgres]`
 */
import { testApp } from '../testing/app/app.ts'
import { quantile } from './numbers.ts'

const DEVICES = Number(process.argv[2] ?? 100_000)
const DISCOVERED = Number(process.argv[3] ?? 50_000)
const dialect = process.argv[4] === 'postgres' ? 'postgres' : 'sqlite'
const PER_NETWORK = 2000
const BATCH = 1000
const ROUNDS = 9

const clock = { ms: Date.parse('2026-06-01T00:00:00.000Z') }
const app = await testApp({ dialect, now: () => new Date(clock.ms), withJobs: false })
const { api, request } = await app.as('admin')

const send = async (method: string, path: string, body: object): Promise<void> => {
  const answer = await request(method, path, body)
  if (!answer.ok) throw new Error(await answer.text())
}
const ipOf = (network: number, n: number): string => `10.${network}.${(n + 1) >> 8}.${(n + 1) & 255}`
const macOf = (n: number): string =>
  `00:1b:21:${[n >> 16, (n >> 8) & 255, n & 255].map((part) => part.toString(16).padStart(2, '0')).join(':')}`

const places = [...Array(20).keys()].map((n) => `place ${n}`)
const placeIds: string[] = []
for (const name of places) placeIds.push((await api.datacenters.create({ name })).id)
const networks: string[] = []
for (let n = 0; n * PER_NETWORK < DEVICES; n++)
  networks.push(
    (await api.networks.create({ name: `net ${n}`, subnet: `10.${n}.0.0/20`, datacenter_id: placeIds[n % 20] })).id,
  )
for (let from = 0; from < DEVICES; from += BATCH)
  await send('POST', '/api/devices/bulk', {
    operations: Array.from({ length: BATCH }, (_, i) => {
      const n = from + i
      return {
        op: 'create',
        device: {
          ...{ name: `device ${n}`, hostname: `host-${n}`, make_model: 'Dell PowerEdge R640', os: 'Debian 12' },
          ...{ datacenter_id: n % 50 === 0 ? null : placeIds[n % 20], tags: ['bench'] },
          addresses: [{ ip: ipOf(Math.floor(n / PER_NETWORK), n % PER_NETWORK), mac_address: macOf(n) }],
        },
      }
    }),
  })
clock.ms += 1000
for (let from = 0; from < DISCOVERED; from += PER_NETWORK) {
  const hosts = Array.from({ length: Math.min(PER_NETWORK, DISCOVERED - from) }, (_, i) => from + i)
    .filter((n) => n % 10 !== 3)
    .map((n) => ({
      ...{ ip: ipOf(from / PER_NETWORK, n - from), mac_address: n % 100 === 1 ? macOf(n + 1_000_000) : macOf(n) },
      ...{ hostname: n % 100 === 2 ? `old-${n}.example.net` : `host-${n}.example.net`, vendor: 'Intel Corporate' },
      ...{ os: 'Debian 12', os_confidence: 80, open_ports: [22, 80, 443] },
    }))
  await send('POST', `/api/discovery/networks/${networks[from / PER_NETWORK]}/results`, { hosts })
}

const time = async (path: string): Promise<number> => {
  const begin = performance.now()
  const answer = await request('GET', path)
  await answer.arrayBuffer()
  return performance.now() - begin
}
const times = { devices: [] as number[], cold: [] as number[], warm: [] as number[] }
const first = await time('/api/reports')
for (let round = 0; round < ROUNDS; round++) {
  times.devices.push(await time('/api/devices'))
  clock.ms += 60_000
  times.cold.push(await time('/api/reports'))
  times.warm.push(await time('/api/reports'))
}
console.log(`${DEVICES} devices, ${DISCOVERED} discovered, ${dialect}; first ${first.toFixed(1)} ms`)
for (const { name, count } of await api.reports.list({})) {
  const each: number[] = []
  for (let round = 0; round < 3; round++) each.push(await time(`/api/reports/${name}?limit=50`))
  console.log(`${name}: ${count} findings, first page ${quantile(each, 0.5).toFixed(1)} ms`)
}
for (const [name, all] of Object.entries(times)) console.log(`${name}: median ${quantile(all, 0.5).toFixed(1)} ms`)
if (process.env.KEEP) {
  const { sql } = await import('kysely')
  await sql`VACUUM INTO ${process.env.KEEP}`.execute(app.db.read)
}
await app.close()
