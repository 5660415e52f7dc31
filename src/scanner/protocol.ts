/** Messages between server and scanner process, by pipe, not arguments, since plans carry secrets. */

export const SCAN_TYPES = ['quick', 'full', 'deep'] as const
export type ScanType = (typeof SCAN_TYPES)[number]

export const STAGES = ['liveness', 'ports', 'services'] as const
export type Stage = (typeof STAGES)[number]

type LoginTarget = {
  /** The only address that this login is for; empty: every host of the scan. */
  readonly ip: string
}

export type SnmpV3Login = LoginTarget & {
  readonly version: 'v3'
  readonly credentialId: string
  readonly username: string
  readonly authProtocol: string
  readonly authPassword: string
  readonly privProtocol: string
  readonly privPassword: string
}
export type SnmpV2Login = LoginTarget & {
  readonly version: 'v2c'
  readonly credentialId: string
  readonly community: string
}
export type SnmpLogin = SnmpV3Login | SnmpV2Login

export type SshLogin = LoginTarget & {
  readonly credentialId: string
  readonly username: string
  readonly password: string
  readonly privateKey: string
  readonly passphrase: string
}

export type ScanPlan = {
  /** Subnet to scan, as CIDR: at most a /16, for IPv6 a /112. */
  readonly subnet: string
  readonly type: ScanType
  /** Addresses, `a-b` ranges and CIDRs that nothing is ever sent to. */
  readonly excludes: readonly string[]
  /** TCP ports that are tried on every living host. */
  readonly ports: readonly number[]
  /** Most probes a second; on-link sweeps through the neighbor table of the kernel stay below its budget by themselves. */
  readonly probesPerSecond: number
  /** The longest wait for an answer. Measured round-trip times shorten it. */
  readonly probeTimeoutMs: number
  readonly snmp: readonly SnmpLogin[]
  readonly ssh: readonly SshLogin[]
  /** SSH host key fingerprints (`SHA256:...`) pinned by address. No password is tried on a host with another key. */
  readonly hostKeys: Readonly<Record<string, string>>
  /** True if loopback, link-local and unspecified addresses may be probed. */
  readonly allowLocal: boolean
  /** A folder of fingerprints in the recog format; empty: none. */
  readonly fingerprintsFolder: string
  /** Where an earlier process of this scan was, as it last reported; null: from the beginning. */
  readonly checkpoint: Checkpoint | null
}

/** Opaque to the server, which stores it with the hosts of the same batch. At most 64 KiB as JSON. */
export type Checkpoint = { readonly version: 1; readonly [key: string]: unknown }

/** Something that was observed, and how much it is worth: `weight` is 0 to 1 for "it is alive". */
export type Evidence = {
  readonly source:
    | ('arp' | 'icmp' | 'tcp-open' | 'tcp-refused' | 'udp' | 'snmp' | 'mdns' | 'netbios' | 'ssh' | 'lldp')
    /** A lease, which the server reads and not the scanner. */
    | 'dhcp'
  readonly weight: number
  /** For people: "answered ping in 0.4 ms", "tcp/22 refused". */
  readonly detail: string
}

/** A vote for an operating system; the votes are kept so that the guess can be explained. */
export type OsVote = {
  readonly os: string
  readonly weight: number
  /** "SSH banner", "SNMP sysDescr", "TTL 64". */
  readonly because: string
}

export type FoundName = {
  readonly name: string
  readonly source: 'snmp' | 'mdns' | 'netbios' | 'ptr' | 'tls' | 'ssh' | 'dhcp'
}

export type FoundService = {
  readonly port: number
  readonly protocol: 'tcp' | 'udp'
  /** `ssh`, `http`, `postgresql`; empty when unknown. */
  readonly service: string
  readonly product: string
  readonly version: string
  /** First 2 KiB of the answer, control characters replaced. */
  readonly banner: string
  /** Title of the page, realm, certificate names and the like, by name. */
  readonly details: Readonly<Record<string, string>>
}

/** A neighbor as a device tells it by LLDP (IEEE 802.1AB) or by CDP. */
export type LldpNeighbour = {
  /** Absent: LLDP. */
  readonly protocol?: 'cdp'
  /** The name of the interface; empty where the device names none. */
  readonly localPort: string
  readonly remoteName: string
  /** Its name, or its MAC address. */
  readonly remotePort: string
  /** Mostly the name of the interface. Stored reports of earlier versions have none. */
  readonly remotePortDescription?: string
  /** True if `remotePort` is the name of an interface, and not a MAC or a number of its own. Earlier reports do not tell. */
  readonly remotePortIsName?: boolean
  readonly remoteChassis: string
  readonly remoteAddress: string
}
export type ArpEntry = { readonly ip: string; readonly mac: string }
export type ForwardingEntry = { readonly mac: string; readonly port: string }

