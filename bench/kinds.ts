/**
 * Objects of a kind beside racks, with the same 8 values each. `bun bench/kinds.ts [objects]`
 * Prints the medians of requests in one process, in turn, and the ratio of objects to racks.
 */
import { testApp } from '../testing/app/app.ts'

const OBJECTS = Number(process.argv[2] ?? 100_000)
const BATCH = 1000
const ROUNDS = 100

const FIELDS = [
  { name: 'owner', type: 'text', searchable: true },
  { name: 'serial', type: 'text', unique: true },
  { name: 'watts', type: 'integer' },
  { name: 'weight', type: 'number' },
  { name: 'state', type: 'choice', choices: ['new', 'used', 'old'] },
  { name: 'bought', type: 'date' },
  { name: 'leased', type: 'boolean' },
  { name: 'manual', type: 'url' },
] as const

const app = await testApp({ dialect: 'sqlite' })
const { request } = await app.as('admin')
const call = async (method: string, path: string, body?: object): Promise<unknown> => {
  const answer = await request(method, path, body)
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
  return answer.json()
}

await call('POST', '/api/kinds', { name: 'Things', located: true, fields: FIELDS })
for (const field of FIELDS) await call('POST', '/api/custom-fields', { ...field, resource: 'racks' })
const places: string[] = []
for (let n = 0; n < 50; n++)
  places.push(((await call('POST', '/api/datacenters', { name: `place ${n}` })) as { id: string }).id)

const row = (side: string, n: number) => ({
  id: `${side}-${n}`,
  name: `thing ${(n * 7919) % 1_000_003}`,
  datacenter_id: places[n % places.length],
  custom: {
    owner: `team ${n % 97}`,
    serial: `SN${n}`,
    watts: n % 5000,
    weight: (n % 100) / 4,
    state: ['new', 'used', 'old'][n % 3],
    bought: `20${10 + (n % 15)}-0${1 + (n % 9)}-1${n % 10}`,
    leased: n % 2 === 0,
    manual: `https://docs.example/${n % 50}`,
  },
})

for (let from = 0; from < OBJECTS; from += BATCH) {
  const numbers = Array.from({ length: Math.min(BATCH, OBJECTS - from) }, (_, i) => from + i)
  const racks = numbers.map((n) => row('rack', n))
  const things = numbers.map((n) => ({ ...row('thing', n), kind_id: 'things' }))
  for (const [resource, rows] of [
    ['racks', racks],
    ['objects', things],
  ] as const) {
    const answer = await request('POST', `/api/estate/import?resource=${resource}`, rows)
    const text = await answer.text()
    if (!answer.ok || text.includes('"failed":1')) throw new Error(text.slice(0, 2000))
  }
}

const time = async (method: string, path: string, body?: object): Promise<number> => {
  const beganMs = performance.now()
  const answer = await request(method, path, body)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${text}`)
  return performance.now() - beganMs
}
const getMedian = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

type Request = readonly [method: string, path: string, body?: object]

/** Measures both in turn. @param build returns the request of a round; `kind` is the filter of objects */
const compare = async (
  what: string,
  build: (side: { readonly list: string; readonly id: string; readonly more: object }, round: number) => Request,
) => {
  const sides = [
    { list: '/api/racks?', id: 'rack', more: {} },
    { list: '/api/objects?kind_id=things&', id: 'thing', more: { kind_id: 'things' } },
  ] as const
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, side] of sides.entries()) times[at]?.push(await time(...build(side, round)))
  const [racks, objects] = times.map(getMedian)
  const ratio = (objects ?? 0) / (racks || 1)
  console.log(`${what}: racks ${racks?.toFixed(2)} ms, objects ${objects?.toFixed(2)} ms, ratio ${ratio.toFixed(2)}`)
}

console.log(`${OBJECTS} racks, ${OBJECTS} objects, ${FIELDS.length} values each`)
await compare('first 100', ({ list }) => ['GET', `${list}limit=100`])
await compare('100 in the middle', ({ list }, n) => ['GET', `${list}limit=100&offset=${(OBJECTS >> 1) + n}`])
await compare('filter by a value', ({ list }, n) => ['GET', `${list}custom.owner=team ${n % 97}&limit=100`])
await compare('filter by bounds', ({ list }, n) => ['GET', `${list}custom.watts.min=${n * 40}&limit=100`])
await compare('filter by a place', ({ list }, n) => ['GET', `${list}datacenter_id=${places[n % 50]}&limit=100`])
await compare('filter by a name', ({ list }, n) => ['GET', `${list}name=${90_000 + n}&limit=100`])
await compare('sort by a value', ({ list }) => ['GET', `${list}sort=-custom.watts&limit=100`])
await compare('one', ({ list, id }, n) => ['GET', `${list.slice(0, list.indexOf('?'))}/${id}-${n * 17}`])
await compare('create', ({ list, id, more }, n) => [
  'POST',
  list.slice(0, list.indexOf('?')),
  { ...row(id, OBJECTS + n), ...more },
])
await compare('update', ({ list, id }, n) => [
  'PUT',
  `${list.slice(0, list.indexOf('?'))}/${id}-${n * 17}`,
  { custom: { watts: n + 1 } },
])
const times: number[] = []
for (let n = 0; n < ROUNDS; n++) times.push(await time('GET', `/api/search?q=team ${n % 97}`))
console.log(`search: median ${getMedian(times).toFixed(2)} ms`)
await app.close()
