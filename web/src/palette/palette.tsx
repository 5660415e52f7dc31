/** The command palette: finds pages, objects and actions by a part of their name or address. */
import { Search } from 'lucide-react'
import { lazy, Suspense, useId, useRef, useState } from 'react'
import { paletteIsOpen } from '../shell/palette-state.ts'
import { Dialog } from '../ui/layers.tsx'
import css from './palette.module.css'
import type { KeyHandler } from './results.tsx'

/** The field is in the first file, because each letter must reach it. The rows are loaded once the page is quiet, or now. */
const loadResults = () => import('./results.tsx')
const Results = lazy(() => loadResults().then((module) => ({ default: module.Results })))

const KEYS = new Set(['ArrowDown', 'ArrowUp', 'Enter'])

const close = () => paletteIsOpen.set(false)

export const Palette = () => {
  const listId = useId()
  const [text, setText] = useState('')
  const [isAwaited, setAwaited] = useState(false)
  const [marked, setMarked] = useState<string>()
  const handler = useRef<KeyHandler>(undefined)
  const onAwait = () => setAwaited(true)
  return (
    <Dialog title="" label="Search or jump to" onClose={close} isWide>
      <div className={css.input}>
        <Search size={17} aria-hidden="true" />
        <input
          role="combobox"
          aria-label="Search or jump to"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={marked}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder="A name, an address, a page, an action"
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setAwaited(false)
          }}
          onKeyDown={(event) => {
            if (!KEYS.has(event.key)) return
            event.preventDefault()
            if (handler.current) handler.current(event.key)
            else if (event.key === 'Enter') onAwait()
          }}
        />
        <kbd>Esc</kbd>
      </div>
      <Suspense fallback={<div id={listId} role="listbox" aria-label="Results" className={css.list} />}>
        <Results {...{ text, listId, isAwaited, onAwait, handler }} onMarked={setMarked} />
      </Suspense>
    </Dialog>
  )
}
