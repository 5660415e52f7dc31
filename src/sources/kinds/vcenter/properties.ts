/** The properties that are read of each type of object, and how the snapshot keeps them. */
import { findElement, getXmlText, listChildren, type XmlNode } from '../../../net/xml/xml-tree.ts'
import { cleanSerial } from '../serial.ts'
import { copyTexts } from '../xml-answer.ts'
import type { Container, Host, Nic, Snapshot, Vm } from './snapshot.ts'
import { createFaultError, getType } from './soap.ts'

const CONTAINER = ['name', 'parent']
const HOST = [
  'name',
  'parent',
  'summary.hardware',
  'summary.config.product',
  'config.network.pnic',
  'config.network.vnic',
  'runtime.connectionState',
  'runtime.powerState',
  'runtime.inMaintenanceMode',
]
const VM = [
  'name',
  'parent',
  'summary.config',
  'config.hardware.device',
  'guest.guestFullName',
  'guest.hostName',
  'guest.net',
  'guest.toolsRunningStatus',
  'runtime.host',
  'runtime.powerState',
]

export const PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  Datacenter: CONTAINER,
  Folder: CONTAINER,
  ComputeResource: CONTAINER,
  HostSystem: HOST,
  VirtualMachine: VM,
}

/** The properties of an object by their paths. */
class Properties {
  readonly #values: ReadonlyMap<string, XmlNode>

  constructor(object: XmlNode) {
    this.#values = new Map(
      listChildren(object, 'propSet').flatMap((set) => {
        const value = findElement(set, 'val')
        return value ? [[getXmlText(set, 'name'), value] as const] : []
      }),
    )
  }

  text(path: string, ...inner: readonly string[]): string {
    return getXmlText(this.#values.get(path), ...inner)
  }

  /** Returns the elements of a list; undefined if the property is not set. */
  list(path: string): readonly XmlNode[] | undefined {
    return this.#values.get(path)?.children
  }

  node(path: string): XmlNode | undefined {
    return this.#values.get(path)
  }
}

const ESCAPED: Readonly<Record<string, string>> = { '%2f': '/', '%5c': '\\', '%25': '%' }

/** Returns the name that people see: vSphere escapes the characters of its paths. */
const readName = (properties: Properties): string =>
  properties.text('name').replace(/%(?:2f|5c|25)/gi, (code) => ESCAPED[code.toLowerCase()] ?? code)

const readSerial = (hardware: XmlNode | undefined): string => {
  const numbers = new Map(
    listChildren(hardware, 'otherIdentifyingInfo').map((info) => [
      getXmlText(info, 'identifierType', 'key'),
      getXmlText(info, 'identifierValue'),
    ]),
  )
  return cleanSerial(numbers.get('SerialNumberTag') ?? '') || cleanSerial(numbers.get('ServiceTag') ?? '')
}

const readHostNics = (properties: Properties): Pick<Host, 'has_nics' | 'nics'> => {
  const known = properties.list('config.network.pnic')
  const physical = (known ?? []).map((nic) => ({
    name: getXmlText(nic, 'device'),
    mac: getXmlText(nic, 'mac'),
    addresses: null,
  }))
  const virtual = (properties.list('config.network.vnic') ?? []).map((nic) => {
    const ip = findElement(nic, 'spec', 'ip')
    const ipv6 = listChildren(findElement(ip, 'ipV6Config'), 'ipV6Address').map((one) => getXmlText(one, 'ipAddress'))
    return {
      name: getXmlText(nic, 'device'),
      mac: getXmlText(nic, 'spec', 'mac'),
      addresses: [getXmlText(ip, 'ipAddress'), ...ipv6].filter((text) => text !== ''),
    }
  })
  return { has_nics: known !== undefined, nics: [...physical, ...virtual] }
}

const toHost = (id: string, properties: Properties): Host => {
  const hardware = properties.node('summary.hardware')
  const isMaintained = properties.text('runtime.inMaintenanceMode') === 'true'
  const connection = properties.text('runtime.connectionState')
  const power = properties.text('runtime.powerState')
  return {
    id,
    uuid: getXmlText(hardware, 'uuid').toLowerCase(),
    name: readName(properties),
    parent: properties.text('parent'),
    vendor: getXmlText(hardware, 'vendor'),
    model: getXmlText(hardware, 'model'),
    serial: readSerial(hardware),
    product: properties.text('summary.config.product', 'fullName'),
    cpu: getXmlText(hardware, 'cpuModel'),
    cores: getXmlText(hardware, 'numCpuCores'),
    memory_bytes: getXmlText(hardware, 'memorySize'),
    state: [connection, power, ...(isMaintained ? ['maintenance mode'] : [])].filter((text) => text !== '').join(', '),
    is_running: connection === 'connected' && power === 'poweredOn' && !isMaintained,
    ...readHostNics(properties),
  }
}

