/** The open state of the layers that any page may have. The sidebar, shortcuts and toasts open them. */
import { createStore } from '../api/store.ts'

export const paletteIsOpen = createStore(false)
export const openPalette = (): void => paletteIsOpen.set(true)
export const keysAreOpen = createStore(false)
export const clockIsOpen = createStore(false)
/** True while a network or a pool is asked for, whose next free address is given away. */
export const freeIsOpen = createStore(false)
/** True while the title of a new proposal is asked for. */
export const startIsOpen = createStore(false)
/** The id of the change that the user is asked to undo. */
export const undoing = createStore<string | undefined>(undefined)
