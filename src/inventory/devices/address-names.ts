/** The main addresses of a device, and the names of an address. Browser-safe. */
import type { Address, Device } from './schema.ts'

const isPrimary = ({ label }: Pick<Address, 'label'>): boolean => label === '' || label.toLowerCase() === 'primary'

/** Returns the addresses without a label or with the label `primary`; where there are none, the first. */
export const selectMainAddresses = <A extends Pick<Address, 'label'>>(addresses: readonly A[]): ReadonlySet<A> => {
  const primary = addresses.filter(isPrimary)
  return new Set(primary.length > 0 ? primary : addresses.slice(0, 1))
}

export type AddressNames = {
  /** The own name of the address; '' for none. */
  readonly own: string
  /** The domains of the device, of a main address. */
  readonly domains: readonly string[]
}

/** @param isMain true for a main address: it has the host name and the domains of its device */
export const getAddressNames = (
  { hostname, domains }: Pick<Device, 'hostname' | 'domains'>,
  { dns_name }: Pick<Address, 'dns_name'>,
  isMain: boolean,
): AddressNames => ({ own: dns_name || (isMain ? hostname : ''), domains: isMain ? domains : [] })

/** @example getFirstLabel('web-1.example.net') // 'web-1' */
export const getFirstLabel = (name: string): string => name.split('.', 1)[0] ?? ''
