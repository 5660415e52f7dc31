/** Stores findings in flat arrays, so that a /16 of hosts takes a few megabytes. Sends nothing. */

import { buildEvidence, formatMs, type Source } from './evidence.ts'
import type { Evidence, FoundHost, FoundName, FoundService, OsVote, SnmpFacts } from './protocol.ts'
import { cleanName } from './services/clean-text.ts'
import { guessOs } from './services/os-guess.ts'
import { type Bitset, createBitset } from './sys/bitset.ts'
import type { Targets } from './targets.ts'

export type MacSource = FoundHost['macSource']

/** Data that only some hosts have. */
export type Details = {
  readonly names: FoundName[]
  readonly services: FoundService[]
  readonly votes: OsVote[]
  readonly evidence: Evidence[]
  openPorts: readonly number[]
  sshHostKey: string
  tlsCertificate: string
  snmp: SnmpFacts | null
}

export type Findings = {
  readonly up: Bitset
  /** Hosts with unreported changes. */
  readonly fresh: Bitset
  /** Hosts reported at least once, by this process or an earlier one. */
  readonly told: Bitset
  readonly setMac: (index: number, mac: string, source: MacSource) => void
  /** Stores a MAC without evidence that the host is alive. */
  readonly rememberMac: (index: number, mac: string, source: MacSource) => void
  readonly getMac: (index: number) => string
  /** True if this process has seen the host, and not only an earlier one. */
  readonly isSeen: (index: number) => boolean
  readonly arp: (index: number, mac: string, source: MacSource) => void
  /** Records an address of this machine. */
  readonly own: (index: number, mac: string) => void
  readonly ping: (index: number, rttMs: number, ttl: number) => void
  readonly tcp: (index: number, result: 'open' | 'refused', port: number) => void
  /** Records other evidence. */
  readonly evidence: (index: number, source: Source, detail: string) => void
  /** Undefined without a ping reply. */
  readonly getRtt: (index: number) => number | undefined
  readonly setOpenPorts: (index: number, ports: readonly number[]) => void
  readonly listOpenPorts: (index: number) => readonly number[]
  readonly addName: (index: number, name: FoundName) => void
  /** Changes other data of a host. */
  readonly amend: (index: number, change: (details: Details) => void) => void
  readonly buildHost: (index: number) => FoundHost
  /** Frees the data of a host; later data is ignored. */
  readonly drop: (index: number) => void
}

const HAS_ARP = 1
const HAS_PING = 2
const MAC_SOURCES: readonly MacSource[] = ['', 'arp', 'neighbour', 'snmp', 'mdns', 'netbios']
/** Most names of a host: it may send another one in every answer. */
const MOST_NAMES = 16
/** Order of name sources: names from the host itself come first. */
const NAME_ORDER: readonly FoundName['source'][] = ['snmp', 'ssh', 'netbios', 'mdns', 'dhcp', 'ptr', 'tls']

/** Names that are no host names, such as a sysName with blanks, come last. */
const rankName = ({ name, source }: FoundName): number =>
  NAME_ORDER.indexOf(source) + (cleanName(name) === '' ? NAME_ORDER.length : 0)

const createDetails = (): Details => ({
  names: [],
  services: [],
  votes: [],
  evidence: [],
  openPorts: [],
  sshHostKey: '',
  tlsCertificate: '',
  snmp: null,
})

export type FindingsOptions = {
  readonly targets: Targets
  /** Hosts reported by an earlier process of the scan. */
  readonly told?: Uint8Array
  /** Hosts below this index are done: an earlier process has reported them completely. */
  readonly doneBefore?: number
  readonly vendorOf: (mac: string) => string
  /** Called when this process sees a host for the first time. */
  readonly onFound?: (index: number) => void
}

