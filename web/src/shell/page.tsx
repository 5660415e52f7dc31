/** The parts of every page: the heading, the body, and the line of hints below it. */
import { Link, type LinkProps } from '@tanstack/react-router'
import { ChevronRight, History, Monitor, Moon, Sun } from 'lucide-react'
import { memo, type ReactNode, useEffect } from 'react'
import { isPast } from '../api/as-of.ts'
import { useStore } from '../api/store.ts'
import { Button } from '../ui/button.tsx'
import { Menu, MenuChoice } from '../ui/menu.tsx'
import { announced } from './announcer.tsx'
import { clockIsOpen } from './palette-state.ts'
import { preferences, setPreferences } from './preferences.ts'
import css from './shell.module.css'

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon }

export const ThemeMenu = memo(() => {
  const { theme } = useStore(preferences)
  const Icon = THEME_ICONS[theme]
  const trigger = (
    <Button isIcon aria-label={`Theme: ${theme}`}>
      <Icon size={15} aria-hidden="true" />
    </Button>
  )
  return (
    <Menu trigger={trigger}>
      <MenuChoice
        label="Theme"
        value={theme}
        options={[
          ['system', 'As the system'],
          ['light', 'Light'],
          ['dark', 'Dark'],
        ]}
        onChange={(value) => setPreferences({ theme: value })}
      />
    </Menu>
  )
})

type PageHeadProps = {
  readonly title: string
  /** The list that contains the object of this page. */
  readonly parent?: { readonly text: string; readonly link: LinkProps }
  readonly children?: ReactNode
}

export const PageHead = ({ title, parent, children }: PageHeadProps) => {
  useTitle(title)
  return (
    <header className={css.head}>
      <div className={css.title}>
        {parent && (
          <>
            <Link {...parent.link} className={css.crumb}>
              {parent.text}
            </Link>
            <ChevronRight size={14} aria-hidden="true" />
          </>
        )}
        <h1>{title}</h1>
      </div>
      {children}
      <Button isIcon aria-label="Show another moment" aria-keyshortcuts="t" onClick={() => clockIsOpen.set(true)}>
        <History size={15} aria-hidden="true" />
      </Button>
      <ThemeMenu />
    </header>
  )
}

/** Sets the title of the window, which screen readers announce when the page changes. */
export const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} · Plat`
    announced.set(title)
  }, [title])
}

export const PageBody = ({ children }: { readonly children: ReactNode }) => <div className={css.page}>{children}</div>

export type Hint = readonly [keys: readonly string[], text: string]

/** The hints that are left out of the past. */
const WRITES = new Set(['connect', 'create', 'delete', 'edit', 'select'])

const HintLine = ({ hints }: { readonly hints: readonly Hint[] }) => {
  const { hasShortcuts } = useStore(preferences)
  return (
    <footer className={css.foot}>
      {hasShortcuts &&
        hints
          .filter(([, text]) => !(isPast() && WRITES.has(text)))
          .map(([keys, text]) => (
            <span key={text}>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
              {text}
            </span>
          ))}
    </footer>
  )
}

// Memoized, because lists render again at every keystroke in their filter.
export const Hints = memo(HintLine)
