/**
 * The user that gives a scan the right to use stored credentials: who started it, or who made or last changed its rule. The rights at
 * the start of the scanner count, also for a resumed scan.
 */
import type { Caller } from '../../kernel/caller.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Permission } from '../../kernel/operation.ts'
import { limitRights } from '../../people/keys/limits.ts'
import { type Account, findAccount, findAccountByName } from '../../people/users/account.ts'
import { findAreasOfScopes } from '../../people/users/grants.ts'
import type { UsableCredential } from '../credential-store.ts'
import * as ruleStore from '../rules/rule-store.ts'
import type { Scan } from '../schema.ts'
import * as store from './scan-store.ts'

type CredentialUser = {
  readonly user_id: string
  /** The permissions of `DECISIVE` that the API key or the client has left; null for all that the user holds. */
  readonly permissions: readonly string[] | null
  /** The scope to which the API key is limited; null without. */
  readonly scope_id: string | null
}

/** Permission to start a scan, or to let a rule start one. */
const SCANNING: readonly Permission[] = ['discovery:create']
const RULING: readonly Permission[] = ['discovery:create', 'discovery:update']
const SEEING_DEVICES: readonly Permission[] = ['devices:read', 'devices:list']
const DECISIVE: readonly Permission[] = [...RULING, ...SEEING_DEVICES]

const getHeldPermissions = (caller: Caller): readonly string[] | null => {
  if (caller.client)
    return DECISIVE.filter((name) => caller.permissions.has(name) || caller.scopedPermissions?.has(name))
  return caller.keyPermissions ? DECISIVE.filter((name) => caller.keyPermissions?.has(name)) : null
}

/** Returns the stored form of the user who calls, with the limits of the API key or the client; null for a job. */
export const toCredentialUser = (caller: Caller): string | null => {
  const { userId, keyScope } = caller
  if (userId === undefined) return null
  const user: CredentialUser = { user_id: userId, permissions: getHeldPermissions(caller), scope_id: keyScope ?? null }
  return JSON.stringify(user)
}

/** The user that gives a scan the right to use credentials. */
export type ScanUser = {
  /** `earlier` for a scan of a rule that is unchanged since an earlier version, which uses all credentials. */
  readonly user: CredentialUser | 'earlier' | undefined
  readonly permissions: readonly Permission[]
}

// The stored JSON was written by `toCredentialUser`.
const parseUser = (text: string): CredentialUser => JSON.parse(text) as CredentialUser

/** Returns the caller as the user of a scan that is to be started. */
export const toScanUser = (caller: Caller): ScanUser => {
  const text = toCredentialUser(caller)
  return { user: text === null ? undefined : parseUser(text), permissions: SCANNING }
}

/** Reads the user of a stored scan. */
export const findScanUser = async (ctx: Ctx, { id, rule_id, created_by }: Scan): Promise<ScanUser> => {
  const permissions = created_by === '' ? RULING : SCANNING
  const stored = await store.findCredentialUser(ctx, id)
  if (stored !== null) return { user: parseUser(stored), permissions }
  // An earlier version has queued it. During an upgrade, this may be another instance.
  if (created_by !== '') {
    const account = await findAccountByName(ctx, created_by)
    return { user: account && { user_id: account.id, permissions: null, scope_id: null }, permissions }
  }
  const rule = rule_id === null ? undefined : await ruleStore.find(ctx, rule_id)
  const last = rule?.credential_user ?? null
  return { user: last === null ? 'earlier' : parseUser(last), permissions }
}

type Rights = Pick<Account, 'permissions' | 'scopedPermissions'>

/** Returns the present rights; undefined for a user who is deleted, deactivated, or has not signed in for too long. */
const findRights = async (ctx: Ctx, user: CredentialUser): Promise<Rights | undefined> => {
  const account = await findAccount(ctx, user.user_id)
  if (!account?.isActive || account.sleepsMs <= Date.parse(ctx.now)) return undefined
  const { permissions, scope_id } = user
  const areas = scope_id === null ? [] : await findAreasOfScopes(ctx, [scope_id])
  const limits = {
    permissions: permissions === null ? undefined : new Set(permissions),
    scopeId: scope_id ?? undefined,
  }
  return limitRights(account, limits, new Set(areas.map(({ area_id }) => area_id)))
}

const hasIn = ({ permissions, scopedPermissions }: Rights, names: readonly Permission[], area: number): boolean =>
  names.some((name) => permissions.has(name) || scopedPermissions?.get(name)?.areas.has(area))

type Choice = {
  readonly credentials: readonly UsableCredential[]
  /**
   * Notes for the log of the scan. Its readers may know of no object outside of their scopes, so it says nothing of left out objects.
   */
  readonly notes: readonly string[]
}

const ONLY_REACHED = 'only the credentials of devices and networks that its user reaches are used'
const NO_USER = 'no credential is used: its user is deleted, deactivated, or has not signed in for too long'

/**
 * Returns the credentials that the user of a scan may use: all of them with the permission everywhere. Otherwise the user must have the
 * permission where the device of the credential is, or else its network. A device must also be visible to the user.
 */
export const selectCredentials = async (
  ctx: Ctx,
  { user, permissions }: ScanUser,
  all: readonly UsableCredential[],
): Promise<Choice> => {
  if (user === 'earlier') return { credentials: all, notes: [] }
  const rights = user && (await findRights(ctx, user))
  if (!rights) return { credentials: [], notes: [NO_USER] }
  if (permissions.some((name) => rights.permissions.has(name))) return { credentials: all, notes: [] }
  const credentials = all.filter(({ device_id, device_area, network_area }) =>
    device_id === null
      ? hasIn(rights, permissions, network_area ?? 0)
      : hasIn(rights, permissions, device_area ?? 0) && hasIn(rights, SEEING_DEVICES, device_area ?? 0),
  )
  return { credentials, notes: [ONLY_REACHED] }
}
