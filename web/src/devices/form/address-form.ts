/** The addresses of a device as its form holds them: one text with all rows, as every field of a form is a text. */
import type { Address, DeviceDraft } from '../../api/contracts.ts'
import { formatCustom, parseCustomInput } from '../../custom-fields/known-text.ts'

export type AddressForm = {
  /** Tells rows apart while they are edited; never sent. */
  readonly key: string
  readonly ip: string
  readonly label: string
  readonly port: string
  readonly switch_port: string
  readonly interface: string
  readonly mac_address: string
  readonly dns_name: string
  /** '' for none. */
  readonly role: string
  readonly network_id: string
  readonly pool_id: string
  /** '' for the default one. */
  readonly space_id: string
  /** The values of custom fields, as `formatCustom` writes them. */
  readonly custom: string
  /** The stored address, of which the fields without a control are sent as they are. */
  readonly stored?: Address
}

export const createEmptyAddress = (given: Partial<AddressForm> = {}): AddressForm => ({
  key: crypto.randomUUID(),
  ip: '',
  label: '',
  port: '',
  switch_port: '',
  interface: '',
  mac_address: '',
  dns_name: '',
  role: '',
  network_id: '',
  pool_id: '',
  space_id: '',
  custom: '',
  ...given,
})

/** @returns the rows of a text that `writeAddresses` wrote */
export const readAddresses = (text: string): readonly AddressForm[] => (text === '' ? [] : JSON.parse(text))

export const writeAddresses = (rows: readonly AddressForm[]): string => JSON.stringify(rows)

const toAddressForm = (address: Address, index: number): AddressForm => ({
  // The same text for the same addresses, which a draft is compared with.
  key: String(index),
  ip: address.ip,
  label: address.label,
  port: address.port === null ? '' : String(address.port),
  switch_port: address.switch_port,
  interface: address.interface ?? '',
  mac_address: address.mac_address,
  dns_name: address.dns_name,
  role: address.role ?? '',
  network_id: address.network_id ?? '',
  pool_id: address.pool_id ?? '',
  space_id: address.space_id ?? '',
  custom: formatCustom(address.custom),
  stored: address,
})

// The field of a device, as the server sends it.
export const formatAddresses = (value: unknown): string =>
  writeAddresses((value as readonly Address[]).map(toAddressForm))

type Role = NonNullable<NonNullable<DeviceDraft['addresses']>[number]['role']>

/** True for an address that is not stored yet. */
export const isAdded = ({ key }: AddressForm): boolean => key.includes('-')

const isBlank = ({
  ip,
  label,
  port,
  switch_port,
  interface: own,
  mac_address,
  dns_name,
  custom,
}: AddressForm): boolean =>
  [ip, label, port, switch_port, own, mac_address, dns_name, custom].every((text) => text.trim() === '')

/** Returns the rows that are sent, in their places: an error at `addresses[1].ip` is at the second of them. */
export const filterSentRows = (rows: readonly AddressForm[]): readonly AddressForm[] =>
  rows.filter((one) => !isBlank(one))

const getDefaultType = (ip: string): string => (ip.includes(':') ? 'ipv6' : 'ipv4')

type Shown = Exclude<keyof AddressForm, 'key' | 'stored'>

/**
 * Returns the fields that the form does not show. A type that only tells the family of the stored address is left out when the address
 * was changed: the server finds that of the new one.
 */
const pickHiddenFields = (
  stored: Address,
  ip: string,
): Omit<Address, Shown | 'type'> & Partial<Pick<Address, 'type'>> => {
  const { ip: _, label, port, switch_port, interface: own, mac_address, dns_name, role, ...others } = stored
  const { network_id, pool_id, space_id, custom, type, ...hidden } = others
  return ip !== stored.ip && type === getDefaultType(stored.ip) ? hidden : { ...hidden, type }
}

export const parseAddressInput = (text: string): NonNullable<DeviceDraft['addresses']> =>
  filterSentRows(readAddresses(text)).map((row) => ({
    ...(row.stored && pickHiddenFields(row.stored, row.ip.trim())),
    ip: row.ip.trim(),
    label: row.label,
    port: row.port.trim() === '' ? null : Number(row.port),
    switch_port: row.switch_port,
    interface: row.interface,
    mac_address: row.mac_address.trim(),
    dns_name: row.dns_name.trim(),
    // A value of the select.
    ...(row.role && { role: row.role as Role }),
    network_id: row.network_id,
    pool_id: row.pool_id,
    ...(row.space_id && { space_id: row.space_id }),
    ...(row.custom && { custom: parseCustomInput(row.custom) }),
  }))
