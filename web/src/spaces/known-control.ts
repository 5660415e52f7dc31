/** The choice of an address space in filters and forms. Imports no requests. */
import type { Space } from './fields.ts'

/** The default space in filters. */
export const DEFAULT = 'default'

export const listSpaceOptions = (spaces: readonly Space[]): (readonly [id: string, name: string])[] =>
  spaces.map(({ id, name }) => [id, name] as const)

/** Returns a control of a form, which is hidden without spaces. */
export const buildSpaceControl = (spaces: readonly Space[]) => ({
  kind: 'reference' as const,
  to: 'spaces' as const,
  none: 'Default space',
  isShown: () => spaces.length > 0,
})
