/** Toasts at the corner of the window, some with an undo button. F6 moves the focus to the newest. */
import { X } from 'lucide-react'
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { createPortal } from 'react-dom'
import { toAppError } from '../api/errors.ts'
import { createStore, useStore } from '../api/store.ts'
import { Button } from './button.tsx'
import { getTop } from './place.ts'
import css from './toast.module.css'

/** How long a toast stays. */
const TOAST_MS = 6000
const MAX_TOASTS = 4
/** So far to the right or down, a toast is swiped away. */
const SWIPE_PX = 40

export type Note = {
  readonly description?: string
  readonly undo?: () => void
  /** Another button than that of the undo. */
  readonly action?: { readonly text: string; readonly run: () => void }
  readonly type?: 'error'
}
type Shown = Note & { readonly id: number; readonly title: string }

const shown = createStore<readonly Shown[]>([])
let lastId = 0

export const toast = (title: string, note: Note = {}): void => {
  lastId += 1
  shown.set([{ ...note, id: lastId, title }, ...shown.get()].slice(0, MAX_TOASTS))
}

export const toastError = (title: string, error: unknown): void => {
  toast(title, { description: toAppError(error).message, type: 'error' })
}

let host: HTMLElement | undefined

/** The element of all toasts: a region that the browser draws above the page, and above an open dialog. */
const getHost = (): HTMLElement => {
  if (host) return host
  host = document.createElement('div')
  host.popover = 'manual'
  host.className = css.viewport ?? ''
  host.setAttribute('role', 'region')
  host.setAttribute('aria-label', 'Notifications')
  host.tabIndex = -1
  document.body.append(host)
  return host
}

/** Moves the toasts to the uppermost dialog, because everything outside of a modal dialog is inert. */
export const raiseToasts = (): void => {
  const element = getHost()
  const parent = getTop()
  if (element.parentElement !== parent) parent.append(element)
  element.removeAttribute('aria-hidden')
  element.togglePopover(shown.get().length > 0)
}

const close = (id: number): void => {
  shown.set(shown.get().filter((one) => one.id !== id))
}

const useTimer = ({ id, type }: Shown, isPaused: boolean): void => {
  useEffect(() => {
    if (isPaused) return undefined
    const timer = setTimeout(() => close(id), type === 'error' ? 2 * TOAST_MS : TOAST_MS)
    return () => clearTimeout(timer)
  }, [id, type, isPaused])
}

/** Returns the handlers of a toast that a finger pushes away. */
const useSwipe = (onSwipe: () => void) => {
  const start = useRef<{ readonly x: number; readonly y: number }>(undefined)
  const computeWay = ({ clientX, clientY }: PointerEvent) => ({
    x: Math.max(0, clientX - (start.current?.x ?? clientX)),
    y: Math.max(0, clientY - (start.current?.y ?? clientY)),
  })
  const end = (event: PointerEvent<HTMLElement>) => {
    const { x, y } = computeWay(event)
    start.current = undefined
    event.currentTarget.style.translate = ''
    if (event.type === 'pointerup' && Math.max(x, y) > SWIPE_PX) onSwipe()
  }
  return {
    onPointerDown: ({ pointerType, clientX, clientY }: PointerEvent) => {
      if (pointerType === 'touch') start.current = { x: clientX, y: clientY }
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (!start.current) return
      const { x, y } = computeWay(event)
      event.currentTarget.style.translate = x > y ? `${x}px 0` : `0 ${y}px`
    },
    onPointerUp: end,
    onPointerCancel: end,
  }
}

const Toast = ({ one, isPaused }: { readonly one: Shown; readonly isPaused: boolean }) => {
  const { id, title, description, undo, type } = one
  const action = undo ? { text: 'Undo', run: undo } : one.action
  const titleId = useId()
  useTimer(one, isPaused)
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    // The dialog below stays.
    event.preventDefault()
    event.stopPropagation()
    close(id)
  }
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role is alert or status
    // biome-ignore lint/a11y/noStaticElementInteractions: its button closes it as well
    <div
      role={type === 'error' ? 'alert' : 'status'}
      aria-labelledby={titleId}
      className={css.toast}
      data-type={type}
      onKeyDown={onKey}
      {...useSwipe(() => close(id))}
    >
      <div className={css.text}>
        <h2 id={titleId} className={css.title}>
          {title}
        </h2>
        {description !== undefined && <p className={css.description}>{description}</p>}
      </div>
      {action && (
        <Button
          onClick={() => {
            action.run()
            close(id)
          }}
        >
          {action.text}
        </Button>
      )}
      <Button isIcon look="quiet" aria-label="Close" onClick={() => close(id)}>
        <X size={14} aria-hidden="true" />
      </Button>
    </div>
  )
}

/** Handles F6, and returns the focus when the toast that has it goes away. */
const useFocusKey = (all: readonly Shown[]): void => {
  const before = useRef<HTMLElement>(undefined)
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      const newest = getHost().firstElementChild?.querySelector('button')
      if (event.key !== 'F6' || !newest) return
      event.preventDefault()
      if (!getHost().contains(document.activeElement)) before.current = document.activeElement as HTMLElement
      newest.focus()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a toast has come or gone
  useLayoutEffect(() => {
    if (document.activeElement === document.body) before.current?.focus()
    before.current = getHost().contains(document.activeElement) ? before.current : undefined
  }, [all])
}

const List = () => {
  const all = useStore(shown)
  const [isPaused, setIsPaused] = useState(false)
  useFocusKey(all)
  const newest = useRef(0)
  useLayoutEffect(() => {
    const id = all[0]?.id ?? 0
    // Older ones stay below a dialog that was opened after them.
    if (id > newest.current) raiseToasts()
    else getHost().togglePopover(all.length > 0)
    newest.current = Math.max(newest.current, id)
  }, [all])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a toast that goes leaves the pointer without an event
  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    const update = () => setIsPaused(document.hidden || getHost().matches(':hover, :focus-within'))
    update()
    for (const name of ['pointerenter', 'pointerleave', 'focusin', 'focusout'])
      getHost().addEventListener(name, update, { signal })
    document.addEventListener('visibilitychange', update, { signal })
    return () => stop.abort()
  }, [all])
  return all.map((one) => <Toast key={one.id} one={one} isPaused={isPaused} />)
}

export const Toasts = ({ children }: { readonly children: ReactNode }) => (
  <>
    {children}
    {createPortal(<List />, getHost())}
  </>
)
