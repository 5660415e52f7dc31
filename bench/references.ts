/**
 * What refers to an object: 40 reference fields, 100,000 objects with a value. `bun bench/references.ts [objects]`
 * Prints the median and the 95th percentile of requests in one process.
 */
import { testApp } from '../testing/app/app.ts'
import { createTimer } from './times.ts'

const OBJECTS = Number(process.argv[2] ?? 100_000)
const FIELDS = 40
const TENANTS = 100
const BATCH = 1000
const ROUNDS = 500

const app = await testApp({ dialect: 'sqlite' })
const { api, request } = await app.as('admin')
await api.kinds.create({ name: 'Tenants', nested: true })
await api.kinds.create({ name: 'Circuits' })
for (let n = 0; n < FIELDS; n++)
  await api.customFields.create({
    resource: n % 2 === 0 ? 'devices' : 'circuits',
    name: `tenant_${n}`,
    type: 'reference',
    reference_to: 'tenants',
  })
const tenants: string[] = []
for (let n = 0; n < TENANTS; n++) {
  const parent_id = n === 0 ? null : (tenants[0] ?? null)
  tenants.push((await api.objects.create({ kind_id: 'tenants', name: `tenant ${n}`, parent_id })).id)
}

/** Returns the values of an object: one field names one of the tenants. */
const buildCustom = (n: number, offset: number) => ({
  [`tenant_${(n % (FIELDS / 2)) * 2 + offset}`]: tenants[n % TENANTS] ?? '',
})
const create = async (path: string, operations: readonly object[]): Promise<void> => {
  const answer = await request('POST', path, { operations })
  if (!answer.ok) throw new Error(await answer.text())
}
for (let from = 0; from < OBJECTS / 2; from += BATCH) {
  const numbers = Array.from({ length: BATCH }, (_, i) => from + i)
  await create(
    '/api/devices/bulk',
    numbers.map((n) => ({ op: 'create', device: { name: `device ${n}`, custom: buildCustom(n, 0) } })),
  )
  await create(
    '/api/objects/bulk',
    numbers.map((n) => ({
      op: 'create',
      object: { kind_id: 'circuits', name: `circuit ${n}`, custom: buildCustom(n, 1) },
    })),
  )
}

const measure = createTimer(request, ROUNDS)

console.log(`${FIELDS} fields, ${OBJECTS} objects, ${TENANTS} tenants`)
await measure(
  'references to a tenant',
  tenants.map((id) => `/api/objects/${id}/references`),
)
await measure(
  'first 100 devices of a tenant',
  tenants.map((id, n) => `/api/devices?custom.tenant_${(n % (FIELDS / 2)) * 2}=${id}&limit=100`),
)
await measure('first 100 devices of all tenants, by the tenant above', [
  `/api/devices?custom.tenant_0=${tenants[0]}&limit=100`,
])
await app.close()
process.exit(0)