export const createFindings = (options: FindingsOptions): Findings => {
  const { targets, told: toldBytes, doneBefore = 0, vendorOf, onFound = () => {} } = options
  const { size } = targets
  const up = createBitset(size, toldBytes)
  const told = createBitset(size, toldBytes)
  const fresh = createBitset(size)
  const seen = createBitset(size)
  /** Data of these hosts is freed: a later report would replace the complete one. */
  const dropped = createBitset(size)
  for (let index = told.next(0); index !== undefined && index < doneBefore; index = told.next(index + 1))
    dropped.add(index)
  const flags = new Uint8Array(size)
  const rtts = new Float32Array(size)
  const ttls = new Uint8Array(size)
  const macs = new Uint8Array(size * 6)
  const macSources = new Uint8Array(size)
  const openPort = new Uint16Array(size)
  const refusedPort = new Uint16Array(size)
  const details = new Map<number, Details>()

  const sighted = (index: number): void => {
    if (dropped.has(index)) return
    up.add(index)
    if (seen.add(index)) onFound(index)
    fresh.add(index)
  }
  const amend = (index: number, change: (details: Details) => void): void => {
    if (dropped.has(index)) return
    let known = details.get(index)
    if (known === undefined) {
      known = createDetails()
      details.set(index, known)
    }
    change(known)
    sighted(index)
  }

  const evidence = (index: number, source: Source, detail: string): void =>
    amend(index, (known) => {
      if (!known.evidence.some((one) => one.source === source)) known.evidence.push(buildEvidence(source, detail))
    })

  const rememberMac = (index: number, mac: string, source: MacSource): void => {
    if (source === '') return
    // A MAC seen on the wire is not replaced by a reported one.
    const isSeen = ['arp', 'neighbour'].includes(MAC_SOURCES[macSources[index] ?? 0] ?? '')
    if (isSeen && source !== 'arp' && source !== 'neighbour') return
    Buffer.from(mac.replaceAll(':', ''), 'hex').copy(macs, index * 6)
    macSources[index] = MAC_SOURCES.indexOf(source)
  }
  const setMac = (index: number, mac: string, source: MacSource): void => {
    rememberMac(index, mac, source)
    sighted(index)
  }
  const getMac = (index: number): string => {
    if (macSources[index] === 0) return ''
    const octets = macs.subarray(index * 6, index * 6 + 6)
    return [...octets].map((octet) => octet.toString(16).padStart(2, '0')).join(':')
  }

  const evidenceFor = (index: number, extra: readonly Evidence[]): Evidence[] => {
    const has = flags[index] ?? 0
    const [rttMs, open, refused] = [rtts[index] ?? 0, openPort[index] ?? 0, refusedPort[index] ?? 0]
    const found: Evidence[] = []
    if (has & HAS_ARP) found.push(buildEvidence('arp', `answered ARP as ${getMac(index)}`))
    if (has & HAS_PING) found.push(buildEvidence('icmp', `answered ping in ${formatMs(rttMs)}`))
    if (open) found.push(buildEvidence('tcp-open', `tcp/${open} open`))
    if (refused) found.push(buildEvidence('tcp-refused', `tcp/${refused} refused`))
    return [...found, ...extra]
  }

  return {
    up,
    fresh,
    told,
    setMac,
    rememberMac,
    isSeen: (index) => seen.has(index),
    getMac,
    amend,
    arp: (index, mac, source) => {
      if ((flags[index] ?? 0) & HAS_ARP && getMac(index) === mac) return
      flags[index] = (flags[index] ?? 0) | HAS_ARP
      setMac(index, mac, source)
    },
    own: (index, mac) => {
      if (mac !== '') setMac(index, mac, 'neighbour')
      evidence(index, 'arp', 'an address of the machine that scans')
    },
    ping: (index, rttMs, ttl) => {
      if ((flags[index] ?? 0) & HAS_PING) return
      flags[index] = (flags[index] ?? 0) | HAS_PING
      rtts[index] = rttMs
      ttls[index] = ttl
      sighted(index)
    },
    tcp: (index, result, port) => {
      const ports = result === 'open' ? openPort : refusedPort
      if (ports[index] !== 0) return
      ports[index] = port
      sighted(index)
    },
    evidence,
    getRtt: (index) => ((flags[index] ?? 0) & HAS_PING ? rtts[index] : undefined),
    setOpenPorts: (index, ports) =>
      amend(index, (known) => {
        known.openPorts = ports
      }),
    listOpenPorts: (index) => details.get(index)?.openPorts ?? [],
    addName: (index, name) =>
      amend(index, ({ names }) => {
        const isKnown = names.some((one) => one.name === name.name && one.source === name.source)
        if (!isKnown && names.length < MOST_NAMES) names.push(name)
      }),
    buildHost: (index) => {
      const known = details.get(index) ?? createDetails()
      const isPinged = ((flags[index] ?? 0) & HAS_PING) !== 0
      const ttl = isPinged && ttls[index] ? ttls[index] : null
      const mac = getMac(index)
      // Who made the device is not who made its network interface.
      const vendor = known.snmp?.system?.vendor || (mac === '' ? '' : vendorOf(mac))
      const { votes, openPorts } = known
      const open = openPort[index]
      return {
        ip: targets.formatAddress(index),
        mac,
        macSource: MAC_SOURCES[macSources[index] ?? 0] ?? '',
        vendor,
        rttMs: isPinged ? Math.round((rtts[index] ?? 0) * 1000) / 1000 : null,
        ttl,
        evidence: evidenceFor(index, known.evidence),
        names: known.names.toSorted((a, b) => rankName(a) - rankName(b)),
        // On a quick scan, results of host discovery are reported too.
        openPorts: openPorts.length === 0 && open ? [open] : openPorts,
        services: known.services.toSorted((a, b) => a.port - b.port),
        ...guessOs({ votes, ttl, vendor, openPorts }),
        sshHostKey: known.sshHostKey,
        tlsCertificate: known.tlsCertificate,
        snmp: known.snmp,
      }
    },
    drop: (index) => {
      details.delete(index)
      dropped.add(index)
    },
  }
}
