// What is read from the tables of an agent, played by one that answers from a list of values.
import { expect, test } from 'bun:test'
import { readFacts } from './facts.ts'
import type { Agent } from './session.ts'

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'))
const SYSTEM = {
  '1.3.6.1.2.1.1.1.0': bytes('Cisco IOS Software, C2960 Software (C2960-LANBASEK9-M), Version 15.0(2)SE11\0'),
  '1.3.6.1.2.1.1.2.0': '1.3.6.1.4.1.9.1.716',
  '1.3.6.1.2.1.1.5.0': bytes('Core Switch 1\0\0'),
  '1.3.6.1.2.1.2.2.1.2.10101': bytes('GigabitEthernet0/1\0'),
  '1.3.6.1.2.1.31.1.1.1.1.10101': bytes('Gi0/1'),
}

const createAgent = (values: Readonly<Record<string, unknown>>): Agent => ({
  get: async (oids) => oids.map((oid) => values[oid]),
  walk: async (oid, most = 4096) =>
    Object.entries(values)
      .filter(([key]) => key.startsWith(`${oid}.`))
      .slice(0, most)
      .map(([key, value]) => ({ oid: key, value })),
  close: () => {},
})

const read = (values: Readonly<Record<string, unknown>>, isSecret = (_: string) => false) =>
  readFacts(createAgent({ ...SYSTEM, ...values }), { credentialId: 'c', engineId: '', mayTell: (ip) => !isSecret(ip) })

test('texts end before the NUL that an agent sends', async () => {
  const { name, description, interfaces } = await read({})
  expect([name, description.endsWith('SE11')]).toEqual(['Core Switch 1', true])
  expect(interfaces).toEqual([
    { index: 10_101, name: 'Gi0/1', description: 'GigabitEthernet0/1', mac: '', addresses: [] },
  ])
})

test('the first chassis of ENTITY-MIB gives model and serial number, and other entities none', async () => {
  const entity = '1.3.6.1.2.1.47.1.1.1.1'
  const { system } = await read({
    [`${entity}.5.1`]: 11,
    [`${entity}.5.1001`]: 3,
    [`${entity}.5.2001`]: 3,
    [`${entity}.9.1001`]: bytes('12.2(44)SE5'),
    [`${entity}.11.1001`]: bytes('FOC1234X5YZ\0'),
    [`${entity}.13.1001`]: bytes('WS-C2960-24TC-L'),
    [`${entity}.13.2001`]: bytes('WS-C2960-48TC-L'),
  })
  expect(system).toEqual({
    vendor: 'Cisco',
    system: 'Cisco IOS',
    version: '15.0(2)SE11',
    model: 'WS-C2960-24TC-L',
    serial: 'FOC1234X5YZ',
  })
})

test('an agent without a chassis has neither', async () => {
  expect((await read({})).system).toMatchObject({ vendor: 'Cisco', model: '', serial: '' })
})

const remote = '1.0.8802.1.1.2.1.4.1.1'
const neighbourAt = (index: string, name: string) => ({
  [`${remote}.4.${index}`]: 4,
  [`${remote}.5.${index}`]: Uint8Array.of(0, 0x1b, 0x21, 0, 0, 9),
  [`${remote}.6.${index}`]: 5,
  [`${remote}.7.${index}`]: bytes('xe-0/0/1'),
  [`${remote}.9.${index}`]: bytes(name),
})

test('a neighbor by LLDP has the interface of its local port, and its address of the same time mark', async () => {
  const { lldp } = await read({
    ...neighbourAt('370.5.1', 'first'),
    ...neighbourAt('9000.5.1', 'second'),
    '1.0.8802.1.1.2.1.3.7.1.2.5': 5,
    '1.0.8802.1.1.2.1.3.7.1.3.5': bytes('Gi0/1'),
    '1.0.8802.1.1.2.1.4.2.1.3.370.5.1.1.4.10.0.0.1': 2,
    '1.0.8802.1.1.2.1.4.2.1.3.9000.5.1.1.4.10.0.0.2': 2,
  })
  expect(lldp.map(({ localPort, remoteName, remoteAddress }) => [localPort, remoteName, remoteAddress])).toEqual([
    ['Gi0/1', 'first', '10.0.0.1'],
    ['Gi0/1', 'second', '10.0.0.2'],
  ])
})

test('a neighbor that an agent repeats under several time marks is one', async () => {
  const { lldp } = await read({ ...neighbourAt('0.5.1', 'sw-2'), ...neighbourAt('100.5.1', 'sw-2') })
  expect(lldp.length).toBe(1)
})

const cache = '1.3.6.1.4.1.9.9.23.1.2.1.1'
const cdpAt = (index: string, device: unknown) => ({
  [`${cache}.3.${index}`]: 1,
  [`${cache}.4.${index}`]: Uint8Array.of(10, 0, 0, 2),
  [`${cache}.6.${index}`]: device,
  [`${cache}.7.${index}`]: bytes('GigabitEthernet0/24'),
})

test('a neighbor by CDP has its interface, name, port and address', async () => {
  const { lldp } = await read(cdpAt('10101.1', bytes('sw-2.example.com(FOC1234X5YZ)')))
  expect(lldp).toEqual([
    {
      protocol: 'cdp',
      localPort: 'Gi0/1',
      remoteName: 'sw-2.example.com',
      remotePort: 'GigabitEthernet0/24',
      remotePortDescription: '',
      remotePortIsName: true,
      remoteChassis: '',
      remoteAddress: '10.0.0.2',
    },
  ])
})

test('a phone is known by the MAC in its device id, and an excluded address is not told', async () => {
  const { lldp } = await read(cdpAt('10101.1', bytes('SEP001B21000009')), (ip) => ip === '10.0.0.2')
  expect(lldp.map(({ remoteChassis, remoteAddress }) => [remoteChassis, remoteAddress])).toEqual([
    ['00:1b:21:00:00:09', ''],
  ])
})

test('a neighbor that speaks LLDP and CDP is one', async () => {
  const { lldp } = await read({
    ...neighbourAt('0.10101.1', 'sw-2.example.com'),
    ...cdpAt('10101.1', bytes('sw-2.example.com(FOC1)')),
  })
  expect(lldp.map(({ protocol, localPort }) => [protocol, localPort])).toEqual([[undefined, 'Gi0/1']])
})
