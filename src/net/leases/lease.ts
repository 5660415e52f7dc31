/** The leases of a DHCP server, as its file has them. */

export const LEASE_FORMATS = ['kea-csv', 'kea-json', 'dnsmasq', 'isc'] as const
export type LeaseFormat = (typeof LEASE_FORMATS)[number]

export type Lease = {
  /** Not canonical. */
  readonly ip: string
  /** In any notation, of any kind of hardware. */
  readonly mac_address?: string
  readonly hostname?: string
  /** The length of a delegated prefix, which begins with `ip`. */
  readonly prefix_length?: number
  /** The reason for which the lease is not in force, such as `is free`. */
  readonly over?: string
  /** The time of its end in milliseconds; undefined for never. */
  readonly endsMs?: number
}

/** An entry of a file: a lease, an error, or neither, if the line is of the format and has no lease. */
export type LeaseEntry = { readonly line: number; readonly lease?: Lease; readonly error?: string }

/** The `over` of a delegated prefix (RFC 8415 section 6.3), which is no address of a host. */
export const IS_PREFIX = 'is a prefix'

/** Returns the error of a text in place of an address. */
export const formatNoAddress = (text: string): string => `${JSON.stringify(text.slice(0, 64))} is no IP address`

export const NO_TIME = 'has an end that is no time'
