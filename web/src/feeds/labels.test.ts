import { describe, expect, test } from 'bun:test'
import { CATALOGUE } from '../../../src/exchange/feeds/catalogue.ts'
import { DeviceStatus } from '../../../src/inventory/devices/schema.ts'
import { type Filter, fillUsage, filterInWords, STATUSES } from './labels.ts'

const DEFAULT: Filter = {
  ...{ tags: [], datacenter_id: null, network_id: null, statuses: ['active', 'maintenance'] },
  ...{ address_label: '', family: '' },
}
const names = new Map([
  ['d', 'Dublin'],
  ['n', 'servers'],
  ['z', 'example.org'],
])

describe('the filter in words', () => {
  test.each<[Partial<Filter>, string]>([
    [{}, 'All devices; active and maintenance'],
    [{ statuses: ['planned', 'active', 'maintenance', 'decommissioned'] }, 'All devices; in any state'],
    [{ zone_id: 'z' }, 'The zone example.org'],
    [{ tags: ['web'] }, 'Devices tagged web; active and maintenance'],
    [{ tags: ['web', 'prod', 'eu'], statuses: ['active'] }, 'Devices tagged web, prod and eu; active'],
    [{ datacenter_id: 'd', statuses: ['planned'] }, 'Devices in Dublin; planned'],
    [{ tags: ['web'], network_id: 'n' }, 'Devices tagged web, with an address in servers; active and maintenance'],
    [{ network_id: 'gone', statuses: ['active'] }, 'Devices with an address in network gone; active'],
    [{ statuses: ['active'], family: 'ipv6' }, 'All devices; active; IPv6 addresses'],
    [{ statuses: ['active'], address_label: 'ssh' }, 'All devices; active; addresses labelled ssh'],
    [
      { statuses: ['active'], family: 'ipv4', address_label: 'ssh' },
      'All devices; active; IPv4 addresses labelled ssh',
    ],
  ])('of %j is "%s"', (part, sentence) => {
    expect(filterInWords({ ...DEFAULT, ...part }, names)).toBe(sentence)
  })

  test('knows all states of devices', () => {
    expect(STATUSES).toEqual(DeviceStatus.options)
  })
})

describe('the configuration of the consumer', () => {
  const consumer = {
    url: 'https://plat.test/api/feeds/x/content',
    server: 'https://plat.test',
    id: 'x',
    token: 'plat_1$&',
  }

  test('has the URL, the id and the key in their places, and keeps other braces', () => {
    const [filled] = fillUsage([{ title: 'f', text: "{ echo '{}'; } {url} {id} {token} {other}" }], consumer)
    expect(filled?.text).toBe("{ echo '{}'; } https://plat.test/api/feeds/x/content x plat_1$& {other}")
  })

  test('has a placeholder without a key', () => {
    expect(fillUsage([{ title: 'f', text: '{token}' }], { ...consumer, token: undefined })).toEqual([
      { title: 'f', text: 'YOUR_KEY' },
    ])
  })

  test.each(Object.entries(CATALOGUE))('of %s has no place that is left empty', (_, { usage }) => {
    for (const { text } of fillUsage(usage, consumer)) expect(text).not.toMatch(/\{\w+\}/)
  })
})
