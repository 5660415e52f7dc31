/** Whether the palette and the sheet of keys are open: the sidebar opens them, and keys do. */
import { createStore } from '../api/store.ts'

export const paletteIsOpen = createStore(false)
export const keysAreOpen = createStore(false)
