import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { NetworkInterfaceInfo } from 'node:os'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask, inventory } from '../../../testing/estates/inventory.ts'
import { engines, onSqlite } from '../../../testing/servers/servers.ts'
import type { LocalNetworks } from '../schema.ts'
import { findDefaultInterface, isInContainer, listLinks, orderLinks } from './local-networks.ts'

const v4 = (cidr: string, internal = false): NetworkInterfaceInfo => ({
  ...{ family: 'IPv4', cidr, internal, address: cidr.replace(/\/\d+$/, ''), netmask: '', mac: '02:00:00:00:00:01' },
})
const v6: NetworkInterfaceInfo = {
  ...{ family: 'IPv6', cidr: 'fd00::2/64', internal: false, address: 'fd00::2', netmask: '', mac: '', scopeid: 0 },
}

describe('the links of a server', () => {
  test('are those of IPv4 without loopback, link-local and single addresses, each with its own address', () => {
    const found = listLinks({
      lo: [v4('127.0.0.1/8', true)],
      eth0: [v4('192.168.1.20/24'), v6],
      usb0: [v4('169.254.7.7/16')],
      wg0: [v4('10.8.0.3/32')],
      wg1: [v4('10.9.0.3/22')],
    })
    expect(found).toEqual([
      { subnet: '192.168.1.0/24', interface: 'eth0', address: '192.168.1.20' },
      { subnet: '10.9.0.0/22', interface: 'wg1', address: '10.9.0.3' },
    ])
  })

  test('are ordered by the default route, and bridges to guests of the machine are last', () => {
    const names = ['docker0', 'virbr0', 'br-0123456789ab', 'wg0', 'br0', 'eth0']
    const links = names.map((name, i) => ({ subnet: `10.${i}.0.0/16`, interface: name, address: `10.${i}.0.1` }))
    const ordered = orderLinks(links, 'eth0').map((one) => one.interface)
    expect(ordered).toEqual(['eth0', 'wg0', 'br0', 'docker0', 'virbr0', 'br-0123456789ab'])
  })

  test('of one subnet are there once, by the first interface', () => {
    const links = ['wlan0', 'eth0'].map((name) => ({ subnet: '10.0.0.0/24', interface: name, address: '10.0.0.9' }))
    expect(orderLinks(links, 'eth0')).toEqual([{ subnet: '10.0.0.0/24', interface: 'eth0', address: '10.0.0.9' }])
  })
})

test('the default route of the lowest metric names its interface', () => {
  const routes = `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0
eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
tun0\t00000000\t00000000\t0001\t0\t0\t0\t00000080\t0\t0\t0
eth0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0
`
  expect(findDefaultInterface(routes)).toBe('eth0')
  expect(findDefaultInterface('')).toBeUndefined()
})

describe('a container', () => {
  const roots: string[] = []
  afterAll(() => roots.map((root) => rmSync(root, { recursive: true, force: true })))
  const createRoot = (marks: readonly string[]) => {
    const root = mkdtempSync(join(tmpdir(), 'plat-root-'))
    roots.push(root)
    for (const mark of marks) {
      mkdirSync(join(root, mark, '..'), { recursive: true })
      writeFileSync(join(root, mark), '')
    }
    const addInterface = (name: string, uevent: string, isHardware = false) => {
      const folder = join(root, 'sys/class/net', name)
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'uevent'), uevent)
      if (isHardware) symlinkSync(folder, join(folder, 'device'))
    }
    addInterface('lo', 'INTERFACE=lo\n')
    return { root, addInterface }
  }

  test.each(['.dockerenv', 'run/.containerenv', 'var/run/secrets/kubernetes.io'])(
    'with %s and one end of a virtual cable sees its own network',
    (mark) => {
      const { root, addInterface } = createRoot([mark])
      addInterface('eth0', 'INTERFACE=eth0\nIFINDEX=42\n')
      expect(isInContainer(root)).toBe(true)
    },
  )

  test('with host networking or a macvlan sees the network of its host', () => {
    const [host, macvlan] = [createRoot(['.dockerenv']), createRoot(['.dockerenv'])]
    host.addInterface('enp3s0', 'INTERFACE=enp3s0\n', true)
    macvlan.addInterface('eth0', 'DEVTYPE=macvlan\nINTERFACE=eth0\n')
    expect([isInContainer(host.root), isInContainer(macvlan.root)]).toEqual([false, false])
  })

  test('is marked: a machine with nothing but virtual interfaces is none', () => {
    const { root, addInterface } = createRoot([])
    addInterface('eth0', 'INTERFACE=eth0\n')
    expect(isInContainer(root)).toBe(false)
  })
})

const ROUTE = 'GET /api/discovery/local-networks'

describe.each(engines())('on %s', (dialect) => {
  const inv = inventory(dialect, {})

  test('the networks of this machine name the stored ones of the default space', async () => {
    const before = await inv.api.discovery.localNetworks({})
    const space = await inv.api.spaces.create({ name: 'other' })
    for (const { subnet } of before.networks) {
      await inv.api.networks.create({ name: 'elsewhere', subnet, space_id: space.id })
      await inv.api.networks.create({ id: `net-${subnet.replace('/', '-')}`, name: 'here', subnet })
    }
    const after = await inv.api.discovery.localNetworks({})
    expect(before.networks.map(({ network_id }) => network_id)).toEqual(before.networks.map(() => null))
    const ids = before.networks.map(({ subnet }) => `net-${subnet.replace('/', '-')}`)
    expect(after.networks.map(({ network_id }) => network_id)).toEqual(ids)
    const writer = await inv.app.as(['discovery:create', 'networks:create'])
    const unlisted = (await ask(writer, ROUTE)).body as LocalNetworks
    expect(unlisted.networks.map(({ network_id }) => network_id)).toEqual(before.networks.map(() => null))
  })

  test('a caller needs the permissions to scan and to create networks', async () => {
    for (const permissions of [['discovery:create'], ['networks:create'], ['networks:list']] as const)
      expect((await ask(await inv.app.as(permissions), ROUTE)).status).toBe(403)
    expect((await ask(await inv.app.as(['discovery:create', 'networks:create']), ROUTE)).status).toBe(200)
  })
})

describe.each(onSqlite())('on %s with DISCOVERY_ALLOWED_SUBNETS', (dialect) => {
  const inv = inventory(dialect, { DISCOVERY_ALLOWED_SUBNETS: '198.51.100.0/28' })

  test('networks outside of it are not scannable, with the reason', async () => {
    const { networks } = await inv.api.discovery.localNetworks({})
    expect(networks.length).toBeGreaterThan(0)
    for (const { subnet, is_scannable, reason } of networks) {
      expect(is_scannable).toBe(false)
      expect(reason).toBe(`${subnet} is not among the networks that may be scanned (DISCOVERY_ALLOWED_SUBNETS)`)
    }
  })
})
