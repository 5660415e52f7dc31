// The permissions with which a user decides where a stored credential is tried, as in the table of docs/secrets.md.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { discoveryApp } from '../../../testing/discovery.ts'
import { ask } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

type Aimed = { readonly id: string; readonly subnet: string; readonly device: string; readonly space: string }
type Change = {
  readonly http: (aimed: Aimed) => string
  readonly body: (aimed: Aimed) => object
  /** The subnet that is scanned afterwards, and the address of the login; empty for every host. */
  readonly hits: readonly [subnet: string, ip: string]
}

let blocks = 0
/** A subnet that no other test has. */
const block = () => `127.200.${++blocks}`

const [moved, made, given, opened] = [block(), block(), block(), block()]
const CHANGES: Readonly<Record<string, Change>> = {
  'networks:update': {
    http: ({ id }) => `PUT /api/networks/${id}`,
    body: () => ({ subnet: `${moved}.0/24` }),
    hits: [`${moved}.0/24`, ''],
  },
  'networks:create': {
    http: () => 'POST /api/networks',
    body: () => ({ name: 'around the device', subnet: `${made}.0/24` }),
    hits: [`${made}.0/24`, `${made}.9`],
  },
  'devices:update': {
    http: ({ device }) => `PUT /api/devices/${device}`,
    body: () => ({ addresses: [{ ip: `${given}.66` }] }),
    hits: [`${given}.0/24`, `${given}.66`],
  },
  'spaces:update': {
    http: ({ space }) => `PUT /api/spaces/${space}`,
    body: () => ({ reachable: true }),
    hits: [`${opened}.0/24`, ''],
  },
}
/** Their tests are elsewhere: credential-user.test.ts, rule-credentials.test.ts, plan.test.ts, and new-target.test.ts of credentials. */
const ELSEWHERE = ['discovery:create', 'discovery:update', 'credentials:create', 'credentials:update']

test('docs/secrets.md names each permission that aims a credential', () => {
  const text = readFileSync(new URL('../../../docs/secrets.md', import.meta.url), 'utf8')
  const table = text.slice(text.indexOf('### Who can aim a credential'), text.indexOf('A secret on a command line'))
  const named = [...table.matchAll(/^\| `([a-z-]+:[a-z]+)`/gm)].map(([, name]) => name ?? '')
  expect(named.sort()).toEqual([...Object.keys(CHANGES), ...ELSEWHERE].sort())
})

describe.each(onSqlite())('a credential on %s', (dialect) => {
  const d = discoveryApp(dialect, { ENCRYPTION_KEY: 'ab'.repeat(32) })

  /** A network and a device with a credential of its own, and the network that is scanned after a change. */
  const setUp = async (name: string): Promise<Aimed & { readonly scanned: string }> => {
    const login = { type: 'ssh_password', username: 'root', password: 'p' } as const
    const credential = (target: object) => d.api.credentials.create({ name, ...login, ...target })
    const network = (base: string, more = {}) =>
      d.api.networks.create({ name: `${name} ${base}`, subnet: `${base}.0/24`, ...more })
    if (name === 'spaces:update') {
      const space = (await d.api.spaces.create({ name: 'elsewhere' })).id
      const { id, subnet } = await network(opened, { space_id: space })
      await credential({ network_id: id })
      return { id, subnet, device: '', space, scanned: id }
    }
    const base = name === 'devices:update' ? given : block()
    const { id, subnet } = await network(base)
    const ip = name === 'networks:create' ? `${made}.9` : `${base}.9`
    const device = (await d.api.devices.create({ name, addresses: [{ ip }] })).id
    await credential(name === 'networks:update' ? { network_id: id } : { device_id: device })
    return { id, subnet, device, space: '', scanned: id }
  }

  test.each(Object.entries(CHANGES))('is aimed with %s and discovery:create', async (name, { http, body, hits }) => {
    const aimed = await setUp(name)
    const without = await d.app.as(['discovery:create', 'networks:read'])
    expect(await ask(without, http(aimed), body(aimed))).toMatchObject({ status: 403 })
    const caller = await d.app.as(['discovery:create', name])
    const changed = await ask(caller, http(aimed), body(aimed))
    expect([name, changed.status < 300, changed.body]).toEqual([name, true, expect.anything()])
    const scanned = name === 'networks:create' ? (changed.body as { id: string }).id : aimed.scanned
    const started = await ask(caller, `POST /api/discovery/networks/${scanned}/scan`, { scan_type: 'deep' })
    expect(started.status).toBe(202)
    const scan = await d.scanner.next(hits[0])
    scan.end('done')
    expect(scan.plan.ssh.map(({ ip }) => ip)).toEqual([hits[1]])
  })
})
