// Filters of prefixes find exactly the answers that pass the same test; depth and children follow from the answers.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { z } from 'zod'
import { countCases } from '../../../../testing/cases.ts'
import { type Door, openDoor } from '../../../../testing/netbox/door.ts'
import { engines } from '../../../../testing/servers/servers.ts'
import { cidrContains, formatCidr, parseCidrOrThrow, toCidr } from '../../../net/cidr.ts'
import { formatIp, getAddressBits, type Ip } from '../../../net/ip.ts'

const Named = z.object({ name: z.string() }).nullable()
const Shown = z.object({
  ...{ id: z.number(), prefix: z.string(), vrf: Named, description: z.string(), children: z.number() },
  ...{ _depth: z.number(), is_pool: z.boolean(), comments: z.string() },
  family: z.object({ value: z.number() }),
  scope: Named,
  vlan: z.object({ vid: z.number(), name: z.string(), id: z.number() }).nullable(),
  status: z.object({ value: z.string() }),
  role: z.object({ slug: z.string() }).nullable(),
  tags: z.array(z.object({ slug: z.string() })),
})
type Shown = z.infer<typeof Shown>
const List = z.object({ count: z.number(), results: z.array(Shown) })

/** Networks nest often: few bits differ. */
const subnet = fc.record({ six: fc.boolean(), bits: fc.nat(15), length: fc.nat(4) }).map(({ six, bits, length }) => {
  const ip: Ip = six
    ? { family: 6, value: (0x20010db8n << 96n) + (BigInt(bits) << 60n) }
    : { family: 4, value: (10n << 24n) + (BigInt(bits) << 12n) }
  return formatCidr(toCidr(ip, (six ? 60 : 16) + length))
})

const network = fc.record({
  subnet,
  space: fc.constantFrom('', 'red', 'blue'),
  name: fc.constantFrom('', 'Office', 'office 2', 'Ärger', '100%'),
  place: fc.constantFrom('', 'Zürich', 'Room'),
  vlan: fc.constantFrom(null, 5, 7),
  status: fc.constantFrom(null, 'container', 'active', 'reserved'),
  role: fc.constantFrom(null, 'Production', 'Lab'),
  tags: fc.constantFrom([], ['prod'], ['prod', 'lab']),
  is_pool: fc.constantFrom(null, true, false),
})
type Made = typeof network extends fc.Arbitrary<infer T> ? T : never

type Test = (one: Shown) => boolean
type Query = { readonly query: string; readonly test: Test }

const toCidrs = (one: Shown, text: string) => [parseCidrOrThrow(one.prefix), parseCidrOrThrow(text)] as const
const first = (text: string) => {
  const { family, first: value } = parseCidrOrThrow(text)
  return formatIp({ family, value })
}

const byCidr = subnet.chain((text) =>
  fc.constantFrom<Query>(
    { query: `prefix=${text}`, test: (one) => one.prefix === text },
    {
      query: `within=${text}`,
      test: (one) => {
        const [own, outer] = toCidrs(one, text)
        return cidrContains(outer, own) && own.prefix > outer.prefix
      },
    },
    {
      query: `within_include=${text}`,
      test: (one) => {
        const [own, outer] = toCidrs(one, text)
        return cidrContains(outer, own)
      },
    },
    {
      query: `contains=${text}`,
      test: (one) => {
        const [own, inner] = toCidrs(one, text)
        return cidrContains(own, inner)
      },
    },
    {
      query: `contains=${first(text)}`,
      test: (one) => {
        const own = parseCidrOrThrow(one.prefix)
        const ip = toCidr({ family: own.family, value: parseCidrOrThrow(text).first }, getAddressBits(own.family))
        return parseCidrOrThrow(text).family === own.family && cidrContains(own, ip)
      },
    },
  ),
)

const hasTag = (slug: string): Test => {
  return (one) => one.tags.some((tag) => tag.slug === slug)
}

const simple = fc.constantFrom<Query>(
  { query: 'vrf=null', test: ({ vrf }) => vrf === null },
  { query: 'vrf=red&vrf=null', test: ({ vrf }) => vrf === null || vrf.name === 'red' },
  { query: 'vrf__n=red', test: ({ vrf }) => vrf?.name !== 'red' },
  { query: 'family=6', test: ({ family }) => family.value === 6 },
  { query: 'family__n=6', test: ({ family }) => family.value === 4 },
  { query: 'mask_length=18', test: ({ prefix }) => prefix.endsWith('/18') },
  { query: 'mask_length__gte=19&mask_length__lt=61', test: ({ prefix }) => /\/(19|20|60)$/.test(prefix) },
  { query: 'depth=1', test: ({ _depth: depth }) => depth === 1 },
  { query: 'depth__gt=1', test: ({ _depth: depth }) => depth > 1 },
  { query: 'vlan_vid=5', test: ({ vlan }) => vlan?.vid === 5 },
  { query: 'vlan_vid__n=5', test: ({ vlan }) => vlan?.vid !== 5 },
  { query: 'vlan=7', test: ({ vlan }) => vlan?.vid === 7 },
  { query: 'vlan=null', test: ({ vlan }) => vlan === null },
  { query: 'site=zurich', test: ({ scope }) => scope !== null },
  { query: 'site=null', test: ({ scope }) => scope === null },
  { query: 'location=room', test: ({ scope }) => scope?.name === 'Room' },
  { query: 'status=active', test: ({ status }) => status.value === 'active' },
  { query: 'status=container&status=reserved', test: ({ status }) => status.value !== 'active' },
  { query: 'role=production', test: ({ role }) => role?.slug === 'production' },
  { query: 'role__n=production', test: ({ role }) => role?.slug !== 'production' },
  { query: 'role=null', test: ({ role }) => role === null },
  { query: 'tag=prod', test: hasTag('prod') },
  { query: 'tag=prod&tag=lab', test: hasTag('lab') },
  { query: 'tag__n=lab', test: (one) => !hasTag('lab')(one) },
  { query: 'is_pool=true', test: ({ is_pool }) => is_pool },
  { query: 'is_pool=false', test: ({ is_pool }) => !is_pool },
  { query: 'description=Office', test: ({ description }) => description === 'Office' },
  { query: 'description__ie=office', test: ({ description }) => description === 'Office' },
  { query: 'description__ic=%C3%A4R', test: ({ description }) => description === 'Ärger' },
  { query: 'description__ic=%25', test: ({ description }) => description === '100%' },
  { query: 'description__empty=true', test: ({ description }) => description === '' },
  { query: 'description__nisw=off', test: ({ description }) => !description.toLowerCase().startsWith('off') },
)

