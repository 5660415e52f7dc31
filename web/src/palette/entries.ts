/** The rows of the palette: pages, actions, saved views, and the objects that the search has found. */
import type { useNavigate } from '@tanstack/react-router'
import {
  Bookmark,
  CircleHelp,
  GitPullRequestArrow,
  History,
  type LucideIcon,
  Moon,
  Network,
  Plus,
  Radar,
  Sun,
  Terminal,
  Upload,
  User,
} from 'lucide-react'
import type { SearchResult } from '../api/contracts.ts'
import { FORMS } from '../commands/call.ts'
import { copyShown } from '../commands/command-menu.tsx'
import { HELP_PAGES, openHelp } from '../shell/help-menu.tsx'
import type { Permit, useMe } from '../shell/me.ts'
import { buildObjectLink, DNS, findItem, KINDS_PAGE, NAV_ITEMS } from '../shell/nav.ts'
import { freeIsOpen, startIsOpen } from '../shell/palette-state.ts'
import { setPreferences } from '../shell/preferences.ts'
import { toSentenceCase } from '../ui/format.ts'
import { findViewPage, type View } from '../views/views.ts'

export type Entry = {
  readonly id: string
  readonly group: string
  readonly text: string
  readonly synonyms?: readonly string[] | undefined
  readonly note?: string
  /** Absent in the default space. */
  readonly space_id?: string | undefined
  readonly keys?: readonly string[]
  readonly icon: LucideIcon
  readonly run: () => void
}

export type Go = ReturnType<typeof useNavigate>

type ShownKinds = readonly NonNullable<ReturnType<typeof useMe>['kinds']>[number][]

/** What others call a page or an action, in lower case. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  'Single sign-on': ['sso', 'oidc', 'saml'],
  'Sign out': ['logout', 'log off'],
  Import: ['csv', 'excel', 'spreadsheet'],
  Networks: ['prefix', 'subnet'],
  'New network': ['prefix', 'subnet'],
  Datacenters: ['site'],
  Kinds: ['object types', 'packs', 'custom objects'],
  'Address spaces': ['vrf'],
  Scanners: ['agent', 'probe', 'sensor'],
  Schedules: ['rule'],
  Sources: ['proxmox', 'vcenter', 'vmware', 'docker', 'kubernetes', 'aws', 'sync', 'integration'],
  'API keys': ['token'],
  'AI clients': ['mcp', 'claude'],
  'Your account': ['mfa', '2fa', 'passkey'],
  'Compare two moments': ['diff'],
  Proposals: ['approve', 'review', 'change request', 'merge'],
  'Start a proposal': ['draft', 'change request'],
  Request: ['ask'],
  Policies: ['approvals', 'four eyes'],
  Documentation: ['docs', 'manual'],
}

/** A limit for each type of result, so that no type hides another. */
const MAX_OF_A_TYPE = 7

/** Objects of each kind are a type of their own. */
const getKindId = (result: SearchResult): string => String(Reflect.get(result, 'kind_id') ?? '')

/** @param kinds of the sidebar: their objects are grouped by their names */
export const buildResultEntries = (go: Go, results: readonly SearchResult[], kinds: ShownKinds): Entry[] =>
  [...Map.groupBy(results, (result) => `${result.type} ${getKindId(result)}`).values()].flatMap((found) => {
    const [{ type }] = found as [SearchResult]
    const item = findItem(type)
    if (!item) return []
    const kind = kinds.find(({ id }) => found.some((result) => getKindId(result) === id))
    return found.slice(0, MAX_OF_A_TYPE).map(({ id, name, match, detail = '', space_id }) => ({
      id: `${type} ${id}`,
      group: kind?.name ?? item.text,
      text: name,
      note: [...new Set([detail, match])].filter((text) => text !== '' && text !== name).join(' · '),
      space_id,
      icon: item.icon,
      run: () => void go(buildObjectLink(item, id)),
    }))
  })

const buildPageEntries = (go: Go, { may }: Permit): Entry[] =>
  NAV_ITEMS.filter(({ permission }) => permission === undefined || may(permission)).map(({ to, text, icon, key }) => ({
    id: to,
    group: 'Pages',
    text,
    synonyms: SYNONYMS[text],
    icon,
    ...(key !== undefined && { keys: ['g', key] }),
    run: () => void go({ to }),
  }))

