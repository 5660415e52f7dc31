/**
 * The preferences of this browser: theme, density, single-key shortcuts. They are in a cookie, because the server
 * writes the first two into the page for the first paint (src/surfaces/http/theme-cookie.ts).
 */
import { createStore } from '../api/store.ts'

export type Theme = 'system' | 'light' | 'dark'
export type Density = 'compact' | 'comfortable'
export type Preferences = { readonly theme: Theme; readonly density: Density; readonly hasShortcuts: boolean }

const COOKIE = /(?:^|; )plat_look=(system|light|dark)\.(compact|comfortable)\.(on|off)/
const YEAR_S = 31_536_000

const readCookie = (): Preferences => {
  const [, theme = 'system', density = 'compact', shortcuts] = COOKIE.exec(document.cookie) ?? []
  // The regular expression admits only valid values.
  return { theme: theme as Theme, density: density as Density, hasShortcuts: shortcuts !== 'off' }
}

export const preferences = createStore(readCookie())

export const setPreferences = (change: Partial<Preferences>): void => {
  const next = { ...preferences.get(), ...change }
  preferences.set(next)
  const { dataset } = document.documentElement
  if (next.theme === 'system') delete dataset.theme
  else dataset.theme = next.theme
  if (next.density === 'compact') delete dataset.density
  else dataset.density = next.density
  const value = `${next.theme}.${next.density}.${next.hasShortcuts ? 'on' : 'off'}`
  // biome-ignore lint/suspicious/noDocumentCookie: the cookie store of scripts is not there without TLS
  document.cookie = `plat_look=${value}; path=/; max-age=${YEAR_S}; samesite=lax`
}
