/** The text that devices are found by. */
import type { Device } from './schema.ts'

/** In lower case. It is stored: whoever changes it has a migration write it anew. */
export const searchText = (device: Device): string =>
  [
    device.name,
    device.hostname,
    device.description,
    device.make_model,
    device.os,
    device.location,
    ...device.addresses.map(({ ip }) => ip),
    ...device.tags,
    ...device.domains,
  ]
    .join('\n')
    .toLowerCase()

export type Change = {
  readonly before: Device
  readonly device: Device
  /** The fields that are new. */
  readonly changes: readonly (keyof Device)[]
}

const SEARCHED: readonly (keyof Device)[] = [
  'name',
  'hostname',
  'description',
  'make_model',
  'os',
  'location',
  'tags',
  'domains',
]
const ipsOf = ({ addresses }: Device): string => addresses.map(({ ip }) => ip).join()

/** Whether searches may find it otherwise, be it by the same text: an address has become a tag. */
export const isFoundOtherwise = ({ before, device, changes }: Change): boolean =>
  changes.some((field) => SEARCHED.includes(field)) || ipsOf(before) !== ipsOf(device)
