/** The overview of keyboard shortcuts. */

import { useId } from 'react'
import { useStore } from '../api/store.ts'
import { Checkbox } from '../ui/field.tsx'
import { Dialog } from '../ui/layers.tsx'
import { NAV_ITEMS } from './nav.ts'
import { keysAreOpen } from './palette-state.ts'
import { preferences, setPreferences } from './preferences.ts'
import css from './shell.module.css'

const KEYS: readonly (readonly [string, readonly string[]])[] = [
  ['Search for anything, or jump to it', ['⌃', 'K']],
  ['Filter the list', ['/']],
  ['Next row, previous row', ['j', 'k']],
  ['First row, last row', ['Home', 'End']],
  ['Open the row', ['↵']],
  ['Select the row; up to the row', ['x', '⇧x']],
  ['Edit', ['e']],
  ['Create', ['c']],
  ['Delete', ['#']],
  ['Copy the ID', ['.']],
  ['Close a dialog, clear the selection, then the filter', ['Esc']],
  ['In the inbox: document, ignore', ['a', 'i']],
  ['In the ports of a device: connect', ['l']],
  ['In a graph: fewer hops, more hops', ['[', ']']],
  ['In a graph: fit, zoom to what is selected', ['f', 'z']],
  ['Show the estate at another moment', ['t']],
  ['Start a proposal', ['p']],
  ['This sheet', ['?']],
  ...NAV_ITEMS.flatMap(({ text, key }) =>
    key === undefined
      ? []
      : [[`Go to ${text.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())}`, ['g', key]] as const],
  ),
]

export const KeySheet = () => {
  const { hasShortcuts } = useStore(preferences)
  const id = useId()
  return (
    <Dialog title="Keyboard" onClose={() => keysAreOpen.set(false)} isWide>
      <ul className={css.keys}>
        {KEYS.map(([text, keys]) => (
          <li key={text}>
            <span>{text}</span>
            {keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </li>
        ))}
      </ul>
      <label className={css.toggle} htmlFor={id}>
        <Checkbox
          id={id}
          checked={hasShortcuts}
          onChange={(event) => setPreferences({ hasShortcuts: event.target.checked })}
        />
        Keys without Ctrl work
      </label>
    </Dialog>
  )
}
