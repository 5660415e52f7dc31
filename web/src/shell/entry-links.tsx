/** The links of the navigation "Main": the entries, with the number of the inbox, and the settings. */
import { useQuery } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import { inboxCountsQuery } from '../api/queries.ts'
import { useStore } from '../api/store.ts'
import { isQuiet } from '../live/use-live.ts'
import { news, toReview } from '../proposals/known-proposals.ts'
import { useMe } from './me.ts'
import { findEntry, isOfSettings, type NavEntry, SETTINGS_PAGE } from './nav.ts'
import css from './shell.module.css'

export const usePath = (): string => useRouterState({ select: (state) => state.location.pathname })

/** Returns how many items of the inbox and active conflicts wait for a decision. */
const useWaiting = (): number => {
  const { permissions } = useMe()
  // The page comes first.
  const isEnabled = useStore(isQuiet) && permissions.includes('discovery:list')
  const { data } = useQuery({ ...inboxCountsQuery(), enabled: isEnabled })
  if (!data) return 0
  // Null without the permission to list conflicts.
  const { inventory_conflicts } = data as { readonly inventory_conflicts?: number | null }
  return data.new + data.changed + data.gone + data.conflict + (inventory_conflicts ?? 0)
}

const MAX_SHOWN = 99

type EntryLinkProps = {
  readonly entry: NavEntry
  readonly isCurrent: boolean
  /** The number of items that wait. */
  readonly count?: number
  readonly onClick?: (() => void) | undefined
}

/** A link to the first page of an entry. */
const EntryLink = ({ entry: { text, pages }, isCurrent, count = 0, onClick }: EntryLinkProps) => {
  const [{ to, icon: Icon }] = pages
  return (
    <Link
      to={to}
      className={css.item}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      aria-current={isCurrent ? 'page' : undefined}
      title={text}
      {...(count > 0 && {
        'aria-label': `${text}, ${count} waiting`,
        'data-waiting': count > MAX_SHOWN ? `${MAX_SHOWN}+` : count,
      })}
      onClick={onClick}
    >
      <Icon size={16} aria-hidden="true" />
      <span className={css.text}>{text}</span>
    </Link>
  )
}

const InboxLink = (props: EntryLinkProps) => <EntryLink {...props} count={useWaiting()} />

/** Counts the proposals to review, and the own ones with entries of others. */
const ProposalsLink = (props: EntryLinkProps) => <EntryLink {...props} count={useStore(toReview) + useStore(news)} />

const LINKS: Readonly<Record<string, typeof EntryLink>> = { Inbox: InboxLink, Proposals: ProposalsLink }

type EntryListProps = { readonly entries: readonly NavEntry[]; readonly onClick?: () => void }

export const EntryList = ({ entries, onClick }: EntryListProps) => {
  const current = findEntry(usePath())?.text
  return (
    <ul className={css.group}>
      {entries.map((entry) => {
        const Item = LINKS[entry.text] ?? EntryLink
        return (
          <li key={entry.text}>
            <Item entry={entry} isCurrent={entry.text === current} onClick={onClick} />
          </li>
        )
      })}
    </ul>
  )
}

export const SettingsLink = ({ onClick }: { readonly onClick?: () => void }) => {
  const { to, text, icon: Icon } = SETTINGS_PAGE
  return (
    <Link
      to={to}
      className={css.item}
      aria-current={isOfSettings(usePath()) ? 'page' : undefined}
      title={text}
      onClick={onClick}
    >
      <Icon size={16} aria-hidden="true" />
      <span className={css.text}>{text}</span>
    </Link>
  )
}
