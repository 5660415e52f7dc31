/** Objects of vCenter as they are kept: interfaces, addresses, serial numbers, and properties that may not be read. */
import { describe, expect, test } from 'bun:test'
import { readXmlTree } from '../../../net/xml/xml-tree.ts'
import { FetchError } from '../../fetch/fetch-error.ts'
import { addObject } from './properties.ts'
import type { Snapshot } from './snapshot.ts'

const read = (type: string, values: Readonly<Record<string, string>>, more = ''): Snapshot => {
  const snapshot: Snapshot = { product: '', containers: [], hosts: [], vms: [] }
  const sets = Object.entries(values).map(
    ([name, value]) => `<propSet><name>${name}</name><val>${value}</val></propSet>`,
  )
  const xml = `<objects xmlns:xsi="x"><obj type="${type}">id-1</obj>${sets.join('')}${more}</objects>`
  addObject(snapshot, readXmlTree(xml), 'RetrievePropertiesEx')
  return snapshot
}

const adapter = (key: number, mac: string, more = ''): string =>
  `<VirtualDevice xsi:type="VirtualVmxnet3"><key>${key}</key><deviceInfo><label>Network adapter ${key - 3999}</label></deviceInfo><macAddress>${mac}</macAddress>${more}</VirtualDevice>`
const DISK =
  '<VirtualDevice xsi:type="VirtualDisk"><key>2000</key><deviceInfo><label>Hard disk 1</label></deviceInfo></VirtualDevice>'
const nic = (given: { key: number; mac: string; ips: readonly string[]; connected?: boolean }): string =>
  `<GuestNicInfo>${given.ips.map((ip) => `<ipAddress>${ip}</ipAddress>`).join('')}<macAddress>${given.mac}</macAddress><connected>${given.connected ?? true}</connected><deviceConfigId>${given.key}</deviceConfigId></GuestNicInfo>`
const readNics = (values: Readonly<Record<string, string>>) =>
  read('VirtualMachine', {
    'config.hardware.device': DISK + adapter(4000, '00:50:56:AA:00:01') + adapter(4001, '00:50:56:AA:00:02'),
    'guest.toolsRunningStatus': 'guestToolsRunning',
    ...values,
  }).vms[0]
const listAddresses = (values: Readonly<Record<string, string>>) =>
  readNics(values)?.nics.map(({ addresses }) => addresses)

describe('a virtual machine', () => {
  test('its adapters are its interfaces, with the addresses of the guest', () => {
    const first = nic({ key: 4000, mac: '00:50:56:aa:00:01', ips: ['10.0.0.5', 'fe80::1'] })
    expect(readNics({ 'guest.net': first })?.nics).toEqual([
      { name: 'Network adapter 1', mac: '00:50:56:aa:00:01', addresses: ['10.0.0.5', 'fe80::1'] },
      { name: 'Network adapter 2', mac: '00:50:56:aa:00:02', addresses: [] },
    ])
  })

  test('an interface without the key of an adapter belongs to that with its MAC address', () => {
    const bridge = nic({ key: -1, mac: '00:50:56:AA:00:02', ips: ['10.0.0.6'] })
    expect(listAddresses({ 'guest.net': bridge })).toEqual([[], ['10.0.0.6']])
  })

  test('interfaces inside the guest are counted, and their addresses are no addresses of the machine', () => {
    const found = readNics({ 'guest.net': nic({ key: -1, mac: '02:42:00:00:00:01', ips: ['172.17.0.1'] }) })
    expect([found?.inner_interfaces, found?.nics.map(({ addresses }) => addresses)]).toEqual([1, [[], []]])
  })

  describe('with an adapter that is unplugged', () => {
    const interfaces =
      nic({ key: 4000, mac: '00:50:56:aa:00:01', ips: ['10.0.0.5'] }) +
      nic({ key: 4001, mac: '00:50:56:aa:00:02', ips: [], connected: false })

    test('no address is known: a list without its addresses would take them away', () => {
      expect(listAddresses({ 'guest.net': interfaces })).toEqual([null, null])
    })

    test('the others are known if the machine starts without it', () => {
      const off = '<connectable><startConnected>false</startConnected><connected>false</connected></connectable>'
      const devices = adapter(4000, '00:50:56:aa:00:01') + adapter(4001, '00:50:56:aa:00:02', off)
      expect(listAddresses({ 'guest.net': interfaces, 'config.hardware.device': devices })).toEqual([['10.0.0.5'], []])
    })
  })

  test('without guest tools no address is known, although old ones are told', () => {
    const old = nic({ key: 4000, mac: '00:50:56:aa:00:01', ips: ['10.0.0.5'] })
    const values = { 'guest.net': old, 'guest.toolsRunningStatus': 'guestToolsNotRunning' }
    expect(listAddresses(values)).toEqual([null, null])
    expect(listAddresses({})).toEqual([null, null])
  })

  test('the interfaces of one that cannot be read are not known', () => {
    expect(read('VirtualMachine', {}).vms[0]).toMatchObject({ has_nics: false, nics: [] })
  })

  test('the operating system is the one of the guest, else of the configuration', () => {
    const config = { 'summary.config': '<guestFullName>Other Linux</guestFullName>' }
    expect(read('VirtualMachine', config).vms[0]?.os).toBe('Other Linux')
    expect(read('VirtualMachine', { ...config, 'guest.guestFullName': 'Debian 13' }).vms[0]?.os).toBe('Debian 13')
  })
})

