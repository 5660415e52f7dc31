// Which interfaces are listened on, and to which network a heard address belongs.
import { expect, test } from 'bun:test'
import type { NetworkInterfaceInfo } from 'node:os'
import type { ListenedNetwork } from '../wire.ts'
import { findListenedLinks, selectNetworks } from './listened-links.ts'

const info = (address: string, cidr: string, more: Partial<NetworkInterfaceInfo> = {}): NetworkInterfaceInfo =>
  // The functions read only these fields.
  ({ address, cidr, family: 'IPv4', internal: false, mac: '00:1b:21:00:00:01', ...more }) as NetworkInterfaceInfo
const network = (network_id: string, subnet: string, excludes: string[] = []): ListenedNetwork => ({
  ...{ network_id, subnet, excludes },
})
const INTERFACES = {
  lo: [info('127.0.0.1', '127.0.0.1/8', { internal: true, mac: '00:00:00:00:00:00' })],
  eth0: [info('10.0.0.5', '10.0.0.5/16'), info('192.0.2.1', '192.0.2.1/24')],
  eth1: [info('10.9.0.1', '10.9.0.1/24', { mac: '00:1b:21:00:00:02' })],
}

test('only interfaces with an address in a network are listened on', () => {
  const networks = [network('a', '10.0.0.0/24'), network('b', '127.0.0.0/24'), network('c', '198.51.100.0/24')]
  const { links } = findListenedLinks({ networks }, INTERFACES)
  expect(links.map(({ name, addresses, networks: here }) => [name, addresses, here.map(({ id }) => id)])).toEqual([
    ['eth0', ['10.0.0.5', '192.0.2.1'], ['a']],
  ])
})

test('addresses and MACs of this machine are its own', () => {
  const { isOwn } = findListenedLinks({ networks: [] }, INTERFACES)
  expect(['10.0.0.5', '10.9.0.1', '00:1b:21:00:00:02', '10.0.0.6', '00:00:00:00:00:00'].map(isOwn)).toEqual([
    ...[true, true, true],
    ...[false, false],
  ])
})

test('a network that no scan could take, or that is no network, is left out', () => {
  const networks = [network('wide', '10.0.0.0/8'), network('bad', 'x'), network('bad excludes', '10.0.0.0/24', ['x'])]
  expect(findListenedLinks({ networks }, INTERFACES).links).toEqual([])
})

test('an address belongs to the most specific networks, and to none where it is excluded', () => {
  const networks = [
    ...[network('outer', '10.0.0.0/16'), network('inner', '10.0.1.0/24', ['10.0.1.9'])],
    ...[network('other space', '10.0.1.0/24')],
  ]
  const [link] = findListenedLinks({ networks }, INTERFACES).links
  const find = (ip: string) => selectNetworks(link?.networks ?? [], ip).map(({ id }) => id)
  expect(find('10.0.2.7')).toEqual(['outer'])
  expect(find('10.0.1.7')).toEqual(['inner', 'other space'])
  expect(find('192.0.2.7')).toEqual([])
  expect([find('10.0.1.9'), find('10.0.1.0'), find('10.0.0.0')]).toEqual([['other space'], [], []])
})
