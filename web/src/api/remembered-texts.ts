/** Texts by their names that the browser remembers. */
import { createRemembered } from './remembered.ts'
import type { Store } from './store.ts'

type Texts = Readonly<Record<string, string>>

const isTexts = (stored: unknown): stored is Texts =>
  typeof stored === 'object' && stored !== null && Object.values(stored).every((text) => typeof text === 'string')

export const createRememberedTexts = (key: string): Store<Texts> =>
  createRemembered(key, (stored) => (isTexts(stored) ? stored : {}))
