// The certificates that scans have read follow the ports that showed them.
import { describe, expect, test } from 'bun:test'
import { discoveryApp } from '../../../testing/discovery.ts'
import { host } from '../../../testing/servers/scripted-scanner.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { FoundService } from '../../scanner/protocol.ts'
import { parseEnd } from './certificate-store.ts'

const END = 'Jan  5 09:00:00 2027 GMT'

const service = (port: number, details: Record<string, string>): FoundService => ({
  ...{ port, protocol: 'tcp', service: 'https', product: '', version: '', banner: '' },
  details,
})

test.each([
  [END, '2027-01-05T09:00:00.000Z'],
  ['Dec 31 23:59:59 9999 GMT', '9999-12-31T23:59:59.000Z'],
  ['', undefined],
  ['soon', undefined],
  ['Jan  1 00:00:00 12027 GMT', undefined],
])('the end %p is %p', (text, end) => {
  expect(parseEnd(text)).toBe(end)
})

describe.each(engines())('certificates on %s', (dialect) => {
  const d = discoveryApp(dialect)
  const ofNetwork = async (id: string) =>
    d.app.db.read
      .selectFrom('discovered_certificates')
      .innerJoin('discovered_devices', 'discovered_devices.id', 'device_id')
      .select(['ip', 'port', 'subject', 'issuer', 'names', 'expires_at'])
      .where('network_id', '=', id)
      .orderBy('ip')
      .orderBy('port')
      .execute()
  const portsOf = async (id: string) => (await ofNetwork(id)).map(({ port }) => port)

  test('a deep scan stores the certificate of each port, without those whose end cannot be read', async () => {
    const net = await d.network()
    const details = { certificate: 'CN=a', issuer: 'CN=ca', names: 'a.example, b.example', 'valid-to': END }
    const services = [service(443, details), service(8443, { 'valid-to': 'never' }), service(80, { title: 'x' })]
    await d.scan(net.id, [host(net.at(1), { openPorts: [80, 443, 8443], services })], 'deep')
    expect(await ofNetwork(net.id)).toEqual([
      {
        ...{ ip: net.at(1), port: 443, subject: 'CN=a', issuer: 'CN=ca', names: '["a.example","b.example"]' },
        expires_at: '2027-01-05T09:00:00.000Z',
      },
    ])
  })

  test('a later look at a port replaces its certificate, and a quick scan keeps it', async () => {
    const net = await d.network()
    const look = (end: string) =>
      host(net.at(1), { openPorts: [443], services: [service(443, end === '' ? {} : { 'valid-to': end })] })
    await d.scan(net.id, [look(END)], 'deep')
    await d.scan(net.id, [look('Jan  5 09:00:00 2028 GMT')], 'deep')
    expect((await ofNetwork(net.id)).map(({ expires_at }) => expires_at)).toEqual(['2028-01-05T09:00:00.000Z'])
    await d.scan(net.id, [host(net.at(1))], 'quick')
    expect(await portsOf(net.id)).toEqual([443])
    await d.scan(net.id, [look('')], 'deep')
    expect(await portsOf(net.id)).toEqual([])
  })

  test('a certificate goes with its port, its address and its device', async () => {
    const net = await d.network()
    const mac = '00:1b:21:00:00:77'
    const services = [service(443, { 'valid-to': END }), service(993, { 'valid-to': END })]
    await d.scan(net.id, [host(net.at(1), { mac, openPorts: [443, 993], services })], 'deep')
    await d.scan(net.id, [host(net.at(1), { mac, openPorts: [443] })], 'full')
    expect(await portsOf(net.id)).toEqual([443])
    await d.scan(net.id, [host(net.at(2), { mac, openPorts: [443] })], 'full')
    expect(await portsOf(net.id)).toEqual([])
    await d.scan(net.id, [host(net.at(3), { openPorts: [443], services })], 'deep')
    const [found] = await d.api.discovery.list({ network_id: net.id, q: net.at(3) })
    await d.api.discovery.delete({ id: found?.id ?? '' })
    expect(await portsOf(net.id)).toEqual([])
  })

  test('hostile texts of a certificate are stored, cut and without NUL', async () => {
    const net = await d.network()
    const names = Array.from({ length: 99 }, (_, n) => `n${n}.example`).join(', ')
    const details = { certificate: `CN=\u0000${'x'.repeat(2000)}`, issuer: '\ud800', names, 'valid-to': END }
    await d.scan(net.id, [host(net.at(1), { openPorts: [443], services: [service(443, details)] })], 'deep')
    const [row] = await ofNetwork(net.id)
    expect([row?.subject.length, row?.issuer, (JSON.parse(row?.names ?? '[]') as unknown[]).length]).toEqual([
      255,
      '\ufffd',
      32,
    ])
  })
})
