/** The reports beside a plain model of them, on random estates, on both databases. */
import { describe, expect, test } from 'bun:test'
import { countCases } from '../../../testing/cases.ts'
import { discoveryApp } from '../../../testing/discovery.ts'
import { expectFindings } from '../../../testing/estates/report-model.ts'
import { host } from '../../../testing/servers/scripted-scanner.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { FoundHost, FoundName } from '../../scanner/protocol.ts'
import { REPORTS } from './registry.ts'

/** The number of estates, and of changes and comparisons in each. */
const ROUNDS = { sqlite: countCases(60), postgres: countCases(25) } as const
const CHANGES_A_ROUND = 12
const LIMIT_MS = 300_000
const DAY_MS = 86_400_000

const NAMES = [
  'web',
  'web.example.com',
  'Web.Example.com.',
  'db',
  'db.example.com',
  'printer.local',
  'mail.example.org',
]
const MACS = [
  '00:1b:21:00:00:01',
  '00:1b:21:00:00:02',
  '00:1b:21:00:00:03',
  '02:00:00:00:00:09',
  '00:00:5e:00:01:07',
  '',
]

const createRandom = (seed: number) => {
  let state = seed
  const below = (n: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
  const one = <T>(list: readonly T[]): T => {
    const value = list[below(list.length)]
    if (value === undefined) throw new Error('an empty list has no element')
    return value
  }
  return { below, one, maybe: <T>(value: T): T[] => (below(2) === 0 ? [value] : []) }
}

const SOURCES: readonly FoundName['source'][] = ['ptr', 'ptr', 'mdns', 'snmp', 'netbios']

describe.each(engines())('reports on %s', (dialect) => {
  const d = discoveryApp(dialect)

  test(
    'each report finds what its model finds',
    async () => {
      const { below, one, maybe } = createRandom(53)
      const send = async (http: string, body?: object) => {
        const answer = await d.ask(http, body)
        expect([http, JSON.stringify(body), answer.status < 500]).toEqual([http, JSON.stringify(body), true])
        return answer.body as { readonly id: string }
      }
      const rows = async (path: string) => (await d.ask(`GET /api/${path}`)).body as { readonly id: string }[]
      const { id: place } = await send('POST /api/datacenters', { name: 'place' })
      const { id: space_id } = await send('POST /api/spaces', { name: 'lab', reachable: true })
      const first = await d.network()
      const outer = await send('POST /api/networks', { name: 'outer', subnet: '127.0.0.0/20', datacenter_id: place })
      const twin = await send('POST /api/networks', { name: 'twin', subnet: first.subnet, space_id })
      await send('POST /api/networks', { name: 'wide', subnet: '10.0.0.0/8' })
      await send('POST /api/networks', { name: 'six', subnet: '2001:db8::/112' })
      const networks = [first.id, outer.id, twin.id]
      const pools = await Promise.all(
        [first.id, twin.id].map((network_id, at) =>
          send(`POST /api/networks/${network_id}/pools`, {
            ...{ name: `pool ${at}`, start_ip: first.at(1), end_ip: first.at(4) },
          }),
        ),
      )
      const zones = [
        await send('POST /api/dns/zones', { name: 'example.com' }),
        await send('POST /api/dns/zones', { name: 'example.org', space_id }),
      ]
      const ip = () => (below(8) === 0 ? '192.0.2.7' : first.at(1 + below(7)))
      const device = () => ({
        name: one(NAMES),
        hostname: one([...NAMES.slice(0, 5), '', '']).replace(/\.$/, ''),
        domains: maybe(one(['web.example.com', 'other.example.com'])),
        status: one(['active', 'active', 'inactive', 'decommissioned']),
        datacenter_id: one([place, null]),
        addresses: [...new Set([ip(), ...maybe(ip())])].map((text) => ({
          ...{ ip: text, mac_address: one(MACS) },
          ...(below(4) === 0 && text !== '192.0.2.7' ? { space_id } : {}),
        })),
      })
      const seenHost = (text: string): FoundHost => {
        const ports = [22, 80, 443, 8443].filter(() => below(2) === 0)
        const valid = new Date(Date.parse(d.now()) + (below(60) - 10) * DAY_MS).toUTCString()
        return host(text, {
          mac: one(MACS),
          names: [...maybe(0), ...maybe(1)].map(() => ({ name: one(NAMES), source: one(SOURCES) })),
          openPorts: ports,
          services: ports.map((port) => ({
            ...{ port, protocol: 'tcp' as const, service: 'x', product: '', version: '', banner: '' },
            details: port > 400 ? { certificate: 'CN=x', 'valid-to': one([valid, valid, 'never']) } : {},
          })),
        })
      }
      const changes: readonly (() => Promise<unknown>)[] = [
        () => send('POST /api/devices', device()),
        () => send('POST /api/devices', device()),
        async () => send(`PUT /api/devices/${one(await rows('devices')).id}`, device()),
        async () => (await rows('devices')).length > 6 && d.ask(`DELETE /api/devices/${one(await rows('devices')).id}`),
        () =>
          send(`POST /api/pools/${one(pools).id}/reservations`, {
            ...{
              ip_address: first.at(1 + below(4)),
              hostname: one([...NAMES.slice(0, 2), '']),
              mac_address: one(MACS),
            },
            expires_at: one([null, new Date(Date.parse(d.now()) + 40 * DAY_MS).toISOString()]),
          }),
        ...[0, 1, 2].map(() => async () => {
          const hosts = [1, 2, 3, 4, 5, 6, 7].filter(() => below(2) === 0).map((n) => seenHost(first.at(n)))
          await d.scan(one(networks), hosts, one(['quick', 'full', 'deep']))
        }),
        () => {
          const until = Math.floor(Date.parse(d.now()) / 1000) + one([3600, 60 * 86_400])
          return send('POST /api/discovery/leases', {
            text: `${until} ${one(MACS.slice(0, 4))} ${first.at(1 + below(7))} ${one(['web', 'laptop'])} *\n`,
          })
        },
        async () => {
          const [found] = await rows('discovery/inbox?bucket=new')
          if (found && below(2) === 0)
            await send(`POST /api/discovery/devices/${found.id}/promote`, { name: one(NAMES) })
          else if (found) await send('POST /api/discovery/inbox/ignore', { ids: [found.id] })
        },
        async () => d.advance(below(30) * DAY_MS),
        () => {
          const entries = Array.from({ length: below(4) }, () => ({
            ...{ name: one(['web', 'db', 'mail', '@', 'other']), type: one(['A', 'A', 'AAAA', 'TXT']) },
            ...{
              kind: one(['changed', 'foreign']),
              plat: [first.at(7)],
              server: [...maybe(first.at(1)), first.at(1 + below(7))],
            },
            ...{ plat_ttl: 300, server_ttl: 300 },
          }))
          const report = { zone_id: one(zones).id, checked_at: d.now(), entries }
          const row = { zone_id: report.zone_id, doc: JSON.stringify(report) }
          return d.app.db.write(({ db }) =>
            db
              .insertInto('dns_reports')
              .values(row)
              .onConflict((conflict) => conflict.column('zone_id').doUpdateSet({ doc: row.doc }))
              .execute(),
          )
        },
      ]
      let findings = 0
      await send('POST /api/devices', device())
      for (let round = 0; round < ROUNDS[dialect]; round++) {
        for (let n = 0; n < CHANGES_A_ROUND; n++) await one(changes)()
        const [days, min] = [below(50), below(101)]
        const expected = await expectFindings(d.app.db, { now: d.now(), days, min })
        for (const { name } of REPORTS) {
          const found = await d.api.reports.show({ name, days, min })
          const plain = found.map(({ id, since, value }) => ({ id, since, value }))
          expect([round, name, plain.sort((a, b) => (a.id < b.id ? -1 : 1))]).toEqual([
            round,
            name,
            expected[name] ?? [],
          ])
          findings += found.length
        }
      }
      expect(findings).toBeGreaterThan(100)
    },
    LIMIT_MS,
  )
})
