/** A tooltip, for pointer and keyboard. */
import {
  type ComponentProps,
  cloneElement,
  type FocusEvent,
  type PointerEvent,
  type ReactElement,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { createPortal } from 'react-dom'
import css from './button.module.css'
import { findLayer, place } from './place.ts'

const SHOW_MS = 300
/** Time for the pointer to reach the tooltip, which stays while it is there (WCAG 1.4.13). */
const HIDE_MS = 150

type PopupProps = {
  readonly id: string
  readonly text: string
  readonly control: Element
  readonly onEnter: () => void
  readonly onLeave: () => void
  readonly onEscape: () => void
}

const Popup = ({ id, text, control, onEnter, onLeave, onEscape }: PopupProps) => {
  const popup = useRef<HTMLDivElement>(null)
  useLayoutEffect(
    () => (popup.current ? place(popup.current, control, { align: 'center', gapPx: 6 }) : undefined),
    [control],
  )
  const latest = useRef(onEscape)
  latest.current = onEscape
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      // The layer below stays.
      event.preventDefault()
      event.stopPropagation()
      latest.current()
    }
    document.addEventListener('keydown', onKey, true)
    return () => document.removeEventListener('keydown', onKey, true)
  }, [])
  return (
    <div
      ref={popup}
      id={id}
      popover="manual"
      role="tooltip"
      className={css.tooltip}
      onPointerEnter={onEnter}
      onPointerLeave={onLeave}
    >
      <div>{text}</div>
    </div>
  )
}

type Props = { readonly text: string; readonly children: ReactElement<ComponentProps<'button'>> }

export const Tooltip = ({ text, children }: Props) => {
  const id = useId()
  /** Undefined while the tooltip is hidden. */
  const [control, setControl] = useState<Element>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const { props } = children
  const showAfter = (next: Element | undefined, ms: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setControl(next), ms)
  }
  const show = (next: Element | undefined) => {
    clearTimeout(timer.current)
    setControl(next)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  const trigger = cloneElement(children, {
    'aria-describedby': control ? id : props['aria-describedby'],
    onPointerEnter: (event: PointerEvent<HTMLButtonElement>) => {
      props.onPointerEnter?.(event)
      if (event.pointerType !== 'touch') showAfter(event.currentTarget, SHOW_MS)
    },
    onPointerLeave: (event: PointerEvent<HTMLButtonElement>) => {
      props.onPointerLeave?.(event)
      showAfter(undefined, HIDE_MS)
    },
    onPointerDown: (event: PointerEvent<HTMLButtonElement>) => {
      props.onPointerDown?.(event)
      show(undefined)
    },
    onFocus: (event: FocusEvent<HTMLButtonElement>) => {
      props.onFocus?.(event)
      if (event.currentTarget.matches(':focus-visible')) show(event.currentTarget)
    },
    onBlur: (event: FocusEvent<HTMLButtonElement>) => {
      props.onBlur?.(event)
      show(undefined)
    },
  })
  return (
    <>
      {trigger}
      {control &&
        createPortal(
          <Popup
            id={id}
            text={text}
            control={control}
            onEnter={() => show(control)}
            onLeave={() => showAfter(undefined, HIDE_MS)}
            onEscape={() => show(undefined)}
          />,
          findLayer(control),
        )}
    </>
  )
}
