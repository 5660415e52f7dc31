/** Creates, updates and deletes sources. */
import type { Secrets } from '../base/security/crypto.ts'
import { AppError, type FieldIssue, invalidField, nameTaken, orNotFound, rejectIssues } from '../contract/errors.ts'
import { merge } from '../contract/merge.ts'
import { filterExistingDatacenters } from '../inventory/datacenters/datacenters.ts'
import { INVENTORY } from '../inventory/resources.ts'
import { store as spaces } from '../inventory/spaces/store.ts'
import type { Ctx } from '../kernel/ctx.ts'
import type { Permission } from '../kernel/operation.ts'
import type { Means } from '../record/history/kinds.ts'
import { loadFieldsForWrite } from '../resource/custom/definitions.ts'
import type { SourceDraft, SourcePatch } from './api.ts'
import * as checks from './checks.ts'
import { releaseObjects } from './judge/operations/release.ts'
import { SOURCE_KINDS } from './kinds/index.ts'
import type { SecretValues, SourceKind } from './kinds/source-kind.ts'
import * as runs from './runs/run-store.ts'
import { computeDueMs } from './runs/schedule.ts'
import type { Source } from './schema.ts'
import * as sealing from './secrets.ts'
import { serializeSource, settleStatus } from './status.ts'
import * as store from './store.ts'

const DEFAULT_MAX_GONE_PERCENT = 30

/** @throws AppError VALIDATION_ERROR for a kind that this program does not have */
export const getKindOrThrow = (kind: Source['kind']): SourceKind => {
  const found = SOURCE_KINDS[kind]
  if (!found) throw invalidField('kind', `must be one of ${Object.keys(SOURCE_KINDS).join(', ')}`)
  return found
}

const MACHINES = ['devices', 'networks', 'ports', 'relationships'] as const
const VERBS = ['create', 'update', 'delete'] as const

/** Requires the permissions that a source of the kind hands out: it writes with them. @throws AppError FORBIDDEN naming what is missing */
export const requireRights = (ctx: Ctx, { makesAll, alsoMakes }: SourceKind, options: Source['options']): void => {
  const needed = (makesAll ? INVENTORY : [...MACHINES, ...(alsoMakes?.(options) ?? [])]).flatMap((resource) =>
    VERBS.map((verb): Permission => `${resource}:${verb}`),
  )
  const missing = needed.filter((permission) => !ctx.caller.permissions.has(permission))
  if (missing.length > 0)
    throw new AppError('FORBIDDEN', `A source writes the inventory; you lack ${missing.join(', ')} everywhere`)
  for (const permission of needed) ctx.require(permission)
}

type Settings = store.SourceSettings

/** Returns the issues of a source that can be found without the database. */
const checkSettings = (kind: SourceKind, { url, tls_ca, tls_fingerprint }: Settings): FieldIssue[] => [
  ...checks.checkUrl(kind, url),
  ...checks.checkAuthorities(tls_ca),
  ...checks.checkFingerprint(tls_fingerprint),
]

type Placed = Pick<Settings, 'datacenter_id' | 'space_id' | 'places'>
type Named = { readonly field: string; readonly id: string | null }

const listNamed = (
  { places, ...source }: Placed,
  field: 'datacenter_id' | 'space_id',
): (Named & { readonly id: string })[] =>
  [
    { field, id: source[field] },
    ...places.map((place, i) => ({ field: `places[${i}].${field}`, id: place[field] })),
  ].flatMap(({ field: name, id }) => (id === null ? [] : [{ field: name, id }]))

/** Locks the named spaces until commit. @returns the issues of references to nothing */
const checkReferences = async (ctx: Ctx, source: Placed): Promise<FieldIssue[]> => {
  const datacenters = listNamed(source, 'datacenter_id')
  const there = await filterExistingDatacenters(
    ctx,
    datacenters.map(({ id }) => id),
  )
  const issues = datacenters.flatMap(({ field, id }) =>
    there.has(id) ? [] : [{ field, message: `there is no datacenter with id "${id}"` }],
  )
  // Sorted, so that two sources do not wait for each other.
  for (const { field, id } of listNamed(source, 'space_id').sort((a, b) => (a.id < b.id ? -1 : 1)))
    if (!(await spaces.lock(ctx, id))) issues.push({ field, message: `there is no space with id "${id}"` })
  return issues
}

const checkCustom = async (ctx: Ctx, custom: Settings['custom']): Promise<FieldIssue[]> => {
  if (Object.keys(custom).length === 0) return []
  const fields = await loadFieldsForWrite(ctx, 'devices')
  return Object.entries(custom).flatMap(([fact, name]) =>
    fields.has(name) ? [] : [{ field: `custom.${fact}`, message: `devices have no custom field "${name}"` }],
  )
}

