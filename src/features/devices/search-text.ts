/** The text that devices are found by. */
import type { Device } from './schema.ts'

const TEXTS = ['name', 'hostname', 'description', 'make_model', 'os', 'location'] as const
const LISTS = ['tags', 'domains'] as const
const SEARCHED: readonly (keyof Device)[] = [...TEXTS, ...LISTS]

const ipsOf = ({ addresses }: Device): string[] => addresses.map(({ ip }) => ip)

/** In lower case. It is stored: whoever changes it has a migration write it anew. */
export const searchText = (device: Device): string =>
  [...TEXTS.map((field) => device[field]), ...ipsOf(device), ...LISTS.flatMap((field) => device[field])]
    .join('\n')
    .toLowerCase()

export type Change = {
  readonly before: Device
  readonly device: Device
  /** The fields that are new. */
  readonly changes: readonly (keyof Device)[]
}

/** Whether searches may find it otherwise, be it by the same text: an address has become a tag. */
export const isFoundOtherwise = ({ before, device, changes }: Change): boolean =>
  changes.some((field) => SEARCHED.includes(field)) || ipsOf(before).join() !== ipsOf(device).join()
