/** The rows of the palette: pages, actions, saved views, and the objects that the search has found. */
import type { useNavigate } from '@tanstack/react-router'
import {
  Bookmark,
  CircleHelp,
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
import type { Permit } from '../shell/me.ts'
import { buildObjectLink, findItem, NAV_ITEMS } from '../shell/nav.ts'
import { freeIsOpen } from '../shell/palette-state.ts'
import { setPreferences } from '../shell/preferences.ts'
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

/** What others call a page or an action, in lower case. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  'Single sign-on': ['sso', 'oidc', 'saml'],
  'Sign out': ['logout', 'log off'],
  Import: ['csv', 'excel', 'spreadsheet'],
  Networks: ['prefix', 'subnet'],
  'New network': ['prefix', 'subnet'],
  Datacenters: ['site'],
  'Address spaces': ['vrf'],
  Schedules: ['rule'],
  'API keys': ['token'],
  'AI clients': ['mcp', 'claude'],
  'Your account': ['mfa', '2fa', 'passkey'],
  'Compare two moments': ['diff'],
  Documentation: ['docs', 'manual'],
}

/** A limit for each type of result, so that no type hides another. */
const MAX_OF_A_TYPE = 7

export const buildResultEntries = (go: Go, results: readonly SearchResult[]): Entry[] =>
  [...Map.groupBy(results, ({ type }) => type)].flatMap(([type, found]) => {
    const item = findItem(type)
    if (!item) return []
    return found.slice(0, MAX_OF_A_TYPE).map(({ id, name, match, detail = '', space_id }) => ({
      id: `${type} ${id}`,
      group: item.text,
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

type Action = readonly [text: string, icon: LucideIcon, run: () => void]

/** `discovery:list` -> `discovery:create` */
const createPermission = (permission: string): string => permission.replace(/:list$/, ':create')

const listNew = (go: Go, { may }: Permit): Action[] =>
  NAV_ITEMS.flatMap(({ to, permission, creates }) =>
    creates !== undefined && (permission === undefined || may(createPermission(permission)))
      ? [[`New ${creates}`, Plus, () => void go({ to, search: { new: '1' } })] as const]
      : [],
  )

const undoLast = async (): Promise<void> => (await import('../history/undo-last.ts')).undoLast()

const listActions = (go: Go, permit: Permit, signOut: () => void): Action[] => {
  const { may } = permit
  const when = (permission: string, ...action: Action): Action[] => (may(permission) ? [action] : [])
  const listsPlaces = may('networks:list') || may('pools:list')
  const givesAddresses = ['devices:update', 'devices:create', 'reservations:create'].some(may)
  const full = { view: 'flat', sort: 'utilization', desc: '1' } as const
  return [
    ...listNew(go, permit),
    ...when('devices:create', 'Import a file', Upload, () => void go({ to: '/import' })),
    ...when('discovery:create', 'Scan a network', Radar, () => void go({ to: '/scans', search: { new: '1' } })),
    ...when('networks:list', 'Nearly full networks', Network, () => void go({ to: '/networks', search: full })),
    ...(listsPlaces && givesAddresses
      ? [['Next free address…', Network, () => freeIsOpen.set(true)] satisfies Action]
      : []),
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
