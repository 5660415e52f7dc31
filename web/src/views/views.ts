/** Saved views: filtered lists by name, stored in this browser and shared by its tabs. */
import { sortByName } from '../../../src/net/name-order.ts'
import { createStore } from '../api/store.ts'
import { MOVED } from '../pages.ts'
import { parseSearch, stringifySearch } from '../search-text.ts'
import { isOfAView } from '../table/list-search.ts'

export type View = {
  readonly name: string
  /** The path of the list: `/devices`. */
  readonly path: string
  /** `?q=tag:prod&sort=address`, or ''. */
  readonly search: string
}

const KEY = 'plat.views'

const isView = (value: unknown): value is View =>
  typeof value === 'object' &&
  value !== null &&
  ['name', 'path', 'search'].every((field) => typeof Reflect.get(value, field) === 'string')

const MOVED_PATHS: Readonly<Record<string, string>> = MOVED

const withPresentPath = (view: View): View => ({ ...view, path: MOVED_PATHS[view.path] ?? view.path })

const loadViews = (): readonly View[] => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isView).map(withPresentPath) : []
  } catch {
    return []
  }
}

export const views = createStore(loadViews())

window.addEventListener('storage', ({ key }) => {
  if (key === KEY) views.set(loadViews())
})

const change = (next: readonly View[]): void => {
  views.set(sortByName(next, ({ name }) => name))
  try {
    localStorage.setItem(KEY, JSON.stringify(views.get()))
  } catch {
    // Views last until the tab is closed if there is no storage.
  }
}

/** Returns the part of a query that a view stores. */
export const pickViewSearch = (search: string): string =>
  stringifySearch(Object.fromEntries(Object.entries(parseSearch(search)).filter(([name]) => isOfAView(name))))

const isSame = (a: Pick<View, 'name' | 'path'>, b: Pick<View, 'name' | 'path'>): boolean =>
  a.name === b.name && a.path === b.path

export const filterViews = (all: readonly View[], path: string): readonly View[] =>
  all.filter((one) => one.path === path)

/** Replaces a view of the same name. */
export const saveView = (view: View): void => change([...views.get().filter((one) => !isSame(one, view)), view])

export const renameView = (view: View, name: string): void => {
  const renamed = { ...view, name }
  change([...views.get().filter((one) => !isSame(one, view) && !isSame(one, renamed)), renamed])
}

export const deleteView = (view: View): void => change(views.get().filter((one) => !isSame(one, view)))
