/** Scopes are permissions of the catalogue, written one after another (RFC 6749 3.3). Pure. */
import { CATALOGUE, canonicalPermission, SYSTEM_ROLES } from '../roles/catalogue.ts'

/** @example scopesOf('devices:list  devices:read') // ['devices:list', 'devices:read'] */
export const scopesOf = (text: string): string[] => [...new Set(text.split(' ').filter((scope) => scope !== ''))]

export const scopeText = (scopes: Iterable<string>): string => [...scopes].join(' ')

const heldBy = (role: string): readonly string[] => SYSTEM_ROLES.find(({ name }) => name === role)?.permissions ?? []

/** What a client may ask for that has not said what it wants: what a viewer may do, which is to read. */
export const READING: readonly string[] = heldBy('viewer')

/** What a client is told to ask for when it comes without a token: the daily work of an operator, which deletes nothing. */
export const EVERYDAY: readonly string[] = heldBy('operator')

export const ALL_SCOPES: readonly string[] = CATALOGUE.map(({ name }) => name)

/** The scopes in the catalogue's own spelling and order; undefined if one of them is not in it. */
export const knownScopes = (text: string): string[] | undefined => {
  const names = scopesOf(text).map(canonicalPermission)
  if (names.includes(undefined)) return undefined
  return ALL_SCOPES.filter((scope) => names.some((name) => name === scope))
}

/** As far as they are in the catalogue, in its order; what it doesn't know asks for nothing. */
export const catalogued = (text: string): string[] => {
  const names = new Set<string | undefined>(scopesOf(text).map(canonicalPermission))
  return ALL_SCOPES.filter((scope) => names.has(scope))
}

/** What is in both. */
export const common = (scopes: readonly string[], others: ReadonlySet<string>): string[] =>
  scopes.filter((scope) => others.has(scope))
