/** Which operating system the votes speak for. Pure. */
import type { OsVote } from '../protocol.ts'

/** The weight of each vote, of 100. `kernel` is an agent that names only the kernel of an appliance. */
export const OS_WEIGHTS = {
  login: 95,
  snmp: 90,
  banner: 60,
  kernel: 55,
  windowsPort: 50,
  mdns: 50,
  vendor: 20,
  ttl: 15,
} as const

export type OsClues = {
  readonly votes: readonly OsVote[]
  readonly ttl: number | null
  readonly vendor: string
  readonly openPorts: readonly number[]
}

export type OsGuess = { readonly os: string; readonly osConfidence: number; readonly osVotes: readonly OsVote[] }

/** Normalizes the subject of a vote, so that "Debian Linux 12" and "Linux" support each other. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/windows/i, 'windows'],
  [
    /linux|debian|ubuntu|centos|red hat|fedora|alpine|suse|android|openwrt|proxmox|synology|vmware esxi|routeros/i,
    'unix',
  ],
  [/unix|bsd|macos|ios\b.*apple|darwin|solaris|aix/i, 'unix'],
  [/cisco|junos|arista|network|ios|comware|procurve|aruba|fortios|pan-os|ubiquiti/i, 'network'],
]
const getFamily = (os: string): string => FAMILIES.find(([pattern]) => pattern.test(os))?.[1] ?? os.toLowerCase()

/** Votes by the TTL, rounded up to the usual initial values: 64, 128 or 255. */
const getTtlVote = (ttl: number): OsVote => {
  const [start, os] = ttl <= 64 ? [64, 'Linux/Unix'] : ttl <= 128 ? [128, 'Windows'] : [255, 'Network device']
  return { os, weight: OS_WEIGHTS.ttl, because: `TTL ${ttl}, so it began at ${start}` }
}

/** Vendors with one operating system on all devices. */
const VENDORS: readonly (readonly [RegExp, string])[] = [
  [/^cisco/i, 'Cisco IOS'],
  [/^juniper/i, 'Junos'],
  [/^arista/i, 'Arista EOS'],
  [/mikrotik|routerboard/i, 'RouterOS'],
  [/^fortinet/i, 'FortiOS'],
  [/^palo alto/i, 'PAN-OS'],
  [/^ubiquiti/i, 'Linux (Ubiquiti)'],
  [/^synology/i, 'Linux (Synology DSM)'],
  [/^qnap/i, 'Linux (QNAP)'],
  [/^raspberry/i, 'Linux'],
  [/^apple/i, 'macOS or iOS (Apple)'],
  [/espressif/i, 'Embedded (ESP)'],
]

const toVotes = ({ votes, ttl, vendor, openPorts }: OsClues): OsVote[] => {
  const all = [...votes]
  const byVendor = VENDORS.find(([pattern]) => pattern.test(vendor))
  if (byVendor) all.push({ os: byVendor[1], weight: OS_WEIGHTS.vendor, because: `vendor ${vendor}` })
  // Port 135 is the RPC mapper of Windows; Samba, which opens 445 too, has none.
  if (openPorts.includes(135) && openPorts.includes(445))
    all.push({ os: 'Windows', weight: OS_WEIGHTS.windowsPort, because: 'tcp/135 and tcp/445 open' })
  if (ttl !== null) all.push(getTtlVote(ttl))
  return all.toSorted((a, b) => b.weight - a.weight)
}

/** The name comes from the heaviest vote; votes for its family raise the confidence, others lower it. */
export const guessOs = (clues: OsClues): OsGuess => {
  const osVotes = toVotes(clues)
  const best = osVotes[0]
  if (best === undefined) return { os: '', osConfidence: 0, osVotes }
  const family = getFamily(best.os)
  const doubt = (isSame: boolean): number =>
    osVotes
      .filter(({ os }) => (getFamily(os) === family) === isSame)
      .reduce((product, { weight }) => product * (1 - weight / 100), 1)
  const sure = (1 - doubt(true)) * (1 - (1 - doubt(false)) / 2)
  return { os: best.os, osConfidence: Math.round(sure * 100), osVotes }
}
