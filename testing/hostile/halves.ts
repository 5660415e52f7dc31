/**
 * A doubled estate: each object once in the half "alpha" and once in the half "omega", with the same fields. A scope holds alpha, and Ada
 * is an operator there. For tests that look for a byte of omega in what she gets.
 */
import { expect } from 'bun:test'
import { getInputSchema, stripNull } from '../../src/contract/input-schema.ts'
import { FACTS, INVENTORY, type Resource } from '../../src/inventory/resources.ts'
import { parseHttp } from '../../src/kernel/http-route.ts'
import { type AnyOperation, getNoun } from '../../src/kernel/operation.ts'
import { hasRefs, type ResourceFacts } from '../../src/resource/facts.ts'
import { createExamples } from '../estates/examples.ts'
import type { Answer, People, Person } from '../estates/people.ts'

/** The ids of one half, by the resource that a field refers to. */
export type Half = Readonly<Record<string, string>>

export type Halves = {
  readonly own: Half
  readonly other: Half
  /** Her role is operator, only in the scope. */
  readonly ada: Person
  /** The id of the scope. */
  readonly scope: string
  /** An admin's API key that is limited to the scope. */
  readonly narrow: Person
  /** Ids, names and addresses that no answer to Ada holds. */
  readonly hidden: readonly string[]
}

const WORDS = { own: 'alpha', other: 'omega' } as const

/** Creates an object as the admin. @returns its id */
const maker =
  ({ admin }: People) =>
  async (path: string, body: object): Promise<string> => {
    const { status, body: answer } = await admin.ask(`POST /api/${path}`, body)
    expect([path, status, answer]).toMatchObject([path, 201, expect.anything()])
    return (answer as { id: string }).id
  }

/** Where objects are made: a half, its number in addresses, and the ids of its objects so far. */
type Site = { readonly n: 1 | 2; readonly word: string; readonly ids: Half }

const device = ({ n, word, ids }: Site, i: 1 | 2) => ({
  name: `${word} machine ${i}`,
  datacenter_id: ids.datacenters,
  tags: ['shared', word],
  domains: [`${word}.example`],
  addresses: [
    { ip: `10.${n}.0.${10 + i}`, pool_id: ids.pools, mac_address: `02:00:00:00:0${n}:0${i}` },
    // Both have it.
    { ip: `10.${n}.0.5` },
    // That of alpha is also an address of a device of omega.
    ...(i === 2 ? [{ ip: `10.${n}.0.60` }] : []),
  ],
  custom: { owner: 'team' },
  refs: { nb: `${word}-${i}` },
})

/** Objects with names and addresses that tests expect. The other resources have objects from their facts. */
const BODIES: Readonly<Partial<Record<Resource, (site: Site) => object>>> = {
  'custom-fields': () => ({ resource: 'devices', name: 'owner', type: 'text' }),
  'device-types': () => ({ manufacturer: 'm', model: 't' }),
  datacenters: ({ word, ids }) => ({ name: `${word} site`, parent_id: ids.region }),
  spaces: ({ word }) => ({ name: `${word} space` }),
  vlans: ({ word, ids }) => ({ vlan_id: 10, name: `${word} vlan`, datacenter_id: ids.datacenters }),
  networks: ({ n, word, ids }) => ({
    ...{ name: `${word} net`, subnet: `10.${n}.0.0/24`, datacenter_id: ids.datacenters, vlan_id: 10 },
  }),
  pools: ({ n, word }) => ({
    ...{ name: `${word} pool`, start_ip: `10.${n}.0.10`, end_ip: `10.${n}.0.99`, tags: ['shared', word] },
  }),
  reservations: ({ n, word }) => ({ ip_address: `10.${n}.0.50`, hostname: `${word}-reserved`, purpose: 'x' }),
  racks: ({ word, ids }) => ({ name: `${word} rack`, datacenter_id: ids.datacenters }),
  devices: (site) => device(site, 1),
  ports: ({ word }) => ({ name: `${word}-eth0` }),
  cables: ({ word, ids }) => ({
    ...{ a: { port_id: ids.ports }, b: { device_id: ids.child, port: `${word}-eth1` }, label: word },
  }),
  relationships: ({ ids }) => ({ child_id: ids.child, type: 'contains' }),
}

