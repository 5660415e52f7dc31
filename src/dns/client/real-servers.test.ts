/** The client against BIND, Knot and PowerDNS: records of every type, prerequisites, transfers of 10,000 names, and wrong keys. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  DNS_KEYS,
  READ_KEY,
  startKnot,
  startNamed,
  startPowerDns,
  type TestDnsServer,
  ZONES,
} from '../../../testing/servers/dns-servers.ts'
import { createTargetRules } from '../../base/security/outbound-target.ts'
import { parseCidrOrThrow } from '../../net/cidr.ts'
import type { DnsRecord } from '../../net/dns/record.ts'
import type { TsigKey } from '../../net/dns/tsig.ts'
import type { Prerequisite, RrsetChange } from '../../net/dns/update.ts'
import { createDnsClient, type DnsClient } from './client.ts'
import { createDnsConnector } from './connector.ts'
import { DnsError, type DnsErrorKind } from './dns-error.ts'

const [ZONE, SLASH_ZONE] = ZONES
const KEY = DNS_KEYS.find(({ algorithm }) => algorithm === 'hmac-sha256')
if (KEY === undefined) throw new Error('no key')
const { connect } = createDnsConnector({ rules: createTargetRules(false), servers: [parseCidrOrThrow('127.0.0.1/32')] })

const nameOf = (label: string): string => `${label}.${ZONE}`
const add = (name: string, type: string, values: readonly string[], ttl = 300): RrsetChange => ({
  kind: 'add',
  name,
  type,
  ttl,
  values,
})

/** The kinds of errors, which differ: PowerDNS names no reason. */
type Kinds = Readonly<Record<'unsigned' | 'unpermitted' | 'unknown' | 'secret' | 'clock', DnsErrorKind>>
const SERVERS: readonly (readonly [string, () => Promise<TestDnsServer>, Kinds])[] = [
  [
    'BIND',
    startNamed,
    {
      unsigned: 'refused',
      unpermitted: 'refused',
      unknown: 'unknown_key',
      secret: 'wrong_secret',
      clock: 'clocks_apart',
    },
  ],
  [
    'Knot',
    startKnot,
    {
      ...{ unsigned: 'zone_not_there', unpermitted: 'unknown_key', unknown: 'unknown_key' },
      ...{ secret: 'wrong_secret', clock: 'clocks_apart' },
    },
  ],
  [
    'PowerDNS',
    startPowerDns,
    { unsigned: 'refused', unpermitted: 'refused', unknown: 'refused', secret: 'refused', clock: 'refused' },
  ],
]

