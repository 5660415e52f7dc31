/** The rules of credentials. A secret is sealed before it reaches the database. Only `openCredential` returns one. */
import { isDeepStrictEqual } from 'node:util'
import { type Place, SealedValueError, type Secrets } from '../../base/security/crypto.ts'
import { type FieldIssue, orNotFound, rejectIssues } from '../../contract/errors.ts'
import { merge } from '../../contract/merge.ts'
import { containsText } from '../../database/query/contains.ts'
import { hasDevice } from '../../inventory/devices/devices.ts'
import { findNetworkBlocks } from '../../inventory/networks/networks.ts'
import { type Ctx, type DbScope, type Feature, implement } from '../../kernel/ctx.ts'
import { listRows } from '../../kernel/list.ts'
import { buildMissingKeyIssue } from '../secrets/secrets.ts'
import {
  type Credential,
  type CredentialDraft,
  type CredentialPatch,
  credentials,
  SECRET_FIELDS,
  type SecretField,
} from './api.ts'
import { checkTarget, isNewTarget } from './new-target.ts'
import {
  checkForm,
  checkSecrets,
  filterPresent,
  getSecretNeeds,
  hasUsername,
  parseSecrets,
  type SecretValues,
  serializeSecrets,
} from './secret-fields.ts'
import * as store from './store.ts'

/** A credential with plain-text secrets. It is only for signing in to a device, and never sent, stored or logged. */
export type OpenCredential = Credential & { readonly secret: SecretValues }

type Held = { readonly device_id?: string | null | undefined; readonly network_id?: string | null | undefined }

const buildSecretPlace = (id: string): Place => ({ table: 'credentials', column: 'secret', id })

const sealValues = (secrets: Secrets, id: string, values: SecretValues): string | null => {
  const text = serializeSecrets(values)
  return text === undefined ? null : secrets.seal(buildSecretPlace(id), text)
}

const openValues = (secrets: Secrets, { credential, sealed }: store.Stored): SecretValues =>
  sealed === null ? {} : parseSecrets(secrets.open(buildSecretPlace(credential.id), sealed))

/** @throws AppError NOT_FOUND */
const getOrThrow = async (scope: DbScope, id: string): Promise<store.Stored> =>
  orNotFound(await store.find(scope, id), 'credential', id)

/** Inside the server only. @throws AppError NOT_FOUND; SealedValueError for an altered secret or a missing key */
export const openCredential = async (scope: DbScope, secrets: Secrets, id: string): Promise<OpenCredential> => {
  const stored = await getOrThrow(scope, id)
  return { ...stored.credential, secret: openValues(secrets, stored) }
}

const lockForChange = async (ctx: Ctx, id: string): Promise<store.Stored> => {
  const stored = orNotFound(await store.lock(ctx, id), 'credential', id)
  ctx.precondition(stored.credential)
  return stored
}

const checkReferences = async (ctx: Ctx, { device_id, network_id }: Held): Promise<FieldIssue[]> => {
  const issues: FieldIssue[] = []
  if (device_id && !(await hasDevice(ctx, device_id)))
    issues.push({ field: 'device_id', message: `there is no device with id "${device_id}"` })
  if (network_id && !(await findNetworkBlocks(ctx, [network_id])).has(network_id))
    issues.push({ field: 'network_id', message: `there is no network with id "${network_id}"` })
  return issues
}

const create = async (ctx: Ctx, secrets: Secrets, draft: CredentialDraft): Promise<Credential> => {
  const values = filterPresent(draft)
  rejectIssues([...checkForm(draft), ...checkSecrets(draft, values), ...(await checkReferences(ctx, draft))])
  if (!secrets.isEnabled) rejectIssues(Object.keys(values).map(buildMissingKeyIssue))
  const id = Bun.randomUUIDv7()
  const { name, type, username, auth_protocol, priv_protocol, device_id, network_id, description } = draft
  const sealed = sealValues(secrets, id, values)
  const named = { id, name, type, username, auth_protocol, priv_protocol, has_secret: sealed !== null }
  const times = { created_at: ctx.now, updated_at: ctx.now }
  const credential: Credential = { ...named, device_id, network_id, description, ...times }
  await store.insert(ctx, { credential, sealed })
  return credential
}

/** Clears the fields that the new type does not use, unless the patch sets them. */
const resetBy = (before: Credential, { type = before.type }: Pick<CredentialPatch, 'type'>): Partial<Credential> =>
  type === before.type
    ? {}
    : { auth_protocol: 'none', priv_protocol: 'none', ...(!hasUsername(type) && { username: '' }) }

