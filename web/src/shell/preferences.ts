/** What a person chose for this browser: theme, density, single-key shortcuts. theme.js applies it before the first paint. */
import { createStore } from '../api/store.ts'

export type Theme = 'system' | 'light' | 'dark'
export type Density = 'compact' | 'comfortable'
export type Preferences = { readonly theme: Theme; readonly density: Density; readonly hasShortcuts: boolean }

const KEY = 'plat.preferences'
const DEFAULTS: Preferences = { theme: 'system', density: 'compact', hasShortcuts: true }

const stored = (): Preferences => {
  try {
    // Written by this module alone.
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>) }
  } catch {
    return DEFAULTS
  }
}

export const preferences = createStore(stored())

export const setPreferences = (change: Partial<Preferences>): void => {
  const next = { ...preferences.get(), ...change }
  preferences.set(next)
  const { dataset } = document.documentElement
  if (next.theme === 'system') delete dataset.theme
  else dataset.theme = next.theme
  if (next.density === 'compact') delete dataset.density
  else dataset.density = next.density
  try {
    localStorage.setItem(KEY, JSON.stringify(next))
  } catch {
    // A browser without storage keeps it until the tab is closed.
  }
}