/** Creates an object of a resource. @returns its id; undefined if it has none */
const makeOne = async (all: People, resource: Resource, site: Site, counts: Record<string, number>) => {
  const example = createExamples(site.ids, counts, () => site.word).build(resource)
  const { [resource]: facts }: Readonly<Record<string, ResourceFacts>> = FACTS
  const { [resource]: arrange } = BODIES
  const refs = facts && hasRefs(facts) ? { refs: { nb: `${site.word}-1` } } : {}
  const named = facts?.fields.name?.type === 'name' ? { name: `${site.word} ${resource}` } : {}
  const body = { ...refs, ...(arrange?.(site) ?? { ...example.body, ...named }) }
  const { status, body: answer } = await all.admin.ask(`POST ${example.path}`, body)
  expect([resource, status, answer]).toMatchObject([resource, 201, expect.anything()])
  return (answer as { readonly id?: string }).id
}

const isCommon = (resource: Resource): boolean => FACTS[resource].scope === 'everywhere'

/** The kind of the objects with datacenters, in both halves. */
export const COMMON_KIND = 'common-kinds'

type Whole = { readonly counts: Record<string, number>; readonly common: Half }

/** The kind with the objects of one half alone. Callers of both halves see kinds, so its name tells none. */
const kindOf = (n: 1 | 2): string => `kind-${n}`

const half = async (all: People, n: 1 | 2, word: string, { counts, common }: Whole): Promise<Half> => {
  const make = maker(all)
  // The scope names the region, and all objects are below it.
  const ids: Record<string, string> = { ...common, region: await make('datacenters', { name: `${word} region` }) }
  const site: Site = { n, word, ids }
  for (const resource of INVENTORY.filter((one) => !isCommon(one))) {
    const id = await makeOne(all, resource, site, counts)
    if (id !== undefined) ids[resource] = id
    if (resource === 'devices') ids.child = await make('devices', device(site, 2))
  }
  const { datacenters: datacenter_id, networks = '', devices = '', spaces: space_id } = ids
  const change = await all.admin.ask(`PUT /api/devices/${devices}`, { description: `changed in ${word}` })
  const history = change.headers.get('x-change-id')
  if (change.status !== 200 || history === null) throw new Error(`no change: ${change.status}`)
  const vrf = { name: `${word} vrf`, subnet: '172.16.9.0/24', datacenter_id, space_id }
  const inSpace = await make('networks', vrf)
  // The scope names its kind; it has no datacenter.
  const ofKind = await make('objects', { kind_id: kindOf(n), name: `${word} of a kind`, custom: { note: word } })
  const own = Object.fromEntries(Object.entries(ids).filter(([resource]) => !Object.hasOwn(common, resource)))
  return { ...own, ofKind, history, inSpace, ...(await seen(all, { n, word, networks, devices })) }
}

type Seen = { readonly n: number; readonly word: string; readonly networks: string; readonly devices: string }

/** Creates what scans find in a half, and a conflict in it. @returns the ids */
const seen = async (all: People, { n, word, networks, devices }: Seen): Promise<Half> => {
  const make = maker(all)
  const scan = (hosts: object[]) => make(`discovery/networks/${networks}/results`, { hosts })
  const known = {
    ip: `10.${n}.0.11`,
    mac_address: `00:00:0c:00:0${n}:01`,
    hostname: `${word}-1.example`,
    open_ports: [22],
  }
  await scan([known])
  const scans = await scan([
    known,
    { ip: `10.${n}.0.77`, mac_address: `00:00:0c:00:0${n}:77`, hostname: `${word}-new` },
  ])
  const rules = await make('discovery/rules', { network_id: networks, enabled: false })
  await all.admin.ask('POST /api/discovery/locks', { device_id: devices, field: 'os' })
  const list = async (path: string) => (await all.admin.ask(`GET /api/${path}`)).body as Record<string, string>[]
  const discovered = await list(`discovery/devices?network_id=${networks}&q=${word}-new`)
  const conflict = (await list('conflicts')).find(({ ip_address }) => ip_address === `10.${n}.0.5`)
  const ids = { discovery: discovered[0]?.id ?? '', conflicts: conflict?.id ?? '' }
  expect(Object.values(ids)).not.toContain('')
  return { ...ids, scans, 'discovery-rules': rules }
}

/** Proposes a change of a device of a half, with a comment, a check and an approval. @returns the id of the proposal */
const propose = async (
  { admin }: People,
  author: Person,
  { word, devices }: { readonly word: string; readonly devices: string | undefined },
): Promise<string> => {
  const input = { id: devices, description: `proposed in ${word}` }
  const operations = [{ operation: 'devices.update', input, note: `note of ${word}` }]
  const draft = { title: `${word} proposal`, description: `text of ${word}`, operations, open: true }
  const { status, body } = await author.ask('POST /api/proposals', draft)
  expect([status, body]).toMatchObject([201, { state: 'open', errors: 0 }])
  const { id, fingerprint } = body as { id: string; fingerprint: string }
  const about = { text: `comment of ${word}`, kind: 'device', object_id: devices }
  const check = { state: 'failure', fingerprint, summary: `summary of ${word}`, url: `https://${word}.example/` }
  for (const [asked, sent, expected] of [
    [`POST /api/proposals/${id}/comments`, about, 201],
    [`PUT /api/proposals/${id}/checks/${word}`, check, 200],
    [`POST /api/proposals/${id}/approve`, { text: `approval of ${word}` }, 200],
  ] as const)
    expect([asked, (await admin.ask(asked, sent)).status]).toEqual([asked, expected])
  return id
}

