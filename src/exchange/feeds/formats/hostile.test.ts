// Values of devices that resemble the syntax of a format end no line and no string of it.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../../../testing/cases.ts'
import { selectMainAddresses } from '../../../inventory/devices/address-names.ts'
import { DeviceDraft } from '../../../inventory/devices/api.ts'
import type { Device } from '../../../inventory/devices/schema.ts'
import type { FeedFormat } from '../schema.ts'
import type { FeedDevice } from './format.ts'
import { WRITERS } from './formats.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    'a"b',
    'a\nb',
    'a\\',
    '#x',
    '; }',
    '" }\nhost evil { }',
    '\u2028',
    '\r\n127.0.0.1 evil',
    'a,b',
    '*',
    '<?include "/etc/shadow"?>',
  ),
)
const name = fc.constantFrom('', 'web-1.example.net', 'a', 'A.B', '_srv.example.net', '*.example.net')
const mac = fc.constantFrom('', '52:54:00:00:00:01', '52:54:00:00:00:02')
const ip = fc.constantFrom('10.0.0.1', '10.0.0.2', '2001:db8::1')

const drafts = fc.record({
  name: text,
  hostname: name.filter((one) => !/[_*]/.test(one)),
  os: text,
  username: text,
  location: text,
  tags: fc.array(text, { maxLength: 3 }),
  domains: fc.array(
    name.filter((one) => one !== ''),
    { maxLength: 2 },
  ),
  addresses: fc.array(
    fc.record({ ip, label: text, mac_address: mac, dns_name: name.filter((one) => !one.startsWith('*')) }),
    { maxLength: 3 },
  ),
})

/** Returns the devices that the contract accepts. */
const accepted = (all: readonly object[]): FeedDevice[] =>
  all.flatMap((draft, i) => {
    const { success, data } = DeviceDraft.safeParse(draft)
    if (!success) return []
    const device = { ...data, id: `d${i}`, created_at: '', updated_at: '' } as unknown as Device
    const main = selectMainAddresses(device.addresses)
    const addresses = device.addresses.map((address) => {
      const isMain = main.has(address)
      return { address, isMain }
    })
    return { device, addresses, datacenter: device.location }
  })

const written = async (format: Exclude<FeedFormat, 'template' | 'zone'>, devices: FeedDevice[]): Promise<string> => {
  async function* chunks() {
    yield devices
  }
  const network = { id: 'n', name: devices[0]?.device.os ?? '', subnet: '10.0.0.0/8', vlan_id: null }
  const parts = {
    feed: { port: 9100, family: '' as const },
    title: 'Plat feed x',
    networkOf: () => network,
    skip: () => {},
  }
  let all = ''
  for await (const piece of WRITERS[format]({ ...parts, chunks: chunks() })) all += piece
  return all
}

const IP = '(?:[0-9.]+|[0-9a-f:]+)'
const NAME = '[A-Za-z0-9_.-]+'
const LINES: Readonly<Partial<Record<FeedFormat, RegExp>>> = {
  hosts: new RegExp(`^${IP}\\t${NAME}(?: ${NAME})*$`),
  'ssh-config': new RegExp(`^(?:Host ${NAME}(?: ${NAME})*|  HostName ${IP}|  Port [0-9]+|  User [A-Za-z0-9._@-]+)$`),
  dnsmasq: new RegExp(`^dhcp-host=[0-9a-f:]{17},(?:[0-9.]+|\\[[0-9a-f:]+\\])(?:,${NAME})?$`),
  'isc-dhcp': new RegExp(
    `^host [a-z0-9-]+ \\{ hardware ethernet [0-9a-f:]{17}; fixed-address6? ${IP};(?: option host-name "${NAME}";)? \\}$`,
  ),
}

test.each(Object.entries(LINES) as [Exclude<FeedFormat, 'template' | 'zone'>, RegExp][])(
  'each line of %s is one of its kind',
  async (format, line) => {
    await fc.assert(
      fc.asyncProperty(fc.array(drafts, { maxLength: 4 }), async (all) => {
        const [title, ...lines] = (await written(format, accepted(all))).split('\n')
        expect([title, lines.pop()]).toEqual(['# Plat feed x', ''])
        for (const one of lines) expect(one).toMatch(line)
      }),
      { seed: 7, numRuns: countCases(200) },
    )
  },
)

test.each(['prometheus', 'ansible', 'kea'] as const)('%s is JSON with the values as they are', async (format) => {
  await fc.assert(
    fc.asyncProperty(fc.array(drafts, { maxLength: 4 }), async (all) => {
      const devices = accepted(all)
      const parsed = JSON.parse(await written(format, devices)) as unknown
      if (format === 'ansible')
        expect(
          Object.values((parsed as { _meta: { hostvars: Record<string, { plat_name: string }> } })._meta.hostvars).map(
            (one) => one.plat_name,
          ),
        ).toEqual(devices.map(({ device }) => device.name))
      if (format === 'prometheus')
        expect(
          (parsed as { labels: Record<string, string> }[]).map(({ labels }) => labels.__meta_plat_device_name),
        ).toEqual(devices.flatMap(({ device }) => device.addresses.map(() => device.name)))
    }),
    { seed: 8, numRuns: countCases(200) },
  )
})