/** What an agent is, by sysObjectID, sysDescr and ENTITY-MIB. Empty texts for what it does not say. */
export type SnmpSystem = {
  readonly vendor: string
  readonly system: string
  readonly version: string
  readonly model: string
  readonly serial: string
}

export type SnmpFacts = {
  readonly credentialId: string
  readonly engineId: string
  readonly name: string
  readonly description: string
  readonly objectId: string
  /** Stored reports of earlier versions have none. */
  readonly system?: SnmpSystem
  readonly location: string
  readonly uptimeSeconds: number
  readonly interfaces: readonly {
    readonly index: number
    readonly name: string
    /** ifDescr, where it is not the name. */
    readonly description?: string
    readonly mac: string
    readonly addresses: readonly string[]
  }[]
  readonly arp: readonly ArpEntry[]
  readonly lldp: readonly LldpNeighbour[]
  /** Which MAC was learned on which port, of a switch (BRIDGE-MIB). */
  readonly forwarding: readonly ForwardingEntry[]
}

/** All that is known about a host by now; a later report of the same address replaces it. */
export type FoundHost = {
  readonly ip: string
  /** Lower case with colons; empty when unknown. */
  readonly mac: string
  readonly macSource: 'arp' | 'neighbour' | 'snmp' | 'mdns' | 'netbios' | 'dhcp' | ''
  readonly vendor: string
  readonly rttMs: number | null
  readonly ttl: number | null
  readonly evidence: readonly Evidence[]
  /** Best first. */
  readonly names: readonly FoundName[]
  readonly openPorts: readonly number[]
  readonly services: readonly FoundService[]
  readonly os: string
  /** 0 to 100: how sure it is of `os`. */
  readonly osConfidence: number
  readonly osVotes: readonly OsVote[]
  /** `SHA256:...` as ssh-keygen prints it; empty when there is none. */
  readonly sshHostKey: string
  /** SHA-256 of a TLS certificate in hex; empty when there is none. */
  readonly tlsCertificate: string
  readonly snmp: SnmpFacts | null
}

/** The fields of a host that only probes find, as they are for a host that was not probed. */
export const UNPROBED = {
  ...{ rttMs: null, ttl: null, openPorts: [], services: [], os: '', osConfidence: 0, osVotes: [] },
  ...{ sshHostKey: '', tlsCertificate: '', snmp: null },
} as const satisfies Partial<FoundHost>

/** Detected privileges of a scanner on its machine. */
export type Privilege = {
  /** ICMP datagram sockets (`net.ipv4.ping_group_range`). */
  readonly icmp: boolean
  /** AF_PACKET ARP (CAP_NET_RAW). */
  readonly arp: boolean
  /** The neighbor table can be read. */
  readonly neighbours: boolean
  /** The one command that would raise it, or empty. */
  readonly advice: string
}

export type Progress = {
  readonly stage: Stage
  /** Monotonic, in addresses: the weighted share of the stages; equals `total` only at the end. */
  readonly scanned: number
  readonly total: number
  readonly found: number
  readonly probesPerSecond: number
}

export type ToScanner =
  | { readonly type: 'start'; readonly plan: ScanPlan }
  | { readonly type: 'cancel' }
  /** The last batch is stored: the next may come. Until then the scanner holds it back, so that neither end piles any up. */
  | { readonly type: 'ack' }

export type FromScanner =
  /** Sent once, as the first message. */
  | { readonly type: 'ready'; readonly privilege: Privilege }
  /**
   * Every 250 ms (sooner where very many hosts wait; without one every second, and only if the scan has moved), never before
   * the last one is stored, and once or more before the end: hosts that are new or known better, to be stored with the checkpoint.
   */
  | {
      readonly type: 'batch'
      readonly progress: Progress
      readonly hosts: readonly FoundHost[]
      readonly checkpoint: Checkpoint
    }
  /** For the log of the scan: "halved the rate: fewer replies than in the first pass". */
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'done' }
  | { readonly type: 'cancelled' }
  /** The plan cannot be executed, or the scanner had an internal error. */
  | { readonly type: 'failed'; readonly message: string }