const KIND = '/kinds/$id' as const

/** Builds the pages of the kinds in the sidebar, and the actions that make their objects. */
export const buildKindEntries = (go: Go, { may }: Permit, kinds: ShownKinds): Entry[] =>
  kinds.flatMap(({ id, name, singular }) => {
    const goTo = (search: { readonly new?: '1' }) => void go({ to: KIND, params: { id }, search })
    const page: Entry = { id: `kind ${id}`, group: 'Pages', text: name, icon: KINDS_PAGE.icon, run: () => goTo({}) }
    if (!may('objects:create')) return [page]
    const text = `New ${toSentenceCase(singular)}`
    return [page, { id: `action new ${id}`, group: 'Actions', text, icon: Plus, run: () => goTo({ new: '1' }) }]
  })

type Action = readonly [text: string, icon: LucideIcon, run: () => void]

/** `discovery:list` -> `discovery:create` */
const createPermission = (permission: string): string => permission.replace(/:list$/, ':create')

const listNew = (go: Go, { may, mayNow }: Permit): Action[] =>
  NAV_ITEMS.flatMap(({ to, permission, creates }) =>
    creates !== undefined &&
    // Records can be proposed, and zones cannot.
    (permission === undefined || (to === DNS.to ? mayNow : may)(createPermission(permission)))
      ? [[`New ${creates}`, Plus, () => void go({ to, search: { new: '1' } })] as const]
      : [],
  )

const undoLast = async (): Promise<void> => (await import('../history/undo-last.ts')).undoLast()

const listActions = (go: Go, permit: Permit, signOut: () => void): Action[] => {
  const { may, mayNow, mayPropose } = permit
  const when = (permission: string, ...action: Action): Action[] => (may(permission) ? [action] : [])
  const listsPlaces = may('networks:list') || may('pools:list')
  const givesAddresses = ['devices:update', 'devices:create', 'reservations:create'].some(may)
  const full = { view: 'flat', sort: 'utilization', desc: '1' } as const
  return [
    ...listNew(go, permit),
    ...(mayNow('devices:create') ? [['Import a file', Upload, () => void go({ to: '/import' })] satisfies Action] : []),
    ...when('discovery:create', 'Scan a network', Radar, () => void go({ to: '/scans', search: { new: '1' } })),
    ...when('networks:list', 'Nearly full networks', Network, () => void go({ to: '/networks', search: full })),
    ...(listsPlaces && givesAddresses
      ? [['Next free address…', Network, () => freeIsOpen.set(true)] satisfies Action]
      : []),
    ...(mayPropose ? [['Start a proposal', GitPullRequestArrow, () => startIsOpen.set(true)] satisfies Action] : []),
    ['Undo my last change', History, () => void undoLast()],
    ['Compare two moments', History, () => void go({ to: '/history/diff' })],
    ...HELP_PAGES.map(([text, path]): Action => [text, CircleHelp, () => openHelp(path)]),
    ['Light theme', Sun, () => setPreferences({ theme: 'light' })],
    ['Dark theme', Moon, () => setPreferences({ theme: 'dark' })],
    ['Sign out', User, signOut],
  ]
}

/** The actions on the page that is shown. */
const listCopies = (): Action[] => {
  const copy = copyShown()
  return copy ? FORMS.map(([form, text]): Action => [text, Terminal, () => copy(form)]) : []
}

/** Builds the rows that need no answer of the server. */
export const buildKnownEntries = (go: Go, permit: Permit, signOut: () => void): Entry[] => [
  ...buildPageEntries(go, permit),
  ...[...listCopies(), ...listActions(go, permit, signOut)].map(([text, icon, run]) => ({
    id: `action ${text}`,
    group: 'Actions',
    text,
    synonyms: SYNONYMS[text],
    icon,
    run,
  })),
]

/** Builds an entry for each view, shown with the list that it belongs to. */
export const buildViewEntries = (push: (href: string) => void, { may }: Permit, all: readonly View[]): Entry[] =>
  all.flatMap((view) => {
    const page = findViewPage(may, view)
    if (!page) return []
    const run = () => push(view.path + view.search)
    return [{ id: `view ${view.id}`, group: 'Saved views', text: view.name, note: page.text, icon: Bookmark, run }]
  })