describe.each(SERVERS)('%s', (_, start, kinds) => {
  let server: TestDnsServer
  beforeAll(async () => {
    server = await start()
  }, 60_000)
  afterAll(async () => {
    await server.stop()
  })

  const clientOf = (key: TsigKey | undefined = KEY, now = Date.now): DnsClient =>
    createDnsClient({ connect, host: '127.0.0.1', port: server.port, key, timeoutMs: 30_000, now })
  const unsigned = (): DnsClient =>
    createDnsClient({ connect, host: '127.0.0.1', port: server.port, timeoutMs: 30_000 })
  const update = (changes: readonly RrsetChange[], prerequisites: readonly Prerequisite[] = []) =>
    clientOf().update({ zone: ZONE, prerequisites, changes })
  const failureOf = async (work: Promise<unknown>): Promise<DnsError> => {
    const error = await work.catch((failure: unknown) => failure)
    if (!(error instanceof DnsError)) throw new Error(`no DnsError: ${error}`)
    return error
  }
  const recordsOf = async (zone: string): Promise<DnsRecord[]> => {
    const records: DnsRecord[] = []
    for await (const record of clientOf().transfer(zone)) records.push(record)
    return records
  }
  const rrsetOf = async (name: string, type: string) => {
    const { answers } = await clientOf().query({ name, type })
    return answers.map(({ ttl, value }) => [ttl, value]).sort()
  }

  test.each(DNS_KEYS.map((key) => [key.algorithm, key] as const))(
    'accepts %s and signs with it',
    async (_name, key) => {
      expect(await clientOf(key).serial(ZONE)).toBeGreaterThanOrEqual(1)
    },
  )

  const VALUES: readonly (readonly [string, readonly string[]])[] = [
    ['A', ['192.0.2.1', '192.0.2.2']],
    ['AAAA', ['2001:db8::1', '::ffff:192.0.2.1']],
    ['MX', ['10 mail.example.net', '20 mail2.example.net']],
    ['MX', ['0 .']],
    ['TXT', ['v=spf1 -all', 'a "quoted" \\ text; é']],
    ['TXT', [`${'x'.repeat(254)}é${'y'.repeat(3800)}`]],
    ['SRV', ['0 5 5060 sip.example.net']],
    ['NS', ['ns1.example.net']],
    ['CAA', ['0 issue "ca.example.net; policy=ev"', '128 iodef "mailto:a\\"b@example.net"']],
    ['PTR', ['host.example.net']],
    ['SSHFP', [`4 2 ${'ab'.repeat(32)}`, `1 1 ${'cd'.repeat(20)}`]],
    ['CNAME', ['5.0/26.2.0.192.in-addr.arpa']],
    ['CNAME', ['a\\.b.\\000\\255.example.net']],
    // PowerDNS takes no types that it does not know.
    ...(start === startPowerDns ? [] : [['TYPE65280', ['\\# 3 a1b2c3']] as const]),
  ]
  test.each(VALUES.map(([type, values], index) => [type, index, values] as const))(
    'holds the values of %s as they were sent (%p), and takes them as a prerequisite',
    async (type, index, values) => {
      const name = nameOf(`value-${index}`)
      await update([add(name, type, values)], [{ kind: 'absent', name, type }])
      const found = (await recordsOf(ZONE)).filter((record) => record.name === name)
      expect(found.map((record) => [record.type, record.value]).sort()).toEqual(
        values.map((value) => [type, value]).sort(),
      )
      await update([{ kind: 'delete', name, type }], [{ kind: 'equals', name, type, values }])
      expect((await recordsOf(ZONE)).filter((record) => record.name === name)).toEqual([])
    },
  )

  test('takes names with escapes, and of RFC 2317', async () => {
    const name = `5.${SLASH_ZONE}`
    await clientOf().update({ zone: SLASH_ZONE, prerequisites: [], changes: [add(name, 'PTR', ['a.example.org'])] })
    expect((await recordsOf(SLASH_ZONE)).map((record) => record.name)).toContain(name)
    const escaped = nameOf('a\\.b\\032c')
    // BIND only permits addresses of host names.
    await update([add(escaped, 'TXT', ['a'])], [{ kind: 'unused', name: escaped }])
    expect(await rrsetOf(escaped, 'TXT')).toEqual([[300, 'a']])
  })

  describe('with prerequisites', () => {
    const name = nameOf('held')
    const values = ['192.0.2.10', '192.0.2.11']
    beforeAll(async () => {
      await update([add(name, 'A', values)])
    })

    test.each([
      ['absent', { kind: 'absent', name, type: 'A' }, 'YXRRSET'],
      ['unused', { kind: 'unused', name }, 'YXDOMAIN'],
      ['equal to fewer values', { kind: 'equals', name, type: 'A', values: ['192.0.2.10'] }, 'NXRRSET'],
      ['equal to more values', { kind: 'equals', name, type: 'A', values: [...values, '192.0.2.12'] }, 'NXRRSET'],
      ['equal to values of nothing', { kind: 'equals', name, type: 'MX', values: ['10 a.example.net'] }, 'NXRRSET'],
    ] as const)('of %s that fail, changes nothing', async (_kind, prerequisite, rcode) => {
      const other = nameOf('other')
      const work = update(
        [add(other, 'A', ['192.0.2.99']), { kind: 'delete', name, type: 'A' }],
        [{ kind: 'absent', name: other, type: 'A' }, prerequisite],
      )
      expect(await failureOf(work)).toMatchObject({ kind: 'prerequisite', rcode, isSigned: true })
      expect(await rrsetOf(name, 'A')).toEqual(values.map((value) => [300, value]))
      expect((await clientOf().query({ name: other, type: 'A' })).rcode).toBe('NXDOMAIN')
    })

    test('that hold, replaces an RRset in one message', async () => {
      const replaced = nameOf('replaced')
      await update([add(replaced, 'A', values)])
      await update(
        [{ kind: 'delete', name: replaced, type: 'A' }, add(replaced, 'A', ['192.0.2.20'], 60)],
        // The order of the values is no part of an RRset.
        [
          { kind: 'equals', name: replaced, type: 'A', values: values.toReversed() },
          { kind: 'absent', name: replaced, type: 'CNAME' },
          { kind: 'unused', name: nameOf('never') },
        ],
      )
      expect(await rrsetOf(replaced, 'A')).toEqual([[60, '192.0.2.20']])
    })
  })

  test('takes 10,000 names in messages of 500, each with its prerequisites, and transfers them', async () => {
    const names = Array.from({ length: 10_000 }, (_name, index) => nameOf(`host-${index}`))
    const value = (index: number): string => `10.1.${index >> 8}.${index & 255}`
    for (let first = 0; first < names.length; first += 500) {
      const part = names.slice(first, first + 500)
      await update(
        part.map((name, index) => add(name, 'A', [value(first + index)])),
        part.flatMap((name): Prerequisite[] => [
          { kind: 'absent', name, type: 'A' },
          { kind: 'absent', name, type: 'CNAME' },
        ]),
      )
    }
    const records = await recordsOf(ZONE)
    expect(records[0]).toMatchObject({ name: ZONE, type: 'SOA' })
    expect(records.filter(({ type }) => type === 'SOA')).toHaveLength(1)
    const values = new Map(records.filter(({ type }) => type === 'A').map((record) => [record.name, record.value]))
    expect(names.filter((name, index) => values.get(name) !== value(index))).toEqual([])
    expect(await clientOf().serial(ZONE)).toBe(Number(records[0]?.value.split(' ')[2]))
  }, 120_000)

  describe('refuses', () => {
    const changes = [add(nameOf('refused'), 'A', ['192.0.2.66'])]
    const refusalOf = async (client: DnsClient): Promise<DnsErrorKind> =>
      (await failureOf(client.update({ zone: ZONE, prerequisites: [], changes }))).kind
    const isThere = async (): Promise<boolean> => (await rrsetOf(nameOf('refused'), 'A')).length > 0

    test('an update without a signature', async () => {
      expect([await refusalOf(unsigned()), await isThere()]).toEqual([kinds.unsigned, false])
    })

    test('a transfer without a signature', async () => {
      const error = await failureOf(unsigned().transfer(ZONE).next())
      expect(['refused', 'zone_not_there']).toContain(error.kind)
    })

    test('a key that may not update', async () => {
      expect([await refusalOf(clientOf(READ_KEY)), await isThere()]).toEqual([kinds.unpermitted, false])
    })

    test('an unknown key', async () => {
      expect([await refusalOf(clientOf({ ...KEY, name: 'unknown.key' })), await isThere()]).toEqual([
        kinds.unknown,
        false,
      ])
    })

    test('a wrong secret', async () => {
      const wrong = { ...KEY, secret: new Uint8Array(32) }
      expect([await refusalOf(clientOf(wrong)), await isThere()]).toEqual([kinds.secret, false])
    })

    test('a query with an unknown key or a wrong secret', async () => {
      const errors = [{ name: 'unknown.key' }, { secret: new Uint8Array(32) }].map(
        async (change) => (await failureOf(clientOf({ ...KEY, ...change }).serial(ZONE))).kind,
      )
      for (const kind of await Promise.all(errors)) expect(['unknown_key', 'wrong_secret']).toContain(kind)
    })

    test.each([4000, -4000])('a clock that is %p s ahead', async (seconds) => {
      const client = clientOf(KEY, () => Date.now() + seconds * 1000)
      const error = await failureOf(client.update({ zone: ZONE, prerequisites: [], changes }))
      expect([error.kind, await isThere()]).toEqual([kinds.clock, false])
      // A second may begin between the two times.
      if (kinds.clock === 'clocks_apart') expect(Math.abs((error.secondsApart ?? 0) + seconds)).toBeLessThan(60)
    })

    test('an update of a zone that it does not serve', async () => {
      const work = clientOf().update({ zone: 'example.net', prerequisites: [], changes: [] })
      expect(await failureOf(work)).toMatchObject({ kind: 'zone_not_there', rcode: 'NOTAUTH' })
    })

    test('a name outside of the zone', async () => {
      const work = update([add('a.example.net', 'A', ['192.0.2.1'])])
      expect(await failureOf(work)).toMatchObject({ kind: 'zone_not_there', rcode: 'NOTZONE' })
    })

    test('the transfer of a zone that it does not serve', async () => {
      expect(await failureOf(clientOf().transfer('example.net').next())).toMatchObject({ kind: 'zone_not_there' })
    })

    test('the serial of a name that is no zone', async () => {
      expect(await failureOf(clientOf().serial(nameOf('none')))).toMatchObject({
        kind: 'zone_not_there',
        isSigned: true,
      })
    })
  })
})