test.each([
  ['a%2fb%5Cc %25 %20', 'a/b\\c % %20'],
  ['100%252f', '100%2f'],
])('the escaped name %p is %p', (escaped, name) => {
  expect(read('Datacenter', { name: escaped }).containers[0]?.name).toBe(name)
})

describe('a host', () => {
  const info = (key: string, value: string): string =>
    `<otherIdentifyingInfo><identifierValue>${value}</identifierValue><identifierType><key>${key}</key></identifierType></otherIdentifyingInfo>`
  const readSerial = (...infos: string[]) => read('HostSystem', { 'summary.hardware': infos.join('') }).hosts[0]?.serial

  test('its serial number is the one of the system, else the service tag', () => {
    expect(readSerial(info('ServiceTag', 'ABC1234'), info('SerialNumberTag', 'SN-1'))).toBe('SN-1')
    expect(readSerial(info('AssetTag', '7'), info('ServiceTag', ' ABC1234 '))).toBe('ABC1234')
  })

  test.each(['None', 'To be filled by O.E.M.', 'Not Specified', '0000000', ' '])('%p is no serial number', (text) => {
    expect(readSerial(info('SerialNumberTag', text))).toBe('')
  })

  test('its physical interfaces have no addresses of their own, its virtual ones have them', () => {
    const values = {
      'config.network.pnic': '<PhysicalNic><device>vmnic0</device><mac>00:0c:29:00:00:01</mac></PhysicalNic>',
      'config.network.vnic':
        '<HostVirtualNic><device>vmk0</device><spec><ip><ipAddress>10.0.0.2</ipAddress><ipV6Config><ipV6Address><ipAddress>2001:db8::2</ipAddress></ipV6Address></ipV6Config></ip><mac>00:0c:29:00:00:02</mac></spec></HostVirtualNic>',
    }
    expect(read('HostSystem', values).hosts[0]).toMatchObject({
      has_nics: true,
      nics: [
        { name: 'vmnic0', mac: '00:0c:29:00:00:01', addresses: null },
        { name: 'vmk0', mac: '00:0c:29:00:00:02', addresses: ['10.0.0.2', '2001:db8::2'] },
      ],
    })
  })

  test.each([
    ['connected', 'poweredOn', 'false', true],
    ['connected', 'poweredOn', 'true', false],
    ['notResponding', 'poweredOn', 'false', false],
    ['connected', 'standBy', 'false', false],
  ])('one that is %s, %s, in maintenance mode %s runs: %p', (connection, power, maintenance, isRunning) => {
    const values = {
      ...{ 'runtime.connectionState': connection, 'runtime.powerState': power },
      'runtime.inMaintenanceMode': maintenance,
    }
    expect(read('HostSystem', values).hosts[0]?.is_running).toBe(isRunning)
  })
})

describe('a property that is missing', () => {
  const missing = (fault: string): string =>
    `<missingSet><path>summary.config</path><fault><fault xsi:type="${fault}"/></fault></missingSet>`

  test.each([
    ['NoPermission', 'forbidden'],
    ['NotAuthenticated', 'unauthorized'],
  ])('for %s ends the run as %s, and the message has the object', (fault, code) => {
    const error = (() => {
      try {
        return read('VirtualMachine', {}, missing(fault))
      } catch (thrown) {
        return thrown
      }
    })()
    expect(error instanceof FetchError && error).toMatchObject({
      code,
      message: expect.stringContaining('summary.config of VirtualMachine id-1'),
    })
  })

  test('for an object that has just been deleted is no error', () => {
    expect(read('VirtualMachine', {}, missing('ManagedObjectNotFound')).vms).toHaveLength(1)
  })
})
