/** pynetbox reads, allocates and writes in Plat as in a NetBox. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type PlatTarget, startPlat } from '../../testing/netbox/clients/plat.ts'
import { program } from '../../testing/netbox/clients/run.ts'

let plat: PlatTarget
beforeAll(async () => {
  plat = await startPlat()
}, 120_000)
afterAll(() => plat.stop())

test('pynetbox reads, allocates, writes and gets the errors that it knows', async () => {
  const { out } = await plat.run(['python3', program('use_pynetbox.py'), plat.url, plat.token])
  const seen = Object.assign(
    {},
    ...out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  )
  expect(seen).toEqual({
    version: '4.5',
    'devices of a site': ['spine-fra', 'srv-fra-1', 'srv-fra-2', 'srv-fra-3', 'sw-fra-1', 'sw-fra-2'],
    pages: 23,
    count: 7,
    device: ['', 'A-2001', 'Server', 'PowerEdge R650', 'FRA1', 'active', '2001:db8:1::10/64'],
    'custom fields': expect.objectContaining({ backup: false, bought: null, rack_units: null, support: 'silver' }),
    interfaces: [
      ['eth0', '1000base-t', true],
      ['eth0.20', 'virtual', true],
    ],
    'nested details': 'Dell',
    choices: ['active', 'container', 'deprecated', 'reserved'],
    none: null,
    free: ['10.66.0.1/28', '10.66.0.2/28', '10.66.0.3/28'],
    first: ['10.66.0.1/28', 'py-1.example.net', 'First'],
    'two more': ['10.66.0.2/28', '10.66.0.3/28'],
    assigned: [true, 'eth0'],
    primary: [true, '10.66.0.1/28'],
    'same again': false,
    updated: [true, 'py-server'],
    'addresses of the device': ['10.66.0.1/28'],
    blocks: ['10.4.0.0/24'],
    block: '10.4.0.0/26',
    duplicate: [400, '{"address":["Duplicate IP address found in global table: 10.66.0.1/28"]}'],
    'bad prefix': [400, expect.stringContaining('{"prefix":["')],
    'missing field': [400, '{"name":["This field is required."]}'],
    full: [409, 'The requested allocation could not be fulfilled.'],
    gone: null,
    bulk: ['py a', 'py b'],
    'bulk deletion': true,
    deletion: [true, null],
  })
}, 120_000)
