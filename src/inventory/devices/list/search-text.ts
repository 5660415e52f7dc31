/** The text that searches of devices match. */
import { toNameKey } from '../../../net/name-order.ts'
import type { Device } from '../schema.ts'

const TEXTS = ['name', 'hostname', 'description', 'make_model', 'os', 'location'] as const
/** The texts that most devices lack. */
const LATER = ['serial', 'asset_tag', 'role'] as const
const LISTS = ['tags', 'domains'] as const
const ADDRESS_TEXTS = ['mac_address', 'dns_name', 'interface', 'label'] as const

/** The texts of the addresses. Empty ones are left out. */
const listAddressTexts = ({ addresses }: Device): string[] => [
  ...addresses.map(({ ip }) => ip),
  ...ADDRESS_TEXTS.flatMap((field) => addresses.flatMap((address) => address[field] || [])),
]

/** Returns the texts of the given custom fields. */
const listCustomTexts = ({ custom = {} }: Device, names: readonly string[]): string[] =>
  names.flatMap((name) => (Object.hasOwn(custom, name) ? [custom[name] ?? []].flat().map(String) : []))

/** Returns the texts of all custom fields in lower case, by name. */
export const toLowerCaseCustom = (device: Device): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.keys(device.custom ?? {}).map((name) => [name, toNameKey(listCustomTexts(device, [name]).join('\n'))]),
  )

/** In the form of name keys. @param searchable the names of custom fields */
export const searchText = (device: Device, searchable: readonly string[] = []): string =>
  toNameKey(
    [
      ...TEXTS.map((field) => device[field]),
      ...listAddressTexts(device),
      ...LISTS.flatMap((field) => device[field]),
      ...LATER.flatMap((field) => device[field] || []),
      ...listCustomTexts(device, searchable),
    ].join('\n'),
  )

/**
 * Returns the stored text. It begins with a line feed: a text of a program that knew fewer fields begins with the name. A change of the
 * fields needs another sign, by which `refresh-texts.ts` finds the texts to write again.
 */
export const storedSearchText = (device: Device, searchable: readonly string[]): string =>
  `\n${searchText(device, searchable)}`

/** The fields in which a found text is looked for: those that name a device come first. */
const FIRST = ['name', 'hostname'] as const
const LAST = ['os', 'make_model', 'location', 'description'] as const

/**
 * Calls `accepts` with the searched texts of a device and their fields, the most important first, until it returns true.
 * @param searchable the names of custom fields
 */
export const findText = (
  device: Device,
  searchable: readonly string[],
  accepts: (text: string, field: string) => boolean,
): boolean => {
  for (const field of FIRST) if (accepts(device[field], field)) return true
  for (const field of LATER) if (accepts(device[field] ?? '', field)) return true
  for (const field of ['ip', ...ADDRESS_TEXTS] as const)
    for (const address of device.addresses) if (accepts(address[field] ?? '', `addresses.${field}`)) return true
  for (const field of LISTS) for (const text of device[field]) if (accepts(text, field)) return true
  for (const field of LAST) if (accepts(device[field], field)) return true
  for (const name of searchable)
    for (const text of listCustomTexts(device, [name])) if (accepts(text, `custom.${name}`)) return true
  return false
}

export type Change = {
  readonly before: Device
  readonly device: Device
  /** The changed fields. */
  readonly changes: readonly (keyof Device)[]
}

/** Checks whether searches may rank it differently, even with the same text: an address may have become a tag. */
export const isFoundOtherwise = (before: Device, after: Device, searchable: readonly string[]): boolean =>
  [...TEXTS, ...LATER].some((field) => before[field] !== after[field]) ||
  LISTS.some((field) => before[field] !== after[field] && !Bun.deepEquals(before[field], after[field])) ||
  (before.addresses !== after.addresses && listAddressTexts(before).join() !== listAddressTexts(after).join()) ||
  listCustomTexts(before, searchable).join('\n') !== listCustomTexts(after, searchable).join('\n')
