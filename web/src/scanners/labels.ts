/** The words of scanners: their states, their capabilities, and the labels by which networks name them. Pure functions. */
import { findOlderSide } from '../../../src/scanner/wire.ts'
import type { Tone } from '../ui/primitives.tsx'
import type { Scanner } from './queries.ts'

export const TONES: Readonly<Record<Scanner['status'], Tone>> = {
  pending: 'idle',
  online: 'ok',
  offline: 'bad',
  revoked: 'warn',
}

/** A scanner that has never enrolled waits for its first start. */
export const formatStatus = (status: Scanner['status']): string => (status === 'pending' ? 'not started' : status)

/** Returns the number of the messages of a scanner, and the side to upgrade if the server does not know it. */
export const formatProtocol = (protocol: number | null): string => {
  if (protocol === null) return ''
  const side = findOlderSide(protocol)
  if (side === undefined) return String(protocol)
  return `${protocol}, which this server refuses: upgrade ${side === 'server' ? 'the server' : 'the scanner'}`
}

type Named = Pick<Scanner, 'name'> & { readonly tags: readonly string[] }

/** Returns the labels that a scanner answers to: its name, and its tags. */
export const listLabels = ({ name, tags }: Named): readonly string[] => [name, ...tags.filter((tag) => tag !== name)]

export const answersTo = (scanner: Named, label: string): boolean => listLabels(scanner).includes(label)

type Known = Named & Pick<Scanner, 'status'>

/** A revoked scanner scans nothing. */
const listAble = (scanners: readonly Known[]): readonly Known[] => scanners.filter(({ status }) => status !== 'revoked')

type LabelChoice = { readonly label: string; readonly note: string }

/** Returns the names and tags of all scanners, in their order, with the states of the scanners that answer to each. */
export const listChoices = (scanners: readonly Known[]): readonly LabelChoice[] => {
  const able = listAble(scanners)
  const labels = [...new Set(able.flatMap(listLabels))].sort((a, b) => a.localeCompare(b))
  return labels.map((label) => {
    const some = able.filter((one) => answersTo(one, label))
    const [first] = some
    const online = some.filter(({ status }) => status === 'online').length
    const isOne = some.length === 1 && first?.name === label
    return { label, note: isOne ? formatStatus(first.status) : `${online} of ${some.length} online` }
  })
}

/** Describes who scans a network. @example describeLabel('', []) // 'This server scans it.' */
export const describeLabel = (label: string, scanners: readonly Known[]): string => {
  if (label === '') return 'This server scans it.'
  const some = listAble(scanners).filter((one) => answersTo(one, label))
  if (some.length === 0) return 'No scanner has this name or tag: its scans fail until one has.'
  const isOne = some.length === 1
  if (some.some(({ status }) => status === 'online'))
    return isOne ? 'Its scanner is online.' : 'One of its scanners is online.'
  return isOne
    ? 'Its scanner is not online: a scan waits for it.'
    : 'None of its scanners is online: a scan waits for one.'
}

type Ability = {
  readonly key: keyof Scanner['capabilities']
  readonly name: string
  readonly use: string
  /** The effect of its absence. */
  readonly missing: string
}

export const ABILITIES: readonly Ability[] = [
  {
    key: 'icmp',
    name: 'Ping',
    use: 'finds hosts without an open port',
    missing: 'hosts without an open port are missed',
  },
  {
    key: 'arp',
    name: 'ARP',
    use: 'sees the MAC address of every host on its own link',
    missing: 'silent hosts on its own link are missed',
  },
  {
    key: 'neighbours',
    name: 'Neighbor table',
    use: 'reads the MAC addresses in the table of its system',
    missing: 'MAC addresses stay unknown where ARP is missing too',
  },
  {
    key: 'listen',
    name: 'Listening',
    use: 'hears devices as they join',
    missing: 'only devices that announce services by multicast are heard as they join',
  },
]
