/** A device as a form holds it, and what a save sends of it. */
import type { Address, Device, DeviceDraft, DeviceStatus } from '../api/contracts.ts'

export type AddressForm = {
  /** Tells rows apart while they are edited; never sent. */
  readonly key: string
  readonly ip: string
  readonly label: string
  readonly port: string
  readonly switch_port: string
  readonly network_id: string
  readonly pool_id: string
}

export type DeviceForm = {
  readonly name: string
  readonly status: DeviceStatus
  readonly hostname: string
  readonly datacenter_id: string
  readonly make_model: string
  readonly os: string
  readonly location: string
  readonly username: string
  readonly description: string
  /** With commas between them. */
  readonly tags: string
  readonly domains: string
  readonly addresses: readonly AddressForm[]
}

export const emptyAddress = (given: Partial<AddressForm> = {}): AddressForm => ({
  key: crypto.randomUUID(),
  ip: '',
  label: '',
  port: '',
  switch_port: '',
  network_id: '',
  pool_id: '',
  ...given,
})

export const emptyForm = (address: Partial<AddressForm>): DeviceForm => ({
  name: '',
  status: 'active',
  hostname: '',
  datacenter_id: '',
  make_model: '',
  os: '',
  location: '',
  username: '',
  description: '',
  tags: '',
  domains: '',
  addresses: [emptyAddress(address)],
})

const addressForm = (address: Address): AddressForm =>
  emptyAddress({
    ip: address.ip,
    label: address.label,
    port: address.port === null ? '' : String(address.port),
    switch_port: address.switch_port,
    network_id: address.network_id ?? '',
    pool_id: address.pool_id ?? '',
  })

export const formOf = (device: Device): DeviceForm => ({
  name: device.name,
  status: device.status,
  hostname: device.hostname,
  datacenter_id: device.datacenter_id ?? '',
  make_model: device.make_model,
  os: device.os,
  location: device.location,
  username: device.username,
  description: device.description,
  tags: device.tags.join(', '),
  domains: device.domains.join(', '),
  addresses: device.addresses.map(addressForm),
})

const list = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

const isBlank = ({ ip, label, port, switch_port }: AddressForm): boolean =>
  [ip, label, port, switch_port].every((text) => text.trim() === '')

/** The rows that are sent, in their places: an error at `addresses[1].ip` is at the second of them. */
export const sentAddresses = (form: DeviceForm): readonly AddressForm[] => form.addresses.filter((one) => !isBlank(one))

const addressInput = (form: AddressForm) => ({
  ip: form.ip.trim(),
  label: form.label,
  port: form.port.trim() === '' ? null : Number(form.port),
  switch_port: form.switch_port,
  network_id: form.network_id,
  pool_id: form.pool_id,
})

export const inputOf = (form: DeviceForm): DeviceDraft => ({
  ...form,
  tags: list(form.tags),
  domains: list(form.domains),
  addresses: sentAddresses(form).map(addressInput),
})

/** The fields that differ: a save touches nothing else, so that it undoes no other change. */
export const changesBetween = (before: DeviceForm, after: DeviceForm): Partial<DeviceDraft> => {
  const [old, now] = [inputOf(before), inputOf(after)]
  return Object.fromEntries(
    Object.entries(now).filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(old, field))),
  )
}
