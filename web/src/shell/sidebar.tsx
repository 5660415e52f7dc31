/** The navigation "Main": a sidebar, and on a phone a bar at the bottom. */
import { Link } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { Fragment, lazy, Suspense } from 'react'
import { KindGroup } from '../kinds/lazy-kind-links.tsx'
import { useNarrow } from '../ui/use-narrow.ts'
import { PinnedViews } from '../views/pinned-views.tsx'
import { EntryList, SettingsLink } from './entry-links.tsx'
import { HelpMenu } from './help-menu.tsx'
import { Logo } from './logo.tsx'
import { BEFORE_KINDS } from './nav.ts'
import { openPalette } from './palette-state.ts'
import css from './shell.module.css'
import { useEntries } from './shown-entries.ts'
import { UserMenu } from './user-menu.tsx'

const PhoneBar = lazy(() => import('./phone-bar.tsx').then((module) => ({ default: module.PhoneBar })))

const Wide = () => {
  const { first, groups } = useEntries()
  return (
    <nav className={css.side} aria-label="Main">
      <Link to="/" className={css.brand} aria-label="Plat, overview">
        <Logo size={20} />
        <span className={css.text}>Plat</span>
      </Link>
      <button type="button" className={css.search} onClick={openPalette} aria-keyshortcuts="Control+K">
        <Search size={15} aria-hidden="true" />
        <span className={css.text}>Search or jump to…</span>
        <kbd>⌃K</kbd>
      </button>
      <div className={css.middle}>
        <EntryList entries={first} />
        <PinnedViews />
        {groups.map(({ name, entries }) => (
          <Fragment key={name}>
            <h2 className={css.groupName}>{name}</h2>
            <EntryList entries={entries} />
            {name === BEFORE_KINDS && <KindGroup heading="h2" />}
          </Fragment>
        ))}
      </div>
      <div className={css.below}>
        <SettingsLink />
        <HelpMenu />
        <UserMenu />
      </div>
    </nav>
  )
}

export const Sidebar = () =>
  useNarrow() ? (
    <Suspense fallback={<div className={css.bar} />}>
      <PhoneBar />
    </Suspense>
  ) : (
    <Wide />
  )
