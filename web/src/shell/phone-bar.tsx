/** The navigation of a phone: the bar at the bottom, and the dialog "More" with all that is not in the bar. */
import { Link } from '@tanstack/react-router'
import { Menu, Search } from 'lucide-react'
import { Fragment, useState } from 'react'
import { KindGroup } from '../kinds/lazy-kind-links.tsx'
import { Drawer } from '../ui/layers.tsx'
import { PinnedViews } from '../views/pinned-views.tsx'
import { EntryList, SettingsLink, usePath } from './entry-links.tsx'
import { HelpMenu } from './help-menu.tsx'
import { BEFORE_KINDS, findPage, type NavEntry } from './nav.ts'
import { openPalette } from './palette-state.ts'
import css from './shell.module.css'
import { useEntries, useIsShown } from './shown-entries.ts'
import { UserMenu } from './user-menu.tsx'

/** The pages in the bar of a phone. */
const BAR = ['/networks', '/devices', '/racks'].flatMap((path) => findPage(path) ?? [])
const BAR_PATHS: ReadonlySet<string> = new Set(BAR.map(({ to }) => to))

/** Returns true for an entry whose first page is in the bar of a phone. */
const isInBar = ({ pages: [{ to }] }: NavEntry): boolean => BAR_PATHS.has(to)

const More = ({ onClose }: { readonly onClose: () => void }) => {
  const { first, groups } = useEntries()
  return (
    <Drawer title="More" onClose={onClose}>
      <nav className={css.more} aria-label="More">
        <EntryList entries={first} onClick={onClose} />
        <PinnedViews onClick={onClose} />
        {groups.map(({ name, entries }) => (
          <Fragment key={name}>
            <h3 className={css.groupName}>{name}</h3>
            <EntryList entries={entries.filter((entry) => !isInBar(entry))} onClick={onClose} />
            {name === BEFORE_KINDS && <KindGroup heading="h3" onClick={onClose} />}
          </Fragment>
        ))}
        <div className={css.moreBelow}>
          <SettingsLink onClick={onClose} />
          <HelpMenu />
          <UserMenu onGo={onClose} />
        </div>
      </nav>
    </Drawer>
  )
}

export const PhoneBar = () => {
  const [isOpen, setOpen] = useState(false)
  const path = usePath()
  const isShown = useIsShown()
  const current = findPage(path)
  return (
    <nav className={css.bar} aria-label="Main">
      <button type="button" className={css.barItem} onClick={openPalette}>
        <Search size={18} aria-hidden="true" />
        Search
      </button>
      {BAR.filter(isShown).map(({ to, text, icon: Icon }) => (
        <Link key={to} to={to} className={css.barItem} activeOptions={{ includeSearch: false }}>
          <Icon size={18} aria-hidden="true" />
          {text}
        </Link>
      ))}
      <button
        type="button"
        className={css.barItem}
        aria-haspopup="dialog"
        aria-current={isOpen || !BAR_PATHS.has(current?.to ?? '') ? 'true' : undefined}
        onClick={() => setOpen(true)}
      >
        <Menu size={18} aria-hidden="true" />
        More
      </button>
      {isOpen && <More onClose={() => setOpen(false)} />}
    </nav>
  )
}