/** Returns the stored secrets. If all fields are `given`, a damaged secret need not be readable. */
const openForChange = (
  { log }: Ctx,
  secrets: Secrets,
  { before, ungiven }: { before: store.Stored; ungiven: readonly SecretField[] },
): SecretValues => {
  try {
    return openValues(secrets, before)
  } catch (error) {
    if (!(error instanceof SealedValueError)) throw error
    log.error('a stored secret cannot be decrypted', { error })
    rejectIssues(
      ungiven.map((field) => ({ field, message: 'is needed too, because what is stored cannot be decrypted' })),
    )
    return {}
  }
}

/** Returns undefined without the key, and for damaged secrets. */
const openIfPossible = (secrets: Secrets, before: store.Stored): SecretValues | undefined => {
  try {
    return openValues(secrets, before)
  } catch (error) {
    if (!(error instanceof SealedValueError)) throw error
    return undefined
  }
}

type SecretChange = { readonly values: SecretValues; readonly isChanged: boolean }

/** Returns the secrets after the change; undefined if it changes none, so that sealed values need not be opened. */
const buildSecretChange = (
  ctx: Ctx,
  secrets: Secrets,
  { before, after, patch }: { before: store.Stored; after: Credential; patch: Omit<CredentialPatch, 'id'> },
): SecretChange | undefined => {
  const needs = getSecretNeeds(after)
  // Forms also send "" for the fields of all other types.
  const touched = SECRET_FIELDS.filter((field) => patch[field] || (patch[field] === '' && needs[field]))
  const reshaped = (['type', 'auth_protocol', 'priv_protocol'] as const).filter(
    (field) => after[field] !== before.credential[field],
  )
  if (touched.length === 0 && reshaped.length === 0) return undefined
  const isSameType = after.type === before.credential.type
  const isOpened = isSameType && before.sealed !== null
  if (!secrets.isEnabled && (isOpened || touched.length > 0))
    rejectIssues((touched.length > 0 ? touched : reshaped).map(buildMissingKeyIssue))
  const ungiven = SECRET_FIELDS.filter((field) => needs[field] && patch[field] === undefined)
  const old = isSameType ? openForChange(ctx, secrets, { before, ungiven }) : {}
  const values = filterPresent(
    Object.fromEntries(SECRET_FIELDS.map((field) => [field, patch[field] ?? (needs[field] && old[field]) ?? ''])),
  )
  return { values, isChanged: !isSameType || !isDeepStrictEqual(old, values) }
}

const update = async (ctx: Ctx, secrets: Secrets, { id, ...patch }: CredentialPatch): Promise<Credential> => {
  const before = await lockForChange(ctx, id)
  const { name, type, username, auth_protocol, priv_protocol, device_id, network_id, description } = patch
  const given = { name, type, username, auth_protocol, priv_protocol, device_id, network_id, description }
  const reset = merge(before.credential, resetBy(before.credential, patch)).value
  const { value: after } = merge(reset, given)
  const stored = isNewTarget(before.credential, after) ? openIfPossible(secrets, before) : undefined
  const left = checkTarget({ before: before.credential, after, given: patch, stored })
  if (left.length > 0) rejectIssues([...left, ...checkForm(after), ...(await checkReferences(ctx, patch))])
  const secret = buildSecretChange(ctx, secrets, { before, after, patch })
  const wrong = secret ? checkSecrets(after, secret.values) : []
  rejectIssues([...checkForm(after), ...wrong, ...(await checkReferences(ctx, patch))])

  const { changes } = merge(before.credential, after)
  if (changes.length === 0 && !secret?.isChanged) return before.credential
  const sealed = secret?.isChanged ? sealValues(secrets, id, secret.values) : before.sealed
  const credential = { ...after, has_secret: sealed !== null, updated_at: ctx.now }
  await store.update(ctx, { credential, sealed })
  return credential
}

const remove = async (ctx: Ctx, id: string): Promise<void> => {
  await lockForChange(ctx, id)
  await store.remove(ctx, id)
}

export const credentialsFeature = ({ secrets }: { readonly secrets: Secrets }): Feature => ({
  operations: implement(credentials, {
    list: async (ctx, { name, type, device_id, network_id, ...page }) => {
      const revision = await ctx.store.revision(['credentials'])
      let query = store.query(ctx)
      if (name) query = query.where(containsText('name_key', name))
      if (type) query = query.where('type', '=', type)
      if (device_id) query = query.where('device_id', '=', device_id)
      if (network_id) query = query.where('network_id', '=', network_id)
      return listRows(ctx, { revision, query, page, row: store.toCredential })
    },
    create: async (ctx, input) => create(ctx, secrets, input),
    get: async (ctx, { id }) => (await getOrThrow(ctx, id)).credential,
    update: async (ctx, input) => update(ctx, secrets, input),
    delete: async (ctx, { id }) => remove(ctx, id),
  }),
  reactions: {
    'devices.deleting': (ctx, all: readonly { readonly id: string }[]) =>
      store.clearDevices(
        ctx,
        all.map(({ id }) => id),
      ),
    'network.deleting': (ctx, { id }: { id: string }) => store.clearNetwork(ctx, id),
  },
})