/** Returns the first ref of the kind that no other source has; kinds with global ids share theirs. */
const chooseRef = ({ kind, hasGlobalIds }: SourceKind, others: readonly Settings[]): string => {
  const taken = new Set(others.map(({ ref }) => ref))
  if (hasGlobalIds || !taken.has(kind)) return kind
  let next = 2
  while (taken.has(`${kind}-${next}`)) next++
  return `${kind}-${next}`
}

const checkRef = ({ hasGlobalIds }: SourceKind, { kind, ref }: Settings, others: readonly Settings[]): FieldIssue[] => {
  const other = others.find((one) => one.ref === ref && !(hasGlobalIds && one.kind === kind))
  return other ? [{ field: 'ref', message: `is the ref of the source "${other.name}"` }] : []
}

/** Settings that a change has another lane for: a running run ends. */
const ENDS = ['url', 'options', 'ref', 'tls_ca', 'tls_fingerprint'] as const

/** @param kind the kind of the source */
export const create = async (
  ctx: Ctx,
  secrets: Secrets,
  { draft, kind }: { readonly draft: SourceDraft; readonly kind: SourceKind },
): Promise<Source> => {
  const { id = Bun.randomUUIDv7(), secrets: given = {}, ...fields } = draft
  await ctx.lock('sources')
  if (await store.find(ctx, id)) throw new AppError('ALREADY_EXISTS', `A source with id "${id}" exists already`)
  if (await store.findNamesake(ctx, { id, name: fields.name })) throw nameTaken('source', fields.name)
  const others = await store.findAll(ctx)
  const parsed = checks.parseOptions(kind, fields.options)
  const values = sealing.mergeSecrets({}, given)
  const source: Settings = {
    ...{ id, name: fields.name, kind: kind.kind, url: fields.url },
    ...{ options: 'options' in parsed ? parsed.options : {}, secrets_set: Object.keys(values) },
    ...{ enabled: fields.enabled, mode: fields.mode, interval_minutes: fields.interval_minutes },
    ...{ timeout_seconds: fields.timeout_seconds, allow_private: fields.allow_private, tls_ca: fields.tls_ca },
    tls_fingerprint: checks.formatFingerprint(fields.tls_fingerprint),
    ...{ include: fields.include, exclude: fields.exclude, datacenter_id: fields.datacenter_id },
    ...{ space_id: fields.space_id, places: fields.places, tags: fields.tags, custom: fields.custom },
    ref: fields.ref ?? chooseRef(kind, others),
    ...{
      when_gone: fields.when_gone ?? kind.whenGone,
      gone_after_hours: fields.gone_after_hours ?? kind.goneAfterHours,
    },
    max_gone_percent: fields.max_gone_percent ?? kind.maxGonePercent ?? DEFAULT_MAX_GONE_PERCENT,
    ...{ description: fields.description, created_at: ctx.now, updated_at: ctx.now },
  }
  rejectIssues([
    ...checkSettings(kind, source),
    ...('issues' in parsed ? parsed.issues : []),
    ...sealing.checkGiven(secrets, kind, given),
    ...(checks.isFetched(kind, source) ? sealing.checkRequired(kind, source.secrets_set) : []),
    ...checkRef(kind, source, others),
    ...(await checkReferences(ctx, source)),
    ...(await checkCustom(ctx, source.custom)),
  ])
  const sealed = sealing.sealSecrets(secrets, id, values)
  await store.insert(ctx, { source, sealed }, computeDueMs(kind, source, Date.parse(ctx.now)))
  await ctx.emit('source.changed')
  return serializeSource(ctx, source)
}

const lockOrThrow = async (ctx: Ctx, id: string): Promise<store.Stored> => {
  await ctx.lock('sources')
  // The state comes first, as in a run, which locks it for each of its writes.
  await store.lockState(ctx, id)
  const stored = orNotFound(await store.lock(ctx, id), 'source', id)
  ctx.precondition(await serializeSource(ctx, stored.source))
  return stored
}

/** Returns the secrets after a change; undefined if it names none. @throws AppError VALIDATION_ERROR for a needed one that cannot be opened */
const changeSecrets = (
  ctx: Ctx,
  secrets: Secrets,
  { before, given }: { readonly before: store.Stored; readonly given: sealing.GivenSecrets },
): SecretValues | undefined => {
  if (Object.keys(given).length === 0) return undefined
  const { id, secrets_set } = before.source
  const left = secrets_set.filter((name) => !Object.hasOwn(given, name))
  const stored = left.length === 0 ? {} : sealing.openIfPossible(secrets, id, before.sealed)
  if (stored) return sealing.mergeSecrets(stored, given)
  ctx.log.error('a stored secret cannot be decrypted', { source: id })
  rejectIssues(
    left.map((name) => ({
      field: `secrets.${name}`,
      message: 'is needed too, because what is stored cannot be decrypted',
    })),
  )
  return undefined
}

