/** Identity keys, by which a host is recognized from scan to scan, and their comparison. Pure. */
import { isLocallyAdministered, isRandomMac } from '../../net/mac.ts'
import type { FoundHost } from '../../scanner/protocol.ts'
import type { IdentityKind } from '../schema.ts'

/** `mac:00:1b:21:00:00:01`, `ssh:SHA256:...`, `tls:...`, `snmp:...`. */
export type IdentityKey = `${Exclude<IdentityKind, 'address'>}:${string}`

/**
 * MACs that several machines share: VRRP (RFC 9568 section 7.3; CARP uses them too), HSRP (RFC 2281 and version 2, for IPv6 as
 * well), GLBP, and the clusters of Microsoft Network Load Balancing.
 */
const SHARED_BY_DESIGN = /^(?:00:00:5e:00:0[12]|00:00:0c:07:ac|00:00:0c:9f:f|00:05:73:a0:0|00:07:b4:00|02:bf)/

/**
 * MACs that are the same in every device of a kind: the internal interfaces of Cisco ASA and Firepower Threat Defense, and the
 * examples that vendors leave in their settings.
 */
const CONSTANT = new Set([
  '00:00:00:01:00:01',
  '00:00:01:00:00:01',
  '00:00:02:00:00:01',
  '00:00:03:00:00:01',
  '00:a0:c9:00:00:00',
  '00:a0:c9:00:00:01',
  '00:a0:c9:00:00:02',
  '00:01:02:03:04:05',
  '00:11:22:33:44:55',
])

/** Internal interfaces are numbered below this prefix, and no device of today has a MAC of it. */
const NUMBERED = /^00:00:00:/

export const isConstantKey = (key: string): boolean => {
  const mac = key.startsWith('mac:') ? key.slice(4) : ''
  return CONSTANT.has(mac) || NUMBERED.test(mac)
}

/** Canonical, and not a group address (the I/G bit of RFC 9542 section 2.1). A regular expression, because it runs for every host. */
const UNICAST = /^[0-9a-f][02468ace](?::[0-9a-f]{2}){5}$/

/**
 * True when a MAC names one network interface of its network, and is neither shared by design nor a known constant. Locally administered addresses do too: two machines of one network
 * cannot work with the same one.
 * @example isIdentifying('00:1b:21:00:00:01') // true
 */
export const isIdentifying = (mac: string): boolean =>
  UNICAST.test(mac) && mac !== '00:00:00:00:00:00' && !SHARED_BY_DESIGN.test(mac) && !CONSTANT.has(mac)

/** True when the MAC of a key names the same interface in every network. A random MAC does so only in its own network. */
export const isIdentifyingEverywhere = (key: string): boolean => !key.startsWith('mac:') || !isRandomMac(key.slice(4))

type Recognisable = Pick<FoundHost, 'mac' | 'sshHostKey' | 'tlsCertificate' | 'snmp'>

const listInterfaceMacs = (snmp: Recognisable['snmp']): string[] =>
  (snmp?.interfaces ?? []).map((one) => one.mac).filter((one) => !isLocallyAdministered(one) && !NUMBERED.test(one))

/**
 * Returns the MACs, as keys, that two agents report although they are two devices: the rest of their MACs has none in common, and is
 * not the smaller part of either. Returns none for two reports of one agent, which its engine or its host key tells.
 */
export const listKeysOfTwo = (one: Recognisable, other: Recognisable): string[] => {
  const isOne =
    (one.snmp?.engineId !== '' && one.snmp?.engineId === other.snmp?.engineId) ||
    (one.sshHostKey !== '' && one.sshHostKey === other.sshHostKey)
  if (!one.snmp || !other.snmp || isOne) return []
  const [mine, theirs] = [one, other].map(
    ({ snmp }) =>
      new Set(
        listInterfaceMacs(snmp)
          .filter(isIdentifying)
          .map((mac) => `mac:${mac}`),
      ),
  )
  if (!mine || !theirs) return []
  const common = mine.intersection(theirs)
  const own = Math.min(mine.size, theirs.size) - common.size
  return common.size <= own ? [...common] : []
}

/**
 * Strongest first: MACs, the SSH host key, the SNMP engine (RFC 3411 section 5), a TLS certificate. Interfaces that SNMP lists with a
 * locally administered MAC are left out: bridges and internal ports have the same one in many devices.
 */
export const listIdentityKeys = ({ mac, sshHostKey, tlsCertificate, snmp }: Recognisable): IdentityKey[] => {
  const macs = [mac, ...listInterfaceMacs(snmp)].filter(isIdentifying)
  return [
    ...[...new Set(macs)].map((one): IdentityKey => `mac:${one}`),
    ...(sshHostKey ? [`ssh:${sshHostKey}` as const] : []),
    ...(snmp?.engineId ? [`snmp:${snmp.engineId}` as const] : []),
    ...(tlsCertificate ? [`tls:${tlsCertificate}` as const] : []),
  ]
}

const filterByKind = (keys: Iterable<string>, kind: string): string[] =>
  [...keys].filter((key) => key.startsWith(`${kind}:`))

type Verdict = 'same' | 'other' | 'unknown'

/** Compares keys of one kind: two sets that are not empty and share no key are of different devices. */
const compareKeys = (a: Iterable<string>, b: Iterable<string>, kind: string): Verdict => {
  const [mine, theirs] = [filterByKind(a, kind), filterByKind(b, kind)]
  if (mine.length === 0 || theirs.length === 0) return 'unknown'
  return mine.some((key) => theirs.includes(key)) ? 'same' : 'other'
}

/**
 * Decides if two sets of keys are of one device. Another MAC is another device, unless the host key is the same: then it is a
 * second or a new interface. The same MAC with another host key is a reinstalled system. Certificates are renewed, so a different
 * one says nothing.
 */
export const compareIdentity = (a: Iterable<string>, b: Iterable<string>): Verdict => {
  const [one, other] = [[...a], [...b]]
  const mac = compareKeys(one, other, 'mac')
  const ssh = compareKeys(one, other, 'ssh')
  if (mac === 'same' || ssh === 'same') return 'same'
  if (mac === 'other' || ssh === 'other') return 'other'
  const snmp = compareKeys(one, other, 'snmp')
  if (snmp !== 'unknown') return snmp
  return compareKeys(one, other, 'tls') === 'same' ? 'same' : 'unknown'
}

const ORDER: readonly Exclude<IdentityKind, 'address'>[] = ['mac', 'ssh', 'snmp', 'tls']

/** Selects the strongest of some keys, as it is sent; the address where there is none. */
export const pickIdentity = (keys: Iterable<string>, ip: string): { kind: IdentityKind; value: string } => {
  const all = [...keys]
  for (const kind of ORDER) {
    const [key] = filterByKind(all, kind).sort()
    if (key !== undefined) return { kind, value: key.slice(kind.length + 1) }
  }
  return { kind: 'address', value: ip }
}
