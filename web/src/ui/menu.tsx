/** Menus of actions, and of settings that are on or off. */
import { Menu as Base } from '@base-ui/react/menu'
import { Check } from 'lucide-react'
import { type ReactElement, type ReactNode, useEffect } from 'react'
import { isPast } from '../api/as-of.ts'
import { cx } from './cx.ts'
import css from './layers.module.css'

/** Removes aria-hidden from Base UI's focusable guards (WCAG 4.1.2); the focus never stays there. */
const useHonestGuards = (): void => {
  useEffect(() => {
    const show = () => {
      for (const guard of document.querySelectorAll('[data-base-ui-focus-guard][aria-hidden]'))
        guard.removeAttribute('aria-hidden')
    }
    show()
    // Some guards are added after the menu.
    const observer = new MutationObserver(show)
    observer.observe(document.body, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [])
}

const Popup = ({ children }: { readonly children: ReactNode }) => {
  useHonestGuards()
  return <Base.Popup className={css.menu}>{children}</Base.Popup>
}

type MenuProps = { readonly trigger: ReactElement; readonly children: ReactNode; readonly align?: 'start' | 'end' }

export const Menu = ({ trigger, children, align = 'end' }: MenuProps) => (
  <Base.Root modal={false}>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner sideOffset={5} align={align}>
        <Popup>{children}</Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)

type ItemProps = {
  readonly onSelect: () => void
  readonly children: ReactNode
  readonly isDanger?: boolean
  /** Marks the option that is in use. */
  readonly isCurrent?: boolean
  /** The reason why it is disabled. */
  readonly blocked?: string | undefined
}

export const MenuItem = ({ onSelect, children, isDanger, isCurrent, blocked }: ItemProps) =>
  blocked !== undefined && isPast() ? null : (
    <Base.Item className={cx(css.item, isDanger && css.itemDanger)} onClick={onSelect} disabled={blocked !== undefined}>
      {children}
      {isCurrent && <Check size={14} aria-label="shown now" />}
      {blocked !== undefined && <span className={css.itemNote}>{blocked}</span>}
    </Base.Item>
  )

type LinkProps = { readonly href: string; readonly download: string; readonly children: ReactNode }

/** Downloads a file. */
export const MenuLink = ({ href, download, children }: LinkProps) => (
  <Base.Item className={css.item} render={<a href={href} download={download} />}>
    {children}
  </Base.Item>
)

type CheckProps = { readonly isOn: boolean; readonly onChange: (isOn: boolean) => void; readonly children: ReactNode }

export const MenuCheck = ({ isOn, onChange, children }: CheckProps) => (
  <Base.CheckboxItem className={css.item} checked={isOn} onCheckedChange={onChange} closeOnClick={false}>
    <span className={css.itemMark}>{isOn && <Check size={14} aria-hidden="true" />}</span>
    {children}
  </Base.CheckboxItem>
)

type ChoiceProps<T extends string> = {
  readonly label: string
  readonly value: T
  readonly options: readonly (readonly [T, string])[]
  readonly onChange: (value: T) => void
}

export const MenuChoice = <T extends string>({ label, value, options, onChange }: ChoiceProps<T>) => (
  <Base.Group>
    <Base.GroupLabel className={css.menuLabel}>{label}</Base.GroupLabel>
    <Base.RadioGroup value={value} onValueChange={onChange}>
      {options.map(([one, text]) => (
        <Base.RadioItem key={one} className={css.item} value={one} closeOnClick={false}>
          <span className={css.itemMark}>{one === value && <Check size={14} aria-hidden="true" />}</span>
          {text}
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  </Base.Group>
)

export const MenuGroup = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <Base.Group>
    <Base.GroupLabel className={css.menuLabel}>{label}</Base.GroupLabel>
    {children}
  </Base.Group>
)

/** In the past, the items behind it are hidden. */
export const MenuLine = () => (isPast() ? null : <Base.Separator className={css.separator} />)
