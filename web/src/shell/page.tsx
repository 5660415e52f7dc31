/** The parts of every page: the heading, the body, and the line of hints below it. */
import { Link, type LinkProps, useRouterState } from '@tanstack/react-router'
import { ChevronRight, History } from 'lucide-react'
import { memo, type ReactNode, useEffect } from 'react'
import { isReadOnly } from '../api/as-of.ts'
import { useStore } from '../api/store.ts'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import partCss from '../ui/primitives.module.css'
import { announced } from './announcer.tsx'
import { findEntry, findPage } from './nav.ts'
import { clockIsOpen } from './palette-state.ts'
import { preferences } from './preferences.ts'
import css from './shell.module.css'
import { useIsShown } from './shown-entries.ts'

/** The pages of the entry that the page belongs to. */
const PageLinks = () => {
  const isShown = useIsShown()
  const pages = findEntry(useRouterState({ select: (state) => state.location.pathname }))?.pages.filter(isShown) ?? []
  return pages.length < 2 ? null : (
    <nav className={partCss.tabs} aria-label="Pages">
      {pages.map(({ to, text, tabText = text }) => (
        <Link key={to} to={to} className={partCss.tab} activeOptions={{ includeSearch: false }}>
          {tabText}
        </Link>
      ))}
    </nav>
  )
}

/** Returns the text by which the navigation names the page. */
export const usePageName = (): string =>
  findPage(useRouterState({ select: (state) => state.location.pathname }))?.text ?? ''

type PageHeadProps = {
  /** That of the navigation by default. */
  readonly title?: string
  /** Shown beside the title, in quiet text. */
  readonly beside?: ReactNode
  /** The list that contains the object of this page. */
  readonly parent?: { readonly text: string; readonly link: LinkProps }
  /** The menu of the page has the button of the clock. */
  readonly isClockInMenu?: boolean
  readonly children?: ReactNode
}

export const openClock = (): void => clockIsOpen.set(true)

export const PageHead = ({ title: given, beside, parent, isClockInMenu, children }: PageHeadProps) => {
  const name = usePageName()
  const title = given ?? name
  useTitle(title)
  return (
    <>
      <header className={css.head}>
        <div className={cx(css.title, parent && css.ofObject)}>
          {parent && (
            <>
              <Link {...parent.link} className={css.crumb}>
                {parent.text}
              </Link>
              <ChevronRight size={14} aria-hidden="true" />
            </>
          )}
          <h1>{title}</h1>
          {beside && <span className={css.beside}>{beside}</span>}
        </div>
        {children}
        {!isClockInMenu && (
          <Button isIcon aria-label="Show another moment" aria-keyshortcuts="t" onClick={openClock}>
            <History size={15} aria-hidden="true" />
          </Button>
        )}
      </header>
      {!parent && <PageLinks />}
    </>
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
          .filter(([, text]) => !(isReadOnly() && WRITES.has(text)))
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
