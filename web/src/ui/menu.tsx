/** Menus of actions, and of settings that are on or off. */
import { Check } from 'lucide-react'
import {
  type ComponentProps,
  cloneElement,
  createContext,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  use,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { createPortal } from 'react-dom'
import { isPast, isReadOnly } from '../api/as-of.ts'
import { cx } from './cx.ts'
import css from './layers.module.css'
import { chooseByKey, listItems } from './menu-keys.ts'
import { type Align, findLayer, place } from './place.ts'

/** Closes the menu around an item. The focus returns to its button. */
const CloseMenu = createContext(() => {})

/** The item that has the focus when the menu opens. After a click it is the menu itself. */
type Start = 'first' | 'last' | 'none'

type PopupProps = {
  readonly id: string
  readonly labelledBy: string
  readonly control: HTMLElement
  readonly start: Start
  readonly align: Align
  readonly onClose: (returnsFocus: boolean) => void
  readonly children: ReactNode
}

const Popup = ({ id, labelledBy, control, start, align, onClose, children }: PopupProps) => {
  const popup = useRef<HTMLDivElement>(null)
  const choose = useRef(chooseByKey())
  useLayoutEffect(() => {
    const { current: menu } = popup
    if (!menu) return undefined
    const stop = place(menu, control, { align, gapPx: 5 })
    const item = start === 'none' ? undefined : listItems(menu).at(start === 'first' ? 0 : -1)
    ;(item ?? menu).focus({ preventScroll: true })
    return stop
  }, [control, align, start])
  const onKey = (event: KeyboardEvent<HTMLDivElement>) => {
    // The browser moves the focus on from the button.
    if (event.key === 'Tab') onClose(true)
    else if (event.key === 'Escape') onClose(true)
    else if (!choose.current(event.nativeEvent, event.currentTarget)) return
    if (event.key !== 'Tab') event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div
      ref={popup}
      id={id}
      popover="auto"
      role="menu"
      tabIndex={-1}
      aria-labelledby={labelledBy}
      className={css.menu}
      onKeyDown={onKey}
      onPointerMove={({ target }) =>
        (target as Element).closest<HTMLElement>('[role^=menuitem]')?.focus({ preventScroll: true })
      }
      onPointerLeave={({ currentTarget }) => currentTarget.focus({ preventScroll: true })}
      // A click outside, or a layer above: the browser has hidden it.
      onToggle={({ newState }) => newState === 'closed' && onClose(false)}
    >
      <div>{children}</div>
    </div>
  )
}

type MenuProps = {
  readonly trigger: ReactElement<ComponentProps<'button'>>
  readonly children: ReactNode
  readonly align?: 'start' | 'end'
}

export const Menu = ({ trigger, children, align = 'end' }: MenuProps) => {
  const id = useId()
  const [open, setOpen] = useState<{ readonly control: HTMLElement; readonly start: Start }>()
  /** The browser hides the menu at the press, before the click that would open it again. */
  const wasOpen = useRef(false)
  const { props } = trigger
  const labelledBy = props.id ?? `${id}-button`
  const close = (returnsFocus: boolean) => {
    if (returnsFocus) open?.control.focus({ preventScroll: true })
    setOpen(undefined)
  }
  const show = (control: HTMLElement, start: Start) => {
    if (control.ariaDisabled !== 'true') setOpen({ control, start })
  }
  const button = cloneElement(trigger, {
    id: labelledBy,
    'aria-haspopup': 'menu',
    'aria-expanded': open !== undefined,
    'aria-controls': open && id,
    onPointerDown: () => {
      wasOpen.current = open !== undefined
    },
    onClick: ({ currentTarget, detail }) => {
      if (wasOpen.current || open) close(true)
      else show(currentTarget, detail === 0 ? 'first' : 'none')
      wasOpen.current = false
    },
    onKeyDown: (event) => {
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
      event.preventDefault()
      event.stopPropagation()
      show(event.currentTarget, event.key === 'ArrowDown' ? 'first' : 'last')
    },
  } satisfies ComponentProps<'button'>)
  return (
    <>
      {button}
      {open &&
        createPortal(
          <Popup id={id} labelledBy={labelledBy} {...open} align={align} onClose={close}>
            <CloseMenu value={() => close(true)}>{children}</CloseMenu>
          </Popup>,
          findLayer(open.control),
        )}
    </>
  )
}

type ItemProps = {
  readonly onSelect: () => void
  readonly children: ReactNode
  readonly isDanger?: boolean
  /** Marks the option that is in use. */
  readonly isCurrent?: boolean
  /** The reason why it is disabled. */
  readonly blocked?: string | undefined
}

/** Keys are handled by the menu, which clicks the item that has the focus. */
const Item = ({ className, ...rest }: ComponentProps<'div'>) => (
  <div tabIndex={-1} className={cx(css.item, className)} {...rest} />
)

export const MenuItem = ({ onSelect, children, isDanger, isCurrent, blocked }: ItemProps) => {
  const closeMenu = use(CloseMenu)
  if (blocked !== undefined && isPast()) return null
  const select = () => {
    closeMenu()
    onSelect()
  }
  return (
    <Item
      role="menuitem"
      className={isDanger ? css.itemDanger : undefined}
      aria-disabled={blocked === undefined ? undefined : true}
      onClick={blocked === undefined ? select : undefined}
    >
      {children}
      {isCurrent && <Check size={14} aria-label="shown now" />}
      {blocked !== undefined && <span className={css.itemNote}>{blocked}</span>}
    </Item>
  )
}

type LinkProps = { readonly href: string; readonly download: string; readonly children: ReactNode }

/** Downloads a file. */
export const MenuLink = ({ href, download, children }: LinkProps) => (
  <a role="menuitem" tabIndex={-1} className={css.item} href={href} download={download} onClick={use(CloseMenu)}>
    {children}
  </a>
)

type CheckProps = { readonly isOn: boolean; readonly onChange: (isOn: boolean) => void; readonly children: ReactNode }

export const MenuCheck = ({ isOn, onChange, children }: CheckProps) => (
  <Item role="menuitemcheckbox" aria-checked={isOn} onClick={() => onChange(!isOn)}>
    <span className={css.itemMark}>{isOn && <Check size={14} aria-hidden="true" />}</span>
    {children}
  </Item>
)

type ChoiceProps<T extends string> = {
  readonly label: string
  readonly value: T
  readonly options: readonly (readonly [T, string])[]
  readonly onChange: (value: T) => void
}

export const MenuChoice = <T extends string>({ label, value, options, onChange }: ChoiceProps<T>) => (
  <MenuGroup label={label}>
    {options.map(([one, text]) => (
      <Item key={one} role="menuitemradio" aria-checked={one === value} onClick={() => onChange(one)}>
        <span className={css.itemMark}>{one === value && <Check size={14} aria-hidden="true" />}</span>
        {text}
      </Item>
    ))}
  </MenuGroup>
)

export const MenuGroup = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => {
  const id = useId()
  return (
    <div role="group" aria-labelledby={id}>
      <div id={id} className={css.menuLabel}>
        {label}
      </div>
      {children}
    </div>
  )
}

/** In the past, the items behind it are hidden. */
export const MenuLine = () => (isReadOnly() ? null : <hr className={css.separator} />)
