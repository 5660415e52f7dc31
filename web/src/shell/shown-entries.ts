/** The parts of the navigation that the signed-in user sees. */
import { useHasProposals } from '../proposals/known-proposals.ts'
import { useMe } from './me.ts'
import { FIRST_ENTRIES, GROUPS, type NavEntry, type NavGroup, type NavItem, SETTINGS } from './nav.ts'

type Holder = { readonly permissions: readonly string[] }

const mayOpen = ({ permissions }: Holder, { permission }: NavItem): boolean =>
  permission === undefined || permissions.includes(permission)

type Test = (page: NavItem) => boolean

/** Returns the entries that have a page, each with the pages that pass. */
const narrow = (entries: readonly NavEntry[], isShown: Test): readonly NavEntry[] =>
  entries.flatMap(({ text, pages }) => {
    const [first, ...others] = pages.filter(isShown)
    return first ? [{ text, pages: [first, ...others] }] : []
  })

/** Returns a test of pages. A user who only has permissions in a scope sees only the pages that they open. */
export const useIsShown = (): Test => {
  const me = useMe()
  const hasProposals = useHasProposals()
  return (page) => (page.isAsked ? hasProposals && mayOpen(me, page) : me.is_scoped !== true || mayOpen(me, page))
}

export const useEntries = (): { readonly first: readonly NavEntry[]; readonly groups: readonly NavGroup[] } => {
  const isShown = useIsShown()
  return {
    first: narrow(FIRST_ENTRIES, isShown),
    groups: GROUPS.map(({ name, entries }) => ({ name, entries: narrow(entries, isShown) })).filter(
      ({ entries }) => entries.length > 0,
    ),
  }
}

/** Returns the pages of the settings that a user may open. The API keys of a user need no permission. */
export const listSettings = (user: Holder) =>
  SETTINGS.map(({ name, pages }) => ({ name, pages: pages.filter((page) => mayOpen(user, page)) })).filter(
    ({ pages }) => pages.length > 0,
  )