type Adapter = Nic & { readonly key: string; readonly isWanted: boolean; readonly addresses: string[] }

const toAdapter = (device: XmlNode): Adapter => ({
  key: getXmlText(device, 'key'),
  name: getXmlText(device, 'deviceInfo', 'label'),
  mac: getXmlText(device, 'macAddress').toLowerCase(),
  isWanted: getXmlText(device, 'connectable', 'startConnected') !== 'false',
  addresses: [],
})

/**
 * Returns the adapters with the addresses that the guest has on them. Without guest tools nothing is known of addresses. While an
 * adapter is unplugged that the machine starts with, its addresses are not known, so no list of them is complete.
 */
const readVmNics = (properties: Properties): Pick<Vm, 'has_nics' | 'nics' | 'inner_interfaces'> => {
  const devices = properties.list('config.hardware.device')
  const adapters = (devices ?? []).map(toAdapter).filter(({ mac }) => mac !== '')
  const [byKey, byMac] = [Map.groupBy(adapters, ({ key }) => key), Map.groupBy(adapters, ({ mac }) => mac)]
  const interfaces = properties.list('guest.net') ?? []
  let isKnown = interfaces.length > 0 && properties.text('guest.toolsRunningStatus') !== 'guestToolsNotRunning'
  let inner = 0
  for (const info of isKnown ? interfaces : []) {
    const [adapter] =
      byKey.get(getXmlText(info, 'deviceConfigId')) ?? byMac.get(getXmlText(info, 'macAddress').toLowerCase()) ?? []
    if (!adapter) inner++
    else if (getXmlText(info, 'connected') !== 'false')
      adapter.addresses.push(...listChildren(info, 'ipAddress').map((ip) => ip.text))
    else if (adapter.isWanted) isKnown = false
  }
  const nics = adapters.map(({ name, mac, addresses }): Nic => ({ name, mac, addresses: isKnown ? addresses : null }))
  return { has_nics: devices !== undefined, nics, inner_interfaces: inner }
}

const toVm = (id: string, properties: Properties): Vm => {
  const config = properties.node('summary.config')
  return {
    id,
    uuid: getXmlText(config, 'instanceUuid').toLowerCase(),
    name: readName(properties),
    is_template: getXmlText(config, 'template') === 'true',
    host: properties.text('runtime.host'),
    parent: properties.text('parent'),
    os: properties.text('guest.guestFullName') || getXmlText(config, 'guestFullName'),
    hostname: properties.text('guest.hostName'),
    power: properties.text('runtime.powerState'),
    tools: properties.text('guest.toolsRunningStatus'),
    cpus: getXmlText(config, 'numCpu'),
    memory_mib: getXmlText(config, 'memorySizeMB'),
    ...readVmNics(properties),
  }
}

const toContainer = (id: string, type: string, properties: Properties): Container => ({
  id,
  type,
  name: readName(properties),
  parent: properties.text('parent'),
})

/**
 * Adds an object of a page to the snapshot.
 * @throws FetchError `forbidden` if a property may not be read: a machine would seem to be gone
 */
export const addObject = (snapshot: Snapshot, object: XmlNode, request: string): void => {
  const node = findElement(object, 'obj')
  if (!node) return
  const [id, type] = [node.text, getType(node)]
  for (const missing of listChildren(object, 'missingSet')) {
    const fault = findElement(missing, 'fault', 'fault')
    const why = fault ? getType(fault) : ''
    if (why === 'NoPermission' || why === 'NotAuthenticated')
      throw createFaultError(request, why, `${getXmlText(missing, 'path')} of ${type} ${id}`)
  }
  const properties = new Properties(object)
  if (type === 'HostSystem') snapshot.hosts.push(copyTexts(toHost(id, properties)))
  else if (type === 'VirtualMachine') snapshot.vms.push(copyTexts(toVm(id, properties)))
  else snapshot.containers.push(copyTexts(toContainer(id, type, properties)))
}
