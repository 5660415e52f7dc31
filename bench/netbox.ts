/**
 * The lists of the NetBox API beside Plat's own list of the same devices: each has an interface and an address.
 * `bun bench/netbox.ts [devices] [sqlite|postgres]`
 */
import { testApp } from '../testing/app/app.ts'
import { quantile } from './numbers.ts'

const DEVICES = Number(process.argv[2] ?? 10_000)
const dialect = process.argv[3] === 'postgres' ? 'postgres' : 'sqlite'
const PER_NETWORK = 2000
const BATCH = 1000
const ROUNDS = 7

const app = await testApp({ dialect, withJobs: false })
const { api, request, key } = await app.as('admin')

const placeIds: string[] = []
for (let n = 0; n < 20; n++) placeIds.push((await api.datacenters.create({ name: `place ${n}` })).id)
for (let n = 0; n * PER_NETWORK < DEVICES; n++)
  await api.networks.create({ name: `net ${n}`, subnet: `10.${n}.0.0/20`, datacenter_id: placeIds[n % 20] })
const toIp = (n: number): string => {
  const at = (n % PER_NETWORK) + 1
  return `10.${Math.floor(n / PER_NETWORK)}.${at >> 8}.${at & 255}`
}
for (let from = 0; from < DEVICES; from += BATCH) {
  const operations = Array.from({ length: Math.min(BATCH, DEVICES - from) }, (_, i) => {
    const n = from + i
    const addresses = [{ ip: toIp(n), interface: 'eth0', dns_name: `host-${n}.example.net` }]
    const texts = { hostname: `host-${n}`, make_model: `Model ${n % 30}`, os: `OS ${n % 10}`, role: `role ${n % 12}` }
    return {
      op: 'create',
      device: {
        name: `device ${n}`,
        ...texts,
        datacenter_id: placeIds[n % 20],
        tags: ['bench', `tag${n % 50}`],
        addresses,
      },
    }
  })
  const answer = await request('POST', '/api/devices/bulk', { operations })
  if (!answer.ok) throw new Error(await answer.text())
  const made = (await answer.json()) as { results: { device: { id: string } }[] }
  const ports = made.results.map(({ device }) => ({
    op: 'create',
    port: { device_id: device.id, name: 'eth0', type: '1000base-t' },
  }))
  const added = await request('POST', '/api/ports/bulk', { operations: ports })
  if (!added.ok) throw new Error(await added.text())
}

const time = async (path: string): Promise<number> => {
  const begin = performance.now()
  const headers = { Authorization: `Bearer ${key}` }
  const answer = await app.fetch(new Request(`http://localhost${path}`, { headers }))
  const { byteLength } = await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`${answer.status} ${path}`)
  bytes.set(path, byteLength)
  return performance.now() - begin
}
const bytes = new Map<string, number>()

const LISTS = ['dcim/devices', 'dcim/interfaces', 'ipam/ip-addresses'].map((path) => `/netbox/api/${path}/?limit=0`)
const OWN = '/api/devices'
const offered: string[] = []
for (const path of LISTS) {
  const answer = await app.fetch(
    new Request(`http://localhost${path.replace('limit=0', 'limit=1')}`, {
      headers: { Authorization: `Bearer ${key}` },
    }),
  )
  if (answer.ok) offered.push(path)
}
console.log(`${DEVICES} devices, ${dialect}`)
const firsts = new Map<string, number>()
for (const path of offered) firsts.set(path, await time(path))
const own: number[] = []
const times = new Map<string, number[]>(offered.map((path) => [path, []]))
for (let round = 0; round < ROUNDS; round++) {
  own.push(await time(OWN))
  for (const path of offered) times.get(path)?.push(await time(path))
}
const base = quantile(own, 0.5)
console.log(`GET ${OWN}: ${base.toFixed(1)} ms, ${bytes.get(OWN)} bytes`)
for (const [path, all] of times) {
  const median = quantile(all, 0.5)
  const ratio = `${(median / base).toFixed(1)}x of Plat's list, ${((bytes.get(path) ?? 0) / (bytes.get(OWN) ?? 1)).toFixed(1)}x the bytes`
  console.log(
    `GET ${path}: ${median.toFixed(1)} ms, ${ratio}; first time ${((firsts.get(path) ?? 0) / median).toFixed(1)}x`,
  )
}

const FIRST_PAGES = [
  ...[
    '',
    'site=place-3',
    'tag=tag7',
    'name=device 77',
    'role=role-3',
    'status=active',
    'platform=os-3',
    'limit=50&offset=5000',
  ],
  ...[
    'name__ic=vice 99',
    'q=device 77',
    'q=10.0.1',
    'has_primary_ip=true',
    'id=1000000007',
    'device_type=model-7',
    'cf_x=',
  ],
].map((query) => `/netbox/api/dcim/devices/?${query}`)
const MORE = [
  ...[
    'ipam/ip-addresses/?',
    'ipam/ip-addresses/?parent=10.0.0.0/24',
    'ipam/ip-addresses/?device=device 77',
    'ipam/ip-addresses/?address=10.0.0.9',
  ],
  ...[
    'dcim/interfaces/?',
    'dcim/interfaces/?device=device 77',
    'ipam/prefixes/?',
    'ipam/prefixes/?contains=10.0.0.9',
    'dcim/sites/?',
    'extras/tags/?',
  ],
].map((path) => `/netbox/api/${path}`)
for (const path of [...FIRST_PAGES, ...MORE]) {
  try {
    const cold = await time(path)
    const each: number[] = []
    for (let round = 0; round < ROUNDS; round++) each.push(await time(path))
    console.log(`GET ${path}: first ${cold.toFixed(1)} ms, then ${quantile(each, 0.5).toFixed(1)} ms`)
  } catch (error) {
    console.log(String(error))
  }
}
await app.close()
process.exit(0)
