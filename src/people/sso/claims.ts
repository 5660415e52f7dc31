/** Reads the claims of a user (OpenID Connect Core 1.0 section 5.1). Pure. */
import { EMAIL } from '../../contract/fields/text-rules.ts'
import { isRecord } from '../../contract/unknown.ts'
import { Username } from '../users/username.ts'
import type { Provider } from './provider-store.ts'

export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string }

type Terms = Pick<Provider, 'username_claim' | 'groups_claim' | 'allowed_domains' | 'required_acr'>

/** RFC 5321 4.5.3.1 */
const MAX_EMAIL = 254
const MAX_NAME = 255

const getOwn = (fields: unknown, name: string): unknown =>
  isRecord(fields) && Object.hasOwn(fields, name) ? fields[name] : undefined

/** Returns the claim of this name, or the one that its parts between dots descend to. */
export const claimAt = (claims: Claims, path: string): unknown =>
  // Names of claims may be URLs, which have dots.
  getOwn(claims, path) ?? path.split('.').reduce<unknown>(getOwn, claims)

const toText = (value: unknown): string =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\u0000') ? value.trim() : ''

/** OpenID Connect Core 1.0 section 5.1 has a boolean; Amazon Cognito and JumpCloud send it as text. */
const isTrue = (value: unknown): boolean => value === true || value === 'true'

/** Returns the e-mail address if the provider has verified it; '' otherwise. */
export const getVerifiedEmail = ({ email, email_verified }: Claims): string => {
  const address = toText(email)
  return isTrue(email_verified) && EMAIL.holds(address) && address.length <= MAX_EMAIL ? address : ''
}

/** Returns the address and its verification from one source: the first that has both, else the first that has an address. */
const pickAddress = (sources: readonly Readonly<Record<string, unknown>>[]) => {
  const withAddress = sources.filter(({ email }) => email !== undefined)
  const source = withAddress.find(({ email_verified }) => email_verified !== undefined) ?? withAddress[0]
  return source && { email: source.email, email_verified: source.email_verified }
}

/** Claims about the authentication itself, which only the signed ID token makes (sections 2 and 5.3.2). */
const OF_ID_TOKEN_ONLY: readonly string[] = ['acr', 'amr', 'auth_time', 'azp', 'nonce', 'sid']

/** Returns the claims of an ID token, with claims of userinfo that it lacks. The pair of `email` and `email_verified` is not mixed. */
export const mergeClaims = (idToken: Claims, userinfo: Readonly<Record<string, unknown>>): Claims => {
  const given = Object.entries(userinfo).filter(([name]) => !OF_ID_TOKEN_ONLY.includes(name))
  const { email: _, email_verified: __, ...others } = { ...Object.fromEntries(given), ...idToken }
  return { ...others, sub: idToken.sub, ...pickAddress([idToken, userinfo]) }
}

export const getFullName = ({ name }: Claims): string => [...toText(name).normalize('NFC')].slice(0, MAX_NAME).join('')

const toUsername = (text: string): string | undefined =>
  Username.safeParse([...toText(text).normalize('NFC')].slice(0, MAX_NAME).join('')).data

/** Returns the name of a new user; undefined if no claim has one. */
export const getUsername = (claims: Claims, { username_claim }: Terms): string | undefined => {
  const address = toText(claims.email)
  return (
    toUsername(toText(claimAt(claims, username_claim))) ??
    toUsername(address.slice(0, Math.max(0, address.lastIndexOf('@'))))
  )
}

/** The values of the groups claim. `overage`: the provider has left them out because they are too many (Entra ID). */
export type Groups = { readonly values: readonly string[]; readonly state: 'given' | 'absent' | 'overage' }

export const getGroups = (claims: Claims, { groups_claim }: Terms): Groups => {
  if (groups_claim === '') return { values: [], state: 'given' }
  const value = claimAt(claims, groups_claim)
  if (typeof value === 'string') return { values: [value], state: 'given' }
  if (Array.isArray(value)) return { values: value.filter((one) => typeof one === 'string'), state: 'given' }
  const isElsewhere = getOwn(claims._claim_names, groups_claim) !== undefined
  const hasMore = claims.hasgroups === true || claims.hasgroups === 'true'
  return { values: [], state: isElsewhere || hasMore ? 'overage' : 'absent' }
}

/** Returns the ids of the groups that the mappings give, without duplicates. Values are compared exactly. */
export const mapGroups = (
  { values }: Groups,
  { group_mappings }: Pick<Provider, 'group_mappings'>,
): readonly string[] => {
  const held = new Set(values)
  const given = group_mappings.filter(({ value }) => value === '*' || held.has(value))
  return [...new Set(given.map(({ group_id }) => group_id))]
}

/** Returns true if userinfo should be asked for a claim that the ID token lacks. */
export const lacksClaims =
  (terms: Terms) =>
  (claims: Claims): boolean => {
    const names = ['email', 'email_verified', 'name', terms.username_claim]
    return names.some((name) => claimAt(claims, name) === undefined) || getGroups(claims, terms).state !== 'given'
  }

/** Returns the reason to refuse a sign-in; undefined for an allowed one. */
export const getRefusalReason = (claims: Claims, terms: Terms): 'acr' | 'domain' | 'groups' | undefined => {
  if (terms.required_acr !== '' && claims.acr !== terms.required_acr) return 'acr'
  const email = getVerifiedEmail(claims)
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  if (terms.allowed_domains.length > 0 && (email === '' || !terms.allowed_domains.includes(domain))) return 'domain'
  if (getGroups(claims, terms).state === 'overage') return 'groups'
  return undefined
}
