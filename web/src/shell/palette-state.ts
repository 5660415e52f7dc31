/** The open state of the palette and the sheet of shortcuts. The sidebar and shortcuts open them. */
import { createStore } from '../api/store.ts'

export const paletteIsOpen = createStore(false)
export const keysAreOpen = createStore(false)