const RUNS = { sqlite: 250, postgres: 60 }

describe.each(engines())('random prefixes on %s', (dialect) => {
  let door: Door
  let all: Shown[] = []
  beforeAll(async () => {
    door = await openDoor(dialect)
    const { api } = door
    await api.customFields.create({ resource: 'datacenters', name: 'place_type', type: 'text' })
    for (const name of ['role', 'status']) await api.customFields.create({ resource: 'networks', name, type: 'text' })
    await api.customFields.create({ resource: 'networks', name: 'is_pool', type: 'boolean' })
    const tags = { type: 'choice' as const, multiple: true, choices: ['prod', 'lab'] }
    await api.customFields.create({ ...tags, resource: 'networks', name: 'tags' })
    const ids = new Map<string, string>()
    for (const name of ['red', 'blue']) ids.set(name, (await api.spaces.create({ name })).id)
    const site = await api.datacenters.create({ name: 'Zürich' })
    const room = await api.datacenters.create({ name: 'Room', parent_id: site.id, custom: { place_type: 'location' } })
    await api.vlans.create({ name: 'users', vlan_id: 5, datacenter_id: site.id })
    await api.vlans.create({ name: 'all', vlan_id: 7 })
    const make = ({ subnet, space, name, place, vlan, status, role, tags, is_pool }: Made) => ({
      ...{ name: name || subnet, subnet, space_id: ids.get(space) ?? null, vlan_id: vlan },
      datacenter_id: place === '' ? null : place === 'Room' ? room.id : site.id,
      custom: { status, role, is_pool, ...(tags.length > 0 && { tags }) },
    })
    // The same networks each time, among them some with each value that filters name.
    const networks = fc.sample(network, { seed: 7, numRuns: 120 })
    await api.networks.bulk({
      operations: networks.map((one) => ({ op: 'create' as const, network: make(one) })),
    })
    all = List.parse((await door.get('ipam/prefixes/?limit=0')).body).results
  })
  afterAll(() => door.close())

  const list = async (query: string) => List.parse((await door.get(`ipam/prefixes/?limit=0&${query}`)).body)

  test('depth and children are those of the networks of the VRF', () => {
    expect(all).toHaveLength(120)
    const isInside = (outer: Shown, inner: Shown): boolean => {
      const [a, b] = [parseCidrOrThrow(outer.prefix), parseCidrOrThrow(inner.prefix)]
      return outer.vrf?.name === inner.vrf?.name && cidrContains(a, b) && a.prefix < b.prefix
    }
    const expected = all.map((one) => ({
      id: one.id,
      children: all.filter((other) => isInside(one, other)).length,
      depth: new Set(all.filter((other) => isInside(other, one)).map(({ prefix }) => prefix)).size,
    }))
    expect(all.map(({ id, children, _depth: depth }) => ({ id, children, depth }))).toEqual(expected)
    expect(Math.max(...expected.map(({ depth }) => depth))).toBeGreaterThan(1)
  })

  test('several filters find the prefixes that meet each of them, in the order of the list', async () => {
    const queries = fc.array(fc.oneof(simple, byCidr), { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(queries, async (some) => {
        const names = some.map(({ query }) => query.split('=')[0])
        fc.pre(new Set(names).size === names.length)
        const query = some.map((one) => one.query).join('&')
        const { count, results } = await list(query)
        const expected = all.filter((one) => some.every(({ test: isMet }) => isMet(one))).map(({ id }) => id)
        expect([query, count, results.map(({ id }) => id)]).toEqual([query, expected.length, expected])
      }),
      { numRuns: countCases(RUNS[dialect]) },
    )
  })

  test('pages make up the list', async () => {
    const pages: number[] = []
    for (let offset = 0; offset < 130; offset += 50) {
      const { body } = await door.get(`ipam/prefixes/?limit=50&offset=${offset}`)
      pages.push(...List.parse(body).results.map(({ id }) => id))
    }
    expect(pages).toEqual(all.map(({ id }) => id))
  })
})