/** Creates objects that belong to both halves or to none. Only callers without a scope see them. @returns their ids */
const between = async (all: People, own: Half, other: Half): Promise<string[]> => {
  const make = maker(all)
  const parent = await make('networks', { name: 'omega parent', subnet: '10.0.0.0/8' })
  const part = await make('networks', { name: 'omega part', subnet: '10.1.0.128/25' })
  const guest = await make('devices', {
    name: 'omega guest',
    datacenter_id: other.datacenters,
    addresses: [{ ip: '10.1.0.60', pool_id: own.pools }],
  })
  const cable = await make('cables', {
    a: { device_id: own.devices, port: 'alpha-up' },
    b: { device_id: other.devices, port: 'omega-up' },
    label: 'omega trunk',
  })
  for (const [one, two] of [
    [own.devices, other.devices],
    [guest, own.child],
  ]) {
    const link = { child_id: two, type: 'depends_on', notes: 'omega link' }
    expect((await all.admin.ask(`POST /api/devices/${one}/relationships`, link)).status).toBe(201)
  }
  return [parent, part, cable]
}

const build = async (all: People): Promise<Halves> => {
  const make = maker(all)
  const counts: Record<string, number> = {}
  const common: Record<string, string> = {}
  for (const resource of INVENTORY.filter(isCommon))
    common[resource] = (await makeOne(all, resource, { n: 1, word: 'common', ids: common }, counts)) ?? ''
  for (const n of [1, 2] as const)
    await make('kinds', { name: kindOf(n), fields: [{ name: 'note', type: 'text', searchable: true }] })
  const halfOne = await half(all, 1, WORDS.own, { counts, common })
  const halfTwo = await half(all, 2, WORDS.other, { counts, common })
  const author = await all.person({ roles: ['admin'] })
  const own: Half = { ...halfOne, proposals: await propose(all, author, { word: WORDS.own, devices: halfOne.devices }) }
  const other: Half = {
    ...halfTwo,
    proposals: await propose(all, author, { word: WORDS.other, devices: halfTwo.devices }),
  }
  const scope = await make('scopes', {
    name: WORDS.own,
    datacenter_ids: [own.region],
    space_ids: [own.spaces],
    kind_ids: [kindOf(1)],
  })
  const ada = await all.person()
  await make('grants', { role_id: 'operator', user_id: ada.id, scope_id: scope })
  const crossing = await between(all, own, other)
  await all.app.runJob('utilization.sample')
  const { body } = await all.admin.ask('POST /api/keys', { name: 'alpha only', scope_id: scope })
  const narrow = all.with(all.admin, (body as { key: string }).key)
  const hidden = [...Object.values(other), ...crossing, WORDS.other, '10.2.0.']
  return { own: { ...own, ...common }, other, ada, scope, narrow, hidden }
}

/** Returns a function that creates the estate at its first call. */
export const halves = (all: People): (() => Promise<Halves>) => {
  let made: Promise<Halves> | undefined
  return () => {
    made ??= build(all)
    return made
  }
}

/** Returns the path of a call, with the parameters from a half; "none" where it has no such object. */
export const pathOf = (op: AnyOperation, ids: Half): string => {
  const { path, params } = parseHttp(op.http)
  const { properties = {} } = getInputSchema(op.input)
  return params.reduce((text, name) => {
    const { ref = getNoun(op) } = stripNull(properties[name] ?? {})
    return text.replace(`{${name}}`, ids[ref] ?? (name === 'ip' ? '10.1.0.11' : 'none'))
  }, path)
}

/** Returns all of an answer that depends on the estate, as one text. */
export const textOf = ({ status, body, headers }: Answer): string =>
  JSON.stringify([status, body, [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date')])

/** Checks that an answer holds nothing of the other half. */
export const expectNothingHidden = ({ hidden }: Halves, asked: string, answer: Answer | string): void => {
  const text = typeof answer === 'string' ? answer : textOf(answer)
  expect([asked, hidden.filter((secret) => text.includes(secret))]).toEqual([asked, []])
}
