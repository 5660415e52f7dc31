/** The text that searches of devices match. */
import { toNameKey } from '../../../net/name-order.ts'
import type { Device } from '../schema.ts'

const TEXTS = ['name', 'hostname', 'description', 'make_model', 'os', 'location'] as const
const LISTS = ['tags', 'domains'] as const
const ADDRESS_TEXTS = ['mac_address', 'dns_name'] as const

/** The texts of the addresses. Empty ones are left out. */
const listAddressTexts = ({ addresses }: Device): string[] => [
  ...addresses.map(({ ip }) => ip),
  ...ADDRESS_TEXTS.flatMap((field) => addresses.map((address) => address[field]).filter((text) => text !== '')),
]

/** Returns the texts of the given custom fields. */
const listCustomTexts = ({ custom = {} }: Device, names: readonly string[]): string[] =>
  names.flatMap((name) => (Object.hasOwn(custom, name) ? [custom[name] ?? []].flat().map(String) : []))

/** Returns the texts of all custom fields in lower case, by name. */
export const toLowerCaseCustom = (device: Device): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.keys(device.custom ?? {}).map((name) => [name, toNameKey(listCustomTexts(device, [name]).join('\n'))]),
  )

/** In the form of name keys. The text is stored, so a change here requires a migration that rewrites it. @param searchable the names of custom fields */
export const searchText = (device: Device, searchable: readonly string[] = []): string =>
  toNameKey(
    [
      ...TEXTS.map((field) => device[field]),
      ...listAddressTexts(device),
      ...LISTS.flatMap((field) => device[field]),
      ...listCustomTexts(device, searchable),
    ].join('\n'),
  )

export type Change = {
  readonly before: Device
  readonly device: Device
  /** The changed fields. */
  readonly changes: readonly (keyof Device)[]
}

/** Checks whether searches may rank it differently, even with the same text: an address may have become a tag. */
export const isFoundOtherwise = (before: Device, after: Device, searchable: readonly string[]): boolean =>
  TEXTS.some((field) => before[field] !== after[field]) ||
  LISTS.some((field) => before[field] !== after[field] && !Bun.deepEquals(before[field], after[field])) ||
  (before.addresses !== after.addresses && listAddressTexts(before).join() !== listAddressTexts(after).join()) ||
  listCustomTexts(before, searchable).join('\n') !== listCustomTexts(after, searchable).join('\n')
