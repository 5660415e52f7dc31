/**
 * A doubled estate: each object once in the half "alpha" and once in the half "omega", with the same fields. A scope holds alpha, and Ada
 * is an operator there. For tests that look for a byte of omega in what she gets.
 */
import { expect } from 'bun:test'
import { getInputSchema, stripNull } from '../../src/contract/input-schema.ts'
import { parseHttp } from '../../src/kernel/http-route.ts'
import type { AnyOperation } from '../../src/kernel/operation.ts'
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

const half = async (all: People, n: 1 | 2, word: string): Promise<Half> => {
  const make = maker(all)
  const refs = { nb: `${word}-1` }
  const datacenters = await make('datacenters', { name: `${word} site`, refs })
  const networks = await make('networks', {
    name: `${word} net`,
    subnet: `10.${n}.0.0/24`,
    datacenter_id: datacenters,
    vlan_id: 10,
    refs,
  })
  const vlans = await make('vlans', { vlan_id: 10, name: `${word} vlan`, datacenter_id: datacenters, refs })
  const range = { start_ip: `10.${n}.0.10`, end_ip: `10.${n}.0.99` }
  const pools = await make(`networks/${networks}/pools`, {
    name: `${word} pool`,
    ...range,
    tags: ['shared', word],
    refs,
  })
  const reservation = { ip_address: `10.${n}.0.50`, hostname: `${word}-reserved`, purpose: 'x', refs }
  const reservations = await make(`pools/${pools}/reservations`, reservation)
  const racks = await make('racks', { name: `${word} rack`, datacenter_id: datacenters, refs })
  const device = (i: number) => ({
    name: `${word} machine ${i}`,
    datacenter_id: datacenters,
    tags: ['shared', word],
    domains: [`${word}.example`],
    addresses: [
      { ip: `10.${n}.0.${10 + i}`, pool_id: pools, mac_address: `02:00:00:00:0${n}:0${i}` },
      // Both have it.
      { ip: `10.${n}.0.5` },
      // That of alpha is also an address of a device of omega.
      ...(i === 2 ? [{ ip: `10.${n}.0.60` }] : []),
    ],
    custom: { owner: 'team' },
    refs: { nb: `${word}-${i}` },
  })
  const devices = await make('devices', device(1))
  const child = await make('devices', device(2))
  const ports = await make(`devices/${devices}/ports`, { name: `${word}-eth0`, refs })
  const cables = await make('cables', {
    a: { port_id: ports },
    b: { device_id: child, port: `${word}-eth1` },
    label: word,
    refs,
  })
  const link = { child_id: child, type: 'contains' }
  expect((await all.admin.ask(`POST /api/devices/${devices}/relationships`, link)).status).toBe(201)
  const change = await all.admin.ask(`PUT /api/devices/${devices}`, { description: `changed in ${word}` })
  const history = change.headers.get('x-change-id')
  if (change.status !== 200 || history === null) throw new Error(`no change: ${change.status}`)
  const spaces = await make('spaces', { name: `${word} space`, refs })
  const vrf = { name: `${word} vrf`, subnet: '172.16.9.0/24', datacenter_id: datacenters, space_id: spaces }
  const inSpace = await make('networks', vrf)
  const documented = { datacenters, networks, vlans, pools, reservations, racks, devices, ports, cables, child }
  return { ...documented, history, spaces, inSpace, ...(await seen(all, { n, word, networks, devices })) }
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
  const common = {
    'custom-fields': await make('custom-fields', { resource: 'devices', name: 'owner', type: 'text' }),
    'device-types': await make('device-types', { manufacturer: 'm', model: 't' }),
  }
  const own = await half(all, 1, WORDS.own)
  const other = await half(all, 2, WORDS.other)
  const scope = await make('scopes', {
    name: WORDS.own,
    datacenter_ids: [own.datacenters],
    space_ids: [own.spaces],
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
    const { ref = '' } = stripNull(properties[name] ?? {})
    return text.replace(`{${name}}`, ids[ref] ?? 'none')
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
