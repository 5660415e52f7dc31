/** Single-key shortcuts. They work unless a text field or an open layer has the focus. */
import { useEffect, useRef } from 'react'
import { preferences } from './preferences.ts'

export type Hotkeys = Readonly<Record<string, (event: KeyboardEvent) => void>>

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('textarea, select, input:not([type=checkbox], [type=radio])'))

/** Keys that a focused control handles itself. */
const USED_BY_CONTROLS = new Set(['Enter', ' '])

const isForControl = (key: string, target: EventTarget | null): boolean =>
  USED_BY_CONTROLS.has(key) && target instanceof HTMLElement && target.closest('a, button, [role=menuitem]') !== null

const isUnderLayer = (): boolean => document.querySelector('[data-layer], [role=menu]') !== null

/** Returns true if a key is meant for the page, and not for a field, a control or a layer. */
export const isForPage = (event: KeyboardEvent): boolean => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false
  if (event.key.length === 1 && !preferences.get().hasShortcuts) return false
  return !isTyping(event.target) && !isForControl(event.key, event.target) && !isUnderLayer()
}

/** Binds keys while the component is mounted. `Shift+x` names a key with shift; capitals stand for themselves. */
export const useHotkeys = (keys: Hotkeys): void => {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isForPage(event)) return
      const name = event.shiftKey && /^[a-z]$/i.test(event.key) ? `Shift+${event.key.toLowerCase()}` : event.key
      const action = latest.current[name]
      if (!action) return
      event.preventDefault()
      action(event)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}
