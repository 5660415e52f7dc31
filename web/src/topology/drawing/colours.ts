/** The colors of the theme, in a form that a canvas accepts. */
import { useEffect, useMemo, useState } from 'react'
import { useStore } from '../../api/store.ts'
import { preferences } from '../../shell/preferences.ts'

const NAMES = [
  'sunken',
  'raised',
  'line',
  'line-strong',
  'text',
  'muted',
  'accent',
  'accent-fg',
  'ok',
  'warn',
  'warn-fill',
  'bad-fill',
  'ip-used',
  'ip-free',
] as const

export type Colours = Readonly<Record<(typeof NAMES)[number], string>>

/** Resolves the colors by the browser, because a CSS variable has another value in each theme. */
const readColours = (): Colours => {
  const probe = document.createElement('i')
  document.body.append(probe)
  const entries = NAMES.map((name) => {
    probe.style.color = `var(--${name})`
    return [name, getComputedStyle(probe).color] as const
  })
  probe.remove()
  // Each name has a color.
  return Object.fromEntries(entries) as Colours
}

export const useColours = (): Colours => {
  const { theme } = useStore(preferences)
  const [turns, setTurns] = useState(0)
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)')
    const turned = () => setTurns((old) => old + 1)
    query.addEventListener('change', turned)
    return () => query.removeEventListener('change', turned)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colors depend on the theme
  return useMemo(readColours, [theme, turns])
}
