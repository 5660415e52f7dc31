/** The names of the packs that come with the program, in the order of lists. Imports nothing, because contracts name them. */
export const PACK_NAMES = [
  ...(['assets', 'circuits', 'contacts', 'nat', 'parts', 'power', 'racks', 'redundancy', 'routing'] as const),
  ...(['services', 'tenancy', 'virtualization', 'vpn', 'wireless'] as const),
] as const
export type PackName = (typeof PACK_NAMES)[number]

export const isPackName = (name: string): name is PackName => PACK_NAMES.some((one) => one === name)
