/**
 * The messages between a scanner and the server, as JSON over HTTP: the fields that both sides name. The scanner sends all requests. The
 * server reads them by a schema of its own, because it trusts none of them.
 */
import type { FoundHost, FromScanner, ScanPlan, SnmpLogin, SshLogin } from './protocol.ts'

/** The server knows this number and the one before. */
export const WIRE_PROTOCOL = 1

/** Returns the side to upgrade for a number that the server does not know. */
export const findOlderSide = (protocol: number): 'server' | 'scanner' | undefined => {
  if (protocol > WIRE_PROTOCOL) return 'server'
  return protocol < Math.max(1, WIRE_PROTOCOL - 1) ? 'scanner' : undefined
}

export const WIRE_PATHS = {
  enrol: '/api/scanner/enrol',
  poll: '/api/scanner/poll',
  /** With the id of the scan. */
  reports: '/api/scanner/scans/{id}/reports',
  sightings: '/api/scanner/sightings',
  bye: '/api/scanner/bye',
} as const

/** Bounds of a request to the server. */
export const WIRE_LIMITS = {
  bodyBytes: 4 * 1024 * 1024,
  reports: 50,
  hosts: 2000,
  links: 64,
  slots: 8,
  waitSeconds: 25,
} as const

export type Capabilities = {
  readonly icmp: boolean
  readonly arp: boolean
  readonly neighbours: boolean
  /** It can listen by an AF_PACKET socket. */
  readonly listen: boolean
}

/** What a scanner says of itself. */
export type ScannerFacts = {
  readonly protocol: number
  readonly version: string
  readonly hostname: string
  readonly capabilities: Capabilities
  /** The networks of its interfaces, as CIDRs. */
  readonly links: readonly string[]
  /** Scans that it runs at once, 1 to 8. */
  readonly slots: number
}

/** With an enrolment token. `public_key`: base64url of the 32 bytes of an X25519 key. */
export type EnrolRequest = ScannerFacts & { readonly public_key: string }
export type EnrolAnswer = {
  readonly id: string
  readonly name: string
  /** The token of all other requests. */
  readonly token: string
  readonly server_version: string
}

export type Holding = { readonly scan_id: string; readonly lease: string }

export type PollRequest = Pick<ScannerFacts, 'protocol' | 'version'> &
  Partial<ScannerFacts> & {
    readonly spooled_reports?: number
    /** The scans that it has on its hands. */
    readonly holding: readonly Holding[]
    /** The tag of the list of networks to listen to, as of the last answer. */
    readonly listen_tag?: string
    /** 0 to 25. */
    readonly wait_seconds?: number
  }

/**
 * The logins of a deep scan, sealed: X25519 of the key `epk` and the `public_key` of the scanner; HKDF-SHA256, salt the texts of `epk` and
 * `public_key` one after the other, info `plat scanner plan 1`, 32 bytes; AES-256-GCM with `<scan_id> <lease>` as associated data, the tag at
 * the end of `body`. All base64url.
 */
export type SealedLogins = { readonly epk: string; readonly iv: string; readonly body: string }
/** The content of `SealedLogins`, as JSON. */
export type Logins = {
  readonly snmp: readonly SnmpLogin[]
  readonly ssh: readonly SshLogin[]
  readonly hostKeys: Readonly<Record<string, string>>
}

export type StartedScan = Holding & {
  readonly network_id: string
  readonly network_name: string
  /** Without logins. */
  readonly plan: ScanPlan
  /** Null for a plan without logins, and for a scanner without `use_credentials`. */
  readonly sealed: SealedLogins | null
}

export type ListenedNetwork = {
  readonly network_id: string
  readonly subnet: string
  readonly excludes: readonly string[]
}

export type PollAnswer = {
  readonly start: readonly StartedScan[]
  /** Ids of scans that were cancelled. */
  readonly cancel: readonly string[]
  /** Ids of scans that are not its own any more. */
  readonly drop: readonly string[]
  readonly listen: readonly ListenedNetwork[]
  readonly listen_tag: string
  readonly server_version: string
}

export type ReportsRequest = {
  readonly lease: string
  /** 1 for the first request of a lease, and one more for each further one. */
  readonly seq: number
  readonly reports: readonly FromScanner[]
}
/** `ack`: the number of the last request that is stored. */
export type ReportsAnswer = { readonly ack: number; readonly cancel: boolean }

export type Sighting = { readonly network_id: string; readonly hosts: readonly FoundHost[] }
export type SightingsRequest = { readonly sightings: readonly Sighting[] }
/** Numbers of hosts. */
export type SightingsAnswer = { readonly accepted: number; readonly dropped: number }

/** The plan of a process that listens. */
export type ListenPlan = { readonly networks: readonly ListenedNetwork[] }
/** Messages to a process that listens. */
export type ToListener =
  /** Sent first, and again when the networks have changed. */
  | { readonly type: 'listen'; readonly plan: ListenPlan }
  /** The last sightings are handled: the next may come. */
  | { readonly type: 'ack' }
/** Messages of a process that listens. */
export type FromListener =
  /** Sent first. `isRaw`: it has an AF_PACKET socket. */
  | { readonly type: 'ready'; readonly isRaw: boolean }
  | { readonly type: 'sightings'; readonly sightings: readonly Sighting[] }
  | { readonly type: 'failed'; readonly message: string }
