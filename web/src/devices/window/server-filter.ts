/** A selection of all devices that a list of the server has, without their ids. */
import type { Selecting } from '../../table/use-selection.ts'
export type Matching = {
  readonly size: number
  readonly has: (id: string) => boolean
  /** Takes devices out, or in again. */
  readonly toggle: (ids: readonly string[]) => Matching
  /** The number of pages. */
  readonly pages: number
  /** The ids of a page, without the removed ones. */
  readonly page: (number: number) => Promise<readonly string[]>
}

/** Selected devices. */
export type Selected = ReadonlySet<string> | Matching

export type SelectedDevices = Omit<Selecting, 'ids'> & { readonly ids: Selected }

export const isMatching = (selected: Selected): selected is Matching => 'pages' in selected
