/** The sidebar: navigation and the signed-in user. On a phone it is a bar at the bottom. */
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { Fragment, useSyncExternalStore } from 'react'
import { request } from '../api/client.ts'
import type { Dashboard } from '../api/contracts.ts'
import { clearUserData, dashboardQuery } from '../api/queries.ts'
import { devices } from '../devices/window/device-list-client.ts'
import { endFeed } from '../live/feed.ts'
import { formatCount } from '../ui/format.ts'
import { Menu, MenuGroup, MenuItem, MenuLine } from '../ui/menu.tsx'
import { toastError } from '../ui/toast.tsx'
import { useNarrow } from '../ui/use-narrow.ts'
import { PinnedViews } from '../views/pinned-views.tsx'
import { Logo } from './logo.tsx'
import { useMe } from './me.ts'
import { ACCESS, AUTOMATION, DISCOVERY, HOME, INVENTORY, type NavItem } from './nav.ts'
import { paletteIsOpen } from './palette-state.ts'
import css from './shell.module.css'

const GROUPS = [
  { name: 'Discovery', items: DISCOVERY },
  { name: 'Automation', items: AUTOMATION },
  { name: 'Access', items: ACCESS },
]

/** The items that the bar of a phone leaves out. */
const ROOMY = [{ name: 'Inventory', items: INVENTORY.filter(({ isRoomy }) => isRoomy) }, ...GROUPS]

/** Returns a number from the data of the overview, for a list that is not loaded. */
const getCount = (known: Dashboard | undefined, key: string): number | undefined => {
  const { devices: all, networks, pools, datacenters, conflicts } = known ?? {}
  const active = conflicts ? conflicts.duplicate_ip + conflicts.overlapping_subnet : undefined
  const counts: Readonly<Record<string, number | null | undefined>> = { devices: all, networks, pools, datacenters }
  return (key === 'conflicts' ? active : counts[key]) ?? undefined
}

/** Returns a cached number. A request only for the number is not worth it. */
const useKnownCount = (key: string | undefined): number | undefined => {
  const client = useQueryClient()
  return useSyncExternalStore(
    (listener) => {
      const endQueries = client.getQueryCache().subscribe(listener)
      const endDevices = devices.state.subscribe(listener)
      return () => {
        endQueries()
        endDevices()
      }
    },
    () => {
      if (key === undefined) return undefined
      const { status, total } = devices.state.get()
      if (key === 'devices' && status === 'ready') return total
      // Every list is an array. Other queries have no number.
      const rows = client.getQueryData<readonly unknown[]>([key])
      return rows?.length ?? getCount(client.getQueryData(dashboardQuery.queryKey), key)
    },
  )
}

const formatShort = (value: number): string => (value >= 10_000 ? `${Math.round(value / 1000)}k` : formatCount(value))

const NavLink = ({ item }: { readonly item: NavItem }) => {
  const { to, text, icon: Icon, counted, isRoomy } = item
  const known = useKnownCount(counted)
  return (
    <li className={isRoomy ? css.roomy : undefined}>
      <Link to={to} className={css.item} activeOptions={{ exact: to === '/', includeSearch: false }} title={text}>
        <Icon size={16} aria-hidden="true" />
        <span className={css.text}>{text}</span>
        {known !== undefined && <span className={css.count}>{formatShort(known)}</span>}
      </Link>
    </li>
  )
}

/**
 * Optional items are shown once there is an object of their resource. A user who only has permissions in a scope sees only the items
 * that these open.
 */
const useShown = (): ((item: NavItem) => boolean) => {
  const { in_use = [], is_scoped, permissions } = useMe()
  return ({ optional, permission }) =>
    (optional === undefined || in_use.includes(optional)) &&
    (is_scoped !== true || permission === undefined || permissions.includes(permission))
}

type Group = { readonly name: string; readonly items: readonly NavItem[] }

const filterShown = (groups: readonly Group[], isShown: (item: NavItem) => boolean): Group[] =>
  groups.flatMap(({ name, items }) => (items.some(isShown) ? [{ name, items: items.filter(isShown) }] : []))

const UserMenu = () => {
  const { username, full_name, permissions } = useMe()
  // The bar of a phone has no room for all items.
  const isNarrow = useNarrow()
  const isShown = useShown()
  const navigate = useNavigate()
  const signOut = async () => {
    let url: string | null
    try {
      const answer = await request('/api/auth/sso/logout', { method: 'POST' })
      ;({ url } = (await answer.json()) as { url: string | null })
    } catch (error) {
      toastError('You are still signed in', error)
      return
    }
    // The session at the provider ends as well. It sends the browser back to the sign-in page.
    if (url === null) await navigate({ to: '/login' })
    else {
      // The browser would ask for the stream again, without a session, until the provider answers.
      endFeed()
      location.assign(url)
    }
    clearUserData()
    devices.forget()
  }
  const trigger = (
    <button type="button" className={`${css.item} ${css.userButton}`} title={username}>
      <span className={css.avatar} aria-hidden="true">
        {username.slice(0, 1).toUpperCase()}
      </span>
      <span className={`${css.text} truncate`}>{full_name || username}</span>
    </button>
  )
  return (
    <div className={css.user}>
      <Menu trigger={trigger} align="start">
        {isNarrow &&
          filterShown(ROOMY, isShown).map(({ name, items }) => (
            <MenuGroup key={name} label={name}>
              {items.map(({ to, text }) => (
                <MenuItem key={to} onSelect={() => void navigate({ to })}>
                  {text}
                </MenuItem>
              ))}
            </MenuGroup>
          ))}
        {isNarrow && <MenuLine />}
        <MenuItem onSelect={() => void navigate({ to: '/account' })}>Your account</MenuItem>
        {permissions.includes('metrics:read') && (
          <MenuItem onSelect={() => void navigate({ to: '/system' })}>System</MenuItem>
        )}
        <MenuLine />
        <MenuItem onSelect={() => void signOut()}>Sign out</MenuItem>
      </Menu>
    </div>
  )
}

export const Sidebar = () => {
  const isShown = useShown()
  return (
    <nav className={css.side} aria-label="Main">
      <Link to="/" className={css.brand} aria-label="Plat, overview">
        <Logo size={20} />
        <span className={css.text}>Plat</span>
      </Link>
      <button
        type="button"
        className={css.search}
        onClick={() => paletteIsOpen.set(true)}
        aria-keyshortcuts="Control+K"
      >
        <Search size={15} aria-hidden="true" />
        <span className={css.text}>Search or jump to…</span>
        <kbd>⌃K</kbd>
      </button>
      <ul className={css.group}>
        <NavLink item={HOME} />
      </ul>
      <PinnedViews />
      <h2 className={css.groupName}>Inventory</h2>
      <ul className={css.group}>
        {INVENTORY.filter(isShown).map((item) => (
          <NavLink key={item.to} item={item} />
        ))}
      </ul>
      {filterShown(GROUPS, isShown).map(({ name, items }) => (
        <Fragment key={name}>
          <h2 className={`${css.groupName} ${css.roomy}`}>{name}</h2>
          <ul className={`${css.group} ${css.roomy}`}>
            {items.map((item) => (
              <NavLink key={item.to} item={item} />
            ))}
          </ul>
        </Fragment>
      ))}
      <UserMenu />
    </nav>
  )
}
