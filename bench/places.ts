/**
 * Lists of devices of a region: 1,000 places in 4 levels, 100,000 devices. `bun bench/places.ts [devices]`
 * Prints the median and the 95th percentile of requests in one process, with and without a tree.
 */
import { testApp } from '../testing/app/app.ts'
import { createTimer } from './times.ts'

const DEVICES = Number(process.argv[2] ?? 100_000)
const BATCH = 1000
const ROUNDS = 200

const app = await testApp({ dialect: 'sqlite' })
const { api, request } = await app.as('admin')
const places: string[] = []
/** Returns the id of a new place. */
const make = async (name: string, parent_id?: string): Promise<string> => {
  const { id } = await api.datacenters.create({ name, ...(parent_id !== undefined && { parent_id }) })
  places.push(id)
  return id
}
const regions: string[] = []
const alone = await make('alone')
for (let r = 0; r < 4; r++) {
  const region = await make(`region ${r}`)
  regions.push(region)
  for (let s = 0; s < 8; s++) {
    const site = await make(`site ${r}.${s}`, region)
    for (let b = 0; b < 5; b++) {
      const building = await make(`building ${r}.${s}.${b}`, site)
      for (let n = 0; n < 5; n++) await make(`room ${r}.${s}.${b}.${n}`, building)
    }
  }
}
for (let from = 0; from < DEVICES; from += BATCH) {
  const operations = Array.from({ length: BATCH }, (_, i) => ({
    op: 'create' as const,
    device: {
      name: `device ${((from + i) * 7919) % 1_000_003}`,
      datacenter_id: places[(from + i) % places.length] ?? null,
    },
  }))
  const answer = await request('POST', '/api/devices/bulk', { operations })
  if (!answer.ok) throw new Error(await answer.text())
}

const measure = createTimer(request, ROUNDS)

const list = (id: string, more = '') => `/api/devices?datacenter_id=${id}&limit=100${more}`
console.log(`${places.length} places, ${DEVICES} devices`)
await measure(
  'first 100 of a region',
  regions.map((id) => list(id)),
)
await measure(
  'another page of a region',
  regions.map((id) => list(id, '&offset=1000')),
)
await measure('first 100 of a place without others below', [list(alone)])
await measure('first 100 of all devices', ['/api/devices?limit=100'])
await measure(
  'datacenters within a region',
  regions.map((id) => `/api/datacenters?within=${id}&limit=100`),
)
await app.close()
