// The interface of each local port that recorded agents report by LLDP, as LibreNMS finds it.
import { describe, expect, test } from 'bun:test'
import { readRecorded } from '../testing/recorded.ts'
import { nameLocalPort, PORT_KIND } from './local-port.ts'

type Recorded = {
  readonly name: string
  readonly interfaces: readonly [index: number, name: string, description: string, alias: string, mac: string][]
  readonly bridgePorts: Readonly<Record<string, number>>
  readonly ports: Readonly<Record<string, readonly [kind: number, id: string | null, description: string]>>
  readonly right: readonly [port: number, name: string][]
}

const toId = (id: string | null): unknown =>
  id?.startsWith('hex:') ? Uint8Array.from(Buffer.from(id.slice(4), 'hex')) : (id ?? undefined)
const toMac = (digits: string): string => (digits.match(/../g) ?? []).join(':')
const toNumbered = <Value, Result>(record: Readonly<Record<string, Value>>, convert: (value: Value) => Result) =>
  new Map(Object.entries(record).map(([number, value]) => [Number(number), convert(value)] as const))

const toLocal = ({ interfaces, bridgePorts, ports }: Recorded) => ({
  interfaces: interfaces.map(([index, name, description, , mac]) => ({
    index,
    name: name || description,
    ...(description !== '' && { description }),
    mac: toMac(mac),
    addresses: [],
  })),
  aliases: new Map(interfaces.map(([index, , , alias]) => [index, alias] as const)),
  bridgePorts: toNumbered(bridgePorts, (index) => index),
  ports: toNumbered(ports, ([kind, id, description]) => ({ kind, id: toId(id), description })),
})

test('the local ports of all 401 neighbors of recorded agents are the right interfaces', () => {
  const recorded = readRecorded<Recorded>('lldp-ports.jsonl')
  const wrong = recorded.flatMap((one) => {
    const local = toLocal(one)
    return one.right.flatMap(([port, name]) => {
      const found = nameLocalPort(local, port)
      return found === name ? [] : [`${one.name} ${port}: ${found}, and not ${name}`]
    })
  })
  expect(wrong).toEqual([])
  expect(recorded.flatMap(({ right }) => right).length).toBe(401)
})

describe('a local port', () => {
  const interfaces = [
    { index: 1, name: 'Gi0/1', description: 'GigabitEthernet0/1', mac: '00:1b:21:00:00:01', addresses: [] },
    { index: 2, name: 'Gi0/2', description: 'GigabitEthernet0/2', mac: '00:1b:21:00:00:02', addresses: [] },
    { index: 101, name: 'Vlan1', mac: '00:1b:21:00:00:01', addresses: [] },
  ]
  const name = (
    number: number,
    port?: { kind: number; id: unknown; description: string },
    bridge: [number, number][] = [],
  ) =>
    nameLocalPort(
      {
        interfaces,
        aliases: new Map([[2, 'uplink']]),
        bridgePorts: new Map(bridge),
        ports: new Map(port ? [[number, port]] : []),
      },
      number,
    )

  test.each([
    ['the name', { kind: PORT_KIND.name, id: 'Gi0/2', description: '' }, 'Gi0/2'],
    [
      'the description in the place of the name',
      { kind: PORT_KIND.name, id: 'GigabitEthernet0/2', description: '' },
      'Gi0/2',
    ],
    ['the description', { kind: PORT_KIND.local, id: '50', description: 'GigabitEthernet0/2' }, 'Gi0/2'],
    ['the alias', { kind: PORT_KIND.alias, id: 'uplink', description: '' }, 'Gi0/2'],
    ['the MAC', { kind: PORT_KIND.mac, id: Uint8Array.of(0, 0x1b, 0x21, 0, 0, 2), description: '' }, 'Gi0/2'],
    ['the index as a local id', { kind: PORT_KIND.local, id: '2', description: '' }, 'Gi0/2'],
  ])('is found by %s', (_, port, expected) => expect(name(7, port)).toBe(expected))

  test('is found by its bridge port, and else by the index of its interface', () => {
    expect([name(7, undefined, [[7, 2]]), name(2)]).toEqual(['Gi0/2', 'Gi0/2'])
  })

  test('whose MAC several interfaces have is found by its number', () => {
    const mac = { kind: PORT_KIND.mac, id: Uint8Array.of(0, 0x1b, 0x21, 0, 0, 1), description: '' }
    expect([name(2, mac), name(55, mac)]).toEqual(['Gi0/2', ''])
  })

  test('that is no interface has the name that the agent gives it, and no number as a name', () => {
    expect(name(55, { kind: PORT_KIND.name, id: 'eth9', description: '' })).toBe('eth9')
    expect(name(55, { kind: PORT_KIND.local, id: '55', description: 'Port 55' })).toBe('')
    expect(name(55)).toBe('')
  })
})
