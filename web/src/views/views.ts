/** Saved views: lists as somebody wants to see them again, under a name. Kept in this browser, and the same in all its tabs. */
import { createStore } from '../api/store.ts'
import { parseSearch, stringifySearch } from '../search-text.ts'

export type View = {
  readonly name: string
  /** The list: `/devices`. */
  readonly path: string
  /** `?q=tag:prod&sort=address`, or nothing. */
  readonly search: string
}

const KEY = 'plat.views'

/** What of a URL is the view of a list; what is open over it is not. */
const OF_A_VIEW: ReadonlySet<string> = new Set([
  ...['q', 'sort', 'desc', 'cols', 'view', 'network'],
  ...['action', 'resource', 'resource_id', 'user', 'status', 'span', 'from', 'to'],
])

const isView = (value: unknown): value is View =>
  typeof value === 'object' &&
  value !== null &&
  ['name', 'path', 'search'].every((field) => typeof Reflect.get(value, field) === 'string')

const stored = (): readonly View[] => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isView) : []
  } catch {
    return []
  }
}

export const views = createStore(stored())

window.addEventListener('storage', ({ key }) => {
  if (key === KEY) views.set(stored())
})

const change = (next: readonly View[]): void => {
  views.set([...next].sort((a, b) => a.name.localeCompare(b.name)))
  try {
    localStorage.setItem(KEY, JSON.stringify(views.get()))
  } catch {
    // A browser without storage keeps them until the tab is closed.
  }
}

/** Of a URL, as much as a view keeps. */
export const viewSearch = (search: string): string =>
  stringifySearch(Object.fromEntries(Object.entries(parseSearch(search)).filter(([name]) => OF_A_VIEW.has(name))))

const isSame = (a: Pick<View, 'name' | 'path'>, b: Pick<View, 'name' | 'path'>): boolean =>
  a.name === b.name && a.path === b.path

export const viewsOf = (all: readonly View[], path: string): readonly View[] => all.filter((one) => one.path === path)

/** In the place of the one of that name, if there is one. */
export const saveView = (view: View): void => change([...views.get().filter((one) => !isSame(one, view)), view])

export const renameView = (view: View, name: string): void => {
  const renamed = { ...view, name }
  change([...views.get().filter((one) => !isSame(one, view) && !isSame(one, renamed)), renamed])
}

export const deleteView = (view: View): void => change(views.get().filter((one) => !isSame(one, view)))