/** Returns the patch in the values of a source: null is the default of the kind. */
const fillPatch = (
  kind: SourceKind,
  { ref, when_gone, gone_after_hours, max_gone_percent, ...patch }: Omit<SourcePatch, 'id' | 'secrets'>,
): { readonly [K in keyof Settings]?: Settings[K] | undefined } => {
  const usual = kind.maxGonePercent ?? DEFAULT_MAX_GONE_PERCENT
  return {
    ...patch,
    // An absent ref is chosen once: null keeps it.
    ref: ref ?? undefined,
    when_gone: when_gone === null ? kind.whenGone : when_gone,
    gone_after_hours: gone_after_hours === null ? kind.goneAfterHours : gone_after_hours,
    max_gone_percent: max_gone_percent === null ? usual : max_gone_percent,
    ...(patch.tls_fingerprint !== undefined && { tls_fingerprint: checks.formatFingerprint(patch.tls_fingerprint) }),
  }
}

type Change = { readonly before: Settings; readonly after: Settings; readonly isEnded: boolean }

/** Ends a running run, and says when the next one is due. */
const reschedule = async (ctx: Ctx, kind: SourceKind, { before, after, isEnded }: Change): Promise<void> => {
  if (isEnded) await runs.cancelOpen(ctx, after.id)
  const isBegun = isEnded || (after.enabled && !before.enabled)
  if (!isBegun && after.interval_minutes === before.interval_minutes && after.url === before.url) return
  const state = await store.findState(ctx, after.id)
  if (!state) return
  const lastMs = isBegun || state.last_run_at === null ? undefined : Date.parse(state.last_run_at)
  await store.updateState(ctx, after.id, {
    ...(isEnded && { generation: state.generation + 1 }),
    next_run_ms: computeDueMs(kind, after, Date.parse(ctx.now), lastMs),
  })
  await ctx.emit('source.changed')
}

export const update = async (ctx: Ctx, secrets: Secrets, patch: SourcePatch): Promise<Source> => {
  const { id, secrets: given = {}, ...fields } = patch
  const stored = await lockOrThrow(ctx, id)
  const { source: before } = stored
  const kind = getKindOrThrow(before.kind)
  if (fields.kind !== undefined && fields.kind !== before.kind)
    throw invalidField('kind', 'cannot change: create another source')
  const parsed = fields.options === undefined ? { options: before.options } : checks.parseOptions(kind, fields.options)
  const options = 'options' in parsed ? parsed.options : before.options
  const { value, changes } = merge(before, { ...fillPatch(kind, fields), options })
  const isMoved = checks.isNewTarget(checks.getTargetUrl(kind, before.url), checks.getTargetUrl(kind, value.url))
  const isRefFixed = changes.includes('ref') && (await runs.hasAny(ctx, id))
  const others = (await store.findAll(ctx)).filter((one) => one.id !== id)
  rejectIssues([
    ...checkSettings(kind, value),
    ...('issues' in parsed ? parsed.issues : []),
    ...sealing.checkGiven(secrets, kind, given),
    ...(isMoved ? sealing.checkGivenAgain(before.secrets_set, given) : []),
    ...(isRefFixed ? [{ field: 'ref', message: 'cannot change after the first run' }] : []),
    ...(changes.includes('ref') ? checkRef(kind, value, others) : []),
    ...(changes.includes('datacenter_id') || changes.includes('space_id') || changes.includes('places')
      ? await checkReferences(ctx, value)
      : []),
    ...(changes.includes('custom') ? await checkCustom(ctx, value.custom) : []),
  ])
  if (changes.includes('name') && (await store.findNamesake(ctx, value))) throw nameTaken('source', value.name)
  const values = changeSecrets(ctx, secrets, { before: stored, given })
  const secrets_set = values ? Object.keys(values) : before.secrets_set
  const after: Settings = { ...value, secrets_set, updated_at: ctx.now }
  if (checks.isFetched(kind, after)) rejectIssues(sealing.checkRequired(kind, secrets_set))
  if (changes.length === 0 && !values) return serializeSource(ctx, before)
  const sealed = values ? sealing.sealSecrets(secrets, id, values) : stored.sealed
  await store.updateRow(ctx, { source: after, sealed })
  const isEnded =
    values !== undefined || (before.enabled && !after.enabled) || ENDS.some((one) => changes.includes(one))
  await reschedule(ctx, kind, { before, after, isEnded })
  await settleStatus(ctx, id)
  return serializeSource(ctx, after)
}

export const remove = async (
  ctx: Ctx,
  means: Means,
  { id, objects }: { readonly id: string; readonly objects: 'keep' | 'delete' },
): Promise<void> => {
  await lockOrThrow(ctx, id)
  await runs.removeAll(ctx, id)
  // Before the objects: it may name a space that it has made.
  await store.deleteRow(ctx, id)
  await releaseObjects(ctx, means, { sourceId: id, objects })
  await ctx.emit('source.changed')
}
