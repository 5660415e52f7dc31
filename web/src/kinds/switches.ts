/** The switches of a kind, each with an example. */
import type { Flag } from './draft.ts'

type SwitchText = { readonly flag: Flag | 'navigation'; readonly label: string; readonly example: string }

export const SWITCHES: readonly (SwitchText & { readonly flag: Flag })[] = [
  { flag: 'nested', label: 'Nested', example: 'One below another, as a department below its company' },
  { flag: 'located', label: 'In a datacenter', example: 'Each may have one, as a generator in FRA1' },
  { flag: 'unique_names', label: 'Unique names', example: 'No second one is called CID-1' },
]

export const ALL_SWITCHES: readonly SwitchText[] = [
  ...SWITCHES,
  { flag: 'navigation', label: 'In the sidebar', example: 'Else it is found on the page Kinds' },
]
