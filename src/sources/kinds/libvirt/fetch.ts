/** Reads a libvirt by `virsh` on the machine of a client, read-only. */
import { XmlError } from '../../../net/xml/xml.ts'
import { FetchError } from '../../fetch/fetch-error.ts'
import { parseAnswer } from '../parse.ts'
import type { FetchMeans, Json } from '../source-kind.ts'
import { readCapabilities, readDomain, readNetwork, readSystem } from './read-xml.ts'
import { Snapshot, type SnapshotDomain } from './snapshot.ts'
import { DEFAULT_URI } from './uri.ts'

type Virsh = (...args: readonly string[]) => Promise<string>

/** Programs at once. */
const AT_ONCE = 8

/** @throws FetchError `target` on the server, which starts no programs */
const createVirsh = ({ run, options }: FetchMeans): Virsh => {
  if (!run)
    throw new FetchError(
      'target',
      'libvirt is read where virsh is: run plat source push there, or pipe plat source collect',
    )
  const uri = typeof options.uri === 'string' ? options.uri : DEFAULT_URI
  return (...args) => run('virsh', ['-r', '-c', uri, ...args])
}

const listLines = (output: string): string[] =>
  output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** @throws FetchError `bad_answer` for an output that is not XML */
const readOutput = <T>(command: string, output: string, read: (text: string) => T): T => {
  try {
    return read(output)
  } catch (error) {
    if (error instanceof XmlError)
      throw new FetchError('bad_answer', `virsh ${command}: ${error.message}`, undefined, { cause: error })
    throw error
  }
}

const mapSome = async <T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = []
  for (let at = 0; at < items.length; at += AT_ONCE)
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(map))))
  return results
}

/** @example 'Using library: libvirt 9.0.0', 'Running hypervisor: QEMU 7.2.0' */
const readVersion = async (virsh: Virsh, product: FetchMeans['product']): Promise<string> => {
  const output = await virsh('version')
  const library = /^Using library: (.+)$/m.exec(output)?.[1] ?? 'libvirt'
  const hypervisor = /^Running hypervisor: (.+)$/m.exec(output)?.[1]
  const text = hypervisor === undefined ? library : `${library}, ${hypervisor}`
  product(text)
  return text
}

/** A line of the table of addresses: the interface, its MAC address, the protocol and the address. */
const ADDRESS = /^\S+\s+([0-9a-f]{2}(?::[0-9a-f]{2}){5})\s+ipv[46]\s+([0-9A-Fa-f.:]+)\/\d+$/

/** Returns the output of a command that not every hypervisor knows; '' if it fails. */
const tryCommand = async (virsh: Virsh, ...args: readonly string[]): Promise<string> => {
  try {
    return await virsh(...args)
  } catch (error) {
    if (error instanceof FetchError && error.code === 'unreachable') return ''
    throw error
  }
}

const readAddresses = async (virsh: Virsh, uuid: string, source: 'lease' | 'arp') =>
  listLines(await tryCommand(virsh, 'domifaddr', uuid, '--full', '--source', source)).flatMap((line) => {
    const [, mac, ip] = ADDRESS.exec(line) ?? []
    return mac === undefined || ip === undefined ? [] : [{ mac, ip }]
  })

/** Returns the make and the serial number of the host, which its firmware tells. */
const findSystem = async (virsh: Virsh): Promise<Pick<Snapshot['host'], 'make_model' | 'serial'>> => {
  const output = await tryCommand(virsh, 'sysinfo')
  return output === '' ? { make_model: '', serial: '' } : readOutput('sysinfo', output, readSystem)
}

/** Returns the addresses of a running domain, of the leases of libvirt, else of the table of neighbors; null if there are none. */
const findAddresses = async (virsh: Virsh, uuid: string): Promise<SnapshotDomain['addresses']> => {
  for (const source of ['lease', 'arp'] as const) {
    const found = await readAddresses(virsh, uuid, source)
    if (found.length > 0) return found
  }
  return null
}

/** Returns the UUIDs of active networks; none for a hypervisor without networks. */
const listNetworks = async (virsh: Virsh): Promise<string[]> => {
  try {
    return listLines(await virsh('net-list', '--uuid'))
  } catch (error) {
    if (error instanceof FetchError && /not supported/i.test(error.message)) return []
    throw error
  }
}

export const testLibvirt = async (means: FetchMeans): Promise<void> => {
  await readVersion(createVirsh(means), means.product)
}

export const fetchLibvirt = async (means: FetchMeans): Promise<Json> => {
  const virsh = createVirsh(means)
  const product = await readVersion(virsh, means.product)
  const capabilities = readOutput('capabilities', await virsh('capabilities'), readCapabilities)
  const [name = ''] = listLines(await virsh('hostname'))
  const system = await findSystem(virsh)
  const uuids = listLines(await virsh('list', '--all', '--uuid'))
  const running = new Set(listLines(await virsh('list', '--state-running', '--uuid')))
  const domains = await mapSome(uuids, async (uuid) => {
    const isRunning = running.has(uuid)
    return {
      ...readOutput(`dumpxml ${uuid}`, await virsh('dumpxml', uuid), readDomain),
      is_running: isRunning,
      addresses: isRunning ? await findAddresses(virsh, uuid) : null,
    }
  })
  const networks = await mapSome(await listNetworks(virsh), async (uuid) =>
    readOutput(`net-dumpxml ${uuid}`, await virsh('net-dumpxml', uuid), readNetwork),
  )
  return parseAnswer(Snapshot, 'virsh', { product, host: { ...capabilities, ...system, name }, domains, networks })
}
