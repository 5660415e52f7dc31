// MAC addresses (EUI-48): text and the two flag bits of the first octet.

const CANONICAL = /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/i
/** Octets between separators of one kind. A colon also separates octets without a leading zero, as `arp` of BSD and macOS prints them. */
const OCTETS = /^(?:[0-9a-f]{2}([-. ])[0-9a-f]{2}(?:\1[0-9a-f]{2}){4}|[0-9a-f]{1,2}(?::[0-9a-f]{1,2}){5})$/i
/** Groups of four digits (Cisco, Huawei), or halves (HP, PostgreSQL). Groups of four between colons are a part of an IPv6 address. */
const GROUPS = /^(?:[0-9a-f]{4}([.-])[0-9a-f]{4}\1[0-9a-f]{4}|[0-9a-f]{6}[-:][0-9a-f]{6})$/i
const BARE = /^(?:0x)?[0-9a-f]{12}$/i

const MULTICAST_BIT = 1
const LOCAL_BIT = 2

/** Joins an even number of hexadecimal digits to octets with colons between them. */
const joinOctets = (digits: string): string => {
  let mac = digits.slice(0, 2)
  for (let at = 2; at < digits.length; at += 2) mac += `:${digits.slice(at, at + 2)}`
  return mac
}

/**
 * Reads a MAC address in any spelling that software prints, in either case, and gives the canonical one: lower case with colons. Octets are
 * separated by colons, dashes, dots or blanks, groups of four digits by dots or dashes, halves by a colon or a dash; or there is no separator,
 * and `0x` may precede. Separators may not be mixed. Octets are only shortened between colons.
 *
 * @returns undefined for anything that is not exactly one MAC address
 * @example
 * parseMac('AA-BB-CC-00-11-22') // 'aa:bb:cc:00:11:22'
 * parseMac('aabb.cc00.1122') // 'aa:bb:cc:00:11:22'
 * parseMac('0:1b:21:a:c:e') // '00:1b:21:0a:0c:0e'
 * parseMac('aa:bb-cc:00:11:22') // undefined
 */
export function parseMac(text: string): string | undefined {
  if (CANONICAL.test(text)) return text.toLowerCase()
  if (OCTETS.test(text))
    return text
      .toLowerCase()
      .split(/[^0-9a-f]/)
      .map((octet) => octet.padStart(2, '0'))
      .join(':')
  if (!GROUPS.test(text) && !BARE.test(text)) return undefined
  return joinOctets(text.toLowerCase().replace(/^0x|[^0-9a-f]/g, ''))
}

/**
 * True when the address was set by software and names no vendor: the U/L bit (RFC 9542 section 2.1). Phones that
 * randomize their address have it set.
 *
 * @param mac any spelling that `parseMac` accepts; false for other text
 * @example
 * isLocallyAdministered('02:00:00:00:00:01') // true
 * isLocallyAdministered('00:1b:21:00:00:01') // false
 */
export function isLocallyAdministered(mac: string): boolean {
  return (getFirstOctet(mac) & LOCAL_BIT) !== 0
}

/**
 * Prefixes of locally administered addresses that software assigns and then keeps: two octets or more, canonical.
 * 52:54:00 QEMU and libvirt (`virMacAddrGenerate`); 02:42 Docker (`libnetwork/netutils`, from the IPv4 address); 0a:58 Kubernetes
 * (`containernetworking/plugins`, `pkg/utils/hwaddr`); fa:16:3e OpenStack (`base_mac` of Neutron); 02:bf Microsoft Network Load
 * Balancing (unicast mode, from the address of the cluster).
 */
const ASSIGNED_PREFIXES = ['52:54:00:', '02:42:', '0a:58:', 'fa:16:3e:', '02:bf:'] as const

/**
 * True when the address was probably drawn at random, as iOS, Android and Windows do for each network (IEEE 802c): locally
 * administered, not a group address, and without a prefix that hypervisors and container runtimes are known to assign.
 *
 * @param mac any spelling that `parseMac` accepts; false for other text
 * @example
 * isRandomMac('da:a1:19:00:00:01') // true
 * isRandomMac('52:54:00:12:34:56') // false
 */
export function isRandomMac(mac: string): boolean {
  const canonical = parseMac(mac)
  if (canonical === undefined || (getFirstOctet(canonical) & (LOCAL_BIT | MULTICAST_BIT)) !== LOCAL_BIT) return false
  return !ASSIGNED_PREFIXES.some((prefix) => canonical.startsWith(prefix))
}

/**
 * True for a group address, broadcast included: the I/G bit (RFC 9542 section 2.1). No device has one as its own.
 *
 * @param mac any spelling that `parseMac` accepts; false for other text
 * @example
 * isMulticastMac('01:00:5e:00:00:01') // true
 * isMulticastMac('ff:ff:ff:ff:ff:ff') // true
 * isMulticastMac('00:1b:21:00:00:01') // false
 */
export function isMulticastMac(mac: string): boolean {
  return (getFirstOctet(mac) & MULTICAST_BIT) !== 0
}

function getFirstOctet(mac: string): number {
  const canonical = parseMac(mac)
  return canonical === undefined ? 0 : Number.parseInt(canonical.slice(0, 2), 16)
}
