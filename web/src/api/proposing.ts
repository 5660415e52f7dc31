/** The writes that the user may propose, and the proposal that takes a write of the pages. */
import { PROPOSED_NAMES } from '../resource/facts/names.ts'
import { asOf, findEdited } from './as-of.ts'
import { createStore } from './store.ts'

/** The permissions of the signed-in user. */
export const held = createStore<readonly string[]>([])

/** The permissions of writes that can be proposed. */
const PROPOSED = new RegExp(`^(discovery:update|(dns|${PROPOSED_NAMES.join('|')}):(create|update|delete))$`)

/** True if the user may try out a write: who reads a part of the estate may propose a change of it. */
export const mayTry = (permissions: readonly string[], permission: string): boolean =>
  permissions.includes('proposals:create') &&
  PROPOSED.test(permission) &&
  permissions.includes(`${permission.slice(0, permission.indexOf(':'))}:read`)

/**
 * Returns the proposal that takes a write: the one that the pages show, or a new one if the user may only propose the write.
 * @param access permission of the write; a form names the proposal of a write with several
 */
export const findTaker = (access: unknown): number | 'open' | undefined => {
  if (asOf.get() !== undefined) return findEdited()
  const permissions = held.get()
  return typeof access === 'string' && !permissions.includes(access) && mayTry(permissions, access) ? 'open' : undefined
}

/** The result of a write: its change, or the number of the proposal that has taken it. */
export type Written = { readonly change?: string | undefined; readonly proposal?: number | undefined }

/** True for a write with a result that the pages show. */
export const isShown = ({ proposal }: Written): boolean => proposal === undefined || proposal === findEdited()
