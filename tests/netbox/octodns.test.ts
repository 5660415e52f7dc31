/** octoDNS makes forward and reverse zones of the addresses in Plat. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { type PlatTarget, startPlat } from '../../testing/netbox/clients/plat.ts'

let plat: PlatTarget
beforeAll(async () => {
  plat = await startPlat()
}, 120_000)
afterAll(() => plat.stop())

const FORWARD = 'example.net.'
const REVERSE = '0.1.10.in-addr.arpa.'
const REVERSE_V6 = '0.0.0.0.1.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa.'

const CONFIG = `
providers:
  netbox:
    class: octodns_netbox.NetboxSource
    url: env/NETBOX_URL
    token: env/NETBOX_TOKEN
    field_name: dns_name
    populate_vrf_name: Global
  zones:
    class: octodns.provider.yaml.YamlProvider
    directory: ./zones
zones:
${[FORWARD, REVERSE, REVERSE_V6].map((zone) => `  ${zone}: {sources: [netbox], targets: [zones]}`).join('\n')}
`

const point = (name: string) => ({ ttl: 60, type: 'PTR', value: `${name}.example.net.` })
const address = (value: string) => ({ ttl: 60, type: 'A', value })
const both = (a: string, aaaa: string) => [address(a), { ttl: 60, type: 'AAAA', value: aaaa }]

test('octodns-netbox makes A, AAAA and PTR records, and nothing the second time', async () => {
  mkdirSync(join(plat.dir, 'zones'))
  writeFileSync(join(plat.dir, 'octodns.yaml'), CONFIG)
  await plat.run(['octodns-sync', '--config-file', 'octodns.yaml', '--doit'])
  const zone = (name: string) => parse(readFileSync(join(plat.dir, 'zones', `${name}yaml`), 'utf8'))
  expect(zone(FORWARD)).toEqual({
    gw: address('10.1.0.1'),
    'gw-muc': address('10.2.0.1'),
    next: both('10.1.0.99', '2001:db8:1::99'),
    'srv-fra-1': both('10.1.0.10', '2001:db8:1::10'),
    'srv-muc': address('10.2.0.10'),
    'sw-fra-1': address('10.1.0.2'),
    'web-1': address('10.1.0.20'),
  })
  expect(zone(REVERSE)).toEqual({
    1: point('gw'),
    2: point('sw-fra-1'),
    10: point('srv-fra-1'),
    20: point('web-1'),
    99: point('next'),
  })
  expect(zone(REVERSE_V6)).toEqual({
    [`0.1.${'0.'.repeat(13)}0`]: point('srv-fra-1'),
    [`9.9.${'0.'.repeat(13)}0`]: point('next'),
  })
  const { err } = await plat.run(['octodns-sync', '--config-file', 'octodns.yaml'])
  expect(err).toContain('No changes were planned')
}, 120_000)
